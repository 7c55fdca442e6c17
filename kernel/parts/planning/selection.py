"""Selection: who works on a task, chosen by keywords or by a model, and put to work together.

A selector only names executables of the registry. Code checks the names, dispatches, and joins the
results; swapping the selector changes nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from ...core.agent import Agent, CheckedAnswer
from ...core.contract import Handoff, Pause, Result, Status
from ...core.run import Run
from ...core.tools import schema_of
from ...plumbing import models
from ...plumbing.aggregate import joined, missing, questions, readable, status_of, together
from ...plumbing.labels import artifact_name, label
from ...plumbing.texts import shortened
from .registry import Registry


class Selection(BaseModel):
    """Who works, and whether all at once."""

    model_config = ConfigDict(defer_build=True)
    executables: list[str] = Field(description="names, in the order in which they work")
    parallel: bool = Field(default=False, description="true only if nobody needs another's result")

    def problems(self, registry: Registry) -> list[str]:
        """Returns the problems of this selection, a sentence each; none if it is valid."""
        names = registry.names()
        there_are = f"the executables are: {', '.join(names) or 'none'}"
        if not self.executables:
            return [f"nobody was selected; expected at least one name; {there_are}"]
        found = []
        for name in self.executables:
            if name not in registry:
                found.append(f"there is no executable {name!r}; {there_are}")
        labels = [label(name) for name in self.executables]
        for name in sorted(set(labels)):
            if labels.count(name) > 1:
                found.append(f"{name!r} is selected twice; expected once")
        return found


class NoSelection(Exception):
    """Nobody could be selected; says what was given, what was expected and who there is."""

    def __init__(self, reason: str, status: Status = "failed") -> None:
        super().__init__(reason)
        self.status = status


class Selector(Protocol):
    """Anything that names who works on a task."""

    async def select(self, task: str, registry: Registry, run: Run) -> Selection:
        """Raises NoSelection when nobody can be named."""
        ...


@dataclass(frozen=True)
class KeywordSelector:
    """Selects executables whose keyword starts a word of the task."""

    rules: Mapping[str, str]
    """Keyword → name of an executable, such as {"review": "reviewer"}."""
    parallel: bool = False

    async def select(self, task: str, registry: Registry, run: Run) -> Selection:
        """The executables of the keywords in the task, in the order of their first appearance."""
        places: dict[str, int] = {}
        for keyword, name in self.rules.items():
            match = re.search(rf"\b{re.escape(keyword)}", task, re.IGNORECASE)
            if match:
                places[name] = min(match.start(), places.get(name, match.start()))
        if not places:
            keywords = ", ".join(self.rules) or "none"
            names = ", ".join(registry.names()) or "none"
            raise NoSelection(
                f"no keyword begins a word of {shortened(task, 80)!r}; the keywords are: "
                f"{keywords}; the executables are: {names}"
            )
        return Selection(executables=sorted(places, key=places.__getitem__), parallel=self.parallel)


SELECTOR = """\
You assign work to executables: tools, skills and agents. From the list of executables, choose those
that the task needs, by name, in the order in which they should work. Set parallel to true only
if none of them needs the result of another one. Choose nobody whom the task does not need. When
nobody can do any of it, return an empty list."""


@dataclass(frozen=True)
class ModelSelector:
    """Lets a model select from the names there are; what is wrong is sent back once."""

    model: str = field(default_factory=lambda: models.planner)
    system: str = SELECTOR

    async def select(self, task: str, registry: Registry, run: Run) -> Selection:
        """The model's choice. Raises NoSelection when its second answer cannot be used either."""
        names = registry.names()
        if not names:
            raise NoSelection(
                "there is nobody to select: the registry is empty; register an executable"
            )
        schema = schema_of(Selection)
        schema["properties"]["executables"]["items"]["enum"] = names
        selector = Agent(
            name="selector",
            description="Selects who works on a task.",
            system=self.system,
            model=self.model,
            output=Selection,
            check=lambda selection, _: CheckedAnswer(selection.problems(registry)),
            schema=schema,
        )
        handoff = Handoff(intent=task, artifacts={"executables": registry.describe()})
        result = await run.dispatch(selector, handoff)
        if not result.ok:
            raise NoSelection(result.reason, result.status)
        selection: Selection = result.output
        return selection


@dataclass(frozen=True)
class DispatchSupervisor:
    """Selects executables, dispatches the task to each, joins their results."""

    registry: Registry
    selector: Selector
    name: str = "supervisor"
    description: str = "Selects who works on a request, and joins what they bring."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Returns the results as one text, and each under its executable's name in `artifacts`.

        In parallel, each gets the task alone; one after another, each also gets the results before
        its own. A result that is not ok stops no other: status and reason say what is missing. When
        one asks a person, the reason is the question, and nobody works after it.
        """
        try:
            selection = await self.selector.select(handoff.intent, self.registry, run)
        except NoSelection as problem:
            return Result(status=problem.status, reason=str(problem))
        wrong = selection.problems(self.registry)
        if wrong:
            return Result(
                status="failed", reason=f"{'; '.join(wrong)}; given: {selection.executables}"
            )
        names: list[str] = [label(name) for name in selection.executables]
        order = " and " if selection.parallel else " → "
        run.note(f"selected: {order.join(names)}", about="selection")
        work = self._at_once if selection.parallel else self._in_turn
        results = await work(names, handoff, run)
        asked = questions(results)
        if asked:
            run.output = joined(results)
            raise Pause(*asked)
        lost = missing(results)
        reason = f"missing: {'; '.join(lost)}" if lost else ""
        return Result(
            status=status_of(results),
            output=joined(results),
            reason=reason,
            artifacts=dict(run.artifacts),
        )

    async def _at_once(self, names: list[str], handoff: Handoff, run: Run) -> dict[str, Result]:
        jobs = {name: self._job(name, handoff, {}) for name in names}
        return await together(jobs, run)

    async def _in_turn(self, names: list[str], handoff: Handoff, run: Run) -> dict[str, Result]:
        results: dict[str, Result] = {}
        for name in names:
            job = self._job(name, handoff, run.artifacts)
            results.update(await together({name: job}, run))
            run.output = joined(results)
            if results[name].status == "paused":
                break
        return results

    def _job(self, name: str, handoff: Handoff, earlier: dict[str, str]) -> tuple[Any, Handoff]:
        executable = self.registry.get(name)
        given = dict(handoff.artifacts)
        for worker, text in earlier.items():
            given[artifact_name(worker)] = text
        artifacts = readable(executable, given)
        return executable, Handoff(
            intent=handoff.intent, context=handoff.context, artifacts=artifacts
        )
