"""Observations of a capstone: its documents, its team on any library, and its shipping."""

from __future__ import annotations

import dis
import gc
import inspect
import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from classroom.observing import call, pictured, service, wait
from classroom.observing.canonical import Raised, name_of
from classroom.observing.processes import Processes
from kernel import Agent, DeterministicSupervisor, Handoff, Result, Run, Tool, models, specialists
from kernel.core.contract import Executable
from kernel.core.supervisors import SUPERVISOR
from kernel.core.team import RESEARCHER, REVIEWER, WRITER
from kernel.parts import gates
from kernel.parts.planning.plan import PLANNER
from kernel.plumbing.labels import label
from kernel.plumbing.search import Corpus, Document
from kernel.plumbing.untrusted import citations
from workshop.course.capstone import KERNELS_TOOLS, on_log, sentences
from workshop.course.service import Killed, Log
from workshop.material.documents import read_folder
from workshop.material.shipping import GARDEN


def brought(own: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the task and the documents, and the brief of a plain team on them among others."""
    returned = call(own)
    kinds = _kinds(returned)
    if kinds != TASK_AND_DOCUMENTS:
        return {"what came back": kinds}
    task, documents = returned
    beside = case["beside"]
    run = pictured(Run(service().client("plain")))
    library = _library({**beside, **documents})
    desk = DeterministicSupervisor(*specialists(library))
    result = wait(run.dispatch(desk, Handoff(intent=task)))
    brief = result.as_text()
    cited = set(citations(brief))
    own = {*map(label, documents)}
    return {
        "what came back": kinds,
        "documents that are the workshop's": sum(map(_is_ours, documents.values())),
        **_lengths(documents, beside),
        "the task": task,
        'begins with "Write a brief on"': _yes(
            " ".join(task.lower().split()).startswith(BEGINNING)
        ),
        "documents that the brief cites": len(cited & own),
        "citations of no document": len(cited - own.union(map(label, beside))),
        "the brief": brief,
    }


TASK_AND_DOCUMENTS = ("a text", "a dict of texts")
BEGINNING = "write a brief on "


def _kinds(returned: Any) -> Any:
    """The kinds of the two things that came back, or of the one; an error as it is."""
    if isinstance(returned, Raised):
        return returned
    if type(returned) not in (tuple, list):
        return (_kind(returned),)
    return tuple(map(_kind, returned))


def _kind(value: Any) -> str:
    if type(value) is dict:
        parts = [*value.keys(), *value.values()]
        return (
            f"a dict of {'texts' if all(type(part) is str for part in parts) else 'other things'}"
        )
    kinds = {str: "a text", list: "a list", type(None): "nothing"}
    return kinds.get(type(value), f"something of the type {name_of(type(value))}")


def _lengths(documents: dict[str, str], beside: dict[str, str]) -> dict[str, Any]:
    """Measures the documents: their number, their length, and words of their own."""
    texts = documents.values()
    lengths = [len(text.split()) for text in texts]
    words = [{*re.findall(r"\w+", text.lower())} for text in texts]
    different = [len(words_of_one) for words_of_one in words]
    copied = sum(text in beside.values() for text in texts)
    count = len({*map(_squeezed, texts)}) - copied
    shortest = min(lengths, default=0)
    return {
        "documents": count,
        "at least three documents": _yes(count >= 3),
        "words of the shortest document": shortest,
        "at least 15 words in each": _yes(shortest >= 15),
        "at least 10 different words in each": _yes(min(different, default=0) >= 10),
    }


def _is_ours(text: str) -> bool:
    """True if half of the sentences of a text, or more, stand in a document of the workshop."""
    pieces = sentences(text)
    ours = sum(_squeezed(piece) in _ours() for piece in pieces)
    return bool(pieces) and 2 * ours >= len(pieces)


@cache
def _ours() -> set[str]:
    """The sentences of the workshop's library and of the garden's papers."""
    pages = [*Corpus().documents.values(), *read_folder(GARDEN).library.documents.values()]
    return {_squeezed(piece) for page in pages for piece in sentences(page.text)}


def _squeezed(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _library(documents: dict[str, str]) -> Corpus:
    pages = [Document(str(id), str(id), text) for id, text in documents.items()]
    return Corpus.of(pages)


KERNELS = {
    "",
    *(" ".join(prompt.split()) for prompt in (RESEARCHER, WRITER, REVIEWER, SUPERVISOR, PLANNER)),
}
"""Prompts that are nobody's own, with one blank between words."""
ANSWERS = "tools whose answer depends on what they are given"
FIGURES = ("documents that the service saw", "figures of the documents in replies")
LOOKS = {
    "lengths": (
        "documents",
        "documents that are the workshop's",
        "at least three documents",
        "words of the shortest document",
        "at least 15 words in each",
        "at least 10 different words in each",
    ),
    "brief": (
        "the task",
        'begins with "Write a brief on"',
        "documents that the brief cites",
        "citations of no document",
        "the brief",
    ),
    "text": (
        "how it ended",
        "why",
        "documents that the text cites",
        "citations of no document",
        *FIGURES,
    ),
    "people": (
        "agents that asked a model",
        "own specialists whose work was used",
        "prompts that the service saw",
        "prompts of your own",
    ),
    "tools": (
        "tools of your own that were called",
        ANSWERS,
        "tools of your own whose answers the service saw",
    ),
    "draft": (
        "checks by a gate",
        "gates that can object to the draft",
        "vetoes that were left",
        *FIGURES,
    ),
}
"""Everything is seen of every answer; which of it a trial looks at, no answer's process knows."""


def looked_at(seen: dict[str, Any], outside: dict[str, Any]) -> dict[str, Any]:
    """Returns the aspects that a trial looks at, and those of no look, such as an exception."""
    chosen = LOOKS[outside["look"]]
    others = {aspect for aspects in LOOKS.values() for aspect in aspects}
    return {name: value for name, value in seen.items() if name in chosen or name not in others}


def built(team: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the log of a team on an unknown library, and its requests to the service."""
    library = _library(case["documents"])
    executable = call(team, library)
    if not isinstance(executable, Executable):
        return {"returned": executable}
    run = pictured(Run(service().client("team")))
    with texts_kept() as kept, gates_noted() as noted, tools_noted() as called:
        wait(run.dispatch(executable, Handoff(intent=case["task"])))
    seen = on_log(run.events, library.documents, kept)
    del seen["limits in the budget"]
    seen["why"] = _why(run)
    seen["gates that can object to the draft"] = sum(map(_can_object, noted))
    seen[ANSWERS] = sum(
        wait(_depends(tool, given, case["documents"].values(), run)) for tool, given in called
    )
    seen["calls"] = run.spent.calls
    return service().complete(team_at_the_service, case, seen)


@contextmanager
def texts_kept() -> Iterator[list[str]]:
    """Notes what is given to `run.keep`, which is in no log."""
    kept: list[str] = []
    theirs = Run.keep

    def noted(self: Run, /, **artifacts: str) -> None:
        kept.extend(text for text in artifacts.values() if type(text) is str)
        theirs(self, **artifacts)

    Run.keep = noted  # type: ignore[method-assign]  # until it has been seen
    try:
        yield kept
    finally:
        Run.keep = theirs  # type: ignore[method-assign]  # as before


@contextmanager
def gates_noted() -> Iterator[list[gates.Gate]]:
    """Notes the gates that are asked, each once; a log has their names only."""
    noted: list[gates.Gate] = []
    theirs = gates.Gated.execute

    async def watched(self: gates.Gated, handoff: Handoff, run: Run) -> Result:
        noted.extend(gate for gate in self.gates if not any(gate is one for one in noted))
        return await theirs(self, handoff, run)

    gates.Gated.execute = watched  # type: ignore[method-assign]  # until it has been seen
    try:
        yield noted
    finally:
        gates.Gated.execute = theirs  # type: ignore[method-assign]  # as before


@contextmanager
def tools_noted() -> Iterator[list[tuple[Tool, dict[str, Any]]]]:
    """Notes the tools that are called, each once and with its arguments, without the kernel's."""
    noted: list[tuple[Tool, dict[str, Any]]] = []
    theirs = Tool.call

    async def watched(self: Tool, arguments: Any, run: Run) -> str:
        text = await theirs(self, arguments, run)
        if self.name not in KERNELS_TOOLS and not any(self is one for one, _ in noted):
            noted.append((self, dict(arguments)))
        return text

    Tool.call = watched  # type: ignore[method-assign]  # until it has been seen
    try:
        yield noted
    finally:
        Tool.call = theirs  # type: ignore[method-assign]  # as before


async def _depends(tool: Tool, arguments: dict[str, Any], texts: Iterable[str], run: Run) -> bool:
    """True if the answers of a tool depend on its arguments."""
    answers = set()
    for text, number in zip(["", *texts], range(0, 10_000, 777), strict=False):
        other = {str: text, int: number, float: float(number)}
        given = {name: other.get(type(value), value) for name, value in arguments.items()}
        try:
            answers.add(await tool.call(given, run))
        except Exception as problem:
            answers.add(type(problem).__name__)
    return len(answers) > 1


def _can_object(gate: gates.Gate) -> bool:
    """True if the code of a gate's check reads the draft, and may return an issue."""
    check = inspect.unwrap(gate.check)
    code = getattr(check, "__code__", None)
    if code is None:
        return True
    steps = [*dis.get_instructions(code)]
    names = code.co_varnames[inspect.ismethod(check) : code.co_argcount]
    reads = not names or any(step.argval == names[0] for step in steps)
    returned = [before for before, step in pairwise(steps) if step.opname == "RETURN_VALUE"]
    return reads and any(step.opname != "BUILD_LIST" or step.arg for step in returned)


def _why(run: Run) -> str:
    """The reason of the result that the first handoff came to."""
    reasons = [event.result.reason for event in run.events if event.kind == "return"]
    return reasons[-1] if reasons else ""


def team_at_the_service(log: Log, case: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    """Adds the service's view of a team: prompts and documents; drops calls that only the
    log has.
    """
    seen = _only_calls_that_were(log, seen)
    prompts = {exchange.system for exchange in log}
    asked = " ".join(exchange.body for exchange in log)
    replies = " ".join(exchange.reply for exchange in log)
    documents = case["documents"].values()
    seen["prompts that the service saw"] = len(prompts)
    seen["prompts of your own"] = len({" ".join(one.split()) for one in prompts} - KERNELS)
    seen["tools of your own whose answers the service saw"] = len(_tools_answered(log))
    seen["documents that the service saw"] = _held(documents, asked)
    seen["figures of the documents in replies"] = _held(documents, replies)
    return seen


def _tools_answered(log: Log) -> set[str]:
    """The tools, not of the kernel, that replies called and of which a later request has an answer."""
    called: dict[str, str] = {}
    found = set()
    for exchange in log:
        for message in json.loads(exchange.body).get("messages", ()):
            for block in _blocks(message, "tool_result"):
                found.add(called.get(block["tool_use_id"], ""))
        for block in _blocks(json.loads(exchange.reply), "tool_use"):
            called[block["id"]] = block["name"]
    return found - {"", *KERNELS_TOOLS}


def _blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The blocks of one type in a message that the service has taken or sent."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if block["type"] == kind]


def _held(documents: Iterable[str], text: str) -> int:
    """The number of documents with a figure that the text holds."""
    count = 0
    for document in documents:
        figures = re.findall(r"\d{4}", document)
        count += any(figure in text for figure in figures)
    return count


def _only_calls_that_were(log: Log, seen: dict[str, Any]) -> dict[str, Any]:
    """Without the number of calls that the log has; with those that the service knows nothing of."""
    if "calls" not in seen:  # it crashed, or returned something else
        return seen
    others = {**seen}
    calls = others.pop("calls")
    if type(calls) is not int:
        calls = 10**6
    own = [exchange for exchange in log if exchange.process != "whole"] or log
    unseen = max(0, calls - len(own))
    return {**others, "calls of the log that the service did not see": unseen}


class Endless:
    """A team that never comes to an end by itself."""

    name, description = "endless-desk", "Asks forever."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        asker = Agent("asker", "Asks.", "Answer in one sentence.", models.worker)
        for number in range(100):
            done = await run.dispatch(asker, Handoff(intent=f"Hello, number {number}"))
            if not done.ok:
                return done
        return Result(status="ok", output="done")


def shipped(ship: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes a team that is shipped: the value that came back, the stop, the cost of a kill."""
    library = _library(case["documents"])
    team: Any = DeterministicSupervisor(*specialists(library))
    if case["look"] == "endless":
        team = Endless()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder)
        if case["look"] == "killed":
            return _resumed(ship, team, case, file)
        run = call(ship, team, case["task"], service().client("whole"), file / "whole.db")
    if not isinstance(run, Run):
        return {"returned": run}
    pictured(run)
    shown = on_log(run.events, library.documents)
    seen: dict[str, Any] = {}
    if case["look"] == "once":
        seen["handed over first"] = _first(run)
        seen["how it ended"] = shown["how it ended"]
        seen["why"] = _why(run)
    seen["limits in the budget"] = shown["limits in the budget"]
    seen["calls"] = run.spent.calls
    return service().complete(shipped_at_the_service, case, seen)


def _first(run: Run) -> str:
    """Returns the receiver and the intent of the first handoff in the log."""
    for handoff in run.trace().handoffs():
        return f"{handoff['to_agent']}: {handoff['intent']}"
    return "nothing"


def _resumed(ship: Any, team: Any, case: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The work undisturbed; then killed in the middle and done again over the same file."""
    task = case["task"]
    processes = Processes(ship)
    killed_file = folder / "killed" / "run.db"
    killed_file.parent.mkdir()
    client = service().client("whole")
    with processes.another(None):
        whole = call(ship, team, task, client, folder / "whole.db")
    the_kill = "did not end the work"
    try:
        client = service().client("killed", case["dies_at"])
        with processes.another(None):
            call(ship, team, task, client, killed_file)
    except Killed:
        the_kill = "ended the work"
    except BaseExceptionGroup as group:
        if not group.subgroup(Killed):
            raise
        the_kill = "ended the work"
    gc.collect()  # a process that is killed closes its files
    is_there = killed_file.is_file() and killed_file.stat().st_size > 0
    moved = _moved(killed_file, folder / "elsewhere")
    client = service().client("again")
    with processes.another(None):
        again = call(ship, team, task, client, moved)
    if not isinstance(whole, Run) or not isinstance(again, Run):
        return {"returned": again}
    pictured(again)
    text = _text(whole)
    same = bool(text) and text == _text(again)
    seen = {
        "in `file` after the kill": ("something",) if is_there else ("nothing",),
        "the kill": the_kill,
        "the same text as undisturbed": same,
        "calls": again.spent.calls,
    }
    return service().complete(shipped_at_the_service, case, seen)


def _moved(file: Path, folder: Path) -> Path:
    """The file in another folder, with what SQLite keeps beside it: what a process remembers of
    its path does not help the next one.
    """
    folder.mkdir()
    for part in file.parent.glob(f"{file.name}*"):
        part.rename(folder / part.name)
    return folder / file.name


def _text(run: Run) -> str:
    ends = [event for event in run.events if event.kind == "return"]
    return ends[-1].result.as_text() if ends else ""


def shipped_at_the_service(log: Log, case: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    """Adds the service's view: the number of requests, and of answers that were paid twice."""
    seen = _only_calls_that_were(log, seen)
    if case["look"] == "endless":
        seen["requests of a team that never ends"] = len(log)
    if case["look"] == "killed":
        undisturbed = sum(exchange.process == "whole" for exchange in log)
        seen["answers that were paid twice"] = max(0, len(log) - 2 * undisturbed)
        seen["requests of the undisturbed run"] = undisturbed
    return {**seen, "the service was asked": bool(log)}


OBSERVE = {
    "27.1": brought,
    "27.2": built,
    "27.3": shipped,
}
READ = {
    "27.1": looked_at,
    "27.2": looked_at,
}
AT_THE_SERVICE = {
    "27.2": team_at_the_service,
    "27.3": shipped_at_the_service,
}
"""By exercise, who completes what was seen by the log of the service; in `grade`, outside."""
