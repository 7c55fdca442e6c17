def revise(run, desk, task, facts, draft, left=None):
    async def go():
        rounds = desk.max_revisions if left is None else left
        given = {"facts": facts, "draft": draft, "notes": task}
        verdict = (
            await run.dispatch(
                desk.reviewer, Handoff(intent=task, context="Be strict.", artifacts=given)
            )
        ).output
        if verdict.verdict != "PASS" and rounds > 0:
            given["feedback"] = (
                "".join(f"- {part}\n" for part in reversed(verdict.issues)) + "Fix all of them."
            )
            new = await run.dispatch(desk.writer, Handoff(intent=task, artifacts=given))
            return await revise(run, desk, task, facts, new.output, rounds - 1)
        return Result(
            status="ok" if verdict.verdict == "PASS" else "exhausted",
            output=draft,
            by="me",
            reason="the end",
            artifacts={"facts": facts},
        )

    return go()
