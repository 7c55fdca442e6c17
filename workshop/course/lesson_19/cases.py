"""The author's side of lesson 19: libraries that a team has never seen, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

PLACES = ("Linden Street", "Harbour Lane", "Mill Road", "Station Hill", "Park Row", "Weir Bank")
THINGS = ("the boiler", "the lift", "the roof", "the workshop", "the library van", "the kiln")


def _library(draw: Random) -> tuple[str, dict[str, str]]:
    """A topic and five documents, three of them about it; each with a figure of its own."""
    place, thing = draw.choice(PLACES), draw.choice(THINGS)
    figures = draw.sample(range(1100, 9800), 5)
    names = draw.sample(["report", "minutes", "letter", "invoice", "survey", "diary", "log"], 5)
    texts = [
        f"The house bought {thing} for {figures[0]} euros. It has been inspected once.",
        f"An engineer looked at {thing} and measured {figures[1]} hours of work.",
        f"The insurance covers {thing} up to {figures[2]} euros a year.",
        f"The cellar holds {figures[3]} bottles, and nobody has counted them twice.",
        f"The postcode of {place} is {figures[4]}, and the street has two names.",
    ]
    return f"Write a brief on {thing}", dict(zip(names, texts, strict=True))


def brought(draw: Random) -> dict[str, list[Any]]:
    """Your own documents, looked at twice: are they there, and do they answer the task beside others?"""
    found = {}
    looks = {
        "there": ("lengths", "your documents"),
        "answer the task": ("brief", "a plain team, and two more documents"),
    }
    for trial, (look, about) in looks.items():
        _, others = _library(draw)
        beside = {f"other-{id}": text for id, text in [*others.items()][3:]}
        found[trial] = [{"about": about, "beside": beside, "outside": {"look": look}}]
    return found


def built(draw: Random) -> dict[str, list[Any]]:
    """Three libraries that the team has never seen."""
    found = {}
    looks = {"works": "text", "own specialist": "people", "gate": "draft"}
    for trial, look in looks.items():
        task, documents = _library(draw)
        case = {"task": task, "documents": documents, "outside": {"look": look}}
        found[trial] = [{"about": f"a library of five documents; {task.lower()}", **case}]
    return found


def shipped(draw: Random) -> dict[str, list[Any]]:
    """A team of ours that ends, one that never ends, and a kill in the middle."""
    looks = {
        "runs": ("once", "a team of three on five documents"),
        "stops": ("endless", "a team that never ends"),
        "resumes": ("killed", "a team of three; the process is killed and starts again"),
    }
    found = {}
    for trial, (look, about) in looks.items():
        task, documents = _library(draw)
        case = {"look": look, "task": task, "documents": documents, "dies_at": draw.randint(3, 4)}
        found[trial] = [{"about": about, **case}]
    return found


INPUTS = {"19.1": brought, "19.2": built, "19.3": shipped}

TASK = 'task = "Write a brief on the rain tanks"'
WATER = """"The garden draws its water from two rain tanks of 3,000 litres each. "
                 "In the summer of 2025 the rain tanks ran dry on 12 days.","""
MINUTES = """"minutes": "The meeting of March 2026 voted to buy a third of the rain tanks. "
                   "It costs 480 euros and holds 2,000 litres.","""

GATED = "gated = gates.Gated(write, [gates.LengthGate(120)])"
FOUND = "found = await run.dispatch(search, handoff)"
FACTS = 'artifacts={"facts": found.as_text()}'
NOTICE = "notice = await run.dispatch(herald, short)"
WRITTEN = "written = await run.dispatch(gated, given)"
BACK = 'return written.model_copy(update={"artifacts": {"notice": notice.as_text()}})'

OPENED = "with journal.Journal(file) as kept:"
OVER = "run = Run(kept.around(client))"
BUDGET = ", budget=Budget(calls=30)"

SLIPS = {
    "19.1": {
        "too few documents": [(MINUTES, "")],
        "headlines only": [(WATER, '"The rain tanks",')],
        "the same words again": [(WATER, '"The rain tanks " * 6,')],
        "a task beside the documents": [(TASK, 'task = "Write a brief on submarines"')],
        "one document answers it all": [(TASK, 'task = "Write a brief on compost"')],
    },
    "19.2": {
        "nobody of your own": [(NOTICE, "notice = written")],
        "no gate": [(WRITTEN, "written = await run.dispatch(write, given)")],
        "writes without facts": [(FACTS, 'artifacts={"notes": "to follow"}')],
        "asked and ignored": [(BACK, "return written")],
        "past the door": [
            (FOUND, "found = await search.execute(handoff, run)"),
            (NOTICE, "notice = await herald.execute(short, run)"),
        ],
        "another library": [("specialists(library)", "specialists()")],
        "a rule that nothing keeps": [("LengthGate(120)", "LengthGate(2)")],
        "the notice instead of the brief": [(BACK, "return notice")],
    },
    "19.3": {
        "no budget": [(BUDGET, "")],
        "a budget for a year": [("calls=30", "calls=150")],
        "no journal": [(OVER, "run = Run(client)")],
        "another file": [(OPENED, 'with journal.Journal(file.with_name("mine.db")) as kept:')],
        "returns the result": [("return run", "return result")],
        "past the door": [
            (
                f"await run.dispatch(team, Handoff(intent=task){BUDGET})",
                "await team.execute(Handoff(intent=task), run)",
            )
        ],
        "the task is lost": [("Handoff(intent=task)", 'Handoff(intent="Write a brief")')],
    },
}

RIGHT = {
    "19.1": [
        """
TASK = "Write a brief on sourdough"
NOTES = [
    "A sourdough starter is fed with 50 grams of flour and 50 grams of water every single day.",
    "The sourdough goes into the oven at 250 degrees and is baked there for 45 minutes in all.",
    "The shop opens at seven in the morning, and on Mondays it is closed for the whole day long.",
]


def own():
    return TASK, {f"note-{number}": note for number, note in enumerate(NOTES)}
"""
    ],
    "19.2": [
        """
class NotEmpty:
    name, cost = "not empty", 0.0

    async def check(self, draft, handoff, run):
        return [] if draft.strip() else [gates.Issue(where="all", problem="is empty")]


class Mine:
    name, description = "mine", "Researches twice, writes, and has a headline made."

    def __init__(self, library):
        self.search, self.write, self.review = specialists(library)
        self.titles = Agent(
            "titles", "Makes it short.", "You are an editor. Summarize texts in one sentence.",
            models.worker,
        )

    async def execute(self, handoff, run):
        facts = (await run.dispatch(self.search, handoff)).as_text()
        given = Handoff(intent=handoff.intent, artifacts={"facts": facts})
        judged = gates.Gated(self.write, [NotEmpty(), gates.ModelGate(self.review)])
        written = await run.dispatch(judged, given)
        draft = {"draft": written.as_text()}
        title = await run.dispatch(self.titles, Handoff(intent="Shorten the draft.", artifacts=draft))
        run.keep(title=title.as_text())
        return written


team = Mine
"""
    ],
    "19.3": [
        """
async def ship(team, task, client, file):
    kept = journal.Journal(file)
    try:
        run = Run(kept.around(client))
        limits = Budget(usd="0.02", calls=40)
        await run.dispatch(team, Handoff(intent=task, context=""), budget=limits)
    finally:
        kept.close()
    return run
""",
        """
async def ship(team, task, client, file):
    with journal.Journal(file) as kept:
        run = Run(kept.around(client), budget=Budget(calls=60))
        await run.dispatch(team, Handoff(intent=task))
        return run
""",
    ],
}
