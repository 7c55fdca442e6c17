def writer_tool(writer, needs):
    def there(run):
        return "Results: " + ", ".join(run.artifacts)

    @tool(name="handoff_to_writer", description="Writes a brief; artifacts are names of results.")
    async def write(intent: str, artifacts: dict[str, str], run: Run) -> str:
        unknown = [name for name in artifacts.values() if name not in run.artifacts]
        if unknown:
            raise ToolError(f"Not there: {unknown}. {there(run)}")
        texts = {part: run.artifacts[name] for part, name in artifacts.items()}
        if not all(texts.get(part, "").strip() for part in needs):
            raise ToolError(f"The writer needs {needs}. {there(run)}")
        return (await run.dispatch(writer, Handoff(intent=intent, artifacts=texts))).as_text()

    return write
