"""Schemas as a learner declares them: each field is filled as its name says, or null and named, or refused by name."""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from kernel.core.team import REVIEWER, WRITER
from kernel.core.tools import schema_of
from kernel.core.wire import strict_schema
from tests.on_each import on_each

from .desk import FACTS, GOOD
from .wire import Reply, parts, send

WRONG = GOOD.replace("2021", "2019")
REQUESTS = {
    "writer": (WRITER, {"task": "Write a brief on Qdrant", "facts": FACTS}),
    "reviewer": (REVIEWER, {"task": "Review the draft", "facts": FACTS, "draft": WRONG}),
    "content": (
        "You are the reviewer. Check the draft against the facts.",
        {"task": "Review the draft", "facts": FACTS, "draft": GOOD},
    ),
}
SOURCES = ["qdrant-intro", "qdrant-company", "qdrant-cloud"]


class Plain(BaseModel):
    headline: str
    text: str
    sources: list[str]


class Counted(BaseModel):
    title: str
    paragraphs: list[str] = Field(max_length=3)
    word_count: int


class Section(BaseModel):
    content: str
    cites: list[str]


class Sectioned(BaseModel):
    title: str
    sections: list[Section]


class Summarized(BaseModel):
    body: str
    summary: str


class SummaryAlone(BaseModel):
    summary: str


class Toned(BaseModel):
    body: str
    tone: Literal["formal", "casual"]


class Addressed(BaseModel):
    body: str
    audience: str | None


class Chosen(BaseModel):
    body: str
    audience: Literal["experts", "beginners"] | None


class Long(BaseModel):
    headline: str
    body: str = Field(min_length=2000)


class Short(BaseModel):
    headline: str = Field(max_length=3)
    body: str = Field(max_length=60)


class Few(BaseModel):
    body: str
    sources: list[str] = Field(max_length=2)


class Decision(Enum):
    good = "ok"
    bad = "redo"


class Decided(BaseModel):
    decision: Decision
    comments: list[str]


class Problem(BaseModel):
    quote: str
    explanation: str


class Nested(BaseModel):
    approved: bool
    problems: list[Problem]


class Severity(StrEnum):
    low = "low"
    high = "high"


class Weighed(BaseModel):
    quote: str
    severity: Severity


class Severe(BaseModel):
    approved: bool
    problems: list[Weighed]


class Scored(BaseModel):
    approved: bool
    score: int = Field(ge=1, le=5)


class Worst(BaseModel):
    verdict: Literal["PASS", "REVISE"]
    issues: list[str]
    n_issues: int
    worst_issue: str | None


class Asked(BaseModel):
    needs_work: bool
    uncited_sentences: list[str]


class Checks(BaseModel):
    citations_ok: bool
    facts_ok: bool


class Checked(BaseModel):
    checks: Checks
    verdict: Literal["PASS", "REVISE"]


class Reasoned(BaseModel):
    verdict: Literal["PASS", "REVISE"]
    reason: Literal["citation", "number", "length"] | None = None


class Ranked(BaseModel):
    verdict: Literal["PASS", "REVISE"]
    rating: IntEnum("Rating", {"poor": 1, "fair": 2, "fine": 3})  # type: ignore[valid-type]


class Listed(BaseModel):
    verdict: Literal["PASS", "REVISE"]
    issues: list[Literal["wrong number", "no citation", "too long"]]


class Unlike(BaseModel):
    founded: int
    city: str


class Row(NamedTuple):
    """A schema, who gets it, what it is filled with, and the fields that are named."""

    schema: type[BaseModel]
    reader: str
    filled: dict | None = None
    named: tuple[str, ...] = ()


ROWS = [
    Row(Plain, "writer", {"headline": "Qdrant", "sources": SOURCES}),
    Row(Counted, "writer", {"title": "Qdrant", "word_count": 39}),
    Row(Sectioned, "writer", {"title": "Qdrant"}),
    Row(Summarized, "writer", None, ("summary",)),
    Row(SummaryAlone, "writer", {}),
    Row(Toned, "writer", None, ("tone",)),
    Row(Addressed, "writer", {"audience": None}, ("audience",)),
    Row(Chosen, "writer", {"audience": None}, ("audience",)),
    Row(Long, "writer", None, ("body",)),
    Row(Short, "writer", {"headline": "Qdr"}, ("headline", "body")),
    Row(Few, "writer", {"sources": SOURCES[:2]}, ("sources",)),
    Row(Decided, "reviewer", {"decision": "redo"}),
    Row(Decided, "content", {"decision": "ok", "comments": []}),
    Row(Nested, "reviewer", {"approved": False}),
    Row(Nested, "content", {"approved": True, "problems": []}),
    Row(Severe, "reviewer", None, ("severity",)),
    Row(Scored, "reviewer", None, ("score",)),
    Row(Worst, "reviewer", {"n_issues": 1, "worst_issue": None}, ("worst_issue",)),
    Row(Worst, "content", {"n_issues": 0, "issues": []}, ("worst_issue",)),
    Row(Asked, "reviewer", None, ("uncited_sentences",)),
    Row(Checked, "reviewer", None, ("citations_ok", "facts_ok")),
    Row(Reasoned, "reviewer", {"verdict": "REVISE"}, ("reason",)),
    Row(Ranked, "reviewer", None, ("rating",)),
    Row(Listed, "reviewer", None, ("issues",)),
    Row(Listed, "content", {"verdict": "PASS", "issues": []}),
    Row(Unlike, "writer", None, ("founded", "city")),
]


def asked(row: Row) -> Reply:
    system, given = REQUESTS[row.reader]
    return send(parts(**given), system, schema=strict_schema(schema_of(row.schema)))


@on_each("row", ROWS, ids=lambda row: f"{row.schema.__name__}-{row.reader}")
def test_each_field_is_filled_or_null_and_named_or_refused_by_name(row):
    reply = asked(row)
    named = {clause.partition(":")[0] for clause in reply.account.not_understood}
    assert named & {*fields_in(row.schema)} == {*row.named}
    assert bool(reply.text) == (row.filled is not None)
    if row.filled is not None:
        answer = row.schema.model_validate_json(reply.text)  # nothing that the schema forbids
        given = answer.model_dump(mode="json")
        assert row.filled.items() <= given.items()


def fields_in(model: type[BaseModel]) -> list[str]:
    """The names of the fields of a model and of the models in it."""
    names = list(model.model_fields)
    inner = schema_of(model).get("$defs", {}).values()
    return names + [name for each in inner for name in each.get("properties", {})]


def test_a_section_holds_its_text_and_what_that_cites():
    sections = asked(Row(Sectioned, "writer")).json["sections"]
    assert len(sections) > 1
    assert all(each["cites"] and f"[{each['cites'][0]}]" in each["content"] for each in sections)


def test_a_problem_quotes_the_sentence_and_says_what_is_wrong():
    (problem,) = asked(Row(Nested, "reviewer")).json["problems"]
    assert "2019" in problem["quote"] and "2021" in problem["explanation"]


def test_a_choice_that_two_options_fit_equally_is_open():
    schema = {
        "type": "object",
        "properties": {"length": {"enum": ["too long", "too short"]}},
        "required": ["length"],
        "additionalProperties": False,
    }
    reply = send("The form.\n\nLength: too much of it", schema=schema)
    assert not reply.text and "length" in reply.account.not_understood[-1]
