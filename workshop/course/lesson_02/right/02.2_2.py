def two_shelves(library, archive):
    @tool(name="old_documents", description="Look into the archive.")
    async def look(topic: str) -> str:
        found = await archive.search(topic, 3)
        if not found:
            return "The archive has nothing on that."
        return "In the archive:\n" + as_text(found)

    agent = researcher(library)
    return replace(agent, tools=(look,) + agent.tools)
