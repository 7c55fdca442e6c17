"""The author's side of lesson 15: notes young and old, questions and things to keep."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = ("pgvector", "Qdrant", "Milvus", "Chroma", "tracing", "rate limits", "evaluation")
VERBS = ("compares", "stores", "indexes", "counts", "refuses", "returns")


# ── 15.1 ──────────────────────────────────────────────────────────────────────────────────────


def memories(draw: Random) -> dict[str, list[Any]]:
    """A memory with a fresh note, none, an old one; and a researcher who fails."""
    topic, other = draw.sample(TOPICS, 2)
    month = draw.randint(2, 9)
    since = f"2026-{month:02}-{draw.randint(11, 18)}"
    today = f"2026-{month + 1:02}-{draw.randint(10, 28)}"
    known = f"{topic} {draw.choice(VERBS)} {draw.randint(100, 999)} documents."
    found = f"{topic} {draw.choice(VERBS)} {draw.randint(1_000, 9_999)} documents."
    facts = {"facts": f"- {draw.randint(100, 999)} facts."}
    fine = {"status": "ok", "output": found, "by": "researcher", "artifacts": facts}
    broken = {
        "status": draw.choice(("failed", "exhausted")),
        "output": f"{topic}, half",
        "reason": f"request {draw.randint(100, 999)} got no answer",
    }

    def case(
        about: str, date: str, result: dict[str, Any], named: str = topic, second: str = ""
    ) -> dict[str, Any]:
        """date: of the note about `named`; empty for no note; second: of a note that is found after it."""
        name = f"{named.replace(' ', '-').lower()}-{draw.randint(2, 9)}"
        notes = [[name, named, known, date, "an earlier run"]] if date else []
        if second:
            worse = f"{topic} holds {draw.randint(100, 999)} lists."
            notes.append([f"{name}-more", named, worse, second, "an earlier run"])
        return {
            "about": about,
            "topic": topic,
            "since": since,
            "today": today,
            "notes": notes,
            "result": result,
        }

    young = f"2026-{month:02}-{draw.randint(19, 28)}"
    days_before = f"2026-{month:02}-{draw.randint(1, 9):02}"
    old = f"2026-{month - 1:02}-{draw.randint(10, 28)}"
    return {
        "knows": [
            case("there is a note from after `since`", young, fine),
            case("there is a note from that very day", since, fine),
            case("the best hit is fresh, the second one is old", young, fine, second=old),
        ],
        "new": [
            case("there is no note", "", fine),
            case("there is a note on something else", young, fine, other),
        ],
        "old": [
            case("the note is older than `since`", old, fine),
            case("the note is some days older than `since`", days_before, fine),
            case("the best hit is old, the second one is fresh", old, fine, second=young),
        ],
        "fails": [
            case("there is no note, and the research fails", "", broken),
            case("the note is old, and the research fails", old, broken),
        ],
    }


# ── 15.2 ──────────────────────────────────────────────────────────────────────────────────────


def handoffs_to_memory(draw: Random) -> dict[str, list[Any]]:
    """Notes to keep, to correct and to refuse; questions that notes answer, and that none does."""
    topic, other, third = draw.sample(TOPICS, 3)
    number = draw.randint(100, 999)
    names = [f"{_name(topic)}-{draw.randint(2, 9)}", f"more-on-{_name(topic)}"]
    known = [
        [names[0], topic, f"{topic} {draw.choice(VERBS)} {number} lists.", "the library"],
        [names[1], topic, f"{topic} {draw.choice(VERBS)} {number + 1} lists.", "a blog"],
        [f"{_name(other)}-1", other, f"{other} {draw.choice(VERBS)} {number} rows.", "a blog"],
    ]
    fine = f"- {topic} holds {number} lists."
    sender = draw.choice(("researcher", "analyst", "archivist"))

    def case(about: str, intent: str, answer: Any = None, **artifacts: str) -> dict[str, Any]:
        """answer: the reader's result; artifacts: those of the handoff."""
        result = answer or {"status": "ok", "output": f"{fine} [{names[0]}]"}
        handoff = {"intent": intent, "artifacts": artifacts, "from_agent": sender}
        return {"about": about, "notes": known, "handoff": handoff, "reader": result}

    def says(text: str, status: str = "ok") -> dict[str, Any]:
        reason = "" if status == "ok" else f"line {number} is busy"
        return {"status": status, "output": text, "reason": reason}

    new = f"{third} {draw.choice(VERBS)} {number + 2} documents."
    source = f"issue {number}"
    question = f"Find facts about {topic}"
    return {
        "keeps": [
            case("a note with a source", third, note=new, source=source),
            case("a note without a source", third, note=new),
        ],
        "corrects": [
            case("a note is corrected", topic, note=new, source=source, corrects=names[0]),
            case("the note to correct is not there", topic, note=new, corrects=f"no-{number}"),
            case("an empty note", third, note=" ", source=source),
        ],
        "answers": [
            case("a note answers", question),
            case("two notes answer", question, says(f"{fine} [{names[1]}] Also [{names[0]}].")),
        ],
        "nothing": [
            case("no note matches", f"Find facts about {third}"),
            case("the reader found nothing", question, says(f"Nothing on {number} was found.")),
            case("the reader cites what is no note", question, says(f"{fine} [a-book]")),
            case("the reader cites a longer name", question, says(f"{fine} [{names[0]}-old]")),
            case("a name without brackets", question, says(f"{fine} See {names[0]}.")),
            case("the reader fails", question, says(f"{fine} [{names[0]}]", "exhausted")),
        ],
    }


def _name(topic: str) -> str:
    return topic.lower().replace(" ", "-")


INPUTS = {"15.1": memories, "15.2": handoffs_to_memory}
