def faults(answer, names):
    import json as reader

    try:
        given = list(reader.loads(answer)["executables"])
    except (ValueError, TypeError, KeyError):
        return [("not a selection", "")]
    if given == []:
        return [("empty", "")]
    twice = [("twice", name) for name in {*given} if given.count(name) > 1]
    return twice + [("unknown", name) for name in {*given} - {*names}]
