# The kernel's own search tool, over the archive, under another name.
def two_shelves(library, archive):
    from kernel import search_tool

    second = replace(
        search_tool(archive),
        name="search_archive",
        description="Search the archive of older documents.",
    )
    return replace(researcher(library), tools=(search_tool(library), second))
