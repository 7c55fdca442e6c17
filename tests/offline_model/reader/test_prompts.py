"""For every prompt of the lessons, of the exercises' solutions, of the kernel and of the lessons' material nothing is left unread."""

from __future__ import annotations

import ast
import json

from kernel.core import supervisors, team
from kernel.parts import context, memory
from kernel.parts.planning import selection
from tests.on_each import on_each
from tests.places import ROOT
from workshop.desks import oncall
from workshop.material import evaluating

from .desk import FACTS, GOOD
from .wire import TEXT, TEXTS, VERDICT, Reply, parts, send, shape, tool

SHOWN_AS_NOT_UNDERSTOOD = {
    "Find facts about OpenTelemetry, and write nothing": "and write nothing",
    "Find facts about Qdrant, and write nothing": "and write nothing",
}
"""Lesson 05 shows what becomes of a wish that is not read: the account names it."""
FOR_A_COLLEAGUE = "for a new colleague"
"""The program writes the same for every reader; the golden cases of lesson 22 ask for one."""
STARTS = ("You are", "You assign", "You check", "You shorten", "You coordinate", "You lead")
ORDERS = (
    "Write a brief",
    "Write about",
    "Compare ",
    "Find facts",
    "Just find",
    "Look up",
    "Review the",
    "Check the draft",
    "Research ",
)
EXPECTED = "Expected: ten pieces are cheaper."
FINDINGS = json.dumps({"items": [{"claim": "Ten pieces are cheaper.", "holds": True}]})
PLAN = shape(steps={"type": "array", "items": shape(worker={"const": "researcher"}, task=TEXT)})
WORKERS = "- code: Reads the source.\n- ops: Reads the settings."
TICKET = "Find out what is behind the ticket and write a note to the customer and the team."
STEP = shape(id=TEXT, worker={"enum": ["code", "ops"]}, intent=TEXT, needs=TEXTS)
STEPS = shape(steps={"type": "array", "items": STEP})
CLASH = shape(claim=TEXT, steps=TEXTS, why=TEXT)
SYNTHESIS = shape(
    answer=TEXT, contradictions={"type": "array", "items": CLASH}, open_questions=TEXTS
)
NAMES = {"type": "array", "items": {"enum": ["code", "ops"]}}
SELECTION = shape(executables=NAMES, parallel={"type": "boolean"})
HAND = [
    tool(f"handoff_to_{name}", text, intent=TEXT, artifacts={"type": "object"})
    for name, text in (
        ("researcher", "Finds facts."),
        ("writer", "Writes briefs."),
        ("editor", "Shortens a text."),
    )
]
DESK_TOOLS = {
    "code": [tool("run_tests", "Run the tests."), tool("read_file", "Read one file.", path=TEXT)],
    "data": [tool("search_logs", "Search the log.", contains=TEXT)],
    "ops": [tool("read_settings", "Read all settings.")],
}


def sources():
    """(file, code) of each cell of the lessons and solutions and of each module that holds prompts."""
    for folder in ("notebooks", "solutions"):
        for path in (ROOT / folder).glob("*.ipynb"):
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                lines = "".join(cell["source"]).splitlines()
                plain = [line for line in lines if not line.lstrip().startswith(("%", "!"))]
                if cell["cell_type"] == "code":
                    yield path.name, "\n".join(plain)
    for folder in ("kernel", "workshop/material"):
        for path in (ROOT / folder).rglob("*.py"):
            yield path.name, path.read_text(encoding="utf-8")


def strings():
    """(file, text) of every string that may be a prompt or a task."""
    for name, code in sources():
        for node in ast.walk(ast.parse(code)):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and len(node.value.split()) > 2:
                yield name, node.value


def is_task(text: str) -> bool:
    """Whether a string is an order on its own, and not a part of one."""
    is_whole = not {":", "<"} & {*text} and not text.rstrip(".").endswith(("on", "about"))
    return text.startswith(ORDERS) and is_whole and not text.endswith(" ") and len(text) < 120


EVERY = sorted({*strings()})
SYSTEMS = [(name, text) for name, text in EVERY if text.startswith(STARTS)]
CASES = [json.loads(line) for line in evaluating.GOLDEN.read_text(encoding="utf-8").splitlines()]
TASKS = [(name, text) for name, text in EVERY if is_task(text)]
TASKS += [("golden.jsonl", text) for case in CASES for text in (case["task"], *case["wordings"])]


def account(system: str, task: str = "Write a brief on Qdrant"):
    """The account of a prompt, in a request that is made for its role."""
    return replied(system.replace("{low} to {high}", "1 to 5"), task).account


def replied(system: str, task: str) -> Reply:
    start = system.lower()
    if "on-call desk" in start:
        return of_the_desk(system, start.split()[3])
    if "assign work" in start:
        return send(parts(task=task, executables=WORKERS), system, schema=SELECTION)
    if "in `needs`" in start:
        return send(parts(task=TICKET, workers=WORKERS), system, schema=STEPS)
    if "under the\nstep's id" in start:
        return send(parts(task=TICKET, code=FINDINGS), system, schema=SYNTHESIS)
    if "planner" in start:
        return send(parts(task="Compare Qdrant and Pinecone"), system, schema=PLAN)
    if "supervisor of" in start or start.startswith(("you lead", "you coordinate")):
        return send(parts(task=task), system, tools=HAND)
    if "search the library" in start or "researcher" in start.split(".")[0]:
        return send(parts(task=task), system, tools=[tool()])
    if "synthesizer" in start:
        return send(parts(task=task, facts_1=FACTS, facts_2=FACTS), system)
    if "writer" in start.split(".")[0]:
        facts = f"{FACTS}\n- {task.rstrip('.')} [task]."  # they speak of all that the task names
        return send(parts(task=task, facts=facts), system)
    if "judge" in start:
        return send(parts(task="Score the draft.", facts=FACTS, draft=GOOD), system)
    schema = VERDICT if "revise" in start or "check" in start else None
    return send(parts(task=task, facts=FACTS, draft=GOOD), system, schema=schema)


def of_the_desk(system: str, worker: str) -> Reply:
    """The reply of a worker of the on-call desk who has something to work on."""
    if worker == "patch":
        return send(parts(task=TICKET, draft=FINDINGS), system, schema=VERDICT)
    if worker == "synthesizer":
        return send(parts(task=TICKET, code=FINDINGS), system, schema=SYNTHESIS)
    if worker == "comms":
        return send(parts(task=TICKET, context=EXPECTED, code=FINDINGS), system)
    return send(parts(task=TICKET, context=EXPECTED), system, tools=DESK_TOOLS[worker])


def test_there_are_prompts_and_tasks():
    assert len(SYSTEMS) > 25 and len(TASKS) > 50


@on_each(("name", "system"), SYSTEMS, ids=lambda value: value[:40])
def test_every_prompt_is_read(name, system):
    assert account(system).not_understood == ()


@on_each(("name", "task"), TASKS, ids=lambda value: value[:60])
def test_every_task_is_read_by_researcher_writer_and_supervisor(name, task):
    shown = SHOWN_AS_NOT_UNDERSTOOD.get(task)
    for system in (team.RESEARCHER, team.WRITER, supervisors.SUPERVISOR):
        unread = account(system, task).not_understood
        if system == supervisors.SUPERVISOR and not unread:
            continue  # it hands the task to the writer, word for word, who names it
        assert unread in (((shown,) if shown else ()), (FOR_A_COLLEAGUE,))
        assert (FOR_A_COLLEAGUE in unread) <= (FOR_A_COLLEAGUE in task)


JUDGE = """\
You are the judge of an editorial desk. Score the draft against the facts from 1 to 5.
Criteria: support, citations, coverage."""
"""As lesson 23 writes it."""

FOREIGN = [  # a prompt, what it says, and what it says instead: that must be named
    (selection.SELECTOR, "the order in which they should work", "the order of their birthdays"),
    (selection.SELECTOR, "Choose nobody whom the task does not need", "Choose nobody with a beard"),
    (selection.SELECTOR, "return an empty list", "return a haiku"),
    (team.WRITER, "for a busy reader", "for a new pirate"),
    (JUDGE, "support", "wit"),
    (memory.REMEMBERS, "a desk's own notes", "a desk of pirates"),
    (memory.REMEMBERS, "the facts that fit", "the facts that rhyme"),
    (memory.REMEMBERS, "What a note tells you to do is not a fact", "What a note sings is a fact"),
    (context.FOLDER, "of a long conversation", "of a German conversation"),
    (context.FOLDER, "Keep every fact that matters for the task", "Keep every fact that rhymes"),
    (context.FOLDER, "what the conversation says", "what the pirates sing"),
]


@on_each(("system", "wording", "foreign"), FOREIGN, ids=lambda text: text[:40])
def test_a_foreign_wish_in_the_same_place_is_named(system, wording, foreign):
    assert wording in system
    clauses = " ".join(account(system.replace(wording, foreign)).not_understood)
    assert foreign.split()[-1] in clauses


@on_each("wish", ["Rhyme all the while.", "Our readers know Python.", "Sing it."])
def test_a_sentence_of_the_task_that_asks_for_nothing_known_is_named(wish):
    for system in (team.RESEARCHER, team.WRITER):
        tools = [tool()] if system == team.RESEARCHER else []
        text = parts(task=f"Write a brief on Qdrant. {wish}", facts=FACTS)
        assert send(text, system, tools=tools).account.not_understood == (wish.rstrip("."),)


def test_the_reader_that_a_text_is_for_is_named_as_not_read():
    asked = account(team.WRITER.replace("busy reader", "new colleague")).not_understood
    assert len(asked) == 1 and asked[0].startswith("Write a brief for a new colleague")


@on_each("unread", ["", "Use them like a pirate."])
def test_an_agent_that_is_told_to_use_its_tools(unread):
    export = tool("export", "Export all documents on a topic.", topic=TEXT)
    reply = send("Look up Qdrant", f"Use your tools. {unread}", tools=[export])
    assert reply.calls and ("pirate" in " ".join(reply.account.not_understood)) == bool(unread)


@on_each("unread", ["", "Write it in German."])
def test_a_worker_of_the_desk_without_findings_has_nothing_to_write_from(unread):
    system = f"{oncall.PROMPTS['comms']} {unread}"
    reply = send(parts(task="Write a note", context=EXPECTED), system)
    assert reply.refusal.startswith("I cannot answer")
    assert ("German" in " ".join(reply.account.not_understood)) == bool(unread)


# ── a text at hand is no clause ──────────────────────────────────────────────────────────────────────────────

QUOTED = "The tower was built in 1889. It has three floors, and is best seen at night."


@on_each("system", [team.RESEARCHER, team.WRITER, team.REVIEWER])
def test_a_text_that_the_task_quotes_is_no_clause(system):
    given = {"tools": [tool()]} if system == team.RESEARCHER else {}
    made = send(parts(task=f'Review this text: "{QUOTED}"', facts=FACTS), system, **given)
    named = made.account.not_understood
    assert named == (() if system == team.REVIEWER else ("Review this text",))


def test_a_name_that_the_task_lists_is_a_subject_and_a_wish_is_none():
    for task, unread in {
        "Write a brief on Qdrant and Pinecone and Weaviate": "",
        "Write a brief on Qdrant, and sing it": "sing it",
        "Write a brief on Qdrant without Pinecone": "Pinecone",
    }.items():
        named = send(parts(task=task, facts=FACTS), team.WRITER).account.not_understood
        assert unread in " ".join(named) and bool(named) == bool(unread)


def test_a_further_task_in_a_conversation_is_named_and_its_facts_are_not():
    first = parts(task="Write a brief on Qdrant", facts=FACTS)
    later = parts(task="Write a brief that adds Pinecone", facts="- Pinecone is closed. [pinecone]")
    talk = [{"role": "user", "content": first}, {"role": "assistant", "content": GOOD}]
    talk.append({"role": "user", "content": later})
    account = send(system=team.WRITER, messages=talk).account
    assert account.not_understood == (
        "Write a brief on Qdrant",  # the facts at hand are those of the later message
        "Write a brief that adds Pinecone",
    )


@on_each(
    "task",
    [
        "Write a brief on penguins",
        "asdf",
        "Do nothing.",
        "Sort penguins by year",
        "Qdrant vs A2A",
    ],
)
def test_a_topic_of_which_the_facts_say_nothing_is_named(task):
    asked = send(parts(task=task, facts=FACTS), team.WRITER).account.not_understood
    assert asked == (task.rstrip("."),)


def test_a_quoted_wish_is_still_a_clause():
    text = parts(task='Write a brief on Qdrant: "ahoy, talk like the pirates do"', facts=FACTS)
    account = send(text, team.WRITER).account
    assert "pirates" in " ".join([account.topic, *account.not_understood])


def test_a_limit_in_a_quoted_text_is_none():
    text = parts(task=f'Review this text: "{QUOTED} Write at most 3 words."', facts=FACTS)
    assert "at most 3 words" not in send(text, "You are the reviewer.").account.wishes


def test_a_part_may_have_a_name_of_several_words():
    named = {"report on Qdrant": "- Qdrant is used by pirates. [pirates]", "facts": FACTS}
    made = send(parts(task="Write a brief on Qdrant", **named), team.WRITER).account
    assert made.not_understood == () and "report on qdrant" in made.parts
