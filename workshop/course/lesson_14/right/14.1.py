# One eviction at a time, while there is too much.
def evictions(entries, limit, pinned):
    left, gone = list(entries), []
    while sum(entry[1] for entry in left) * 5 > limit * 4:
        loose = [entry for entry in left if entry[0] not in pinned]
        if not loose:
            break
        least = min(entry[2] for entry in loose)
        victim = max((entry for entry in loose if entry[2] == least), key=lambda entry: entry[1])
        left.remove(victim)
        gone.append(victim[0])
    return gone
