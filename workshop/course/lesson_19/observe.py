"""What is seen of a capstone: its documents, its team on any library, and how it is shipped."""

from __future__ import annotations

import gc
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from classroom.observing import call, pictured, service, wait
from kernel import Agent, DeterministicSupervisor, Handoff, Result, Run, models, specialists
from kernel.contract import Executable, label
from kernel.search import Corpus, Document
from workshop.course.capstone import citations, on_log
from workshop.course.service import Killed, Log


def brought(own: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Whether task and documents are there, and what a plain team makes of them beside others."""
    returned = call(own)
    if not _is_task_and_documents(returned):
        return {"returned": returned}
    task, documents = returned
    beside = case["beside"]
    run = pictured(Run(service().client("plain")))
    library = _library({**beside, **documents})
    desk = DeterministicSupervisor(*specialists(library))
    result = wait(run.dispatch(desk, Handoff(intent=task)))
    brief = result.as_text()
    cited = citations(brief)
    own = {*map(label, documents)}
    return {
        **_lengths(documents, beside),
        "documents that the brief cites": len(cited & own),
        "citations of no document": len(cited - own.union(map(label, beside))),
        "the brief": brief,
    }


def _is_task_and_documents(returned: Any) -> bool:
    if type(returned) not in (tuple, list) or len(returned) != 2:
        return False
    task, documents = returned
    if type(task) is not str or type(documents) is not dict:
        return False
    parts = [*documents.keys(), *documents.values()]
    return all(type(part) is str for part in parts)


def _lengths(documents: dict[str, str], beside: dict[str, str]) -> dict[str, Any]:
    """How much the documents hold that is their own."""
    texts = documents.values()
    lengths = [len(text.split()) for text in texts]
    words = [{*re.findall(r"\w+", text.lower())} for text in texts]
    different = [len(words_of_one) for words_of_one in words]
    copied = sum(text in beside.values() for text in texts)
    return {
        "documents": len(documents) - copied,
        "words of the shortest document": min(lengths, default=0),
        "different words of each document": min(different, default=0),
    }


def _library(documents: dict[str, str]) -> Corpus:
    pages = [Document(str(id), str(id), text) for id, text in documents.items()]
    return Corpus.of(pages)


FIGURES = ("documents that the service saw", "figures of the documents in replies")
LOOKS = {
    "lengths": (
        "documents",
        "words of the shortest document",
        "different words of each document",
    ),
    "brief": ("documents that the brief cites", "citations of no document", "the brief"),
    "text": (
        "how it ended",
        "documents that the text cites",
        "citations of no document",
        *FIGURES,
    ),
    "people": (
        "agents that asked a model",
        "own specialists whose work was used",
        "prompts that the service saw",
    ),
    "draft": ("checks by a gate", "vetoes that were left", *FIGURES),
}
"""Everything is seen of every answer; which of it a trial looks at, no answer's process knows."""


def looked_at(seen: dict[str, Any], outside: dict[str, Any]) -> dict[str, Any]:
    """What a trial looks at, and what belongs to no look, such as an exception."""
    chosen = LOOKS[outside["look"]]
    others = {aspect for aspects in LOOKS.values() for aspect in aspects}
    return {name: value for name, value in seen.items() if name in chosen or name not in others}


def built(team: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What the team's log shows on a library that it has never seen, and what the service saw."""
    library = _library(case["documents"])
    executable = call(team, library)
    if not isinstance(executable, Executable):
        return {"returned": executable}
    run = pictured(Run(service().client("team")))
    with texts_kept() as kept:
        wait(run.dispatch(executable, Handoff(intent=case["task"])))
    seen = on_log(run.events, library.documents, kept)
    del seen["limits in the budget"]
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

    Run.keep = noted  # type: ignore[method-assign]
    try:
        yield kept
    finally:
        Run.keep = theirs  # type: ignore[method-assign]


def team_at_the_service(log: Log, case: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    """What the service saw of a team: prompts, documents, and that the log invents no call."""
    seen = _only_calls_that_were(log, seen)
    prompts = {exchange.system for exchange in log}
    asked = " ".join(exchange.body for exchange in log)
    replies = " ".join(exchange.reply for exchange in log)
    documents = case["documents"].values()
    seen["prompts that the service saw"] = len(prompts)
    seen["documents that the service saw"] = _held(documents, asked)
    seen["figures of the documents in replies"] = _held(documents, replies)
    return seen


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
    """How a team is shipped: what came back, when it stops, what a kill costs."""
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
        seen["how it ended"] = shown["how it ended"]
        seen["handed over first"] = _first(run)
    seen["limits in the budget"] = shown["limits in the budget"]
    seen["calls"] = run.spent.calls
    return service().complete(shipped_at_the_service, case, seen)


def _first(run: Run) -> str:
    """Who was given what, in the first handoff of the log."""
    for handoff in run.trace().handoffs():
        return f"{handoff['to_agent']}: {handoff['intent']}"
    return "nothing"


def _resumed(ship: Any, team: Any, case: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The work undisturbed; then killed in the middle and done again over the same file."""
    task = case["task"]
    killed_file = folder / "killed.db"
    client = service().client("whole")
    whole = call(ship, team, task, client, folder / "whole.db")
    try:
        client = service().client("killed", case["dies_at"])
        call(ship, team, task, client, killed_file)
    except Killed:
        pass
    except BaseExceptionGroup as group:
        if not group.subgroup(Killed):
            raise
    gc.collect()  # a process that is killed closes its files
    is_there = killed_file.is_file() and killed_file.stat().st_size > 0
    moved = _moved(killed_file, folder / "elsewhere")
    client = service().client("again")
    again = call(ship, team, task, client, moved)
    if not isinstance(whole, Run) or not isinstance(again, Run):
        return {"returned": again}
    pictured(again)
    text = _text(whole)
    same = bool(text) and text == _text(again)
    seen = {
        "in `file` after the kill": ("something",) if is_there else ("nothing",),
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
    """What the service saw: how often it was asked, and what was paid twice."""
    seen = _only_calls_that_were(log, seen)
    if case["look"] == "endless":
        seen["requests of a team that never ends"] = len(log)
    if case["look"] == "killed":
        undisturbed = sum(exchange.process == "whole" for exchange in log)
        seen["answers that were paid twice"] = max(0, len(log) - 2 * undisturbed)
        seen["requests of the undisturbed run"] = undisturbed
    return {**seen, "the service was asked": bool(log)}


OBSERVE = {
    "19.1": brought,
    "19.2": built,
    "19.3": shipped,
}
READ = {
    "19.1": looked_at,
    "19.2": looked_at,
}
AT_THE_SERVICE = {
    "19.2": team_at_the_service,
    "19.3": shipped_at_the_service,
}
"""By exercise, who completes what was seen by the log of the service; in `grade`, outside."""
