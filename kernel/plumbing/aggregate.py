"""Aggregation: runs named jobs at once; combines results into one text and one status."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ..core.contract import Executable, Question, Result, Status
from ..core.door import Assignment, innermost
from ..core.run import Run
from ..core.tools import Tool
from .texts import one_kind_of_line

ORDER: tuple[Status, ...] = ("paused", "exhausted", "failed", "refused", "cancelled")
"""Statuses from the gravest to the least; several results have the gravest of theirs."""


async def together(
    jobs: Mapping[str, Assignment],
    run: Run,
    earlier: Mapping[str, Result] = MappingProxyType({}),
) -> dict[str, Result]:
    """Dispatches (executable, handoff[, budget]) jobs at once; returns results by the jobs' names.

    Each result is stored in `run.artifacts` immediately, so that it is not lost when the others are
    stopped. A job that fails, even by a bug, becomes a result and does not affect the others.

    earlier: earlier results of the same jobs. A repeat without work keeps that of the earlier one.
    """

    async def branch(name: str, job: Assignment) -> Result:
        [result] = await run.fan_out([job])
        if name in earlier:
            result = _with_work_of(earlier[name], result)
        run.keep(**{name: as_artifact(result)})
        if result.status == "paused":  # a person may need it to decide
            for part, text in result.artifacts.items():
                run.artifacts[f"{name}-{part}"] = text
        return result

    async with asyncio.TaskGroup() as group:
        tasks = {}
        for name, job in jobs.items():
            tasks[name] = group.create_task(branch(name, job))
    return {name: task.result() for name, task in tasks.items()}


def _with_work_of(earlier: Result, result: Result) -> Result:
    """Returns a result; without an output, one that is not ok gets the work of an earlier one."""
    if result.ok or result.as_text():
        return result
    artifacts = {**earlier.artifacts, **result.artifacts}
    return result.model_copy(update={"output": earlier.output, "artifacts": artifacts})


def as_artifact(result: Result) -> str:
    """A result as an artifact: its text, preceded by status and reason if it is not ok."""
    text = result.as_text()
    if result.ok:
        return text
    status = f"status: {result.status}; {result.reason}"
    return f"{status}\n\n{text}".strip()


def readable(executable: Executable, artifacts: Mapping[str, str]) -> dict[str, str]:
    """Returns the artifacts that an executable reads; for a tool, those named like its
    arguments.
    """
    inner = innermost(executable)
    if not isinstance(inner, Tool):
        return dict(artifacts)
    return {
        name: text
        for name, text in artifacts.items()
        if inner.argument(name) in inner.arguments.model_fields
    }


def status_of(results: Mapping[str, Result]) -> Status:
    """The status of all results together: ok if each is, otherwise the gravest among them."""
    statuses = {result.status for result in results.values()}
    for status in ORDER:
        if status in statuses:
            return status
    return "ok"


def missing(results: Mapping[str, Result]) -> list[str]:
    """A line for each result that is not ok, with name, status and reason."""
    lines = []
    for name, result in results.items():
        if not result.ok:
            lines.append(f"{name} ({result.status}: {result.reason})")
    return lines


def questions(results: Mapping[str, Result]) -> list[Question]:
    """Returns the questions of the paused results."""
    asked: list[Question] = []
    for result in results.values():
        if result.status == "paused":
            asked += result.questions
    return asked


def joined(results: Mapping[str, Result]) -> str:
    """All results as one text, each under its name.

    A result cannot impersonate another: a line that looks like a result's heading is quoted.
    """
    heading = _heading_of(results)
    parts = []
    for name, result in results.items():
        text = heading.sub("> ", one_kind_of_line(as_artifact(result)))
        parts.append(f"## {name}\n{text}")
    return "\n\n".join(parts)


def _heading_of(names: Iterable[str]) -> re.Pattern[str]:
    """Matches the beginning of a heading with one of these names."""
    any_name = "|".join(map(re.escape, names))
    return re.compile(
        rf"^(?=[ \t]*#+[ \t]*(?:{any_name})(?![\w-]))",
        re.MULTILINE | re.IGNORECASE,
    )
