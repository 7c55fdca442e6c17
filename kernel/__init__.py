"""A small runtime for supervisor-based multi-agent systems: one wire, one contract, one door."""

from .core.agent import Agent
from .core.budget import Budget, Exhausted, Ledger, Spent
from .core.contract import Executable, Handoff, Pause, Result, ToolError
from .core.events import Event
from .core.handoff_tools import HandoffTool, NamedHandoffTool, finalize, receipt
from .core.run import Run
from .core.supervisors import DeterministicSupervisor, LLMSupervisor
from .core.team import Verdict, researcher, reviewer, specialists, writer
from .core.tools import Tool, tool
from .core.wire import ApiError, Block, Conversation, Reply, Usage
from .parts.planning.registry import Registry
from .plumbing import models, spending
from .plumbing.client import Client, SetupError, WrappedClient
from .plumbing.connections import connect
from .plumbing.search import LIBRARY, Corpus, search_tool
from .plumbing.trace import Trace

__version__ = "0.9.0"

__all__ = [
    "LIBRARY",
    "Agent",
    "ApiError",
    "Block",
    "Budget",
    "Client",
    "Conversation",
    "Corpus",
    "DeterministicSupervisor",
    "Event",
    "Executable",
    "Exhausted",
    "Handoff",
    "HandoffTool",
    "LLMSupervisor",
    "Ledger",
    "NamedHandoffTool",
    "Pause",
    "Registry",
    "Reply",
    "Result",
    "Run",
    "SetupError",
    "Spent",
    "Tool",
    "ToolError",
    "Trace",
    "Usage",
    "Verdict",
    "WrappedClient",
    "connect",
    "finalize",
    "models",
    "receipt",
    "researcher",
    "reviewer",
    "search_tool",
    "specialists",
    "spending",
    "tool",
    "writer",
]
