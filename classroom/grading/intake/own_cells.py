"""Finds which of a learner's own cells their answers need, by the names in the sources and by the
modules and files that cells write. Nothing is run.
"""

from __future__ import annotations

import ast
import re
import symtable
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.machinery import PathFinder
from typing import Any, TypeGuard

from IPython.core.inputtransformer2 import TransformerManager

BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)
"""Errors of Python's own parser; all but SyntaxError for sources that no honest person writes."""
ONLY_SHOW = {"print", "display", "check", "hint", "solution", "progress", "help", "len", "type"}
"""Functions that leave what they are given as it is."""
SHELL_LINE = re.compile(r"(?m)^([ \t]*)(?:[%!].*|.*\?[ \t]*)$")
TIMED = re.compile(r"(?m)^([ \t]*)%time[ \t]+(?=\S)")
PATH = re.compile(r"[\w./\\-]+")
ENTRY = re.compile(r"sys\.modules\[['\"](\w+)")
WRITES = re.compile(r"%%(?:write)?file\b|\bwrite|\bopen\(|\bdump\(|^[ \t]*[!%]", re.MULTILINE)
FINDS_MODULES = re.compile(r"sys\.path\b|\bchdir\(|^%cd\b|\bmkdir|\bmakedirs\(", re.MULTILINE)
"""Matches code by which a module of the learner's own can be written and is found."""
LONGEST_NAME, LONGEST_ENDING = 100, 8
"""Characters of a text that may name a file, and of the file's ending."""
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
    and that no given cell defines; when it writes a module that is imported there, or a file that
    is named there; or when it imports everything from a module and a name is defined nowhere else.
    """
    offers = [defined(source) for source in own]
    known = given.union(*offers)
    helpers: dict[str, set[int]] = defaultdict(set)
    for index, source in enumerate(own):
        for name in offers[index] | _changed(source) | made(source):
            helpers[name].add(index)
    everything = _positions(own, _imports_everything)
    finding = _positions(own, FINDS_MODULES.search)
    waiting: list[str] = []
    for answer in answers:
        waiting += _used(answer) - defined(answer) - given
        waiting += asked(answer)
    sought: set[str] = set()
    found: set[int] = set()
    while waiting:
        name = waiting.pop()
        if name in sought:
            continue
        sought.add(name)
        more: set[int] = set()
        if name in helpers:
            more |= helpers[name]
        if more and name.endswith(".py"):
            more |= finding
        if name.isidentifier() and name not in known:
            more |= everything
        for index in more - found:
            found.add(index)
            waiting += _used(own[index]) - given
            waiting += asked(own[index])
    return sorted(found)


def _positions(own: Sequence[str], fits: Callable[[str], Any]) -> set[int]:
    return {index for index, source in enumerate(own) if fits(source)}


def shared(answers: Sequence[str], own: Sequence[str]) -> list[str]:
    """The names, modules and files that these cells make and that the answers, or other ones of
    them, use.
    """
    used: set[str] = set()
    for source in (*answers, *own):
        used |= _used(source) | asked(source)
    offered: set[str] = set()
    for source in own:
        offered |= defined(source) | made(source)
    return sorted(used & offered)


def made(source: str) -> set[str]:
    """The modules that a cell may make, as `name.py`, and the files that it may write."""
    writes = WRITES.search(source) is not None
    found = {f"{name}.py" for name in ENTRY.findall(source)}
    for path in PATH.findall(source):
        name = _file_of(path)
        is_module = name.endswith(".py")
        if name and (writes or is_module):
            found.add(name)
        if is_module:
            packages = _parts(path)[:-1]
            found |= {f"{package}.py" for package in packages}
    return found


def asked(source: str) -> set[str]:
    """The modules that a source imports, as `name.py`, and the files that its texts name."""
    found = {f"{name}.py" for name in _imported(source)}
    for node in _every(source):
        if not isinstance(node, ast.Constant):
            continue
        text = node.value
        if not isinstance(text, str) or len(text) > LONGEST_NAME:
            continue
        if PATH.fullmatch(text):
            found.add(_file_of(text))
    found.discard("")
    return found


def _parts(path: str) -> list[str]:
    return path.replace("\\", "/").split("/")


def _file_of(path: str) -> str:
    """The name of the file that a path leads to; empty where it has no ending."""
    name = _parts(path)[-1]
    stem, _, ending = name.rpartition(".")
    if stem.strip(".") and ending[:1].isalpha() and len(ending) <= LONGEST_ENDING:
        return name
    return ""


def absent(source: str) -> set[str]:
    """The modules that a source imports and that this machine does not have, but for those that it
    only tries to import.
    """
    tried: set[str] = set()
    for node in _every(source):
        if isinstance(node, ast.Try):
            tried |= _imported_by(ast.walk(node))
    return {name for name in _imported(source) - tried if not _is_installed(name)}


@cache
def _is_installed(name: str) -> bool:
    """True if Python finds a module of this name; nothing is imported for it."""
    if name in sys.stdlib_module_names:
        return True
    try:
        return PathFinder.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _imported(source: str) -> set[str]:
    """The outermost modules that a source imports, within its functions too."""
    return _imported_by(_every(source))


def _imported_by(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def _every(source: str) -> Iterator[ast.AST]:
    for statement in _statements(source):
        yield from ast.walk(statement)


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


def without_shows(source: str) -> str:
    """The source without its statements `!…`, `%pip …` and `display(…)`: they show and install, and
    no answer needs them. The other lines keep their numbers.
    """
    if source.startswith("%%"):
        return source
    with warnings.catch_warnings(action="ignore"):
        try:
            plain = _of_ipython(source)
            found = [node for node in ast.walk(ast.parse(plain)) if _only_shows(node)]
        except BROKEN:
            return source
    if not found or "display" in assigned(plain):
        return source
    lines = plain.encode().split(b"\n")
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        rest = lines[last][node.end_col_offset :]
        if first == last or not rest.strip():
            lines[first] = lines[first][: node.col_offset] + b"pass" + rest
            lines[first + 1 : last + 1] = [b""] * (last - first)
    return b"\n".join(lines).decode()


def _of_ipython(source: str) -> str:
    """The source as IPython gives it to Python: `!ls` is a call."""
    try:
        ast.parse(source)
        return source
    except SyntaxError:
        return TransformerManager().transform_cell(source)


SHOWS = re.compile(r"(?:IPython\.display\.)?display\(|get_ipython\(\)\.(?:system|getoutput)\(")
INSTALLS = re.compile(r"get_ipython\(\)\.run_line_magic\('(?:pip|conda|mamba|uv)',")


def _only_shows(node: ast.AST) -> TypeGuard[ast.Expr]:
    """True for a statement that is a call of `display`, of a program or of an installer."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    call = ast.unparse(node.value)
    return bool(SHOWS.match(call) or INSTALLS.match(call))


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
    """Names that a call alone in a line may change: the object of its method, and its arguments."""
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
