"""The tools of a library: which of them search, by which parameter, and which open one document."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from .form import value_for
from .lexicon import has, table, words_in
from .workers import fields_of, said_of

_USUAL_COUNT = 5  # for a number that a search tool requires
_OF_HANDOFFS = frozenset({"intent", "artifacts", "instructions"})


def query_field(tool: dict[str, Any]) -> str | None:
    """The parameter of a search tool that takes the query, or None when the tool does not search."""
    fields = fields_of(tool)
    texts = [name for name, schema in fields.items() if _takes_text(schema)]
    if not texts or not _OF_HANDOFFS.isdisjoint(fields):
        return None
    spoken = said_of(tool)
    finds = has(spoken, "tools/search")
    does_other = has(spoken, "tools/search", "other_wordings")
    sure = _listed(texts, "queries")
    if sure:
        return sure[0] if finds or not does_other else None
    if does_other or not finds:
        return None
    maybe = _listed(texts, "maybe") or texts
    return None if _is_key(maybe[0]) else maybe[0]


def key_field(tool: dict[str, Any]) -> str | None:
    """The parameter of a tool that opens the document of this id, or None when it opens none."""
    fields = list(fields_of(tool))
    opens = len(fields) == 1 and _is_key(fields[0])
    return fields[0] if opens else None


def query_of(given: dict[str, Any], field: str | None) -> str:
    """The query in the input of a call; its tool may be gone."""
    usual = _listed(list(given), "queries")
    name = field or (usual[0] if usual else "")
    query = given.get(name) or ()
    return " ".join(map(str, query)) if isinstance(query, list | tuple) else str(query)


def search_input(tool: dict[str, Any], query: str) -> dict[str, Any]:
    """The query in its field; other required fields by the plainest value."""
    field = query_field(tool) or ""
    schema = tool["input_schema"]
    needed = {field, *(schema.get("required") or [])}
    wanted = {}
    for name, field_schema in fields_of(tool).items():
        if name in needed:
            wanted[name] = field_schema
    form = {**schema, "properties": wanted}
    known = {field: query, "score": _USUAL_COUNT}
    given: dict[str, Any] = value_for(form, "", known)
    return given


def _takes_text(schema: Any) -> bool:
    is_text = isinstance(schema, dict) and schema.get("type") == "string"
    return is_text and not schema.get("enum")


def _listed(names: list[str], key: str) -> list[str]:
    """Returns the names that the lexicon lists for a query."""
    known = words_in("tools/search", key)
    return [name for name in names if name.lower() in known]


def _is_key(field: str) -> bool:
    """True if a parameter names one document."""
    keys = table("tools/open")["keys"].split()
    return any(fnmatchcase(field.lower(), key) for key in keys)
