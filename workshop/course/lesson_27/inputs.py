"""The author's side of lesson 27: libraries that a team has never seen, known slips, right answers in other words."""

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
    """Four libraries that the team has never seen."""
    found = {}
    looks = {"works": "text", "own specialist": "people", "own tool": "tools", "gate": "draft"}
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


INPUTS = {"27.1": brought, "27.2": built, "27.3": shipped}
