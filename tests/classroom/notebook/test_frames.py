"""Facts about a traceback in a notebook: the learner's own lines stay, the workshop's are left out, `%tb` has all."""

from __future__ import annotations

import re
import traceback

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from classroom.notebook import cells, frames
from kernel import Corpus
from kernel.plumbing.search import CorpusError

TOOL = '''
from kernel import Handoff, Run, connect, tool

@tool
def count_words(text: str) -> str:
    """Count words."""
    return str(len(text.spilt()))
'''
CALL = "await Run(connect('offline')).dispatch(count_words, Handoff(intent='a b'))"


@pytest.fixture
def shell(monkeypatch):
    monkeypatch.setattr(cells, "interactive", lambda: True)
    shell = InteractiveShell()
    shell.run_line_magic("colors", "nocolor")
    cells.load_ipython_extension(shell)
    return shell


def shown(shell, *sources):
    """What the last of these cells prints."""
    for source in sources:
        with capture_output() as captured:
            shell.run_cell(source)
    return captured.stdout + captured.stderr


def test_a_bug_in_a_learners_tool_ends_with_that_tools_line(shell):
    text = shown(shell, TOOL, CALL)
    assert "/kernel/" not in text and "course's own code" in text
    assert text.index("dispatch(count_words") < text.index("text.spilt()")
    assert text.rindex("---->") < text.index("spilt()))") < text.rindex("has no attribute 'spilt'")


def test_tb_shows_every_frame(shell):
    assert (
        len(re.findall(r"kernel.core.(run|door|tools)\.py", shown(shell, TOOL, CALL, "%tb"))) >= 4
    )


def test_where_nobody_is_there_nothing_is_left_out(shell, monkeypatch):
    monkeypatch.setattr(cells, "interactive", lambda: False)
    text = shown(shell, TOOL, CALL)
    assert re.search(r"kernel.core.run\.py", text) and "left out" not in text.lower()


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("def f(:", "invalid syntax"),
        ("  x = 1\n y = 2", "IndentationError"),
        ("%nosuch", "not found"),
        ("raise ExceptionGroup('two', [ValueError(1)])", "ValueError: 1"),
        ("try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('v') from e", "KeyError"),
        ("from kernel import Run\nRun.dispatch()", "missing"),
    ],
)
def test_other_errors_look_as_ipython_shows_them(source, seen, shell):
    text = shown(shell, source)
    plain = InteractiveShell()
    plain.run_line_magic("colors", "nocolor")
    assert seen in text
    assert re.sub(r"input-\d+-\w+", "", text) == re.sub(r"input-\d+-\w+", "", shown(plain, source))


def test_what_our_own_code_refuses_keeps_the_line_that_refuses():
    try:
        Corpus("/nowhere")
    except CorpusError as problem:
        whole, last = problem.__traceback__, traceback.extract_tb(problem.__traceback__)[-1]
        assert last.filename.endswith("search.py")
        with frames.without_ours(problem):
            assert [frame.filename for frame in traceback.extract_tb(problem.__traceback__)] == [
                __file__,
                last.filename,
            ]
        assert problem.__traceback__ is whole and not hasattr(problem, "__notes__")
