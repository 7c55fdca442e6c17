"""The style of the lessons, as far as a machine can read it."""

from __future__ import annotations

import ast
import re

import nbformat
import pytest

import kernel
from tests.places import LESSONS, ROOT

from .books import STORED, cells, named


def words(cell):
    """The words that a reader reads at once: what is folded away, tables, markup and where links lead do not count."""
    text = re.sub(
        r"<details>.*?</details>|<[^>]+>|^\|.*$|(?<=\])\([^)]*\)",
        "",
        cell.source,
        flags=re.DOTALL | re.MULTILINE,
    )
    return len(re.findall(r"\w[\w'’-]*", text))


def a_notebook_has_one_title_and_headings_in_order(path):
    levels = [
        len(mark)
        for cell in cells(path, "markdown")
        for mark in re.findall(r"^(#+) ", cell.source, re.MULTILINE)
    ]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in zip(levels, levels[1:], strict=False)), (
        levels
    )


def a_notebook_names_no_model_no_machine_and_installs_nothing(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"claude-[a-z]+-\d", text)
    assert not re.search(r"/(root|home|tmp|Users)/", text)
    for cell in cells(path, "code"):
        assert not re.search(
            r"^\s*[%!]|pip install|api_key|os\.environ", cell.source, re.MULTILINE
        ), cell.source
        assert not cell.source.rstrip().endswith(";"), (
            "nbval sees the value in spite of a semicolon"
        )


def links_to_files_lead_somewhere(path):
    for cell in cells(path, "markdown"):
        for target in re.findall(
            r"\]\(([^)#\s]+)",
            re.sub(r"`[^`]*`|```.*?```|<pre>.*?</pre>", "", cell.source, flags=re.DOTALL),
        ):
            assert target.startswith("https://") or (path.parent / target).exists(), target


def a_lesson_says_what_it_promises_asks_for_predictions_and_closes(path):
    text = "\n".join(cell.source for cell in cells(path, "markdown"))
    for part in (
        "**You need**",
        "**Afterwards** you can",
        "## Key points",
        "## Three questions",
        "## Play",
    ):
        assert part in text, f"{part} is missing"
    assert text.count("<details>") >= 3
    assert sum("predict(" in cell.source for cell in cells(path, "code")) >= 2


SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in (ROOT / "kernel", ROOT / "workshop" / "material", ROOT / "workshop" / "report")
    for path in sorted(folder.rglob("*.py"))
)


def squeezed(text):
    return re.sub(r"\s+", "", text)


def quotes(path):
    """The code spans in a lesson's prose that are statements or calls, not names or shell commands."""
    prose = "\n".join(cell.source for cell in cells(path, "markdown"))
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", prose, flags=re.DOTALL))
    statements = [span for span in spans if re.search(r"[=(]|^(if|for|async|return|raise) ", span)]
    return [span for span in statements if not is_a_use(span)]


def is_a_use(span):
    """Whether a span shows how to call something public, such as `Budget(calls=3)`, rather than quoting code."""
    called = re.match(r"(?:run\.)?(\w+)\(", span)
    return called is not None and (called[1] in kernel.__all__ or hasattr(kernel.Run, called[1]))


def code_quoted_in_prose_is_code_that_exists(path):
    own = "\n".join(cell.source for cell in cells(path, "code"))
    text = squeezed(own + "\n" + SOURCES)
    for span in quotes(path):
        parts = [squeezed(part) for part in span.split("…")]
        assert all(part in text for part in parts), (
            f"`{span}` is neither in this notebook's cells nor in the source; quote it as it is"
        )


def test_a_quote_that_is_not_in_the_source_is_noticed(tmp_path):
    cell = nbformat.v4.new_markdown_cell("Inside is `asyncio.Semaphore(limit)`, and `Budget`.")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "new.ipynb")
    assert quotes(tmp_path / "new.ipynb") == ["asyncio.Semaphore(limit)"]
    with pytest.raises(AssertionError, match="neither in this notebook's cells"):
        code_quoted_in_prose_is_code_that_exists(tmp_path / "new.ipynb")


def fixed_reveals(source):
    """The calls of `reveal` whose argument is known before anything has run."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="reveal"),
                args=[ast.Constant() | ast.Subscript(slice=ast.Constant())],
            ):
                yield ast.unparse(node)


def what_a_prediction_reveals_is_computed_from_the_run(path):
    assert not [call for cell in cells(path, "code") for call in fixed_reveals(cell.source)]


def test_a_fixed_reveal_is_noticed():
    assert [*fixed_reveals("most.reveal(most.options[2])\nmost.reveal('all')")] == [
        "most.reveal(most.options[2])",
        "most.reveal('all')",
    ]
    assert not [*fixed_reveals("most.reveal(most.options[2 if found else 0])")]


ONE_OF_MANY = re.compile(
    r"(?<![\d.,])1 (calls|cases|drafts|events|facts|messages|notes|rounds|sources|spans|steps|tokens"
    r"|tries|turns|waits|words)\b|\w\(s\)"
)


def one_is_no_plural(path):
    for cell in cells(path, "code"):
        for output in cell.outputs:
            shown = output.get("text") or output.get("data", {}).get("text/plain", "")
            assert not ONE_OF_MANY.search(shown), f"{cell.id}: {ONE_OF_MANY.search(shown)[0]}"


OF_ALL = (
    a_notebook_has_one_title_and_headings_in_order,
    a_notebook_names_no_model_no_machine_and_installs_nothing,
    links_to_files_lead_somewhere,
    what_a_prediction_reveals_is_computed_from_the_run,
    one_is_no_plural,
)
OF_LESSONS = (
    a_lesson_says_what_it_promises_asks_for_predictions_and_closes,
    code_quoted_in_prose_is_code_that_exists,
)


@pytest.mark.parametrize("path", STORED, ids=named)
def test_a_notebook_keeps_to_the_style(path, subtests):
    rules = (*OF_ALL, *OF_LESSONS) if path.parent == LESSONS else OF_ALL
    for rule in rules:
        with subtests.test(rule.__name__):
            rule(path)
