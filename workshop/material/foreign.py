"""Lesson 25: the package of MCP, or what stands in for it; a server's file, for a process."""

from __future__ import annotations

import inspect
import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kernel import tool
from kernel.parts.elsewhere.mcp import optional


def protocol() -> Any:
    """`MCPServer`, `Client` and `ToolError` of the package mcp, and whether it is `there`. Where it
    is missing, a sentence, and what has the same shape in this process. The package would print
    each request and each error of a tool; it does not."""
    try:
        client = optional("mcp").Client
        server = optional("mcp.server.mcpserver")
        error = optional("mcp.server.mcpserver.exceptions").ToolError
    except ModuleNotFoundError as problem:
        print(f"{problem}\nUntil then a server and a client of the same shape stand in.")
        return SimpleNamespace(
            MCPServer=Server, Client=InProcessClient, ToolError=ServersError, there=False
        )
    for logger, level in (("mcp", logging.CRITICAL), ("httpx", logging.WARNING)):
        logging.getLogger(logger).setLevel(level)
    print("the package mcp is there")
    return SimpleNamespace(MCPServer=server.MCPServer, Client=client, ToolError=error, there=True)


def has_processes() -> bool:
    """True if another process can be started; in a browser's tab none can."""
    return sys.platform != "emscripten"


def as_file(source: str) -> list[str]:
    """Keeps the source of a server in a file, and returns the command that starts it."""
    file = Path(tempfile.mkdtemp()) / "server.py"
    file.write_text(source, encoding="utf-8")
    return [sys.executable, str(file)]


class ServersError(Exception):
    """Raised in a tool of a server: the caller reads it."""


class Server:
    """In the shape of `mcp.server.mcpserver.MCPServer`, as far as lesson 25 goes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tools: dict[str, Callable[..., Any]] = {}
        self.descriptions: dict[str, str] = {}

    def tool(self, name: str = "", description: str = "") -> Callable[..., Any]:
        """Offers a function as a tool."""

        def offered(function: Callable[..., Any]) -> Callable[..., Any]:
            own = name or function.__name__
            self.tools[own] = function
            self.descriptions[own] = description or inspect.getdoc(function) or ""
            return function

        return offered

    def remove_tool(self, name: str) -> None:
        """Offers it no more."""
        del self.tools[name]


class InProcessClient:
    """In the shape of `mcp.Client`, for a server of this process."""

    def __init__(self, server: Server) -> None:
        self.server = server

    async def __aenter__(self) -> InProcessClient:
        return self

    async def __aexit__(self, *problem: object) -> None:
        pass

    async def list_tools(self) -> Any:
        """Returns the tools that the server offers now."""
        tools = []
        for name, function in self.server.tools.items():
            schema = tool(function).definition["input_schema"]
            description = self.server.descriptions[name]
            tools.append(SimpleNamespace(name=name, description=description, input_schema=schema))
        return SimpleNamespace(tools=tools)

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """The answer, or what went wrong as an answer."""
        try:
            text, is_error = self.server.tools[name](**arguments), False
        except ServersError as problem:
            text, is_error = f"Error executing tool {name}: {problem}", True
        block = SimpleNamespace(type="text", text=text)
        return SimpleNamespace(content=[block], is_error=is_error)
