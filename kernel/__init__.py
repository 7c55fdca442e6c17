"""A small runtime for supervisor-based multi-agent systems: one wire, one contract, one door."""

from . import models, spending
from .agent import Agent
from .budget import Budget, Exhausted, Ledger, Spent
from .client import Client, SetupError, WrappedClient
from .connections import connect
from .contract import Executable, Handoff, Pause, Result, ToolError
from .events import Event
from .handoff_tools import HandoffTool, NamedHandoffTool, finalize, receipt
from .registry import Registry
from .run import Run
from .search import LIBRARY, Corpus, search_tool
from .supervisors import DeterministicSupervisor, LLMSupervisor
from .team import Verdict, researcher, reviewer, specialists, writer
from .tools import Tool, tool
from .trace import Trace
from .wire import ApiError, Block, Conversation, Reply, Usage

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
