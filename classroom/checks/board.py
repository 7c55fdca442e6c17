"""The board, for a person: a bar for each lesson, each exercise's state, and a reset with a
question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from classroom.course import active
from classroom.notebook.presence import interactive
from classroom.paper.control import Control, Place
from classroom.paper.page import aside, folded, heading, sheet
from classroom.paper.shown import status_line
from classroom.paper.svg import INK, LINE, PAPER, escape

from .progress import of, reset, what_counts
from .register import exercise, exercises, lessons, turns
from .verdict import HUES
from .wording import counted

GOES = "Its tries, its hints and a pass are forgotten; what you wrote in the notebook stays."


def progress(lesson: str | None = None) -> Progress:
    """The progress in one lesson (such as "02"), in a sitting (by its name) or in all: a line for
    each exercise, and the points. An exercise that was passed in another copy of this notebook does
    not count.

    Raises ValueError for a lesson without exercises.
    """
    if lesson is not None and lesson not in lessons() and not active().sitting(lesson):
        raise ValueError(
            f"there are no exercises of lesson {lesson!r}; expected one of {', '.join(lessons())},"
            " in quotes"
        )
    return Progress(what_counts(lesson), lesson)


@dataclass(frozen=True, repr=False)
class Progress:
    """The state of the exercises; shows as a table, and as the same in text; to a person as a
    board.
    """

    known: dict[str, dict[str, Any]]
    lesson: str | None = None

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Id, title, state in words, points."""
        for known in (*turns(self.lesson), *exercises(self.lesson)):
            facts = self.known.get(known.id, {})
            tried = "tried" if facts.get("tries") else "open"
            passed = facts.get("passed")
            points = f"{known.points if passed else 0} of {known.points}"
            points = "your turn" if known.is_turn else points
            yield known.id, known.title, "passed" if passed else tried, points

    def summary(self) -> str:
        passed = [
            known for known in exercises(self.lesson) if self.known.get(known.id, {}).get("passed")
        ]
        points = sum(one_id.points for one_id in passed)
        possible = counted(len(exercises(self.lesson)), "exercise")
        return f"{len(passed)} of {possible} passed, {counted(points, 'point')}{self._turns()}."

    def _turns(self) -> str:
        """The turns that were passed, beside the exercises."""
        known = turns(self.lesson)
        passed = sum(bool(self.known.get(turn.id, {}).get("passed")) for turn in known)
        return f"; {passed} of {counted(len(known), 'turn')} passed" if known else ""

    def __repr__(self) -> str:
        width = max(len(title) for _, title, *_ in self.rows())
        return "\n".join(
            [
                self.summary(),
                *(
                    f"  {id}  {title:<{width}}  {state:<15}  {points}"
                    for id, title, state, points in self.rows()
                ),
            ]
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        cell = f'style="text-align:left;padding:2px 16px 2px 0;color:{INK};background:{PAPER}"'
        names = ("exercise", "title", "state", "points")
        head = "".join(f'<th scope="col" {cell}>{name}</th>' for name in names)
        rows = ("".join(f"<td {cell}>{escape(value)}</td>" for value in row) for row in self.rows())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        page = sheet(self.summary(), [heading(self.summary()), table])
        return {**self._for_a_person(), "text/html": page, "text/plain": repr(self)}

    def _for_a_person(self) -> dict[str, Any]:
        """The board, in a notebook that a person uses."""
        if not interactive():
            return {}
        return Board(self.lesson)._repr_mimebundle_()


class Board(Control):
    """Progress as widgets, of one lesson or of all. Nothing is forgotten before the question is
    answered.
    """

    def __init__(self, lesson: str | None = None) -> None:
        self.lesson = lesson
        self.asked: str | None = None
        """The exercise that is asked about; None when no question is open."""
        self._place = Place()

    def text(self) -> str:
        return repr(progress(self.lesson))

    def _build(self) -> Any:
        import ipywidgets

        self._picture, self._question, self._status = (
            ipywidgets.HTML(layout={"max_width": "760px"}) for _ in range(3)
        )
        self._resets = {
            known.id: self._button(
                f"Reset {known.id}", lambda id=known.id: self._ask(id), f"Forget {known.title}"
            )
            for known in exercises(self.lesson)
        }
        self._row = ipywidgets.HBox(layout={"flex_flow": "row wrap", "max_width": "760px"})
        self._forget = self._button("Forget it", self._forgotten)
        self._keep = self._button("Keep it", self._kept)
        self._answers = ipywidgets.HBox([self._forget, self._keep])
        return ipywidgets.VBox(
            [self._picture, self._row, self._question, self._answers, self._status]
        )

    def _button(self, name: str, act: Any, tip: str = "") -> Any:
        import ipywidgets

        button = ipywidgets.Button(description=name, tooltip=tip or name, layout={"width": "auto"})
        button.on_click(
            lambda _: self._place.call(act)
        )  # in the cell's context, where progress is a file
        return button

    def _refresh(self) -> None:
        """Draws what is known now; a reset is offered for each exercise that has
        progress.
        """
        self._picture.value = drawn(progress(self.lesson))
        self._row.children = [button for id, button in self._resets.items() if of(id)]
        self._question.value = ""
        if self.asked:
            known = exercise(self.asked)
            self._question.value = status_line(f"Reset {known.id} {known.title}? {GOES}")
        self._answers.layout.display = "" if self.asked else "none"
        self._row.layout.display = "none" if self.asked else ""

    def _ask(self, id: str) -> None:
        self.asked, self._status.value = id, ""
        self._refresh()
        self._keep.focus()  # the safe answer; a second key press in a row loses nothing

    def _forgotten(self) -> None:
        if self.asked:
            self._close(self.asked, repr(reset(self.asked)))

    def _kept(self) -> None:
        if self.asked:
            self._close(self.asked, f"{self.asked} is unchanged.")

    def _close(self, asked: str, outcome: str) -> None:
        button = self._resets[asked]
        self.asked = None
        self._refresh()
        self._status.value = status_line(outcome)
        left = self._row.children
        if left:  # the focus stays where one was, or as near as can be
            (button if button in left else left[0]).focus()


def drawn(known: Progress) -> str:
    """The bars, each with its exercises behind it; open where there is only one lesson."""
    numbers = [known.lesson] if known.lesson else lessons()
    content = [heading(known.summary()), *(_lesson(number, known) for number in numbers)]
    return sheet(known.summary(), content)


def _lesson(number: str, known: Progress) -> str:
    of_this = Progress(known.known, number)
    rows, possible = list(of_this.rows()), sum(each.points for each in exercises(number))
    passed = sum(state == "passed" for _, _, state, _ in rows)
    points = sum(
        each.points for each in exercises(number) if known.known.get(each.id, {}).get("passed")
    )
    titles = {lesson.number: f"{lesson.number} {lesson.title}" for lesson in active().lessons}
    titles |= {sitting.name: sitting.title for sitting in active().sittings}
    title = escape(titles.get(number, number))
    name = f'<span style="display:inline-block;width:250px">{title}</span>'
    summary = aside(f"{passed} of {len(rows)} passed · {points} of {possible} points")
    return folded(
        f"{name}{_bar(points / possible)}{summary}",
        _table(rows),
        is_open=known.lesson is not None,
        hue=HUES["passed"] if passed == len(rows) else LINE,
    )


def _bar(share: float) -> str:
    """A bar; the text beside it says the same."""
    hue = HUES["passed"]
    return (
        f'<span aria-hidden="true" style="display:inline-block;width:160px;height:8px;margin-right:12px;background:{LINE};'
        f'border-radius:4px"><span style="display:block;width:{share:.0%};height:8px;background:{hue};border-radius:4px">'
        "</span></span>"
    )


def _table(rows: list[tuple[str, str, str, str]]) -> str:
    cell = f"text-align:left;padding:2px 16px 2px 0;color:{INK};background:{PAPER};font-size:13px"
    head = "".join(
        f'<th scope="col" style="{cell}">{name}</th>'
        for name in ("exercise", "title", "state", "points")
    )
    body = "".join(
        "<tr>" + "".join(f'<td style="{cell}">{escape(value)}</td>' for value in row) + "</tr>"
        for row in rows
    )
    return f'<table style="border-collapse:collapse;margin:6px 0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
