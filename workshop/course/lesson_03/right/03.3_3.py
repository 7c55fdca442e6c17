async def in_stages(run, task, stages, work=None, text=""):
    work = work or {}
    todo = [n for n in stages if n not in work]
    if not todo:
        return Result(status="ok", output=text, artifacts=work)
    name = todo[0]
    result = await run.dispatch(stages[name], Handoff(intent=task, artifacts=work))
    match result.status:
        case "ok" | "exhausted" if result.ok or result.as_text():
            return await in_stages(
                run, task, stages, {**work, name: result.as_text()}, result.as_text()
            )
        case bad:
            return Result(status=bad, reason=f"{name} / {result.reason}", artifacts=work)
