"""The author's side of lesson 02: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

SAYINGS = (
    ("tracing", "The tracing library writes {} spans a second"),
    ("caching", "A cached prompt saves {} percent of its price"),
    ("budgets", "The smallest budget of the desk is {} tokens"),
    ("retries", "Every request is tried {} times before it fails"),
    ("memory", "The notes file holds {} lines of memory"),
    ("handoffs", "A structured handoff carries {} named artifacts"),
    ("queues", "The waiting queue takes {} tasks at once"),
    ("golden-sets", "The golden set of the judge has {} questions"),
)
"""(topic, a fact on it with a gap for its number)."""
AUDIENCES = ("for engineers", "for new colleagues", "for the weekly newsletter", "for the board")


def _facts(draw: Random, size: int) -> list[tuple[str, str, int]]:
    """(sentence with a gap for its number, source id, number) of so many facts."""
    chosen = draw.sample(SAYINGS, size)
    return [
        (says, f"{topic}-{draw.randint(10, 99)}", draw.randint(100, 900)) for topic, says in chosen
    ]


# ── 02.1 ──────────────────────────────────────────────────────────────────────────────────────────


def drafts(draw: Random) -> dict[str, list[Any]]:
    """True drafts, and drafts with one fault each; `few` uses half of the facts, and is true."""
    return {
        "numbers": [_draft(draw, fault) for fault in ("number", "", "number", "number")],
        "citations": [_draft(draw, fault) for fault in ("citation", "few", "", "citation")],
    }


ABOUT = {
    "number": "a draft with one wrong number",
    "citation": "a draft with one sentence without a citation",
    "few": "a true draft that uses half of the facts",
    "": "a true draft",
}


def _draft(draw: Random, fault: str) -> dict[str, Any]:
    facts = _facts(draw, 4)
    bad = draw.randrange(4)
    sentences = []
    for index, (says, source, number) in enumerate(facts):
        wrong = number + draw.randint(1, 99) if fault == "number" and index == bad else number
        cited = "." if fault == "citation" and index == bad else f" [{source}]."
        sentences.append(says.format(wrong) + cited)
    chosen = sentences[:2] if fault == "few" else sentences
    return {
        "about": ABOUT[fault],
        "facts": "\n".join(
            f"- {says.format(number)}. [{source}]" for says, source, number in facts
        ),
        "draft": "# What the desk runs on\n\n" + " ".join(chosen),
    }


# ── 02.2 ──────────────────────────────────────────────────────────────────────────────────────────


def shelves(draw: Random) -> dict[str, list[Any]]:
    """An archive that has two documents on what it is asked for; and one that has none on one of them."""
    return {
        "kept": [_shelves(draw, found=True)],
        "read": [_shelves(draw, found=True) for _ in range(2)],
        "nothing": [_shelves(draw, found=False)],
    }


def _shelves(draw: Random, *, found: bool) -> dict[str, Any]:
    topics = [topic for topic, _ in draw.sample(SAYINGS, 4)]
    available = topics if found else [*topics[:3]]
    return {
        "about": "the archive has two documents on each topic"
        if found
        else f"the archive has nothing on {topics[3]!r}",
        "library": _documents(draw, "library", topics),
        "archive": _documents(draw, "archive", available),
        "queries": [topics[2], topics[3]],
    }


def _documents(draw: Random, place: str, topics: list[str]) -> list[dict[str, str]]:
    return [
        {
            "id": f"{place}-{topic}-{number}{draw.randint(10, 99)}",
            "title": f"On {topic}, part {number}",
            "text": f"The {place} has {draw.randint(100, 999)} pages on {topic}.",
        }
        for topic in topics
        for number in (1, 2)
    ]


# ── 02.3 ──────────────────────────────────────────────────────────────────────────────────────────


def found(draw: Random) -> dict[str, list[Any]]:
    """Facts among remarks, where some remarks look like facts; and an answer without facts."""
    return {
        "facts": [_found(draw, facts=True) for _ in range(2)],
        "beside": [_found(draw, facts=True)],
        "none": [_found(draw, facts=False)],
    }


def _found(draw: Random, *, facts: bool) -> dict[str, Any]:
    task = f"Write a brief on {draw.choice(SAYINGS)[0]} in {draw.randint(100, 180)} words"
    known = [(says.format(number), source) for says, source, number in _facts(draw, 7)]
    remarks = [
        f"I searched {draw.randint(10, 99)} times.",
        f"- {known[4][0]} [{known[4][1]}] or so, I think.",
        f"See also [{known[5][1]}]",
        f"{known[5][0]} - said [{known[5][1]}]",
        f"- {known[6][0]}.",
    ]
    lines = [*(f"- {says}. [{source}]" for says, source in known[:4]), *remarks]
    draw.shuffle(lines)
    if not facts:
        lines = [
            f"Nothing was found on {task}, in {draw.randint(10, 99)} searches.",
            "Try other words.",
        ]
    about = (
        "the researcher found facts, among remarks" if facts else "the researcher found no facts"
    )
    return {
        "about": f"{about}: {' / '.join(lines)}",
        "task": task,
        "audience": draw.choice(AUDIENCES),
        "found": "\n".join(lines),
        "material": {
            "search_results": " ".join(
                f"{says} and {draw.randint(100, 999)} more." for says, _ in known
            )
        },
    }


INPUTS = {"02.1": drafts, "02.2": shelves, "02.3": found}

AGENT = 'return Agent("fact_checker", says, system, models.worker, output=Verdict)'
COPY = "return replace(first, tools=(*first.tools, search_archive))"
HITS = "hits = await archive.search(query)"
TEXT = 'return as_text(hits) if hits else f"No documents match {query!r}. Try other words."'
KEPT = 'line.startswith("- ") and line.endswith("]")'
HANDED = 'handed = "\\n".join(facts or lines)'
BUILT = 'return Handoff(intent=task, context=audience, artifacts={"facts": handed})'

SLIPS = {
    "02.1": {
        "no agent": [(AGENT, "return system")],
        "no prompt": [(AGENT, AGENT.replace("says, system", "system, ''"))],
        "no answer": [("models.worker", "'a-model'")],
        "shape among the tools": [("output=Verdict", "Verdict")],
        "no verdict": [(", output=Verdict", "")],
        "wrong number passes": [("    says =", "    system = EDITOR\n    says =")],
        "keywords only": [
            ("    says =", "    system = 'Facts numbers citation sentence.'\n    says =")
        ],
        "no citation passes": [('        "Each sentence needs a citation. "\n', "")],
        "true draft refused": [
            ("Each sentence", "The draft must have at most 10 words. Each sentence")
        ],
        "reviewer's prompt": [("    says =", "    system = reviewer().system\n    says =")],
    },
    "02.2": {
        "no agent": [(COPY, "return search_archive")],
        "no decorator": [("    @tool\n", "")],
        "nothing added": [(COPY, f"{COPY[7:]}\n    return first")],
        "tools in a tool's place": [("(*first.tools", "(first.tools")],
        "researcher of the archive": [("researcher(library)", "researcher(archive)")],
        "both shelves": [
            (HITS, "hits = await library.search(query) + await archive.search(query)")
        ],
        "not returned": [(TEXT, "print(as_text(hits))")],
        "first tool lost": [("(*first.tools, search_archive)", "(search_archive,)")],
        "same name": [("search_archive", "search")],
        "prompt lost": [(COPY, COPY.replace("first, ", "first, system='You are a researcher.', "))],
        "wrong shelf": [("archive.search", "library.search")],
        "never searches": [(HITS, "hits = []")],
        "another query": [("archive.search(query)", "archive.search('tracing ' + query)")],
        "not as text": [("return as_text(hits) if", "return hits if")],
        "silence": [(TEXT, "return as_text(hits)")],
    },
    "02.3": {
        "no handoff": [(BUILT, BUILT.replace("Handoff(", "dict("))],
        "everything": [('"facts": handed', '"facts": handed, **found.artifacts')],
        "all in one text": [
            (BUILT, 'return Handoff(intent=f"{task} from {handed}", context=audience)')
        ],
        "no task": [("intent=task", "intent='Write a brief'")],
        "no audience": [("context=audience, ", "")],
        "another name": [('"facts": handed', '"found": handed')],
        "nothing found, nothing said": [("facts or lines", "facts")],
        "remarks": [(HANDED, 'handed = "\\n".join(lines)')],
        "fact without a source": [(KEPT, 'line.startswith("- ")')],
        "sources lost": [("facts or lines", 'it.partition(" [")[0] for it in facts or lines')],
        "lines changed": [("facts or lines", "it[2:] for it in facts or lines")],
        "another order": [("facts or lines", "sorted(facts or lines)")],
        "on one line": [('"\\n".join(facts', '" ".join(facts')],
        "facts lost": [("facts or lines", "facts[:1] or lines")],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "02.1": [
        """\
# The kernel's reviewer with another name and prompt: model and shape of the answer stay.
def fact_checker():
    system = ("You check facts. Each number and name in the draft must agree with the facts. Each sentence must "
              "have a citation. Say PASS when the draft holds, REVISE when it does not.")
    return replace(reviewer(), name="fact_checker", system=system)
""",
        '''\
def fact_checker():
    system = """You are a checker. Compare every number and claim of the draft with the facts.
    Each sentence needs a citation. Answer PASS if all is right, and REVISE if not."""
    return replace(reviewer(), name="checker", description="Checks.", system=system)
''',
    ],
    "02.2": [
        """\
# The kernel's own search tool, over the archive, under another name.
def two_shelves(library, archive):
    from kernel import search_tool
    second = replace(search_tool(archive), name="search_archive", description="Search the archive of older documents.")
    return replace(researcher(library), tools=(search_tool(library), second))
""",
        """\
def two_shelves(library, archive):
    @tool(name="old_documents", description="Look into the archive.")
    async def look(topic: str) -> str:
        found = await archive.search(topic, 3)
        if not found:
            return "The archive has nothing on that."
        return "In the archive:\\n" + as_text(found)
    agent = researcher(library)
    return replace(agent, tools=(look,) + agent.tools)
""",
        '''\
def two_shelves(library, archive):
    from kernel import ToolError
    @tool
    async def search_archive(query: str) -> str:
        """Search older documents."""
        hits = await archive.search(query)
        if not hits:
            raise ToolError("no documents match; try other words")
        return as_text(hits)
    agent = researcher(library)
    return replace(agent, tools=(*agent.tools, search_archive))
''',
    ],
    "02.3": [
        """\
# With a regular expression for a bullet that ends in a source.
def writers_handoff(task, audience, found):
    import re
    facts = "\\n".join(re.findall(r"^- .*\\[[\\w.-]+\\]$", found.as_text(), flags=re.MULTILINE))
    return Handoff(intent=f"{task}, {audience}", context=audience, artifacts={"facts": facts or found.as_text()})
""",
        """\
def writers_handoff(task, audience, found):
    kept = []
    for line in str(found.output).split("\\n"):
        if line[:2] == "- " and line[-1] == "]":
            kept += [line]
    return Handoff(artifacts={"facts": "\\n\\n".join(kept) if kept else found.output}, intent=task + " " + audience, context="It is " + audience)
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
