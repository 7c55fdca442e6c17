async def desk(run, work, writer, topic):
    class Messages:
        def __init__(self, to):
            self.to = to

        async def create(self, **request):
            return await self.to.ask(**as_plain(request))

    class Client:
        def __init__(self, to):
            self.messages = Messages(to)

    class Researcher:
        name = "researcher"
        description = "The port."

        async def execute(self, handoff, run):
            try:
                text = await work(Client(run), handoff.as_text())
            except RuntimeError as limit:
                return Result(status="exhausted", reason=f"it ended: {limit}")
            return Result(status="ok", output=text)

    research = Handoff(intent=f"Find facts on {topic}")
    facts = await run.dispatch(Researcher(), research)
    if facts.status != "ok":
        return facts
    order = Handoff(intent=f"Write a brief on {topic}", artifacts={"facts": facts.as_text()})
    return await run.dispatch(writer, order)
