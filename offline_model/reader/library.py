"""The tools of a library: which of them search, by which parameter, and which open one document."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from .form import value_for
from .lexicon import has, table, words_in

_USUAL_COUNT = 5  # for a number that a search tool requires
_OF_HANDOFFS = frozenset({"intent", "artifacts", "instructions"})


def query_field(tool: dict) -> str | None:
    """The parameter of a search tool that takes the query, or None when the tool does not search."""
    properties = _properties(tool)
    texts = [name for name, schema in properties.items() if _takes_text(schema)]
    if not texts or not _OF_HANDOFFS.isdisjoint(properties):
        return None
    name = tool.get("name", "").replace("_", " ")
    spoken = f"{name}. {tool.get('description', '')}"
    finds = has(spoken, "tools/search")
    does_other = has(spoken, "tools/search", "other_wordings")
    sure = _listed(texts, "queries")
    if sure:
        return sure[0] if finds or not does_other else None
    likely = [*_listed(texts, "maybe"), *texts][0]
    searches = finds and not does_other
    return likely if searches and not _is_key(likely) else None


def key_field(tool: dict) -> str | None:
    """The parameter of a tool that opens the document of this id, or None when it opens none."""
    fields = [*_properties(tool)]
    opens = len(fields) == 1 and _is_key(fields[0])
    return fields[0] if opens else None


def query_of(given: dict, field: str | None) -> str:
    """The query in the input of a call; its tool may be gone."""
    usual = _listed([*given], "queries")
    query = given.get(field or "".join(usual[:1]))
    if isinstance(query, str):
        return query
    return " ".join(map(str, query or ()))


def search_input(tool: dict, query: str) -> dict:
    """The query in its field; other required fields by the plainest value."""
    field = query_field(tool) or ""
    schema = tool["input_schema"]
    needed = {field, *(schema.get("required") or [])}
    properties = _properties(tool)
    wanted = {name: properties[name] for name in properties if name in needed}
    known = {field: query, "score": _USUAL_COUNT}
    return value_for(schema | {"properties": wanted}, "", known)


def _properties(tool: dict) -> dict[str, Any]:
    schema = tool.get("input_schema") or {}
    return schema.get("properties") or {}


def _takes_text(schema: Any) -> bool:
    is_text = isinstance(schema, dict) and schema.get("type") == "string"
    return is_text and not schema.get("enum")


def _listed(names: list[str], key: str) -> list[str]:
    """Those of the names that the lexicon lists for a query."""
    known = words_in("tools/search", key)
    return [name for name in names if name.lower() in known]


def _is_key(field: str) -> bool:
    """Whether a parameter names one document."""
    keys = table("tools/open")["keys"].split()
    return any(fnmatchcase(field.lower(), key) for key in keys)
