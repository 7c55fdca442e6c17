"""The checkpoint in a real terminal: a process of its own behind a pty, keys as a person presses them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time

import pytest

from tests.places import ROOT
from workshop.controls.terminal import keys_for

PATIENCE_S = 20
needs_pty = pytest.mark.skipif(
    os.name == "nt", reason="Windows has no pty; its keys come by msvcrt"
)
ASKS = """
import asyncio, signal, sys, termios
from workshop.controls import checkpoint

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
ticks = 0

async def ticking():
    global ticks
    while True:
        ticks += 1
        await asyncio.sleep(0.01)

async def main():
    others = asyncio.create_task(ticking())
    before = termios.tcgetattr(0)
    try:
        decision = await checkpoint("Publish?", edit="- A fact.", show="- shown", **{options})
        print("GOT", decision.choice, decision.by, repr(decision.text), "others:", ticks > 3)
    finally:
        print("TERMINAL", "unchanged" if termios.tcgetattr(0) == before else "changed")
        others.cancel()

asyncio.run(main())
"""
EDITOR = """
import pathlib, sys
path = pathlib.Path(sys.argv[1])
path.write_text(path.read_text() + " [edited]")
sys.exit({status})
"""


class Terminal:
    """A process behind a pty: `press` types, `until` waits for words on its screen."""

    def __init__(self, source, **environ):
        self.own, theirs = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", source],
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        )  # fmt: skip
        os.close(theirs)
        self.screen = ""

    def press(self, keys):
        os.write(self.own, keys.encode())

    def until(self, words):
        end = time.monotonic() + PATIENCE_S
        while words not in self.screen:
            ready, _, _ = select.select([self.own], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{words!r} did not come: {self.screen}"
            try:
                self.screen += os.read(self.own, 4096).decode()
            except OSError:  # its end, on Linux
                break
        assert words in self.screen, self.screen

    def until_asked_again(self):
        self.screen = self.screen.partition("Press a key")[2]
        self.until("Press a key")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.own)


@pytest.fixture
def terminal():
    opened = []

    def open_terminal(options="{}", **environ):
        opened.append(Terminal(ASKS.replace("{options}", options), **environ))
        opened[-1].until("Press a key")
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()


@needs_pty
def test_a_key_decides_and_others_go_on_meanwhile(terminal):
    asked = terminal()
    asked.until("[p] Proceed   [s] Stop   [e] edit the text")
    assert "- shown" in asked.screen and "- A fact." in asked.screen
    time.sleep(0.2)
    asked.press("xS")  # an unknown key does nothing; upper case counts
    asked.until("TERMINAL unchanged")
    assert "GOT Stop person '- A fact.' others: True" in asked.screen


@needs_pty
@pytest.mark.parametrize(("status", "text"), [(0, "- A fact. [edited]"), (3, "- A fact.")])
def test_e_opens_the_text_in_the_persons_editor(terminal, tmp_path, status, text):
    (tmp_path / "editor.py").write_text(EDITOR.replace("{status}", str(status)))
    asked = terminal(EDITOR=f"{sys.executable} {tmp_path / 'editor.py'}", VISUAL="")
    asked.press("e")
    asked.until("[edited]" if status == 0 else "ended with status 3; the text is unchanged")
    asked.until_asked_again()
    asked.press("p")
    asked.until("TERMINAL unchanged")
    assert f"GOT Proceed person {text!r}" in asked.screen


@needs_pty
def test_an_editor_that_is_not_there_loses_nothing(terminal):
    asked = terminal(EDITOR="no-such-editor-anywhere", VISUAL="")
    asked.press("e")
    asked.until("cannot be started")
    asked.until_asked_again()
    asked.press("p")
    asked.until("GOT Proceed person '- A fact.'")


@needs_pty
def test_silence_is_answered_by_the_last_option(terminal):
    asked = terminal("{'timeout_s': 0.3}")
    asked.until("TERMINAL unchanged")
    assert "GOT Stop timeout '- A fact.'" in asked.screen


@needs_pty
def test_ctrl_c_leaves_the_terminal_as_it_was(terminal):
    asked = terminal()
    asked.until("edit the text")
    time.sleep(0.2)
    asked.process.send_signal(signal.SIGINT)
    asked.until("KeyboardInterrupt")
    assert "TERMINAL unchanged" in asked.screen and "GOT" not in asked.screen


def test_each_option_has_a_key_of_its_own():
    assert keys_for(("Proceed", "Publish", "edit", "Ü"), editable=True) == {
        "p": "Proceed", "u": "Publish", "d": "edit", "1": "Ü",
    }  # fmt: skip
    with pytest.raises(ValueError, match="no key left"):
        keys_for([f"{'a' * n}" for n in range(1, 13)], editable=False)


def test_with_nobody_at_a_terminal_the_stated_default_decides():
    source = "import asyncio; from workshop.controls import checkpoint; print(asyncio.run(checkpoint('Publish?')).by)"
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.stdout.endswith("headless\n") and "the headless answer" in done.stdout
