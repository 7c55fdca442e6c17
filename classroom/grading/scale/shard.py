"""A shard of submissions on its way: packed here, graded on another machine, its reports taken back
as data.
"""

from __future__ import annotations

import base64
import json
import os
import platform
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from classroom.course import active, load, use

from .. import open_copy, sandbox
from ..intake import documents
from ..plan import GradingPlan, plan_of
from . import workers


class Misfit(ValueError):
    """A worker cannot grade as this machine would; the message says what differs and what to do."""


def pack(plan: GradingPlan, piece: list[str]) -> bytes:
    """All that another machine needs for the submissions in `piece`, as JSON: the plan, the
    notebooks, what has to be equal.
    """
    names = {path: f"{index}/{Path(path).name}" for index, path in enumerate(piece)}
    part = replace(
        plan, course="", out="", submissions={names[path]: plan.submissions[path] for path in piece}
    )
    notebooks = {names[path]: base64.b64encode(Path(path).read_bytes()).decode() for path in piece}
    texts = {names[path]: documents.kept_beside(Path(path)) for path in piece}
    return json.dumps(
        {
            "plan": part.facts(),
            "notebooks": notebooks,
            "documents": {name: found for name, found in texts.items() if found},
            "course": active().module,
            "sandbox": not sandbox.missing(),
            "version": _version({each.notebook for each in part.submissions.values()}),
        }
    ).encode()


def grade(job: bytes, unwanted: Callable[[], bool] = lambda: False) -> bytes:
    """Grades what `pack` made, in a temporary folder, by the same sandboxed command as everywhere.

    Returns JSON: `reports` by key, or the `problem` of this machine. Ends early, with what there
    is, once `unwanted` says so.
    """
    sent = json.loads(job)
    if problem := _without_course(sent["course"]) or _misfit(sent):
        return json.dumps({"problem": f"{platform.node()}: {problem}"}).encode()
    with tempfile.TemporaryDirectory(prefix="shard-") as folder:
        base = Path(folder).resolve()
        results = base / "results"
        results.mkdir()
        submissions: dict[str, Any] = {}
        for name, data in sent["notebooks"].items():
            path = base / "submissions" / name
            path.parent.mkdir(parents=True)
            path.write_bytes(base64.b64decode(data))
            documents.Documents(sent["documents"].get(name, {})).keep(path)
            submissions[str(path)] = sent["plan"]["submissions"][name]
        plan = plan_of({**sent["plan"], "submissions": submissions})
        plan.out = str(results)
        plan.course = str(open_copy.prepare(base / "course"))
        file = base / "plan.json"
        file.write_text(json.dumps(plan.facts(), ensure_ascii=False), encoding="utf-8")
        workers.on_this_machine(file, plan, [list(submissions)], 1, unwanted)
        return json.dumps(
            {
                "reports": {
                    one_path.stem: one_path.read_text(encoding="utf-8")
                    for one_path in results.glob("*.json")
                }
            }
        ).encode()


def keep(answer: bytes, plan: GradingPlan, piece: list[str]) -> None:
    """Writes the reports that `grade` returned into the plan's folder, each at once or not at all.

    What nobody asked for, or is no report, is left out: its submission counts as not graded. Raises
    Misfit.
    """
    returned = json.loads(answer)
    if "problem" in returned:
        raise Misfit(returned["problem"])
    for key in (plan.submissions[path].key for path in piece):
        text = returned["reports"].get(key, "")
        try:
            is_report = isinstance(json.loads(text)["results"], list)
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if is_report:
            part = Path(plan.out) / f"{key}.part"
            part.write_text(text, encoding="utf-8")
            os.replace(part, part.with_suffix(".json"))


def _version(notebooks: set[str]) -> dict[str, str]:
    """Returns the versions that must be equal on both machines, or marks would depend on them."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Python": python} | {name: open_copy.fingerprint(name) for name in sorted(notebooks)}


def _without_course(module: str) -> str:
    """Makes the sender's course this process's own; returns why that cannot be done."""
    try:
        use(load(module))
    except ImportError as problem:
        return f"the course {module} cannot be imported there ({problem})"
    return ""


def _misfit(sent: dict[str, Any]) -> str:
    """Returns the reason that this machine cannot grade this job as the one that sent it would;
    empty when it can.
    """
    expected = sent["version"]
    installed = _version({name for name in expected if name != "Python"})
    if installed["Python"] != expected["Python"]:
        return (
            f"Python {installed['Python']}, and {expected['Python']} where the grading was started;"
            " use the same on all machines"
        )
    if differing := [name for name in expected if installed[name] != expected[name]]:
        return (
            "another version of the course or of its packages than where the grading was started"
            f" (seen by {differing[0]}); bring both to the same commit and the same"
            " requirements.txt"
        )
    if sent["sandbox"] and sandbox.missing():
        return f"no sandbox, but there is one where the grading was started: {sandbox.missing()}"
    return ""
