def unsourced(draft, sources):
    found = []
    for line in draft.split("\n"):
        before, bracket, rest = line.rpartition("[")
        source = rest.partition("]")[0] if bracket else None
        if source is None:
            found.append(
                Issue(where=f"“{line}”", problem="no citation", remedy="add one in brackets")
            )
        elif source not in set(sources):
            found.append(
                Issue(where=line, problem=f"{source!r} is not known", remedy="use a known one")
            )
    return found
