"""Lists on the page of the edge (`README.md`), made from the data: dials, roles, tools and
references.

python -m offline_model.page        writes it anew
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .reader.lexicon import families, table

PAGE = Path(__file__).resolve().parent / "README.md"
PHRASEBOOK = (
    "The offline model obeys these sentences, word for word, with any number in place of theirs, "
    "and joined with *and*; a real model reads any. Of a sentence that is not obeyed, the account "
    "shows the nearest of them."
)
BEGIN = "<!-- from here on made of the data by `python -m offline_model.page` -->"


def generated() -> str:
    """The tables and lists, as Markdown."""
    rows = [
        *_phrasebook(),
        *_dials(),
        *_own_prompts(),
        *_rows("roles"),
        *_rows("tools"),
        *_behaviours(),
    ]
    return "\n".join(rows) + "\n"


def page() -> str:
    """The whole page: what people wrote, and what the data say."""
    written, _, _ = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{written}{BEGIN}\n\n{generated()}"


def _phrasebook() -> Iterator[str]:
    yield from ("## The phrasebook", "", PHRASEBOOK, "")
    yield from ("| you write a prompt for a | sentences that it obeys |", "|---|---|")
    for name in families("behaviours"):
        entry = table(f"behaviours/{name}")
        if "phrases" in entry:
            yield f"| {entry['says']} | {' '.join(entry['phrases'])} |"
    yield ""


def _dials() -> Iterator[str]:
    yield from ("## The dials", "")
    yield from ("| dial | for example | turned off | obeyed by |", "|---|---|---|---|")
    for name in families("dials"):
        entry = table(f"dials/{name}")
        obeyed = ", ".join(entry["for"])
        on, off = _quoted(entry["reads"]), _quoted(entry.get("reads_off", []))
        yield f"| `{name}` | {on} | {off} | {obeyed} |"
    yield ""


def _own_prompts() -> Iterator[str]:
    yield from ("## Prompts and schemas of your own", "")
    yield from ("| lesson | you write | for example | obeyed | not read |", "|---|---|---|---|---|")
    for name in families("own_prompts"):
        entry = table(f"own_prompts/{name}")
        example = " ".join(entry["prompt"].split())
        if "fields" in entry:
            example += f" Fields: {', '.join(entry['fields'])}."
        obeyed, named = ", ".join(entry["obeyed"]), _quoted(entry["named"])
        yield f"| {entry['lesson']} | {entry['agent']} | {example} | {obeyed} | {named} |"
    yield ""


def _rows(folder: str) -> Iterator[str]:
    yield from (f"## The {folder}", "", "| | it is | for example |", "|---|---|---|")
    for name in families(folder):
        entry = table(f"{folder}/{name}")
        yield f"| `{name}` | {entry['says']} | {_quoted(entry['reads'][:2])} |"
    yield ""


def _behaviours() -> Iterator[str]:
    yield from ("## The behaviours, and what each does anyway", "")
    for name in families("behaviours"):
        entry = table(f"behaviours/{name}")
        like = entry.get("like", [])
        yield from (f"### `{name}`: {entry['says']}", "")
        if like:
            others = " and ".join(f"`{other}`" for other in like)
            yield from (f"All that is said of {others}, and:", "")
        if entry.get("prompt"):
            yield from (f"> {line}" for line in entry["prompt"].strip().splitlines())
            yield ""
        listed = [*entry.get("sentences", ()), *entry.get("tasks", ())]
        yield from (f"- {sentence}" for sentence in listed)
        yield from ([""] if listed else [])


def _quoted(texts: list[str]) -> str:
    return " · ".join(f'"{text}"' for text in texts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
