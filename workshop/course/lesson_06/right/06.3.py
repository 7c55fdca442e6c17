# By the status: what is ok has an answer, what is exhausted has one or the material.
async def facts_within(run, researcher, task, calls):
    limit = Budget(calls=calls)
    result = await run.dispatch(researcher, Handoff(intent=task), budget=limit)
    if result.ok or result.output:
        return result.as_text()
    return "\n\n".join(text for name, text in result.artifacts.items() if name == "tool_results")
