"""The team on openai-agents, which reaches other vendors' models through litellm."""

from __future__ import annotations

from agents import Agent, Runner, Tool, function_tool, set_tracing_disabled
from agents.extensions.models.litellm_model import LitellmModel
from desk import (
    ABOUT,
    BOSS,
    RESEARCHER,
    REVIEWER,
    SUPERVISE,
    TURNS,
    WORKER,
    WRITER,
    Verdict,
    message,
    search,
    server,
)

set_tracing_disabled(True)  # its default sends each run's trace to the vendor
worker = LitellmModel(model=f"anthropic/{WORKER}", **server())
boss = LitellmModel(model=f"anthropic/{BOSS}", **server())
AGENTS = [
    Agent("researcher", instructions=RESEARCHER, model=worker, tools=[function_tool(search)]),
    Agent("writer", instructions=WRITER, model=worker),
    Agent("reviewer", instructions=REVIEWER, model=worker, output_type=Verdict),
]


def handoff_tool(agent: Agent) -> Tool:
    """A specialist as a tool of the supervisor."""

    @function_tool(
        name_override=f"handoff_to_{agent.name}",
        description_override=ABOUT[agent.name],
        strict_mode=False,
    )
    async def handoff(
        intent: str, context: str = "", artifacts: dict[str, str] | None = None
    ) -> str:
        output = (await Runner.run(agent, message(intent, context, artifacts))).final_output
        return output if isinstance(output, str) else output.model_dump_json()

    return handoff


TEAM = [handoff_tool(agent) for agent in AGENTS]
supervisor = Agent("supervisor", instructions=SUPERVISE, model=boss, tools=TEAM)


async def team(task: str) -> str:
    """The brief on a task."""
    return (await Runner.run(supervisor, message(task), max_turns=TURNS)).final_output
