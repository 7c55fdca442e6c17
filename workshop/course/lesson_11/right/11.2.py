def checked(draft, gates):
    found = []
    for cost in sorted({gate.cost for gate in gates}):
        if found:
            return found
        for gate in gates:
            if gate.cost == cost:
                found.extend(gate.check(draft))
    return found
