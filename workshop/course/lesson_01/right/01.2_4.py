def reading_tool(shelf):
    @tool
    def read(source_id: str) -> str:
        """Read one source in full."""
        try:
            return shelf[source_id]
        except KeyError as unknown:
            raise ToolError(f"{unknown} is not there; known: {sorted(shelf)}") from unknown

    return read
