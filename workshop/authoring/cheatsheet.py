"""The cheat sheet: names and commands, one line each, from the code's own docstrings."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import kernel
from kernel import Tool
from workshop.__main__ import USAGE
from workshop.root import ROOT

PAGE = ROOT / "docs" / "cheatsheet.md"
PARTS = {
    "parts.planning.selection": "08",
    "parts.planning.plan": "09",
    "parts.gates": "11",
    "parts.guards": "12",
    "parts.context": "14",
    "parts.memory": "15",
    "parts.journal.journal": "16",
    "plumbing.aggregate": "18",
    "parts.telemetry": "21",
    "parts.evaluate": "22",
    "parts.evaluate.calibrate": "23",
    "parts.elsewhere.mcp": "25",
    "parts.elsewhere.remote": "25",
    "parts.cluster": "26",
}
"""The modules of the kernel that later lessons use, each with its lesson."""
IN_A_NOTEBOOK = {
    "workshop.controls": (
        "model_switch",
        "predict",
        "tally",
        "topic_box",
        "checkpoint",
        "kept_file",
        "failure_lab",
        "criteria_card",
    ),
    "workshop.checks": ("check", "hint", "solution", "progress", "reset"),
    "workshop.views": (
        "watch",
        "Timeline",
        "TeamPicture",
        "HandoffLog",
        "Transcript",
        "AgentLoop",
        "SideBySide",
        "beside",
        "Hierarchy",
        "SpanTree",
    ),
    "workshop.plain": ("local_server", "plain_http"),
    "workshop.report": ("Report",),
}
LONGEST = 60
"""Characters of a signature; a longer one is cut with an ellipsis."""


def page() -> tuple[Path, str]:
    """The file of the cheat sheet, and what it should hold."""
    core = {name: thing for name in kernel.__all__ if _described(thing := getattr(kernel, name))}
    parts = [
        "# Cheat sheet",
        "`build` writes this page from the docstrings of the code. "
        "The [glossary](glossary.md) explains the words.",
        "## Commands",
        f"```\n{USAGE.strip()}\n```",
        "## `from kernel import …`",
        _table(core),
    ]
    for module, lesson in PARTS.items():
        names = _public(f"kernel.{module}")
        parts += [f"## `from kernel.{module} import …` (lesson {lesson})", _table(names)]
    parts.append("## In a notebook")
    for module, chosen in IN_A_NOTEBOOK.items():
        found = importlib.import_module(module)
        parts += [f"From `{module}`:", _table({name: getattr(found, name) for name in chosen})]
    return PAGE, "\n\n".join(parts) + "\n"


def _public(module: str) -> dict[str, Any]:
    """Returns the public names of a module, or else its own, in the order of its lines, with their
    things.
    """
    found = importlib.import_module(module)
    own = [name for name, thing in vars(found).items() if _module_of(thing) == module]
    names = getattr(found, "__all__", [name for name in own if not name.startswith("_")])
    return {name: thing for name in names if _described(thing := getattr(found, name))}


def _module_of(thing: Any) -> str:
    return getattr(thing, "__module__", "")


def _described(thing: Any) -> bool:
    """True if a thing has words of its own: a class, a function, a module or a tool."""
    kinds = (inspect.isclass, inspect.isfunction, inspect.ismodule)
    return isinstance(thing, Tool) or any(is_one(thing) for is_one in kinds)


def _table(things: dict[str, Any]) -> str:
    rows = [f"| `{_signature(name, thing)}` | {_says(thing)} |" for name, thing in things.items()]
    return "\n".join(["| | |", "|---|---|", *rows])


def _signature(name: str, thing: Any) -> str:
    """A name with its parameters, without their types; a protocol or an error is its name."""
    if inspect.isclass(thing) and hasattr(thing, "model_fields"):
        shown = list(thing.model_fields)
    elif inspect.isfunction(thing) or (inspect.isclass(thing) and _is_called(thing)):
        parameters = inspect.signature(thing).parameters.values()
        shown = [_parameter(each) for each in parameters if not each.name.startswith("_")]
    else:
        return name
    text = f"{name}({', '.join(shown)})"
    return text if len(text) <= LONGEST else text[: LONGEST - 2].rpartition(",")[0] + ", …)"


def _is_called(kind: type) -> bool:
    return not issubclass(kind, BaseException) and not getattr(kind, "_is_protocol", False)


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL.name: "*", parameter.VAR_KEYWORD.name: "**"}
    star = stars.get(parameter.kind.name, "")
    simple = isinstance(parameter.default, (bool, int, float, str, type(None)))
    given = f"={parameter.default!r}" if simple and parameter.default is not parameter.empty else ""
    return f"{star}{parameter.name}{given}"


def _says(thing: Any) -> str:
    """The first sentence of a docstring, or of a tool's description, on one line."""
    text = thing.description if isinstance(thing, Tool) else inspect.getdoc(thing) or ""
    text = " ".join(text.split("\n\n")[0].split())
    first, dot, _ = text.partition(". ")
    return (first + "." if dot else text).replace("|", "\\|")
