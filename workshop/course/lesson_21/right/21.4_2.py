async def traced(run, team, handoff):
    events = []
    run.subscribe(events.append)
    await run.dispatch(team, handoff)
    begins = [event for event in events if event.kind == "dispatch"]
    ends = {event.run: event for event in events if event.kind == "return"}
    spans = []
    for begin in begins:
        replies = [each for each in events if each.kind == "reply" and each.run == begin.run]
        above = [span for span, other in zip(spans, begins) if other.run == begin.parent]
        end = ends[begin.run]
        span = AgentSpan(begin.agent, begin.seq, above[0] if above else None, end.seq)
        span.tokens = sum(reply.spent.tokens for reply in replies)
        span.error = "" if end.result.ok else end.result.status
        spans.append(span)
    return spans
