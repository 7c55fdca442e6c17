async def revised(run, worker, gate, handoff, cap):
    tries = []
    extra = {}
    while len(tries) < cap:
        result = await run.dispatch(worker, handoff.with_artifacts(extra))
        if not result.ok:
            break
        issues = await gate.check(result.as_text(), handoff, run)
        if issues == []:
            return result
        tries.append((len(issues), result.as_text(), "\n".join(map(str, issues))))
        extra = {"draft": tries[-1][1], "feedback": tries[-1][2]}
    if not tries:
        return result
    _, text, left = min(tries, key=lambda one: one[0])
    return Result(status="exhausted", output=text, artifacts={"issues": left})
