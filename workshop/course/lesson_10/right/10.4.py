async def sum_up(handoff, results, run):
    broken = {id: result for id, result in results.items() if not result.ok}
    why = "; ".join(f"{id} is {result.status}: {result.reason}" for id, result in broken.items())
    if len(broken) == len(results):
        return Result(status="failed", reason=why)
    reader = Agent(
        "reader",
        "Reads it all.",
        "Read these results side by side and tell me where they disagree.",
        models.worker,
        output=Synthesis,
    )
    parts = {id: result.as_text() for id, result in results.items() if result.ok}
    if why:
        parts["missing"] = why
    answer = await run.dispatch(reader, handoff.with_artifacts(parts))
    if why or not answer.ok:
        return answer.model_copy(update={"status": "failed", "reason": why or answer.reason})
    return answer
