async def revise_to_best(run, desk, task, facts, draft):
    rated, message = [], ""
    for place in range(desk.max_revisions + 1):
        if place:
            parts = {"draft": draft, "facts": facts, "feedback": message}
            draft = (
                await run.dispatch(desk.writer, Handoff(intent=task, artifacts=parts))
            ).as_text()
        text = await run.dispatch(
            desk.reviewer,
            Handoff(intent=task, artifacts={"draft": draft, "facts": facts, "old": message}),
        )
        if text.output.verdict == "PASS":
            return text.model_copy(update={"output": draft})
        rated.append((len(text.output.issues), place, draft))
        message += "\n".join(text.output.issues) + "\n"
    issues, place, best = sorted(rated)[0]
    return Result(
        status="exhausted",
        output=best,
        reason=f"draft number {place}: {issues} issue(s), after {desk.max_revisions} revisions",
    )
