"""The author's side of lesson 05: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel.plumbing.trace import counted

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")


# ── 05.1 ──────────────────────────────────────────────────────────────────────────────────────────


def reviews(draw: Random) -> dict[str, list[Any]]:
    """A verdict comes back: PASS, REVISE with issues, PASS with remarks; and nothing does."""
    issues = [
        f"sentence {draw.randint(1, 9)} has no source",
        f"{draw.randint(181, 999)} words are too many",
    ]

    def verdict(word: str, *issues: str) -> dict[str, Any]:
        result = {"status": "ok", "output": {"verdict": word, "issues": [*issues]}}
        return _review(
            draw, result, f"the reviewer says {word}, with {counted(len(issues), 'issue')}"
        )

    def nothing(status: str, output: str | None = None) -> dict[str, Any]:
        reason = f"no answer in {draw.randint(100, 999)} s"
        result = {"status": status, "reason": reason, "output": output}
        return _review(
            draw, result, f"nothing comes back: status {status!r}, reason {result['reason']!r}"
        )

    half = {"status": "exhausted", "output": f"So far: {issues[0]}", "reason": "no time is left"}
    reviewed = [verdict("REVISE", *issues), verdict("PASS", issues[1]), verdict("PASS")]
    first, second, third = draw.sample(["failed", "exhausted", "refused"], 3)
    return {
        "packed": [verdict("PASS"), verdict("PASS")],
        "told": [*reviewed, _review(draw, half, "the reviewer has half of its review")],
        "nothing": [nothing(first), nothing(second), nothing(third, "")],
    }


def _review(draw: Random, result: dict[str, Any], about: str) -> dict[str, Any]:
    topic, share = draw.choice(TOPICS), draw.randint(100, 999)
    given = {
        "intent": f"Review the draft on {topic}",
        "facts": f"- {topic} has {share} users. [{topic.lower()}-1]",
        "draft": f"{topic} has {share + draw.randint(0, 9)} users [{topic.lower()}-1].",
    }
    return {"about": about, "given": given, "result": result}


# ── 05.t1 ─────────────────────────────────────────────────────────────────────────────────────────


def drafts(draw: Random) -> dict[str, list[Any]]:
    """Facts to write from; a draft to revise by feedback; a draft alone."""
    parts = [["facts"], ["facts", "draft", "feedback"], ["facts", "draft"]]
    return {"packed": [_draft_of(draw, names) for names in parts]}


def _draft_of(draw: Random, names: list[str]) -> dict[str, Any]:
    topic, share = draw.choice(TOPICS), draw.randint(100, 999)
    texts = {
        "facts": f"- {topic} has {share} users. [{topic.lower()}-1]",
        "draft": f"{topic} has {share + draw.randint(1, 9)} users.",
        "feedback": f"- sentence 1: the facts say {share}; cite [{topic.lower()}-1]",
    }
    return {
        "about": f"the model gives intent, {', '.join(names)}",
        "given": {"intent": f"Write a brief on {topic}", **{name: texts[name] for name in names}},
        "draft": f"# {topic}\n\n{topic} has {share} users [{topic.lower()}-1].",
    }


# ── 05.2 ──────────────────────────────────────────────────────────────────────────────────────────

NAMES = ("researcher", "writer", "reviewer", "editor", "translator")


def plans(draw: Random) -> dict[str, list[Any]]:
    """Two supervisors whose plans differ in some names; in names that work twice; in their order alone."""
    return {
        "names": [_plans(draw, ["some"]), _plans(draw, ["some", "some"])],
        "calls": [_plans(draw, ["some", "some", "again"])],
        "nothing": [
            _plans(draw, ["other order", *draw.sample(["again", "other order", "some", "more"], 4)])
        ],
    }


def _plans(draw: Random, kinds: list[str]) -> dict[str, Any]:
    verbs = ("Find facts on", "Write on", "Review")
    tasks = [
        f"{draw.choice(verbs)} {topic} {draw.randint(100, 999)}"
        for topic in draw.sample(TOPICS, len(kinds))
    ]
    fixed: dict[str, list[list[Any]]] = {}
    free: dict[str, list[list[Any]]] = {}
    for task, kind in zip(tasks, kinds, strict=True):
        names = draw.sample(NAMES, draw.randint(3, 4))
        kept = names
        if kind == "again":  # the first name and the last are needless, and the first is last, too
            names.append(names[0])
            kept = names[1:2]
        elif kind != "other order":
            kept = draw.sample(names, draw.randint(1, len(names) - 1))
        fixed[task] = [[name, draw.randint(2, 4)] for name in names]
        more = [name for name in NAMES if name not in names] * (kind != "some")
        chosen = draw.sample([*kept, *more], len([*kept, *more]))
        free[task] = [[name, draw.randint(1, 4)] for name in chosen]
    shown = "; ".join(
        f"{task!r}: {_told(fixed[task])} beside {_told(free[task])}" for task in tasks
    )
    return {
        "about": f"who works for how many calls: {shown}",
        "tasks": tasks,
        "fixed": fixed,
        "free": free,
    }


def _told(plan: list[list[Any]]) -> str:
    return ", ".join(f"{name} {calls}" for name, calls in plan)


# ── 05.3 ──────────────────────────────────────────────────────────────────────────────────────────


DRAFT = (
    ("has", "users"),
    ("runs on", "machines"),
    ("was started by", "people"),
    ("answers", "queries a second"),
)
"""Of each sentence of a draft, what it says of its topic."""


def teams(draw: Random) -> dict[str, list[Any]]:
    """A task that asks for one sentence, and one that does not."""
    return {
        "one sentence": [_team(draw, " and shorten it to one sentence")],
        "a brief": [_team(draw, ""), _team(draw, " and shorten it to one sentence")],
    }


def _team(draw: Random, end: str) -> dict[str, Any]:
    task = f"Write a brief on {draw.choice(TOPICS)}{end}"
    team = draw.sample(["researcher", "writer", "reviewer"], 3)
    topic = draw.choice(TOPICS)
    source = f"[{topic.lower()}-{draw.randint(1, 9)}]"
    draft = " ".join(
        f"{topic} {verb} {draw.randint(100, 999)} {things} {source}."
        for verb, things in draw.sample(DRAFT, 3)
    )
    return {
        "about": f"the task is {task!r}",
        "team": team,
        "draft": draft,
        "turns": draw.randint(6, 12),
        "task": task,
    }


# ── 05.4 ──────────────────────────────────────────────────────────────────────────────────────────

THINGS = ("Lamps", "Pens", "Mugs", "Tables", "Posters", "Ladders")
COMPLAINTS = (
    "the title is dull",
    "the brief could be shorter",
    "the second sentence is long",
    "the order of the sentences is odd",
)


def judgments(draw: Random) -> dict[str, list[Any]]:
    """Drafts with and without a bare sentence, verdicts that say the opposite, and a source that is missing."""
    return {
        "cited": [_cited(draw), _bare(draw)],
        "once": [_never_cited(draw)],
        "again": [_missing(draw), _all_there(draw)],
    }


def _desk(draw: Random) -> dict[str, Any]:
    """A task, facts from two sources, and a team in any order."""
    thing = draw.choice(THINGS)
    sources = [f"{thing.lower()}-{name}" for name in draw.sample(["intro", "prices", "sizes"], 2)]
    verbs = draw.sample(DRAFT, 4)
    claims = [
        f"{thing} {verb} {draw.randint(100, 999)} {things}".replace("has", "have")
        for verb, things in verbs
    ]
    facts = [
        f"- {claim}. [{source}]" for claim, source in zip(claims, [*sources, *sources], strict=True)
    ]
    return {
        "task": f"Write a brief on {thing}",
        "team": draw.sample(["researcher", "writer", "reviewer"], 3),
        "sources": sources,
        "claims": claims,
        "facts": ["\n".join(facts)],
    }


def _given(desk: dict[str, Any]) -> dict[str, Any]:
    """Returns the part of a desk that a case holds."""
    return {name: desk[name] for name in ("task", "team", "facts")}


def _draft(desk: dict[str, Any], *bare: int) -> str:
    """A draft of the four claims; the sentences at these places cite nothing."""
    sources = [*desk["sources"], *desk["sources"]]
    cited = [f" [{source}]" for source in sources]
    for place in bare:
        cited[place] = ""
    return " ".join(
        f"{claim}{source}." for claim, source in zip(desk["claims"], cited, strict=True)
    )


def _cited(draw: Random) -> dict[str, Any]:
    desk = _desk(draw)
    drafts = [_draft(desk), f"In short: {_draft(desk)}"]
    issue = draw.choice(COMPLAINTS)
    about = f"each sentence of the draft has a citation; the reviewer says REVISE: {issue}"
    return {**_given(desk), "about": about, "drafts": drafts, "verdicts": [[issue], []]}


def _bare(draw: Random) -> dict[str, Any]:
    desk = _desk(draw)
    drafts = [_draft(desk, draw.randint(1, 3)), _draft(desk)]
    about = "a sentence of the draft has no citation; the reviewer says PASS"
    return {**_given(desk), "about": about, "drafts": drafts, "verdicts": [[], []]}


def _never_cited(draw: Random) -> dict[str, Any]:
    desk = _desk(draw)
    places = draw.sample([(0, 2), (1, 3), (0, 1, 2), (1, 2, 3)], 4)  # a source loses both citations
    drafts = [_draft(desk, *bare) for bare in places]
    about = "each draft has sentences without a citation; the reviewer always says REVISE"
    return {
        **_given(desk),
        "about": about,
        "drafts": drafts,
        "verdicts": [[draw.choice(COMPLAINTS)]],
    }


def _missing(draw: Random) -> dict[str, Any]:
    desk = _desk(draw)
    kept, lost = draw.sample(desk["sources"], 2)
    lines = desk["facts"][0].splitlines()
    facts = [[line for line in lines if f"[{source}]" in line] for source in (kept, lost)]
    return {
        **_given(desk),
        "about": f"the facts lack {lost}, which the task names",
        "task": f"{desk['task']}. Use the sources {desk['sources'][0]} and {desk['sources'][1]}.",
        "facts": ["\n".join(part) for part in facts],
        "drafts": [_draft(desk)],
        "verdicts": [[]],
    }


def _all_there(draw: Random) -> dict[str, Any]:
    desk = _desk(draw)
    return {
        **_given(desk),
        "about": "the facts have both sources that the task names",
        "task": f"{desk['task']}. Use the sources {desk['sources'][0]} and {desk['sources'][1]}.",
        "drafts": [_draft(desk)],
        "verdicts": [[]],
    }


INPUTS = {"05.t1": drafts, "05.1": reviews, "05.2": plans, "05.3": teams, "05.4": judgments}
