def name_it(trace):
    from collections import Counter

    first, *rest = trace.handoffs()
    counts = Counter(handoff["to_agent"] for handoff in rest)
    if max(counts.values()) >= 6:
        return "micromanager"
    if [handoff["intent"] for handoff in rest] == [first["intent"]]:
        return "absent manager"
    pairs = {
        (text, handoff["to_agent"]) for handoff in rest for text in handoff["artifacts"].values()
    }
    if any(number > 2 for number in Counter(text for text, _ in pairs).values()):
        return "context hoarder"
    *_, worker, manager = endings(trace)
    return "single point of failure" if worker[1] != "ok" and manager[1] != "ok" else "none"
