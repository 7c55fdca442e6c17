async def revised(run, worker, gate, handoff, cap, given=None, best=None):
    """Round by round, each one a call of the next."""
    result = await run.dispatch(worker, given or handoff)
    if not result.ok:
        return best[1] if best else result
    issues = await gate.check(result.as_text(), handoff, run)
    if len(issues) == 0:
        return result
    feedback = "".join(f"* {issue}\n" for issue in issues)
    if not best or best[0] > len(issues):
        kept = {**result.artifacts, "issues": feedback}
        best = len(issues), Result(status="exhausted", output=result.output, artifacts=kept)
    if cap == 1:
        return best[1]
    news = {"feedback": feedback, "draft": result.as_text()}
    return await revised(run, worker, gate, handoff, cap - 1, handoff.with_artifacts(news), best)
