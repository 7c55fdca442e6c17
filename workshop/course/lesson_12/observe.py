"""What is seen of answers to lesson 12: what is evicted, folded, remembered and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernel import Conversation, Result
from kernel.memory import Note
from kernel.search import Document, Hit
from workshop.course.desks import Specialist, order_of
from workshop.course.observing import call, ending, held, quiet_run


def evicted(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Which entries leave, in order."""
    quiet_run()
    entries = [tuple(entry) for entry in case["entries"]]
    returned = call(answer, entries, case["limit"], set(case["pinned"]))
    count = len(returned) if isinstance(returned, list) else "not a list"
    return {"number of evictions": count, "evicted": returned}


def folded(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What the folder got, and what the conversation holds afterwards."""
    texts = case["texts"]
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
    before = Conversation(messages)
    folder = Specialist("folder", lambda _: Result(**case["result"]))
    run = quiet_run()
    returned = call(answer, run, before, folder, case["most_words"])
    given = run.trace().handoffs()
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, folder.calls - len(given)),
        "handoffs": order_of(run),
    }
    for handoff in given[:1]:
        carried = "\n".join([handoff["context"], *handoff["artifacts"].values()])
        seen["facts for the folder"] = held(carried, *texts[1:-1])
    seen["messages of the old conversation"] = len(before)
    if not isinstance(returned, Conversation):
        return {**seen, "returned": returned}
    seen["roles"] = tuple(message.get("role") for message in returned)
    text = "\n".join(str(message.get("content")) for message in returned)
    seen["the task"] = held(text, texts[0])
    seen["the notes"] = held(text, str(case["result"].get("output")))
    seen["the open question"] = held(text, texts[-1])
    seen["what was folded away"] = held(text, *texts[1:-1])
    return seen


@dataclass
class Notes:
    """A memory that holds its notes in a dict, and a log of what is done to it."""

    notes: dict[str, Note]
    today: str
    log: list[tuple[str, ...]] = field(default_factory=list)

    async def search(self, query: str, limit: int = 5) -> list[Hit]:
        self.log.append(("search", query))
        found = [note for note in self.notes.values() if note.title == query]
        hits = [
            Hit(Document(note.name, note.title, note.text, note.date), note.text, 0.0)
            for note in found
        ]
        return hits[:limit]

    def read(self, name: str) -> Note:
        return self.notes[name]

    def write(self, title: str, text: str, source: str) -> Note:
        note = Note(f"{title}-{len(self.notes)}", title, text, self.today, source)
        return self._keep("write", note)

    def correct(self, name: str, text: str, source: str) -> Note:
        old = self.notes[name]
        return self._keep("correct", Note(name, old.title, text, self.today, source))

    def _keep(self, how: str, note: Note) -> Note:
        if not note.text.strip() or not note.source.strip():
            raise ValueError("a note needs a title, a text and a source")
        self.log.append((how, note.title, note.text))
        self.notes[note.name] = note
        return note


def remembered(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What was searched, researched and kept, and what came back."""
    notes = {note[0]: Note(*note) for note in case["notes"]}
    memory = Notes(notes, case["today"])
    researcher = Specialist("researcher", lambda _: Result(**case["result"]))
    run = quiet_run()
    returned = call(answer, run, memory, researcher, case["topic"], case["since"])
    given = run.trace().handoffs()
    searches = [entry for entry in memory.log if entry[0] == "search"]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, researcher.calls - len(given)),
        "memory was asked": bool(searches),
        "handoffs": order_of(run),
        "the topic in the intent": [held(handoff["intent"], case["topic"]) for handoff in given],
        "kept": [list(entry) for entry in memory.log if entry[0] != "search"],
    }
    return {**seen, **ending(returned)}


OBSERVE = {"12.1": evicted, "12.2": folded, "12.3": remembered}
