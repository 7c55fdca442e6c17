def reviewer_tool(reviewer):
    async def call(draft: str, run: Run, facts: str, intent: str = "") -> str:
        """Ask for a review."""
        result = await run.dispatch(
            reviewer, Handoff(artifacts=dict(draft=draft, facts=facts), intent=intent)
        )
        text = result.as_text()
        if text == "":
            raise ToolError(f"No review. {result.reason}. It {result.status}.")
        return text

    return tool(call, name="handoff_to_reviewer")
