"""In a browser's tab: a cell that cannot run there shows what the installed edition printed.

A cell that needs another process, a thread or a package that a tab lacks, and every cell that uses
a name which such a cell would have made, says so in one sentence and shows its stored outputs. The
lessons know nothing of this.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from classroom.notebook.names import made_by

OUTPUTS = Path(__file__).with_name("tab_outputs.json")
"""The stored outputs of each cell of the lessons, by `key`; the site's build writes it."""
ONLY = "Only the installed edition runs this cell"
NEEDS = ONLY + ": it needs {feature}, and a browser's tab has none."
FOLLOWS = ONLY + ": it builds on one that a browser's tab cannot run."
BELOW = " Below is what it showed there (stored)."
NO_OUTPUT = " It prints nothing."
CHANGED = " You changed it, so nothing is stored for it."
INSTEAD = "__import__('classroom.notebook.tab', fromlist=['tab']).follow()"
"""The code that runs in place of a cell that builds on one that did not run."""
FEATURES = {"process": "another process", "threads": "threads", "socket": "a port to listen on"}
"""The features that a tab lacks beside packages, by the name in a cell's tag (`needs-process`)."""
SIGNS = {
    "emscripten does not support processes": "process",
    "start new thread": "threads",
    "[Errno 138]": "socket",
}
"""The words in Python's errors where a tab lacks a feature: it has no types for that."""


def lacking(error: BaseException) -> str:
    """Names the feature that a browser's tab lacks, when that is behind an error; else ""."""
    for cause in _causes(error):
        if isinstance(cause, ImportError):
            return f"the package {cause.name}"
        for sign, name in SIGNS.items():
            if sign in str(cause):
                return FEATURES[name]
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        for part in getattr(error, "exceptions", ()):
            yield from _causes(part)
        error = error.__cause__ or error.__context__


def key(source: str) -> str:
    """The name under which the outputs of a cell are stored: an edited cell has none."""
    return hashlib.sha256(source.strip().encode()).hexdigest()[:16]


def stored(cells: Iterable[Any]) -> dict[str, list[dict[str, Any]]]:
    """The outputs of a notebook's code cells, by `key`; of each output what a page shows best."""
    return {
        key(cell.source): [_smallest(output) for output in cell.outputs]
        for cell in cells
        if cell.cell_type == "code"
    }


def _smallest(output: Any) -> dict[str, Any]:
    """A stream as its text, a rich output without the picture that its HTML already holds."""
    if output.output_type == "stream":
        return {"text": output.text, "name": output.name}
    data = dict(output.data)
    if "text/html" in data:
        data.pop("image/svg+xml", None)
    return {"data": data}


class Tab:
    """Follows the cells of one kernel: which names are missing, and why."""

    def __init__(self, shell: Any, outputs: dict[str, list[dict[str, Any]]] | None = None) -> None:
        self._shell, self._outputs = shell, outputs
        self.missing: set[str] = set()
        """Names that a cell would have made which did not run."""
        self._source = (shell.user_ns.get("In") or [""])[-1]  # the cell that imports the course
        shell.input_transformers_post.append(self.replaced)
        shell.events.register("pre_run_cell", self._begins)

    def replaced(self, lines: list[str]) -> list[str]:
        """The code of a cell; where it uses a missing name, a call that shows what is stored."""
        return [f"{INSTEAD}\n"] if self.missing & used_by("".join(lines)) else lines

    def show(self, sentence: str) -> None:
        """The sentence and the stored outputs, in place of what the running cell printed."""
        from IPython.display import clear_output, display

        self.missing |= made_by(self._source)
        clear_output()
        found = self._stored().get(key(self._source))
        more = CHANGED if found is None else BELOW if found else NO_OUTPUT
        display(_Sentence(sentence + more))
        for output in found or []:
            if "text" in output:
                print(output["text"], end="")
            else:
                display(output["data"], raw=True)

    def knows(self) -> bool:
        """True if the running cell is one of the lessons', unchanged."""
        return key(self._source) in self._stored()

    def _stored(self) -> dict[str, list[dict[str, Any]]]:
        if self._outputs is None:
            self._outputs = json.loads(OUTPUTS.read_text(encoding="utf-8"))
        return self._outputs

    def _begins(self, info: Any) -> None:
        """Counts the names that a cell makes as there, unless `show` takes its place."""
        self._source = info.raw_cell  # a tab's kernel does not say when an async cell has ended
        self.missing -= made_by(self._source)


class _Sentence:
    """One quiet sentence above stored outputs."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<p style="border-left:3px solid #8792a0;padding-left:8px">{self.text}</p>'


@cache
def of(shell: Any) -> Tab:
    """The one that follows this kernel."""
    return Tab(shell)


def shown(shell: Any, error: BaseException) -> bool:
    """Shows what is stored when a cell failed for what a tab lacks; False for any other error."""
    feature, tab = lacking(error), of(shell)
    if not feature or (isinstance(error, ImportError) and not tab.knows()):
        return False
    tab.show(NEEDS.format(feature=feature))
    return True


def follow() -> None:
    """Runs in place of a cell that builds on one that did not run."""
    from IPython import get_ipython

    of(get_ipython()).show(FOLLOWS)


# ── which names a cell uses ───────────────────────────────────────────────────────────────────────


def used_by(source: str) -> set[str]:
    """The names that a cell uses before it makes them itself; none for code that cannot be read."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    reader = _Reader()
    reader.visit(tree)
    return reader.used


class _Reader(ast.NodeVisitor):
    """Walks code in the order in which it runs."""

    def __init__(self, made: Iterable[str] = ()) -> None:
        self.used: set[str] = set()
        self._made = set(made)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.used |= {node.id} - self._made
        else:
            self._made.add(node.id)

    def visit_alias(self, node: ast.alias) -> None:
        self._made.add(node.asname or node.name.partition(".")[0])

    def visit_Assign(self, node: ast.Assign) -> None:
        self._each(node.value, *node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.used |= {node.target.id} - self._made
        self._each(node.value, node.target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._each(node.iter, node.target, *node.body, *node.orelse)

    visit_AsyncFor = visit_For

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        self._inside(*node.generators, node.elt)

    visit_SetComp = visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._inside(*node.generators, node.key, node.value)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._each(node.iter, node.target, *node.ifs)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._each(*node.decorator_list)
        self._made.add(node.name)
        self._inside(node.args, *node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inside(node.args, node.body)

    def visit_arguments(self, node: ast.arguments) -> None:
        self._each(*node.defaults, *(default for default in node.kw_defaults if default))
        every = [*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg]
        self._made |= {argument.arg for argument in every if argument}

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._each(*node.decorator_list, *node.bases)
        self._made.add(node.name)
        self._inside(*node.body)

    def _each(self, *nodes: ast.AST) -> None:
        for node in nodes:
            self.visit(node)

    def _inside(self, *nodes: ast.AST) -> None:
        """Reads nodes with a scope of their own: names made inside stay inside."""
        inner = _Reader(self._made)
        inner._each(*nodes)
        self.used |= inner.used
