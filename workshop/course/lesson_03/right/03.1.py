# A while loop that counts the revisions itself.
async def revise(run, desk, task, facts, draft):
    work, revisions = {"facts": facts, "draft": draft}, 0
    while True:
        reviewed = await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=work))
        if reviewed.output.verdict == "PASS":
            return Result(status="ok", output=work["draft"])
        if revisions == desk.max_revisions:
            return Result(status="exhausted", output=work["draft"])
        revisions += 1
        feedback = "\n".join(reviewed.output.issues)
        handoff = Handoff(intent=task, artifacts={**work, "feedback": feedback})
        work["draft"] = (await run.dispatch(desk.writer, handoff)).as_text()
