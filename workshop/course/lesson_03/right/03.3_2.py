async def in_stages(run, task, stages):
    done = {}
    for stage in stages:
        result = await run.dispatch(
            stages[stage], Handoff(intent=task, artifacts={**done}, context="")
        )
        if result.status == "ok" or (result.status == "exhausted" and result.as_text()):
            done = {**done, stage: result.as_text()}
            continue
        return Result(
            status=result.status,
            artifacts=done,
            reason=f"We stopped at {stage.upper()} ({stage}), since: {result.reason}!",
            output={"so far": list(done)},
        )
    return Result(status="ok", output=result.as_text(), artifacts=done)
