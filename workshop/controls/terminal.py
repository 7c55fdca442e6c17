"""Asks a person at a terminal: one key chooses an option, another opens the text in an editor."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

LOOK_S = 0.05
"""The seconds between two looks at the keyboard; all else on the loop goes on meanwhile."""
EDIT = "e"
NUMBERS = "123456789"


def at_terminal() -> bool:
    """True if a person sits at this process: it reads from a terminal and writes to one."""
    try:
        return sys.stdin.isatty() and sys.stdout.isatty()
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False


def keys_for(options: Sequence[str], *, editable: bool) -> dict[str, str]:
    """A key for each option: the first letter of it that is free, else a number."""
    keys: dict[str, str] = {}
    taken = {EDIT} if editable else set()
    for option in options:
        letters = (sign for sign in option.lower() if sign.isascii() and sign.isalpha())
        free = (sign for sign in (*letters, *NUMBERS) if sign not in taken)
        key = next(free, "")
        if not key:
            raise ValueError(f"there is no key left for {option!r}: give fewer options")
        taken.add(key)
        keys[key] = option
    return keys


async def ask(options: Sequence[str], text: str | None, timeout_s: float) -> tuple[str | None, str]:
    """The option whose key is pressed, and the text as the person left it.

    text: what may be edited; None for nothing. The option is None when `timeout_s` seconds pass
    without a key; time in the editor does not count. Cancelling it, or Ctrl-C, leaves the terminal
    unchanged.
    """
    keys = keys_for(options, editable=text is not None)
    choices = [f"[{key}] {option}" for key, option in keys.items()]
    if text is not None:
        choices.append(f"[{EDIT}] edit the text")
    prompt = "Press a key: " + "   ".join(choices)
    clock = asyncio.get_running_loop().time
    until = clock() + timeout_s
    while True:
        key = await _pressed(prompt, until, {*keys, *([] if text is None else [EDIT])})
        if key is None or text is None or key != EDIT:
            return keys.get(key or ""), text or ""
        began = clock()
        text = await _edited(text)
        until += clock() - began
        print(text)


async def _pressed(prompt: str, until: float, known: set[str]) -> str | None:
    """The next known key; None when it is late. What was typed before the prompt does not count."""
    clock = asyncio.get_running_loop().time
    with _keyboard() as key:
        print(prompt, flush=True)
        while clock() < until:
            pressed = key().lower()
            if pressed in known:
                return pressed
            if not pressed:
                await asyncio.sleep(LOOK_S)
    return None


async def _edited(text: str) -> str:
    """The text after the person's editor (VISUAL, EDITOR, else vi or Notepad); unchanged, with a
    sentence, when the editor fails.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    editor = editor or ("notepad" if os.name == "nt" else "vi")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint.md"
        path.write_text(text, encoding="utf-8")
        command = [*shlex.split(editor, posix=os.name != "nt"), str(path)]
        try:
            process = await asyncio.create_subprocess_exec(*command)
            status = await process.wait()
        except OSError as problem:
            print(f"The editor cannot be started ({problem}); set EDITOR to one that can.")
            return text
        if status:
            print(f"The editor ended with status {status}; the text is unchanged.")
            return text
        return path.read_text(encoding="utf-8", errors="replace")


@contextlib.contextmanager
def _keyboard() -> Iterator[Callable[[], str]]:
    """A function that returns the key that was pressed, "" when there is none; it does not wait."""
    if os.name == "nt":
        yield _windows_key
        return
    import select
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def key() -> str:
        ready, _, _ = select.select([terminal], [], [], 0)
        return os.read(terminal, 1).decode("ascii", "ignore") if ready else ""

    try:
        tty.setcbreak(terminal)  # a key counts without Enter, and Ctrl-C still interrupts
        yield key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _windows_key() -> str:
    import msvcrt

    return msvcrt.getwch() if msvcrt.kbhit() else ""  # type: ignore[attr-defined]  # Windows
