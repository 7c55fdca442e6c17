"""How large each room of the project is: the Python tokens of each folder, without comments and line ends.

`python -m tests.house.size` writes them to `size.toml`, beside this file. The test command says at its end what grew
since; a number to look at in review, and no test fails over it.
"""

from __future__ import annotations

import tokenize
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STORED = Path(__file__).with_name("size.toml")
HOUSES = ("kernel", "offline_model", "classroom", "workshop", "tests")
LEFT_OUT = {"right", "data", "__pycache__"}
"""Folders with answers, and with files that a lesson reads."""
NO_SIZE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
DEPTH = 2
"""A room is a folder of a house: `kernel`, `workshop/desks`; what lies deeper counts as part of it."""
NAMED = 6
"""So many rooms the line on growth names at most."""
HEADER = "# Tokens of each room, for review; `python -m tests.house.size` writes this file.\n\n"


def tokens_in(path: Path) -> int:
    """Tokens of a module, without comments and line ends."""
    with path.open("rb") as file:
        return sum(token.type not in NO_SIZE for token in tokenize.tokenize(file.readline))


def room_of(path: Path) -> str:
    """The folder of a module, as the table names it: at most two names."""
    return "/".join(path.relative_to(ROOT).parent.parts[:DEPTH])


def measured() -> dict[str, int]:
    """Tokens by room, as they are now."""
    sizes: Counter[str] = Counter()
    for house in HOUSES:
        for path in (ROOT / house).rglob("*.py"):
            if not LEFT_OUT & {*path.relative_to(ROOT).parts}:
                sizes[room_of(path)] += tokens_in(path)
    return {room: sizes[room] for room in sorted(sizes)}


def stored() -> dict[str, int]:
    """Tokens by room, as they were when somebody last wrote them down."""
    return tomllib.loads(STORED.read_text(encoding="utf-8"))


def written(sizes: dict[str, int]) -> str:
    """The text of the file."""
    return HEADER + "".join(f'"{room}" = {size}\n' for room, size in sizes.items())


def growth(before: dict[str, int], now: dict[str, int]) -> str:
    """A line on what grew since: the sum, and the rooms that grew most."""
    grown = Counter({room: now[room] - before.get(room, 0) for room in now})
    rooms = [f"{room} {size:+,}" for room, size in grown.most_common(NAMED) if size > 0]
    total, old = sum(now.values()), sum(before.values())
    line = f"Size: {total:,} tokens, {total - old:+,} since tests/house/size.toml was written"
    return f"{': '.join([line, ', '.join(rooms)]) if rooms else line}."


if __name__ == "__main__":
    STORED.write_text(written(measured()), encoding="utf-8", newline="\n")
    print(f"{STORED.relative_to(ROOT)}: {sum(measured().values()):,} tokens")
