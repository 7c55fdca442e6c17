"""The exercises as data, one folder a lesson: their words, what is seen of an answer, what answers
are tried on.

`lesson_NN/words.toml` holds what learners read, and for each known slip the change of our solution
that makes it; `inputs.py` draws what answers are tried on; `observe.py` says what is seen of an
answer, and is the only code of an exercise that a submission's process runs. `right/` holds right
answers in other words, `others.toml` wrong ones without words of their own. The modules beside the
folders are what `observe.py` builds on. COURSE tells the toolkit, `classroom`, of all this.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from classroom.course import Course, KnownError, OwnDocuments, Service
from workshop.root import ROOT

from .lessons import LESSONS, PLANS, SITTINGS, TRACKS


def _own_kinds() -> Iterator[type]:
    """The kernel's models and dataclasses."""
    from dataclasses import is_dataclass

    import kernel

    for kind in vars(kernel).values():
        if isinstance(kind, type) and (hasattr(kind, "model_fields") or is_dataclass(kind)):
            yield kind


def _known_errors() -> Iterable[KnownError]:
    from .errors import KNOWN

    return KNOWN


def _picture_of(kind: str, runs: list[Any]) -> Any:
    from .pictures import picture_of

    return picture_of(kind, runs)


def _service() -> Service:
    from . import service

    return Service("workshop.course.watched_server", service.Exchange, service.ServiceDoor)


def _documents() -> OwnDocuments:
    from workshop.material.documents import READ, why_no_text

    return OwnDocuments("27", READ, why_no_text)


def _pages() -> Iterable[tuple[Path, str]]:
    from workshop.authoring import pages

    return pages()


def _executed(path: Path) -> None:
    from workshop.authoring import cost

    cost.keep(path)


def _cost_line(number: str) -> str:
    from workshop.authoring import cost

    return cost.line(number)


def _cents(number: str) -> str:
    from workshop.authoring import cost

    return cost.cents(number)


def _findings(root: Path) -> Iterable[Any]:
    from workshop.launcher.findings import findings

    return findings(root)


def _in_a_tab() -> None:
    from workshop.in_place import put_in_place

    put_in_place()


def _report(arguments: list[str]) -> int:
    from workshop.launcher.commands import report

    return report(arguments)


def _oncall(arguments: list[str]) -> int:
    from workshop.launcher.commands import oncall

    return oncall(arguments)


def _corpus(arguments: list[str]) -> int:
    from workshop.launcher.commands import corpus

    return corpus(arguments)


def _doctor(argv: list[str]) -> int:
    """The work of `doctor`: the toolkit's, and with `--live` the configured model."""
    from workshop.launcher.commands import doctor

    return doctor(argv)


def _test(arguments: list[str]) -> int:
    from workshop.launcher.commands import test

    return test(arguments)


COURSE = Course(
    module=__name__,
    root=ROOT,
    title="The Supervisor Workshop",
    lessons=LESSONS,
    name="supervisor-workshop",
    key="workshop",
    package="workshop",
    makes_environment=True,
    exercises=__name__,
    tracks=TRACKS,
    sittings=SITTINGS,
    plans=PLANS,
    packages=("kernel", "offline_model", "workshop"),
    front="workshop.checks",
    handout=(
        *("kernel", "offline_model", "workshop", "classroom", "docs"),
        *(
            "README.md",
            "CHANGELOG.md",
            "LICENSE",
            "pyproject.toml",
            "requirements.lock",
            "requirements.txt",
            ".gitignore",
        ),
    ),
    not_for_learners=(
        *("classroom/authoring", "classroom/grading", "classroom/site"),
        *("workshop/authoring", "workshop/grading", "docs/INSTRUCTORS.md"),
    ),
    open_to_submissions=(
        *("kernel", "offline_model", "notebooks/data"),
        *(f"workshop/{room}" for room in ("views", "controls", "material", "desks")),
        *(
            f"workshop/{module}.py"
            for module in ("__init__", "__main__", "cost_line", "in_place", "plain", "root")
        ),
    ),
    no_mark_depends_on=("workshop/launcher", "workshop/grading", "workshop/authoring"),
    not_graded={
        ".jsonl": "a log earns nothing, since anybody can write one; "
        "`python3 -m workshop report FILE` shows it"
    },
    site_pages=(
        *("README.md", "CONTRIBUTING.md", "notebooks/*.ipynb", "notebooks/*.md"),
        *("exercises/*.ipynb", "docs/*.md", "notebooks/data/*.md", "offline_model/README.md"),
    ),
    linked=(
        "docs/cluster.md",
        "docs/glossary.md",
        "docs/source_workshop.md",
        "notebooks/data/labels.md",
        "offline_model/README.md",
    ),
    navigation=(
        ("Map", "notebooks/MAP.html"),
        ("Glossary", "docs/glossary.html"),
        ("Cheat sheet", "docs/cheatsheet.html"),
        ("Ideas", "docs/ideas.html"),
    ),
    glossary="docs/glossary.md",
    commands={
        "report": _report,
        "oncall": _oncall,
        "test": _test,
        "corpus": _corpus,
        "doctor": _doctor,
    },
    own_kinds=_own_kinds,
    known_errors=_known_errors,
    as_read="the offline model",
    picture_of=_picture_of,
    service=_service,
    documents=_documents,
    pages=_pages,
    executed=_executed,
    line_of=_cost_line,
    column=("cents", _cents),
    findings=_findings,
    in_a_tab=_in_a_tab,
)
