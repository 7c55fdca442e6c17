from collections import Counter


def signs(trace, kept):
    manager = trace.handoffs()[0]["to_agent"]
    tokens = Counter()
    for event in trace.events:
        if event.kind == "reply":
            tokens["own" if event.agent == manager else "others"] += event.spent.input_tokens
    results = brought(trace, manager)
    given = Counter()
    for text in handed(trace, manager):
        given.update(result for result in results if result in text)
    names = []
    if tokens["own"] > tokens["others"]:
        names.append("micromanager")
    if has_end(trace, manager):
        if tokens["own"] == 0 and not given and len(results) > 1:
            names.append("absent manager")
    if given and given.most_common(1)[0][1] > 2:
        names.append("context hoarder")
    if not has_end(trace, manager) and replies(trace) - kept > 0:
        names.append("single point of failure")
    return names
