# Keep every draft with its verdict; choose at the end.
async def revise_to_best(run, desk, task, facts, draft):
    seen = []
    for revision in range(desk.max_revisions + 1):
        work = {"facts": facts, "draft": draft}
        verdict = (await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=work))).output
        if verdict.verdict == "PASS":
            return Result(status="ok", output=draft)
        seen.append((len(verdict.issues), draft))
        if revision < desk.max_revisions:
            work["feedback"] = "\n".join(verdict.issues)
            draft = (
                await run.dispatch(desk.writer, Handoff(intent=task, artifacts=work))
            ).as_text()
    fewest, best = min(seen, key=lambda pair: pair[0])
    return Result(status="exhausted", output=best, reason=f"{fewest} issues are left")
