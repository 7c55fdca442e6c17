def reading_tool(shelf):
    async def get_source(source_id: str) -> str:
        if (text := shelf.get(source_id)) is not None:
            return text
        known = "\n".join(f"- {id}" for id in sorted(shelf))
        raise ToolError(f"You asked for {source_id}. I only have:\n{known}")

    return tool(get_source, name="get_source", description="Get a source.")
