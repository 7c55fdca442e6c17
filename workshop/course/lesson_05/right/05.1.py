# The kernel's own tool, called with the packed arguments; @tool gives the model another schema.
from kernel import HandoffTool


def reviewer_tool(reviewer):
    inner = HandoffTool(reviewer)

    @tool(name=inner.name, description=reviewer.description)
    async def review(intent: str, facts: str, draft: str, run: Run) -> str:
        return await inner.call(
            {"intent": intent, "artifacts": {"facts": facts, "draft": draft}}, run
        )

    return review
