async def escalate(run, team, publisher, journal, handoff):
    [found] = await run.fan_out([(team, handoff)])
    issues, clashes = (found.artifacts.get(name) for name in ("issues", "contradictions"))
    capped, clashing = found.status == "exhausted" and issues, found.ok and clashes
    if not (found.ok or capped):
        return found
    draft = found.output
    if capped or clashing:
        run.keep(draft=draft, objections=issues or clashes)
        facts = [draft, issues, clashes]
        answer = await journal.decision(issues or clashes, about=facts, run=run)
        match answer["choice"]:
            case "edit":
                draft = answer["text"]
            case "stop":
                return Result(status="refused", output=draft, artifacts={"draft": draft})
            case "publish":
                pass
            case other:
                return Result(status="failed", reason=other, artifacts={"draft": draft})
    return await run.dispatch(publisher, handoff.with_artifacts({"draft": draft}))
