async def facts_within(run, researcher, task, calls):
    match await run.dispatch(researcher, Handoff(intent=task), budget=Budget(calls=calls)):
        case Result(output=str(text)) if text:
            return text
        case Result(artifacts={"tool_results": kept}):
            return kept
    return ""
