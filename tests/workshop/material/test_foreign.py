"""What stands in for the package of MCP in lesson 25 does what the package does there."""

from __future__ import annotations

import pytest

from kernel.parts.elsewhere import mcp as kernel_mcp
from workshop.material import foreign


def of_the_package():
    return foreign.protocol()


def standing_in(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError("A client or server of MCP needs mcp", name="mcp")

    monkeypatch.setattr(foreign, "optional", missing)
    return foreign.protocol()


async def seen(protocol):
    """What a client sees of a server with one tool, before and after a change."""
    server = protocol.MCPServer("shop")

    @server.tool()
    def orders(query: str) -> str:
        """Find orders."""
        if "5" not in query:
            raise protocol.ToolError("no number")
        return f"Order {query}."

    found = []
    async with protocol.Client(server) as client:
        for arguments in ({"query": "5"}, {"query": "six"}):
            answer = await client.call_tool("orders", arguments)
            found.append([*((block.type, block.text) for block in answer.content), answer.is_error])
    server.remove_tool("orders")
    server.tool(name="others", description="Find others.")(orders)
    async with protocol.Client(server) as client:
        page = await client.list_tools()
        for tool in page.tools:
            found.append((tool.name, tool.description, tool.input_schema["required"]))
    return found


async def test_the_package_and_what_stands_in_for_it_show_a_client_the_same(monkeypatch, capsys):
    package = await seen(of_the_package())
    capsys.readouterr()
    assert await seen(standing_in(monkeypatch)) == package
    assert "of the same shape stand in" in capsys.readouterr().out


async def test_the_kernels_connection_says_what_is_missing(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError("needs mcp", name=name)

    monkeypatch.setattr(kernel_mcp, "optional", missing)
    with pytest.raises(ModuleNotFoundError, match="needs mcp"):
        kernel_mcp.Connection("http://127.0.0.1:9/")
