def faults(answer, names):
    from collections import Counter

    try:
        match json.loads(answer):
            case {"executables": [*given]}:
                counts = Counter(given)
            case _:
                return [("not a selection", "")]
    except ValueError:
        return [("not a selection", "")]
    if not counts:
        return [("empty", "")]
    unknown = [("unknown", name) for name in counts if name not in names]
    return unknown + [("twice", name) for name, number in counts.items() if number > 1]
