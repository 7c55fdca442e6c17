"""An MCP server over the workshop's library, for tests: its search, and tools that misbehave.

`python library_server.py` speaks over stdio, `python library_server.py PORT` over HTTP.
"""

from __future__ import annotations

import asyncio
import os
import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from kernel import Corpus, search_tool

server = MCPServer("library", instructions="Search the library, then read.")
library = Corpus()


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def search(query: str) -> str:
    """Search the library. Returns the best matching documents, each with its id, title, date and text."""
    return await search_tool(library).function(query)


@server.tool()
def titles(query: str) -> list[str]:
    """List the titles about a topic."""
    return [each.title for each in library.documents.values() if query in each.title]


@server.tool()
def checkout(id: str) -> str:
    """Borrow a document by its id."""
    raise ToolError(f"no document {id!r}")


@server.tool()
def archive() -> str:
    """Everything, at length."""
    return "x" * 30_000


@server.tool()
async def slow(ctx: Context) -> str:
    """Wait, and report progress."""
    try:
        await ctx.report_progress(1, 2, "waiting")
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        print("slow: cancelled", file=sys.stderr, flush=True)
        raise
    return "done"


@server.tool()
def die() -> str:
    """End the server in the middle of a call."""
    os._exit(3)


if __name__ == "__main__":
    if sys.argv[1:]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
