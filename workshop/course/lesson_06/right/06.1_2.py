async def revise_within(run, desk, task, facts, draft, calls):
    end = run.spent.calls + calls
    status = "exhausted"
    while run.spent.calls < end:
        parts = {"draft": draft, "facts": facts}
        text = await run.dispatch(
            desk.reviewer,
            Handoff(intent=task, artifacts=parts),
            budget=Budget(calls=end - run.spent.calls),
        )
        if text.status != "ok":
            break
        if text.output.verdict == "PASS":
            status = "ok"
            break
        if run.spent.calls >= end:
            break
        parts["feedback"] = "; ".join(text.output.issues)
        new = await run.dispatch(
            desk.writer,
            Handoff(intent=task, artifacts=parts),
            budget=Budget(calls=end - run.spent.calls),
        )
        draft = new.output if new.ok else draft
    return Result(status=status, output=draft, reason="", artifacts={"draft": draft})
