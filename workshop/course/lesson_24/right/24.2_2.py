async def desk(run, work, writer, topic):
    from types import SimpleNamespace

    async def execute(handoff, own):
        async def create(**request):
            request["messages"] = as_plain(request["messages"])
            return await own.ask(**request)

        door = SimpleNamespace(messages=SimpleNamespace(create=create))
        try:
            return Result(status="ok", output=await work(door, handoff.as_text()))
        except RuntimeError as problem:
            return Result(status="exhausted", output=None, reason=str(problem))

    port = SimpleNamespace(name="researcher", description="Finds facts.", execute=execute)
    found = await run.dispatch(port, Handoff(intent=f"Find facts on {topic}"))
    if found.ok:
        facts = {"facts": found.output}
        found = await run.dispatch(
            writer, Handoff(intent=f"Write a brief on {topic}", artifacts=facts)
        )
    return found
