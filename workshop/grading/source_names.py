"""The names in a learner's source: what a cell defines, and what an answer takes from other cells. Nothing is run."""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from collections.abc import Iterable, Iterator

BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python's own parser says of sources that nobody honest writes."""
MOST_LENT = 50


def assigned(source: str) -> set[str]:
    """The names that a cell defines at its top, imports left out; none when it cannot be parsed."""
    return {name for node in _statements(source) if not isinstance(node, ast.Import | ast.ImportFrom) for name in _defines(node)}


def defined(source: str) -> set[str]:
    """The same with imports."""
    return {name for node in _statements(source) for name in _defines(node)}


def lent(answer: str, others: Iterable[str], there: set[str]) -> dict[str, str]:
    """By name, the statements of other cells that an answer needs: names it uses, does not define, and that are not `there`."""
    found: dict[str, str] = {}
    wanted = _used(answer) - defined(answer) - there
    if not wanted:
        return found
    offers = {name: node for source in others for node in _statements(source) for name in _defines(node)}
    waiting = sorted(wanted & offers.keys())
    while waiting and len(found) < MOST_LENT:
        name = waiting.pop(0)
        try:
            text = ast.unparse(offers[name])
        except RecursionError:
            continue
        more = sorted((_used(text) - defined(text) - there) & (offers.keys() - found.keys() - {name, *waiting}))
        if more and len(waiting) + len(more) < MOST_LENT:  # those first
            waiting, there = [*more, name, *waiting], there | {*more}
        else:
            found[name] = text
    return found


def _statements(source: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(_plain_python(source)).body
    except BROKEN:
        return []


def _plain_python(source: str) -> str:
    """The source without what only IPython understands; as it is where that makes no difference."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(source)
        return source
    except BROKEN:
        return re.sub(r"(?m)^([ \t]*)[%!].*$", r"\1pass", source)


def _defines(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (it.id for target in targets for it in ast.walk(target) if isinstance(it, ast.Name))
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (it.asname or it.name.partition(".")[0] for it in node.names)


def _used(source: str) -> set[str]:
    """The global names that a source reads, within its functions too."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tables = [symtable.symtable(_plain_python(source), "answer", "exec")]
    except BROKEN:
        return set()
    found: set[str] = set()
    while tables:
        table = tables.pop()
        found |= {it.get_name() for it in table.get_symbols()
                  if it.is_referenced() and (it.is_global() or table.get_type() == "module")}
        tables += table.get_children()
    return found
