"""Facts about the two boxes that strange code runs in: the grader's and the on-call desk's.

Neither package may import the other, so the command line of bwrap stands twice. What keeps code in has to be the same.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from classroom.grading import sandbox
from workshop.desks import checkout

SHOWN_TO_NOTEBOOKS = {"/etc/fonts"}
"""What a submission sees and a desk does not: notebooks draw charts."""
WALLS = [
    ["--unshare-all"],
    ["--die-with-parent"],
    ["--cap-drop", "ALL"],
    ["--proc", "/proc"],
    ["--dev", "/dev"],
]
"""What keeps code in, in both."""


def holds(command: list[str], words: list[str]) -> bool:
    return any(command[index : index + len(words)] == words for index in range(len(command)))


def test_both_boxes_show_the_same_files_of_the_system():
    assert {*sandbox.SYSTEM} - SHOWN_TO_NOTEBOOKS == {*checkout.SYSTEM}


def test_both_boxes_have_the_same_walls(tmp_path: Path):
    for command in (sandbox._bwrap(), checkout._box(tmp_path, ())):
        assert [wall for wall in WALLS if not holds(command, wall)] == []


def test_neither_box_leaves_its_code_in_the_session_of_a_terminal():
    """Code in the session of a terminal can type into it."""
    assert "--new-session" in sandbox._bwrap()
    assert "start_new_session=True" in inspect.getsource(checkout.python)


def test_both_boxes_bind_the_system_for_reading_only(tmp_path: Path):
    for command in (sandbox._bwrap(), checkout._box(tmp_path, ())):
        written = [command[index + 1] for index, word in enumerate(command) if word == "--bind"]
        assert not {*written} & {*sandbox.SYSTEM}
