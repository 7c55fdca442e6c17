"""The card of criteria: a form that a learner fills in for a task of their own, and what a rule of
theirs recommends for it; what was filled in is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from classroom.notebook import kept
from classroom.paper import control
from classroom.paper.control import Control
from classroom.paper.shown import escape, status_line
from workshop.material.criteria import AGAINST, FAVOUR, OPEN_ORDER, Criteria

FILE = kept.place("card.json")
WIDE = {"width": "100%", "max_width": "760px"}
WHOLE_LINES = (
    "<style>.workshop-card .widget-label-basic, .workshop-card .widget-label-basic span "
    "{ white-space: normal; overflow: visible; line-height: 1.4; height: auto }</style>"
)
"""A statement takes as many lines as it needs; ipywidgets would cut it."""

Rule = Callable[[Criteria], str]


@dataclass(repr=False)
class Card(Control):
    """The criteria for one task, and what `rule` recommends for them."""

    rule: Rule
    criteria: Criteria = field(default_factory=Criteria)

    def text(self) -> str:
        """The whole card, with a mark at each statement that is true."""
        filled = self.criteria
        lines = [f"The task: {filled.task or '(nothing yet)'}"]
        for heading, statements in GROUPS.items():
            lines += ["", f"{heading}:"]
            lines += [f"  [{'x' if one in filled.true else ' '}] {one}" for one in statements]
        jobs = [f"  {name}: {job or '(not said)'}" for name, job in filled.specialists.items()]
        lines += ["", "The specialists, in one sentence each:", *(jobs or ["  (none yet)"])]
        return "\n".join([*lines, "", f"Recommended: {self.recommended}"])

    @property
    def recommended(self) -> str:
        """The advice of the rule for the card as it is filled in now."""
        return self.rule(self.criteria)

    def _build(self) -> Any:
        import ipywidgets

        filled = self.criteria
        task = ipywidgets.Text(
            filled.task, placeholder="What should be done?", description="Task", layout=WIDE
        )
        rows: list[Any] = [ipywidgets.HTML(WHOLE_LINES), task]
        for heading, statements in GROUPS.items():
            rows.append(ipywidgets.HTML(f"<b>{escape(heading)}</b>"))
            rows += [self._box(one) for one in statements]
        roles = ipywidgets.Textarea(
            filled.roles, placeholder="critic: finds what is wrong.", rows=4, layout=WIDE
        )
        title = "<b>The specialists, in one sentence each</b> (<code>name: its job.</code>)"
        self._status = ipywidgets.HTML()
        task.observe(lambda change: self._filled(task=change["new"]), "value")
        roles.observe(lambda change: self._filled(roles=change["new"]), "value")
        self._show_status()
        form = ipywidgets.VBox([*rows, ipywidgets.HTML(title), roles, self._status])
        form.add_class("workshop-card")
        return form

    def _box(self, statement: str) -> Any:
        import ipywidgets

        box = ipywidgets.Checkbox(
            statement in self.criteria.true, description=statement, indent=False, layout=WIDE
        )
        box.observe(lambda change: self._tick(statement, is_true=change["new"]), "value")
        return box

    def _tick(self, statement: str, *, is_true: bool) -> None:
        others = [one for one in self.criteria.true if one != statement]
        self._filled(true=[*others, statement] if is_true else others)

    def _filled(self, **changed: Any) -> None:
        self.criteria = Criteria(**{**asdict(self.criteria), **changed})
        _keep(self.criteria)
        self._show_status()

    def _show_status(self) -> None:
        self._status.value = status_line(f"Recommended: {self.recommended}")


GROUPS = {
    "For a team": FAVOUR,
    "Against a team": AGAINST,
    "And the order of the work": (OPEN_ORDER,),
}


def criteria_card(rule: Rule, **example: Any) -> Card:
    """The card of criteria; as the last line of a cell it is shown, with what was filled in before.

    rule:    gives a recommendation for `Criteria`, as a text.
    example: what the card holds until somebody fills it in; the fields of `Criteria`.

    Raises ValueError when the example ticks a statement that is not on the card.
    """
    statements = [one for group in GROUPS.values() for one in group]
    unknown = [one for one in example.get("true", ()) if one not in statements]
    if unknown:
        raise ValueError(
            f"{unknown[0]!r} is no statement of the card; take one of FAVOUR, AGAINST or OPEN_ORDER"
        )
    criteria = Criteria(**example)
    if control.interactive():
        known = _known()
        ticked = known.get("true", criteria.true)
        criteria = Criteria(
            task=str(known.get("task", criteria.task)),
            true=[one for one in statements if isinstance(ticked, list) and one in ticked],
            roles=str(known.get("roles", criteria.roles)),
        )
    return Card(rule, criteria)


_in_memory: dict[str, Any] = {}
"""The entries of this kernel's card, for a folder that cannot be written."""


def _known() -> dict[str, Any]:
    return {**(kept.read(FILE, "card", "card of criteria") or {}), **_in_memory}


def _keep(criteria: Criteria) -> None:
    _in_memory.update(asdict(criteria))
    kept.write(FILE, "card", _in_memory, "card of criteria")
