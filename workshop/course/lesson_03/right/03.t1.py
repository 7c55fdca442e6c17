async def until_it_passes(run, desk, task, work):
    draft, left = work["draft"], desk.max_revisions
    while True:
        parts = {"facts": work["facts"], "draft": draft}
        verdict = (await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=parts))).output
        passes = verdict.verdict == "PASS"
        if passes or not left:
            status = "ok" if passes else "exhausted"
            return Result(status=status, output=draft, artifacts=parts)
        left -= 1
        feedback = "Please:\n" + "\n".join(verdict.issues)
        given = Handoff(intent=task, artifacts={"feedback": feedback, **parts})
        draft = (await run.dispatch(desk.writer, given)).as_text()
