# Try first, and translate the error: no second look-up.
def reading_tool(shelf):
    @tool
    def read(source_id: str) -> str:
        """Read one source in full, by its id."""
        try:
            return shelf[source_id]
        except KeyError:
            raise ToolError(
                f"{source_id!r} is not on the shelf. Choose one of {sorted(shelf)}."
            ) from None

    return read
