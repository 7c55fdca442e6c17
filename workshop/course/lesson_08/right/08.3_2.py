def faults(answer, names):
    try:
        selection = json.loads(answer)
    except json.JSONDecodeError:
        selection = None
    if not isinstance(selection, dict) or "executables" not in selection:
        return [("not a selection", "")]
    seen, pairs = set(), set()
    for name in selection["executables"]:
        if name in seen:
            pairs.add(("twice", name))
        if name not in set(names):
            pairs.add(("unknown", name))
        seen.add(name)
    return sorted(pairs) if seen else [("empty", "")]
