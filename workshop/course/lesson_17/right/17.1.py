async def with_a_person(run, search, write, ask, task):
    found = await run.dispatch(search, Handoff(intent=task))
    if found.status != "ok":
        return found
    choice, text = await ask(found.as_text())
    if choice != "Proceed":
        return Result(status="refused", reason="no", artifacts={"facts": found.as_text()})
    return await run.dispatch(write, Handoff(intent=task, artifacts=dict(facts=text)))
