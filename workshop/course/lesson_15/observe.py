"""Observations of answers to lesson 15: questions, answers, notes that are kept, and refusals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, held
from kernel import Handoff, Result
from kernel.parts.memory import MemoryNote
from kernel.plumbing.search import Document, Hit
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import ending, quiet_run


@dataclass
class Notes:
    """A memory that holds its notes in a dict, and a log of what is done to it."""

    notes: dict[str, MemoryNote]
    today: str
    log: list[tuple[str, ...]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    refusal: str = ""
    """The message of its latest refusal."""

    async def search(self, query: str, limit: int = 5) -> list[Hit]:
        self.log.append(("search", query))
        hits = []
        for note in self.notes.values():
            if note.title.lower() in query.lower():
                document = Document(note.name, note.title, note.text, note.date)
                hits.append(Hit(document, note.text, 0.0))
        return hits[:limit]

    def read(self, name: str) -> MemoryNote:
        if name not in self.notes:
            self.refusal = f"no note {name!r}; there are: {', '.join(self.notes)}"
            raise KeyError(self.refusal)
        return self.notes[name]

    def write(self, title: str, text: str, source: str) -> MemoryNote:
        number = len(self.notes)
        name = f"{title}-{number}"
        note = MemoryNote(name, title, text, self.today, source)
        return self._keep("write", note)

    def correct(self, name: str, text: str, source: str) -> MemoryNote:
        title = self.read(name).title
        note = MemoryNote(name, title, text, self.today, source)
        return self._keep("correct", note)

    def _keep(self, how: str, note: MemoryNote) -> MemoryNote:
        complete = note.text.strip() and note.source.strip()
        if not complete:
            self.refusal = "a note needs a title, a text and a source"
            raise ValueError(self.refusal)
        self.log.append((how, note.title, note.text))
        self.sources.append(note.source)
        self.notes[note.name] = note
        return note


def remembered(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the searches, the research, the notes that are kept, and the result."""
    notes = [MemoryNote(*facts) for facts in case["notes"]]
    memory = Notes({note.name: note for note in notes}, case["today"])
    result = Result(**case["result"])
    researcher = Specialist("researcher", lambda _: result)
    run = quiet_run()
    topic = case["topic"]
    since = case["since"]
    returned = call(answer, run, memory, researcher, topic, since)
    given = run.trace().handoffs()
    past = researcher.calls - len(given)
    searches = [entry for entry in memory.log if entry[0] == "search"]
    others = [entry for entry in memory.log if entry[0] != "search"]
    kept = [list(entry) for entry in others]
    intents = [handoff["intent"] for handoff in given]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, past),
        "memory was asked": bool(searches),
        "handoffs": order_of(run),
        "the topic in the intent": [held(intent, topic) for intent in intents],
        "kept": kept,
    }
    seen |= ending(returned)
    if isinstance(returned, Result) and given:
        seen["artifacts of the research"] = returned.artifacts
    if isinstance(returned, Result) and not result.ok:
        seen["reason of the research"] = held(returned.reason, result.reason)
    return seen


def kept_or_found(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the notes that are kept, the handoffs of the question, and the result."""
    today = "2026-11-22"
    notes = {}
    for name, title, text, source in case["notes"]:
        notes[name] = MemoryNote(name, title, text, today, source)
    memory = Notes(notes, today)
    result = Result(**case["reader"])
    reader = Specialist("reader", lambda _: result)
    handoff = Handoff(**case["handoff"])
    run = quiet_run()
    returned = call(answer, handoff, run, memory, reader, meant=(memory,))
    given = run.trace().handoffs()
    others = [entry for entry in memory.log if entry[0] != "search"]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, reader.calls - len(given)),
        "memory was searched": any(entry[0] == "search" for entry in memory.log),
        "kept": [list(entry) for entry in others],
        "sources of new notes": memory.sources,
        "handoffs": order_of(run),
        "intents": [handoff["intent"] for handoff in given],
        **ending(returned),
    }
    if isinstance(returned, Result):
        seen["cited notes"] = returned.artifacts.get("notes", "none")
        seen["a reason is given"] = bool(returned.reason.strip())
        if returned.status == "refused":
            seen["what memory said"] = held(returned.reason, memory.refusal)
    return seen


OBSERVE = {"15.1": remembered, "15.2": kept_or_found}
