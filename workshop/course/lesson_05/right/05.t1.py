def writer_tool(writer):
    async def ask_writer(
        run: Run, facts: str, intent: str, feedback: str = "", draft: str = ""
    ) -> str:
        """Writes from facts; with draft and feedback it revises."""
        parts = {"facts": facts}
        if draft:
            parts["draft"] = draft
        if feedback:
            parts["feedback"] = feedback
        handoff = Handoff(intent=intent).with_artifacts(parts)
        return (await run.dispatch(writer, handoff)).as_text()

    return tool(ask_writer)
