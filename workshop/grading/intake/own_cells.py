"""Finds which of a learner's own cells their answers need, by the names in the sources. Nothing is
run.
"""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from collections.abc import Iterator, Sequence

BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python's own parser raises for sources that no honest person writes."""
ONLY_SHOW = {"print", "display", "check", "hint", "solution", "progress", "help", "len", "type"}
"""Functions that leave what they are given as it is."""
SHELL_LINE = re.compile(r"(?m)^([ \t]*)(?:[%!].*|.*\?[ \t]*)$")
TIMED = re.compile(r"(?m)^([ \t]*)%time[ \t]+(?=\S)")
SHELL_VALUE = re.compile(r"(?m)=[ \t]*[%!].*$")


def assigned(source: str) -> set[str]:
    """The names that a cell defines in its own scope, imports left out; none when it cannot be
    parsed.
    """
    return {symbol.get_name() for symbol in _symbols(source) if symbol.is_assigned()}


def defined(source: str) -> set[str]:
    """The same with imports."""
    names = set()
    for symbol in _symbols(source):
        if symbol.is_assigned() or symbol.is_imported():
            names.add(symbol.get_name())
    return names


def needed(answers: Sequence[str], own: Sequence[str], given: set[str]) -> list[int]:
    """The positions in `own` of the cells that the answers need, in order.

    A cell is needed when it defines or changes a name that an answer, or another needed cell, uses
    and that no given cell defines; or when it imports everything from a module and a name is
    defined nowhere else.
    """
    offers = [defined(source) for source in own]
    changes = [_changed(source) for source in own]
    used = [_used(source) for source in own]
    everything = [_imports_everything(source) for source in own]
    known = given.union(*offers)
    sought: set[str] = set()
    for answer in answers:
        sought |= _used(answer) - defined(answer)
    sought -= given
    found: set[int] = set()
    while True:
        unknown = sought - known
        more = set()
        for index in range(len(own)):
            helps = (offers[index] | changes[index]) & sought
            may_help = everything[index] and unknown
            if helps or may_help:
                more.add(index)
        more -= found
        if not more:
            return sorted(found)
        found |= more
        for index in more:
            sought |= used[index] - given


def shared(answers: Sequence[str], own: Sequence[str]) -> list[str]:
    """The names that these cells define and that the answers, or other ones of them, use."""
    used: set[str] = set()
    for source in (*answers, *own):
        used |= _used(source)
    offered: set[str] = set()
    for source in own:
        offered |= defined(source)
    return sorted(used & offered)


def definitions(source: str) -> str:
    """The functions, classes, imports and plain assignments of a cell, without all else that it
    does.
    """
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    plain = plain_python(source)
    lines = plain.splitlines(keepends=True)
    found = []
    for node in _statements(source):
        if isinstance(node, (*kinds, ast.Assign, ast.AnnAssign)):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            found.append("".join(lines[first - 1 : node.end_lineno]))
    return "\n".join(found)


def _symbols(source: str) -> list[symtable.Symbol]:
    """The names of a cell's own scope; none when it cannot be parsed."""
    table = _table(source)
    return table.get_symbols() if table else []


def _table(source: str) -> symtable.SymbolTable | None:
    """Python's own table of the names in a source; None when it cannot be parsed."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return symtable.symtable(plain_python(source), "cell", "exec")
    except BROKEN:
        return None


def _statements(source: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(plain_python(source)).body
    except BROKEN:
        return []


def plain_python(source: str) -> str:
    """The source without what only IPython understands; unchanged where it is plain Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(source)
        return source
    except BROKEN:
        python = SHELL_LINE.sub(r"\1pass", TIMED.sub(r"\1", source))
        return SHELL_VALUE.sub("= None", python)


def _used(source: str) -> set[str]:
    """The global names that a source reads, within its functions too."""
    first = _table(source)
    tables = [first] if first else []
    found: set[str] = set()
    while tables:
        table = tables.pop()
        outer = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (outer or symbol.is_global()):
                found.add(symbol.get_name())
        tables += table.get_children()
    return found


def _changed(source: str) -> set[str]:
    """The names whose values a cell changes in place: `NAMES["team"] = 1`, `NAMES.update(…)`,
    `fill(NAMES)`.
    """
    found: set[str] = set()
    for node in _of_the_cell(_statements(source)):
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found |= _root(node)
        elif isinstance(node, ast.Expr):
            found |= _changed_by(node.value)
    return found


def _changed_by(value: ast.expr) -> set[str]:
    """What a call that stands alone may change: the object of its method, and its arguments."""
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call):
        return set()
    if isinstance(call.func, ast.Name) and call.func.id in ONLY_SHOW:
        return set()
    found = _root(call.func) if isinstance(call.func, ast.Attribute) else set()
    return found | {argument.id for argument in call.args if isinstance(argument, ast.Name)}


def _root(node: ast.expr) -> set[str]:
    """The name at the beginning of `name.part[0]`."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _of_the_cell(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node that runs with the cell itself, so nothing within functions and classes."""
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _imports_everything(source: str) -> bool:
    nodes = _of_the_cell(_statements(source))
    return any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in nodes)
