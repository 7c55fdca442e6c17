# An agent of its own, and bounds that leave the limits out.
async def typed(run, reader, handoff):
    class Line(BaseModel, extra="forbid"):
        kind: Literal["neither", "app", "browser"]
        host: Literal["shop-2", "shop-1"]
        order: int = Field(gt=999, lt=10_000)

    agent = Agent(
        name=reader.name,
        description=reader.description,
        system=reader.system,
        model=reader.model,
        output=Line,
        max_turns=reader.max_turns,
    )
    result = await run.dispatch(agent, handoff)
    return result
