async def traced(run, team, handoff):
    before = len(run.events)
    await run.dispatch(team, handoff)
    spans = {}
    for event in run.events[before:]:
        match event.kind:
            case "dispatch":
                spans[event.run] = AgentSpan(event.agent, event.seq)
                spans[event.run].parent = spans.get(event.parent)
            case "reply":
                spans[event.run].tokens += event.spent.input_tokens + event.spent.output_tokens
            case "return":
                spans[event.run].end = event.seq
                if event.result.status != "ok":
                    spans[event.run].error = event.result.status
    return list(spans.values())
