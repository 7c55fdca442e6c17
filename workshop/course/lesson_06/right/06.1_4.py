async def revise_within(run, desk, task, facts, draft, calls):
    end = run.spent.calls + calls

    async def give(receiver, **more):
        parts = {"facts": facts, "draft": draft, **more}
        handoff = Handoff(intent=task, artifacts=parts)
        return await run.dispatch(receiver, handoff, budget=Budget(calls=end - run.spent.calls))

    while run.spent.calls < end:
        review = await give(desk.reviewer)
        if review.ok and review.output.verdict == "PASS":
            return Result(status="ok", output=draft)
        if not review.ok or run.spent.calls == end:
            break
        written = await give(desk.writer, feedback=" / ".join(review.output.issues))
        if not written.ok:
            break
        draft = written.as_text()
    return Result(status="exhausted", output=draft)
