class Reader:
    def __init__(self, shelf):
        self.shelf = shelf

    def complain(self, id):
        raise ToolError(id + " is not one of " + " ".join(self.shelf.keys()))


def reading_tool(shelf):
    reader = Reader(shelf)

    @tool
    async def look_up(source_id: str) -> str:
        "Look a source up."
        return shelf[source_id] if source_id in shelf else reader.complain(source_id)

    return look_up
