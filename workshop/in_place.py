"""In a browser's tab the programs of the on-call desk run in this Python, one after the other.

Installed, the desk runs a project's tests in a process of their own, so that nothing they do harms
the desk. A tab has no processes and is a sandbox itself. `put_in_place` replaces the one function
that starts a process. A program that never ends is ended here too, by a clock that looks at every
line of the project; a call into C that does not return is not.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import runpy
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PYTEST_OPTIONS = "--capture=sys -p no:faulthandler"
_SEEN: dict[str, tuple[int | None, str, str]] = {}
"""The status, output and errors of each program, by what it was and the files it ran on."""


class _TimeIsUp(BaseException):
    """Ends a program; no `except Exception` of the program catches it."""


class InPlace:
    """Looks like a `subprocess.Popen` of this Python; the program runs in `communicate`."""

    pid = -1

    def __init__(self, arguments: tuple[str, ...], folder: Path) -> None:
        self._arguments, self._folder = arguments, Path(folder)
        self.returncode: int | None = None

    def communicate(self, timeout: float = 60) -> tuple[str, str]:
        """Runs the program; returns what it wrote. Raises TimeoutExpired when it does not end.

        The same program on the same files is run once: a tab is slow, and the lessons ask often.
        """
        if self.returncode is not None:
            return "", ""
        asked = _content(self._arguments, self._folder)
        if asked not in _SEEN:
            output, errors = self._run(timeout)
            _SEEN[asked] = self.returncode, output, errors
        self.returncode, output, errors = _SEEN[asked]
        return output, errors

    def _run(self, timeout: float) -> tuple[str, str]:
        output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", "replace") for _ in range(2))
        with (
            _elsewhere(self._folder),
            _Clock(timeout, self._folder) as clock,
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            self.returncode = _run(self._arguments, self._folder, output)
        if clock.ended:
            raise subprocess.TimeoutExpired("python", timeout)
        return _text(output), _text(errors)

    def kill(self) -> None:
        """It has ended already."""
        self.returncode = -9


def _content(arguments: tuple[str, ...], folder: Path) -> str:
    """A hash of a program and of all files that it can see."""
    digest = hashlib.sha256(str(len(arguments)).encode())
    for argument in arguments:  # a file is its content: its folder has another name each time
        if len(argument) > 200 or not Path(argument).is_absolute():
            digest.update(argument.encode())
        elif Path(argument).is_file():
            digest.update(Path(argument).read_bytes())
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _text(stream: io.TextIOWrapper[io.BytesIO]) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode("utf-8", "replace")


def _run(arguments: tuple[str, ...], folder: Path, output: io.TextIOWrapper) -> int:
    """Runs `-c program`, `-m module …` or `file …`; returns the status with which it ended."""
    first, *rest = arguments
    try:
        if first == "-c":
            exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
        elif first == "-m":
            sys.argv = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            return _trials(folder, Path(rest[1]), output)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except Exception as problem:
        print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
        return 1
    return 0


def _trials(folder: Path, listed: Path, output: io.TextIOWrapper) -> int:
    """Tries variants of a file in turn, as `workshop/desks/trial.py` does in a process."""
    from workshop.desks.checkout import STUCK
    from workshop.desks.trial import outcome

    job = json.loads(listed.read_text(encoding="utf-8"))
    good = 0
    for variant in job["variants"][job["start"] :]:
        happened = ""
        with _Clock(job["seconds"], folder) as clock:
            happened = outcome(folder, variant, job)
        if clock.ended:
            return STUCK
        output.write(json.dumps(happened) + "\n")
        good += happened == "all tests pass"
        if good >= job["enough"]:
            break
    return 0


@contextlib.contextmanager
def _elsewhere(folder: Path) -> Iterator[None]:
    """Gives the block its own folder, arguments, paths, settings and modules, as a process has."""
    before = Path.cwd(), sys.argv, list(sys.path), dict(os.environ), set(sys.modules)
    written = sys.dont_write_bytecode
    os.chdir(folder)
    sys.argv, sys.dont_write_bytecode = [""], True
    sys.path.insert(0, str(folder))
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": PYTEST_OPTIONS}
    try:
        yield
    finally:
        os.chdir(before[0])
        sys.argv, sys.path[:], sys.dont_write_bytecode = before[1], before[2], written
        os.environ.clear()
        os.environ.update(before[3])
        for name in set(sys.modules) - before[4]:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]


class _Clock:
    """Ends what runs in a folder's code when its time is up; `ended` says whether it had to."""

    def __init__(self, seconds: float, folder: Path) -> None:
        self.ended = False
        self._ends, self._inside = time.monotonic() + seconds, str(folder)

    def __enter__(self) -> _Clock:
        self._before = sys.gettrace()
        sys.settrace(self._look)
        return self

    def __exit__(self, kind: type[BaseException] | None, *problem: object) -> bool:
        sys.settrace(self._before)
        return kind is _TimeIsUp

    def _look(self, frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(self._inside):
            return None
        frame.f_trace_opcodes = True  # `while True: pass` has no further lines
        if time.monotonic() > self._ends:
            self.ended = True  # pytest takes any exception for a test that fails
            raise _TimeIsUp
        return self._look


def put_in_place() -> None:
    """From now on the on-call desk starts no process."""
    from workshop.desks import checkout, incidents

    checkout.python = incidents.python = InPlace  # type: ignore[assignment]  # enough of a Popen
