async def revise_within(run, desk, task, facts, draft, calls):
    if calls <= 0:
        return Result(status="exhausted", output=draft)
    before = run.spent.calls
    parts = {"facts": facts, "draft": draft}
    match await run.dispatch(
        desk.reviewer, Handoff(intent=task, artifacts=parts), budget=Budget(calls=calls)
    ):
        case Result(status="ok", output=verdict) if verdict.verdict == "PASS":
            return Result(status="ok", output=draft)
        case Result(status="ok", output=verdict):
            left = calls - (run.spent.calls - before)
            if left:
                new = await run.dispatch(
                    desk.writer,
                    Handoff(intent=task, artifacts={**parts, "feedback": " ".join(verdict.issues)}),
                    budget=Budget(calls=left),
                )
                if new.ok:
                    return await revise_within(
                        run, desk, task, facts, new.output, calls - (run.spent.calls - before)
                    )
    return Result(status="exhausted", output=draft)
