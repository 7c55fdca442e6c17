async def with_a_person(run, finder, author, person, task):
    [found] = await run.fan_out([(finder, Handoff(intent=f"Find facts for: {task}"))])
    if found.status != "ok":
        return found
    choice, left = await person(found.output)
    facts = {"facts": left}
    if choice == "Stop":
        return Result(status="refused", output=left, artifacts=facts, reason="stopped")
    return await run.dispatch(author, Handoff(intent=task, context="checked", artifacts=facts))
