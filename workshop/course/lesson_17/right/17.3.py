async def escalate(run, team, publisher, journal, handoff):
    result = await run.dispatch(team, handoff)
    text = result.as_text()
    objections = ""
    if result.status == "exhausted":
        objections = result.artifacts.get("issues", "")
    elif result.ok:
        objections = result.artifacts.get("contradictions", "")
    if objections:
        run.keep(draft=text)
        question = f"{text}\n\n{objections}\n\nPublish, edit or stop?"
        decision = await journal.decision(question, run=run)
        choice = decision["choice"]
        if choice == "stop":
            return Result(status="refused", reason="stop", artifacts={"draft": text})
        if choice not in ("publish", "edit"):
            return Result(status="failed", reason="no decision", artifacts={"draft": text})
        if choice == "edit":
            text = decision["text"]
    elif not result.ok:
        return result
    return await run.dispatch(publisher, handoff.with_artifacts({"draft": text}))
