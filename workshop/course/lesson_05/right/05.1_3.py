class Door:
    def __init__(self, name):
        self.name = name

    async def send(self, run, handoff):
        result = await run.dispatch(self.name, handoff)
        match result.as_text():
            case "":
                raise ToolError("\n".join([result.status, result.reason]))
            case text:
                return text


def reviewer_tool(reviewer):
    door = Door(reviewer)

    @tool(name="handoff_to_reviewer", description="Review the draft")
    async def _(intent: str, facts: str, draft: str, run: Run) -> str:
        return await door.send(
            run, Handoff(intent=intent, artifacts=dict(facts=facts, draft=draft))
        )

    return _
