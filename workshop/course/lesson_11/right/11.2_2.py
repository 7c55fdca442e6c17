def checked(draft, gates):
    from itertools import groupby

    for _, alike in groupby(sorted(gates, key=lambda gate: gate.cost), key=lambda gate: gate.cost):
        found = [issue for gate in [*alike] for issue in gate.check(draft)]
        if found:
            return found
    return []
