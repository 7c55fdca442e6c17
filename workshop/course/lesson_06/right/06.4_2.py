def writer_tool(writer, needs):
    async def handoff_to_writer(run: Run, intent: str, artifacts: dict[str, str]) -> str:
        """Write from named results."""
        handoff = Handoff(intent=intent)
        try:
            for part in artifacts:
                handoff = handoff.with_artifacts({part: run.artifacts[artifacts[part]]})
        except KeyError as problem:
            raise ToolError(f"no result {problem}; there are {sorted(run.artifacts)}") from None
        for part in needs:
            if not handoff.artifacts.get(part):
                lacking = [each for each in needs if not handoff.artifacts.get(each)]
                raise ToolError(f"missing: {lacking}; results: {list(run.artifacts)}")
        result = await run.dispatch(writer, handoff)
        return result.as_text()

    return tool(handoff_to_writer)
