"""A report of marks as HTML: a table in a notebook, and a page of its own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from kernel.parts.evaluate import Report

STYLE = """\
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
caption { text-align: left; font-weight: 600 }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #9aa5b1 }
th:first-child, td:first-child { text-align: left }
.limits { border-left: 4px solid #b8590b; padding-left: 1rem }
figure { margin: 1rem 0; overflow-x: auto }"""


def table(report: Report) -> str:
    """Markup of the designs' table, and below it what the marks can and cannot say."""
    lines = [[_unbroken(cell) for cell in report.cells(row)] for row in report.rows]
    return f"{_table('Designs', report.headings(), lines)}{_limits(report)}"


def page(report: Report, *pictures: str) -> str:
    """A whole page that needs no network. pictures: markup such as SVG, shown above the table."""
    title = "Evaluation" + (f": {report.conditions}" if report.conditions else "")
    figures = "".join(f"<figure>{picture}</figure>\n" for picture in pictures)
    seconds = [[*report.cells(row), f"{row.seconds:.2f}"] for row in report.rows]
    items = list(report.rows[0].items)
    marks = [[row.design, *(f"{row.items[item]:.2f}" for item in items)] for row in report.rows]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style></head><body>\n"
        f"<h1>{escape(title)}</h1>\n{figures}"
        + _table("Designs", [*report.headings(), "seconds"], seconds)
        + _table("The rubric, item by item", ["design", *items], marks)
        + '<section class="limits"><h2>What these marks can and cannot say</h2>'
        + f"{_limits(report)}</section>\n</body></html>\n"
    )


def _limits(report: Report) -> str:
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in report.limits())
    return f"<ul>{sentences}</ul>"


def _unbroken(cell: str) -> str:
    """A cell whose interval stays on one line."""
    before, bracket, after = cell.partition(" [")
    interval, end, verdict = after.partition("] ")
    held = f"{before}{bracket}{interval}{end.rstrip()}".replace(" ", "\u00a0") if bracket else cell
    return f"{held} {verdict}" if verdict else held


def _table(caption: str, headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(each)}</td>" for each in line) + "</tr>\n" for line in lines
    )
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>\n"
    )
