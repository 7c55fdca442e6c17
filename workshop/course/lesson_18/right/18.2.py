def name_it(trace):
    from collections import Counter

    first, *rest = trace.handoffs()
    counts = Counter(handoff["to_agent"] for handoff in rest)
    if max(counts.values(), default=0) >= 6:
        return "micromanager"
    if [handoff["intent"] for handoff in rest] == [first["intent"]]:
        return "absent manager"
    pairs = {
        (text, handoff["to_agent"]) for handoff in rest for text in handoff["artifacts"].values()
    }
    if any(number > 2 for number in Counter(text for text, _ in pairs).values()):
        return "context hoarder"
    last_two = [status for _, status in endings(trace)][-2:]
    return "single point of failure" if len(last_two) == 2 and "ok" not in last_two else "none"
