async def facts_within(run, researcher, task, calls):
    result = await run.dispatch(
        researcher, Handoff(intent=task, context="Be quick."), budget=Budget(calls=calls)
    )
    return result.output if result.output else result.artifacts.get("tool_results") or ""
