"""The author's side of lesson 12: full contexts, long conversations, notes young and old."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = ("pgvector", "Qdrant", "Milvus", "Chroma", "tracing", "rate limits", "evaluation")
VERBS = ("compares", "stores", "indexes", "counts", "refuses", "returns")


# ── 12.1 ──────────────────────────────────────────────────────────────────────────────────────


def contexts(draw: Random) -> dict[str, list[Any]]:
    """Contexts over, at and below 80 % of their limit, with pinned entries and equally important ones."""
    limit = draw.choice((500, 1_000, 1_500, 2_000))
    room = limit * 4 // 5
    names = draw.sample(TOPICS, 6)
    levels = sorted(draw.sample(range(1, 10), 6))

    def case(
        about: str, pairs: list[tuple[int, int]], pinned: int = 0, shuffled: bool = True
    ) -> dict[str, Any]:
        """pairs: tokens in percent of the room, importance in tenths; the last ones are pinned."""
        entries = [
            [name, room * share // 100, tenths / 10]
            for name, (share, tenths) in zip(names, pairs, strict=False)
        ]
        kept = [entry[0] for entry in entries[len(entries) - pinned :]] if pinned else []
        about = f"{about}; the limit is {limit}"
        return {
            "about": about,
            "entries": draw.sample(entries, len(entries)) if shuffled else entries,
            "limit": limit,
            "pinned": kept,
        }

    low, some, middle, more, high, top = levels
    return {
        "importance": [
            case("one has to leave", [(30, high), (40, low), (35, middle)]),
            case(
                "several have to leave",
                [(60, top), (30, low), (40, middle), (35, high), (25, some)],
            ),
        ],
        "the share": [
            case("exactly 80 %", [(50, high), (50, low)]),
            case("between 80 % and the limit", [(60, high), (48, low), (4, middle)]),
            case("exactly 80 % after one", [(40, low), (60, high), (40, middle)]),
        ],
        "pinned": [
            case("the least important is pinned", [(30, middle), (45, more), (50, low)], 1),
            case("two are pinned", [(30, high), (20, top), (40, low), (35, some)], 2),
            case("the pinned ones alone are too much", [(20, high), (70, low), (60, some)], 2),
        ],
        "equals": [
            case(
                "three are equally important",
                [(30, some), (55, high), (20, some), (40, some)],
                shuffled=False,
            ),
            case(
                "five are", [(25, low), (30, low), (35, low), (40, low), (22, low)], shuffled=False
            ),
        ],
    }


# ── 12.2 ──────────────────────────────────────────────────────────────────────────────────────


def _sentence(draw: Random, words: int = 8) -> str:
    topic = draw.choice(TOPICS)
    filler = " ".join(draw.choice(("old", "new", "large", "small")) for _ in range(words - 5))
    return f"{topic} {draw.choice(VERBS)} {draw.randint(1_000, 9_999)} {filler} documents."


def conversations(draw: Random) -> dict[str, list[Any]]:
    """Conversations too long, short enough, and a folder that fails."""
    notes = f"- {draw.randint(100, 999)} facts were found. [notes]"
    fine = {"status": "ok", "output": notes}
    half = f"- {draw.randint(100, 999)} facts, half"
    broken = {
        "status": draw.choice(("failed", "exhausted")),
        "output": half,
        "reason": f"request {draw.randint(100, 999)} got no answer",
    }

    def case(about: str, turns: int, spare: int, result: dict[str, Any]) -> dict[str, Any]:
        """turns: pairs of messages before the last one; spare: how many more words than it has are allowed."""
        task = f"Compare {draw.randint(2, 9)} stores of vectors."
        texts = [task, *(_sentence(draw, draw.randint(6, 9)) for _ in range(2 * turns - 1))]
        texts.append(f"And what does number {draw.randint(100, 999)} cost?")
        words = sum(len(text.split()) for text in texts)
        return {
            "about": about,
            "texts": texts,
            "most_words": words + spare,
            "result": result,
        }

    far = -draw.randint(5, 9)
    return {
        "folds": [
            case("five messages are too long", 2, far, fine),
            case("nine messages are too long", 4, -1, fine),
        ],
        "short": [
            case("it is just as long as it may be", 2, 0, fine),
            case("it is short", draw.randint(1, 2), 20, fine),
            case("it is too long by one word", 3, -1, fine),
        ],
        "fails": [
            case("the folder does not deliver", 3, far, broken),
            case("it does", 3, far, fine),
        ],
    }


# ── 12.3 ──────────────────────────────────────────────────────────────────────────────────────


def memories(draw: Random) -> dict[str, list[Any]]:
    """A memory with a fresh note, none, an old one; and a researcher who fails."""
    topic, other = draw.sample(TOPICS, 2)
    month = draw.randint(2, 9)
    since = f"2026-{month:02}-15"
    today = f"2026-{month + 1:02}-{draw.randint(10, 28)}"
    known = f"{topic} {draw.choice(VERBS)} {draw.randint(100, 999)} documents."
    found = f"{topic} {draw.choice(VERBS)} {draw.randint(1_000, 9_999)} documents."
    fine = {"status": "ok", "output": found, "by": "researcher"}
    broken = {
        "status": draw.choice(("failed", "exhausted")),
        "output": f"{topic}, half",
        "reason": f"request {draw.randint(100, 999)} got no answer",
    }

    def case(about: str, date: str, result: dict[str, Any], named: str = topic) -> dict[str, Any]:
        """date: of the note about `named`; empty for no note."""
        name = f"{named.replace(' ', '-').lower()}-{draw.randint(2, 9)}"
        notes = [[name, named, known, date, "an earlier run"]] if date else []
        return {
            "about": about,
            "topic": topic,
            "since": since,
            "today": today,
            "notes": notes,
            "result": result,
        }

    young = f"2026-{month:02}-{draw.randint(16, 28)}"
    old = f"2026-{month - 1:02}-{draw.randint(10, 28)}"
    return {
        "knows": [
            case("there is a note from after `since`", young, fine),
            case("there is a note from that very day", since, fine),
        ],
        "new": [
            case("there is no note", "", fine),
            case("there is a note on something else", young, fine, other),
        ],
        "old": [case("the note is older than `since`", old, fine)],
        "fails": [
            case("there is no note, and the research fails", "", broken),
            case("the note is old, and the research fails", old, broken),
        ],
    }


INPUTS = {"12.1": contexts, "12.2": conversations, "12.3": memories}

HELD = "held = sum(tokens for _, tokens, _ in entries)"
LOOSE = "loose = [entry for entry in entries if entry[0] not in pinned]"
ORDER = "key=lambda entry: (entry[2], -entry[1])"
ENOUGH = "if held <= 0.8 * limit:"

SHORT = "if words <= most_words:\n        return conversation\n    "
LATER = 'artifacts={"facts": "\\n\\n".join(later)}'
BROKEN = "if not result.ok:\n        return conversation\n    "
BEGIN = 'begin = "\\n\\n".join([task, result.as_text(), question])'
NEW = 'return Conversation([{"role": "user", "content": begin}])'

FRESH = "if note and note.date >= since:"
KNOWN = 'return Result(status="ok", output=note.text)'
RESEARCH = 'result = await run.dispatch(researcher, Handoff(intent=f"Research {topic}"))'
FAILED = "if not result.ok:\n        return result\n    "
CORRECT = "memory.correct(note.name, result.as_text(), source=result.by)"
WRITE = "memory.write(topic, result.as_text(), source=result.by)"

SLIPS = {
    "12.1": {
        "up to the limit": [(ENOUGH, "if held <= limit:")],
        "at the share already": [(ENOUGH, "if held < 0.8 * limit:")],
        "pinned ones too": [(LOOSE, "loose = list(entries)")],
        "pinned ones are not counted": [
            (HELD, "held = sum(entry[1] for entry in entries if entry[0] not in pinned)")
        ],
        "only one": [("held -= tokens\n", "held = 0\n")],
        "most important first": [(ORDER, "key=lambda entry: (-entry[2], -entry[1])")],
        "largest first": [(ORDER, "key=lambda entry: (-entry[1], entry[2])")],
        "smallest of equals": [(ORDER, "key=lambda entry: (entry[2], entry[1])")],
        "oldest of equals": [(ORDER, "key=lambda entry: entry[2]")],
        "what stays": [("return gone", "return [key for key, _, _ in entries if key not in gone]")],
        "whole entries": [("gone.append(key)", "gone.append((key, tokens, importance))")],
        "nothing leaves": [("", "    return []\n")],
    },
    "12.2": {
        "never asks": [
            (
                "",
                "    return Conversation([{'role': 'user', 'content': conversation[0]['content']}])\n",
            )
        ],
        "past the door": [
            ("await run.dispatch(folder, handoff)", "await folder.execute(handoff, run)")
        ],
        "always": [(SHORT, "")],
        "one word too early": [("if words <= most_words:", "if words < most_words:")],
        "messages, not words": [("if words <= most_words:", "if len(texts) <= most_words:")],
        "trims": [(NEW, "return Conversation([conversation[0], *conversation[-2:]])")],
        "the last answer only": [(LATER, 'artifacts={"facts": later[-1]}')],
        "the question too": [(LATER, 'artifacts={"facts": "\\n\\n".join([*later, question])}')],
        "trims without the folder": [
            (
                "handoff = Handoff(",
                "return Conversation([conversation[0], conversation[-1]])\n    handoff = Handoff(",
            )
        ],
        "nothing to fold": [(LATER, "artifacts={}")],
        "question folded away": [(BEGIN, 'begin = "\\n\\n".join([task, result.as_text()])')],
        "task lost": [(BEGIN, 'begin = "\\n\\n".join([result.as_text(), question])')],
        "notes not used": [(BEGIN, 'begin = "\\n\\n".join([task, question])')],
        "half notes": [(BROKEN, "")],
        "raises": [(BROKEN, "if not result.ok:\n        raise RuntimeError(result.reason)\n    ")],
        "appended": [
            (
                NEW,
                'conversation.append({"role": "user", "content": begin})\n    return conversation',
            )
        ],
        "an answer to itself": [
            (
                NEW,
                'return Conversation([{"role": "user", "content": task}, {"role": "assistant", "content": result.as_text()}, {"role": "user", "content": question}])',
            )
        ],
        "no conversation": [(NEW, "return begin")],
    },
    "12.3": {
        "never asks": [("", "    return Result(status='ok', output=topic)\n")],
        "past the door": [
            (
                RESEARCH,
                RESEARCH.replace("run.dispatch(researcher, ", "researcher.execute(")[:-1]
                + ", run)",
            )
        ],
        "always researches": [(FRESH, "if False:")],
        "research beside memory": [
            (
                "hits = await memory.search(topic)\n",
                f"{RESEARCH}\n    hits = await memory.search(topic)\n",
            ),
            (f"{KNOWN}\n    {RESEARCH}", KNOWN),
        ],
        "research first": [
            (
                "",
                f"    {RESEARCH}\n"
                "    if result.ok:\n"
                "        memory.write(topic, result.as_text(), source=result.by)\n"
                "    return result\n",
            )
        ],
        "age not looked at": [(FRESH, "if note:")],
        "that day is too old": [(FRESH, "if note and note.date > since:")],
        "memory alone": [
            (
                FRESH,
                "if note is None:\n        return Result(status='failed', reason='no note')\n    if note.date >= since:",
            )
        ],
        "topic not named": [
            ('Handoff(intent=f"Research {topic}")', 'Handoff(intent="Research what is missing")')
        ],
        "not kept": [(WRITE, "pass"), (CORRECT, "pass")],
        "two notes": [(CORRECT, WRITE)],
        "old one stays": [(CORRECT, "pass")],
        "keeps a failure": [
            (FAILED, ""),
            (WRITE, "memory.write(topic, result.as_text(), source='research')"),
            (CORRECT, "memory.correct(note.name, result.as_text(), source='research')"),
        ],
        "no source": [(WRITE, 'memory.write(topic, result.as_text(), source="")')],
        "old note for new": [
            (
                "        return result\n    if note:",
                "        return Result(status='ok', output=note.text) if note else result\n    if note:",
            )
        ],
        "the note, not its text": [(KNOWN, "return note.text")],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "12.1": [
        """\
# One eviction at a time, while there is too much.
def evictions(entries, limit, pinned):
    left, gone = list(entries), []
    while sum(entry[1] for entry in left) * 5 > limit * 4:
        loose = [entry for entry in left if entry[0] not in pinned]
        if not loose:
            break
        least = min(entry[2] for entry in loose)
        victim = max((entry for entry in loose if entry[2] == least), key=lambda entry: entry[1])
        left.remove(victim)
        gone.append(victim[0])
    return gone
""",
        """\
def evictions(entries, limit, pinned):
    import heapq
    heap = [(importance, -tokens, key) for key, tokens, importance in entries if key not in pinned]
    heapq.heapify(heap)
    over, gone = sum(entry[1] for entry in entries) - limit * 0.8, []
    while heap and over > 0:
        _, tokens, key = heapq.heappop(heap)
        over += tokens
        gone += [key]
    return gone
""",
    ],
    "12.2": [
        """\
# A marked part for the notes, so that a reader can tell them from the task.
async def fold_to_question(run, conversation, folder, most_words):
    said = [message["content"] for message in conversation]
    if len(" ".join(said).split()) > most_words:
        told = {f"message {number}": text for number, text in enumerate(said[1:-1], 2)}
        notes = await run.dispatch(folder, Handoff(intent="Condense these messages", artifacts=told))
        if notes.ok:
            text = f"{said[0]}\\n\\n<notes>\\n{notes.as_text()}\\n</notes>\\n\\n{said[-1]}"
            return Conversation([{"role": "user", "content": text}])
    return conversation
""",
        """\
async def fold_to_question(run, conversation, folder, most_words):
    count = 0
    for message in conversation:
        count += len(message["content"].split())
    if not count > most_words:
        return Conversation(list(conversation))
    middle = "\\n".join(f"{message['role']}: {message['content']}" for message in conversation[1:-1])
    result = await run.dispatch(folder, Handoff(intent="Notes, please", context=middle))
    if result.status != "ok":
        return conversation
    new = Conversation()
    new.append({"role": "user", "content": f"{conversation[-1]['content']}\\n{conversation[0]['content']}\\n{result.output}"})
    return new
""",
    ],
    "12.3": [
        """\
# Only a fresh note ends the work; everything else goes on to the research.
async def recall(run, memory, researcher, topic, since):
    known = [memory.read(hit.document.id) for hit in await memory.search(topic, limit=1)]
    for note in known:
        if not note.date < since:
            return Result(status="ok", output=note.text, by="memory", reason="")
    found = await run.dispatch(researcher, Handoff(intent=f"Find facts about {topic}"))
    if found.ok and known:
        memory.correct(known[0].name, found.output, "research of today")
    elif found.ok:
        memory.write(topic, found.output, "research of today")
    return found
""",
        """\
async def recall(run, memory, researcher, topic, since):
    hits = await memory.search(topic)
    if hits and hits[0].document.date >= since:
        return Result(status="ok", output=hits[0].document.text)
    result = await run.dispatch(researcher, Handoff(intent=topic, context="Say what is new."))
    if result.status == "ok":
        keep = (lambda text: memory.correct(hits[0].document.id, text, "r")) if hits else (lambda text: memory.write(topic, text, "r"))
        keep(result.as_text())
    return result
""",
    ],
}
