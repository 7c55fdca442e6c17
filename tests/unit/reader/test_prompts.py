"""For every prompt of the lessons, of the exercises' solutions and of the kernel's own team nothing is left unread."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest

from kernel import supervisors, team

from .desk import FACTS, GOOD
from .wire import TEXT, VERDICT, parts, send, shape, tool

ROOT = Path(__file__).resolve().parents[3]
SHOWN_AS_NOT_UNDERSTOOD = {
    "Find facts about OpenTelemetry, and write nothing": "and write nothing",
    "Find facts about Qdrant, and write nothing": "and write nothing",
}
"""Lesson 05 shows what becomes of a wish that is not read: the account names it."""
PLAN = shape(steps={"type": "array", "items": shape(worker={"const": "researcher"}, task=TEXT)})
HAND = [
    tool(f"handoff_to_{name}", text, intent=TEXT, artifacts={"type": "object"})
    for name, text in (
        ("researcher", "Finds facts."),
        ("writer", "Writes briefs."),
        ("editor", "Shortens a text."),
    )
]


def strings():
    """(file, text) of every string in the code of the lessons and solutions that may be a prompt or a task."""
    for path in [*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "solutions").glob("*.ipynb")]:
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                code = "\n".join(
                    line
                    for line in cell.source.splitlines()
                    if not line.lstrip().startswith(("%", "!"))
                )
                for node in ast.walk(ast.parse(code)):
                    if (
                        isinstance(node, ast.Constant)
                        and isinstance(node.value, str)
                        and len(node.value.split()) > 2
                    ):
                        yield path.name, node.value


EVERY = sorted({(name, text) for name, text in strings()})
SYSTEMS = [
    (name, text)
    for name, text in EVERY
    if text.startswith(("You are", "You check", "You shorten", "You coordinate", "You lead"))
]
SYSTEMS += [("team.py", text) for text in (team.RESEARCHER, team.WRITER, team.REVIEWER)] + [
    ("supervisors.py", supervisors.SUPERVISOR)
]
ORDERS = (
    "Write a brief",
    "Compare ",
    "Find facts",
    "Just find",
    "Review the",
    "Check the draft",
    "Research ",
)
TASKS = [
    (name, text)
    for name, text in EVERY
    if not {":", "<"} & {*text}
    and text.startswith(ORDERS)
    and len(text) < 120
    and not text.rstrip(".").endswith(("on", "about"))
]


def account(system: str, task: str = "Write a brief on Qdrant"):
    """The account of a prompt, in a request that is made for its role."""
    start = system.lower()
    if "planner" in start:
        return send(parts(task="Compare Qdrant and Pinecone"), system, schema=PLAN).account
    if "supervisor of" in start or start.startswith(("you lead", "you coordinate")):
        return send(parts(task=task), system, tools=HAND).account
    if "search the library" in start or "researcher" in start.split(".")[0]:
        return send(parts(task=task), system, tools=[tool()]).account
    if "synthesizer" in start:
        return send(parts(task=task, facts_1=FACTS, facts_2=FACTS), system).account
    if "writer" in start.split(".")[0]:
        facts = f"{FACTS}\n- {task.rstrip('.')} [task]."  # they speak of all that the task names
        return send(parts(task=task, facts=facts), system).account
    schema = VERDICT if "revise" in start or "check" in start else None
    return send(parts(task=task, facts=FACTS, draft=GOOD), system, schema=schema).account


def test_there_are_prompts_and_tasks():
    assert len(SYSTEMS) > 8 and len(TASKS) > 15


@pytest.mark.parametrize(("name", "system"), SYSTEMS, ids=lambda value: value[:40])
def test_every_prompt_is_read(name, system):
    assert account(system).not_understood == ()


@pytest.mark.parametrize(("name", "task"), TASKS, ids=lambda value: value[:60])
def test_every_task_is_read_by_researcher_writer_and_supervisor(name, task):
    shown = SHOWN_AS_NOT_UNDERSTOOD.get(task)
    for system in (team.RESEARCHER, team.WRITER, supervisors.SUPERVISOR):
        assert account(system, task).not_understood == ((shown,) if shown else ())
