"""The names that a cell makes for the cells after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def made_by(source: str) -> set[str]:
    """The names that a cell makes for the cells after it."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    return set(_bound(tree))


def _bound(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        match child:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name
                continue  # what is made inside stays inside
            case (
                ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp()
            ):
                continue
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
        yield from _bound(child)
