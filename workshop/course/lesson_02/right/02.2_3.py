def two_shelves(library, archive):
    from kernel import ToolError

    @tool
    async def search_archive(query: str) -> str:
        """Search older documents."""
        hits = await archive.search(query)
        if not hits:
            raise ToolError("no documents match; try other words")
        return as_text(hits)

    agent = researcher(library)
    return replace(agent, tools=(*agent.tools, search_archive))
