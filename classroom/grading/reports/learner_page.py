"""A learner's page: the points, what each check saw, what the exercise's own check explains, and
the answer.
"""

from __future__ import annotations

from . import charts, sheet
from .marks import Gradebook, Person

EXACT = ("called", "came back", "expected")
"""Parts of an explanation that are shown as they are, in the type of code."""
MOST_ANSWER = 20_000
HOW = (
    "Each check ran your answer on inputs that were drawn for this grading, and compared what was seen with what our solution "
    "does on the same inputs. An answer in another style gets the same points."
)


def page(person: Person, book: Gradebook) -> str:
    """The page as text; of hidden checks it says the title and the state only."""
    finding = f"{person.share:.0%} of the points"
    return sheet.page(
        "learner",
        person=person,
        book=book,
        bar=charts.bar([(person.share, "bar")], finding, width=860, height=10),
        how=HOW,
        exact=EXACT,
        most_answer=MOST_ANSWER,
    )
