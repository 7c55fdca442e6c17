"""Changes of one line of Python, each of which a test should find: what `mutants.toml` is drawn from.

`python -m tests.house.mutations 60 7` draws 60 with the seed 7 and prints them in the form of that file. A change is of
the tree that Python reads (a comparison turned, a `not` dropped, a call left out), never of a docstring, of the text of an
error, of `__repr__` or of a type.
"""

from __future__ import annotations

import ast
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARES = {"kernel": 0.4, "classroom": 0.3, "offline_model": 0.3}
COMPARED = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
COMPUTED = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*"}
Edit = tuple[int, int, str]
"""From a column to a column, and what stands there instead; columns count bytes, as the tree does."""


def is_text(node: ast.AST) -> bool:
    """Whether it is only read, by people. What an f-string holds has no columns in Python 3.11."""
    if isinstance(node, ast.FunctionDef) and node.name == "__repr__":
        return True
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    return isinstance(node, ast.JoinedStr)


def nodes_in(tree: ast.AST) -> Iterator[ast.AST]:
    """Each node that means something when the program runs; of what is raised, the statement alone."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not is_text(node):
                yield node
                if not isinstance(node, ast.Raise):
                    yield from nodes_in(node)


def edits_of_expression(node: ast.AST) -> Iterator[Edit]:
    """What can be turned in an expression."""
    match node:
        case ast.Compare(left, [operator], [right]) if left.end_lineno == right.lineno:
            yield left.end_col_offset, right.col_offset, f" {COMPARED[type(operator)]} "
        case ast.BoolOp(operator, [left, right, *_]) if left.end_lineno == right.lineno:
            other = " or " if isinstance(operator, ast.And) else " and "
            yield left.end_col_offset, right.col_offset, other
        case ast.UnaryOp(ast.Not(), operand):
            yield node.col_offset, operand.col_offset, ""
        case ast.BinOp(left, operator, right) if left.end_lineno == right.lineno:
            if type(operator) in COMPUTED:
                yield left.end_col_offset, right.col_offset, f" {COMPUTED[type(operator)]} "
        case ast.Constant(bool() as value):
            yield node.col_offset, node.end_col_offset, str(not value)
        case ast.Constant(int() | float() as value):
            yield node.col_offset, node.end_col_offset, str(value + 1)


def edits_of_statement(node: ast.AST) -> Iterator[Edit]:
    """What can be left out, or turned, in a statement."""
    match node:
        case ast.If(test) | ast.IfExp(test):
            yield test.col_offset, test.col_offset, "not "
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            yield value.col_offset, value.end_col_offset, "None"
        case ast.Expr(ast.Call() | ast.Await()) | ast.AugAssign() | ast.Raise():
            yield node.col_offset, node.end_col_offset, "pass"
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield node.col_offset, node.end_col_offset, "pass"
        case ast.Continue():
            yield node.col_offset, node.end_col_offset, "break"


def changed(line: str, edit: Edit) -> str:
    """The line after a change."""
    start, end, text = edit
    raw = line.encode()
    return (raw[:start] + text.encode() + raw[end:]).decode()


def is_python(lines: list[str]) -> bool:
    """Whether a module can be read. A turned operator beside parentheses may leave one of them alone."""
    try:
        ast.parse("\n".join(lines))
    except SyntaxError:
        return False
    return True


def edits_in(tree: ast.AST) -> dict[int, list[Edit]]:
    """By line, counted from 1: what can be changed there. What goes over several lines is left alone."""
    found: dict[int, list[Edit]] = {}
    for node in nodes_in(tree):
        whole = node.test if isinstance(node, ast.If | ast.IfExp) else node
        if getattr(whole, "lineno", 0) == getattr(whole, "end_lineno", 1):
            edits = [*edits_of_expression(node), *edits_of_statement(node)]
            found.setdefault(whole.lineno, []).extend(edits)
    return {line: edits for line, edits in found.items() if edits}


def drawn(count: int, seed: int) -> Iterator[tuple[Path, int, str, str]]:
    """So many mutants of the packages, each line as likely as any other of its package: file, line, what stands there,
    and what is put there.
    """
    chance = random.Random(seed)
    for package, share in SHARES.items():
        sources = {
            path: path.read_text(encoding="utf-8")
            for path in sorted((ROOT / package).rglob("*.py"))
        }
        every = [
            (path, line, edits)
            for path, source in sources.items()
            for line, edits in sorted(edits_in(ast.parse(source)).items())
        ]
        sample = chance.sample(every, round(count * share))
        for path, line, edits in sorted(sample, key=lambda one: one[:2]):
            lines = sources[path].splitlines()
            changes = [changed(lines[line - 1], edit) for edit in edits]
            news = [new for new in changes if is_python([*lines[: line - 1], new, *lines[line:]])]
            if news:
                yield path, line, lines[line - 1], chance.choice(news)


if __name__ == "__main__":
    for path, line, old, new in drawn(int(sys.argv[1]), int(sys.argv[2])):
        print(f'[[mutant]]\nfile = "{path.relative_to(ROOT).as_posix()}"\nline = {line}')
        print(f"old = {json.dumps(old, ensure_ascii=False)}")
        print(f"new = {json.dumps(new, ensure_ascii=False)}\n")
