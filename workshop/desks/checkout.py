"""A project's folder as a desk may use it: paths stay inside, and code runs only in a process of
its own, on a copy, and in a box where the machine has one.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath, PureWindowsPath

from kernel.core.contract import ToolError

TEXT = (".py", ".toml", ".json", ".jsonl", ".md", ".txt", ".cfg", ".ini")
"""Endings of the files that a desk reads."""
TRIAL = Path(__file__).with_name("trial.py")
PYTEST = ("-q", "-p", "no:cacheprovider", "--no-header")
CONFIGURED = ("pytest.ini", "pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")
"""Without one of these pytest would look for its settings in the folders above the copy."""
STUCK = 9
"""The status with which a trial ends that takes too long."""
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/lib32",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
)
"""The paths of the machine that code in a box sees, besides Python and its own folder."""
BOX_S = 30.0
"""Seconds that the first start of a box may take."""
KEPT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH")
"""The variables of the environment that a child inherits: keys and tokens stay here."""


@dataclass(frozen=True)
class Ended:
    """The end of a child process; `status` is None when it was stopped at the time limit."""

    status: int | None
    output: str
    errors: str


@dataclass(frozen=True)
class Checkout:
    """A project's folder.

    folder:  the project; it is read, never written.
    seconds: the time limit of one run of all tests.
    trial_seconds: the time limit of one edit that is tried.
    """

    folder: Path
    seconds: float = 60
    trial_seconds: float = 5

    @property
    def root(self) -> Path:
        return Path(self.folder).resolve()

    def files(self) -> list[str]:
        """The text files, as paths from the folder, in order. Hidden files, caches and links are
        left out.
        """
        found = []
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            hidden = any(part.startswith((".", "__pycache__")) for part in name.split("/"))
            linked = path.is_symlink() or not path.resolve().is_relative_to(self.root)
            if path.suffix in TEXT and path.is_file() and not hidden and not linked:
                found.append(name)
        return found

    def inside(self, path: str) -> Path:
        """The file of that path. Raises ToolError for a path that leads outside, or to no text file
        of the project.
        """
        if (
            PurePosixPath(path).is_absolute()
            or PureWindowsPath(path).drive
            or path.startswith("\\")
        ):
            raise ToolError(
                f"{path!r} is an absolute path; give one from the project's folder, such as"
                f" {self._example()}"
            )
        if ".." in PurePosixPath(path.replace("\\", "/")).parts:
            raise ToolError(
                f"{path!r} leads out of the project's folder; only files inside it may be used"
            )
        name = PurePosixPath(path.replace("\\", "/")).as_posix()
        if name not in self.files():
            if (self.root / name).is_symlink():
                raise ToolError(f"{path!r} is a link; only the project's own files may be used")
            raise ToolError(
                f"there is no file {path!r}; the files are: {', '.join(self.files()) or 'none'}"
            )
        return self.root / name

    def _example(self) -> str:
        return repr(next(iter(self.files()), "README.md"))

    def text(self, path: str) -> str:
        """A file's text; bytes that are not UTF-8 are shown as a replacement character."""
        return self.inside(path).read_text(encoding="utf-8", errors="replace")

    @contextmanager
    def copy(self, changed: dict[str, str] | None = None) -> Iterator[Path]:
        """A copy of the project in a temporary folder, with some files changed; deleted at
        the end.
        """
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
            copy = Path(temporary).resolve() / "project"
            shutil.copytree(
                self.root, copy, ignore=shutil.ignore_patterns("__pycache__", ".*"), symlinks=True
            )
            for path in [entry for entry in copy.rglob("*") if entry.is_symlink()]:
                path.unlink()
            if not any((copy / name).exists() for name in CONFIGURED):
                (copy / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
            for name, text in (changed or {}).items():
                (copy / name).write_text(text, encoding="utf-8")
            yield copy

    async def tests(
        self,
        only: tuple[str, ...] = (),
        changed: dict[str, str] | None = None,
        traceback: str = "short",
    ) -> str:
        """pytest's output for a copy of the project. Raises ToolError when the tests do not end."""
        with self.copy(changed) as copy:
            arguments = ("-m", "pytest", *PYTEST, f"--tb={traceback}", *only)
            ended = await run_python(arguments, copy, self.seconds)
        if ended.status is None:
            raise ToolError(
                f"the tests were stopped after {self.seconds:g} s; something in them does not end"
            )
        if "no tests ran" in ended.output or not ended.output.strip():
            raise ToolError(f"no test ran: {(ended.errors or ended.output).strip()[-500:]}")
        return ended.output

    async def trials(
        self, path: str, edits: list[tuple[int, str]], tests: list[str], enough: int
    ) -> list[str]:
        """Tries edits, each (line, new text of the line), alone on a copy: the named tests first,
        then all.

        Returns what happened to each in order; shorter than `edits` when `enough` of them pass all
        tests.
        """
        source = self.text(path)
        variants = [replaced(source, line, new) for line, new in edits]
        job = {
            "path": path,
            "variants": variants,
            "tests": tests,
            "seconds": self.trial_seconds,
            "enough": enough,
        }
        outcomes: list[str] = []
        with self.copy() as copy:
            listed = copy.parent / "job.json"
            while len(outcomes) < len(edits) and outcomes.count("all tests pass") < enough:
                # a child is replaced after an edit that does not end: a thread cannot be stopped, a
                # process can
                start, left = len(outcomes), len(edits) - len(outcomes)
                missing = enough - outcomes.count("all tests pass")
                listed.write_text(
                    json.dumps(job | {"start": start, "enough": missing}), encoding="utf-8"
                )
                arguments = (str(TRIAL), str(copy), str(listed))
                ended = await run_python(arguments, copy, self.seconds + left * self.trial_seconds)
                outcomes += [json.loads(line) for line in ended.output.splitlines()]
                finished = len(outcomes) == len(edits) or outcomes.count("all tests pass") >= enough
                if not finished:
                    stuck = ended.status in (STUCK, None)
                    outcomes.append("does not end" if stuck else "ends the process")
        return outcomes

    def diff(self, path: str, new_text: str) -> str:
        """The change of one file as a unified diff."""
        before, after = (text.splitlines(keepends=True) for text in (self.text(path), new_text))
        lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


def replaced(source: str, line: int, new: str) -> str:
    """The text with one line (counted from 1) replaced. Raises ToolError for a line that is not
    there.
    """
    rows = source.split("\n")
    if not 1 <= line <= len(rows):
        raise ToolError(f"there is no line {line}; the file has lines 1 to {len(rows)}")
    rows[line - 1] = new.rstrip("\n")
    return "\n".join(rows)


def patched(source: str, diff: str) -> str:
    """The text with a unified diff of this one file applied. Raises ValueError when the diff does
    not fit the text.
    """
    rows, made, place = source.splitlines(keepends=True), [], 0
    for line in diff.splitlines(keepends=True):
        if line.startswith("@@"):
            start = int(line.split()[1].split(",")[0].lstrip("-")) - 1
            made += rows[place:start]
            place = start
        elif line.startswith("+") and not line.startswith("+++ "):
            made.append(line[1:])
        elif line.startswith((" ", "-")) and not line.startswith("--- "):
            if place >= len(rows) or rows[place].rstrip("\n") != line[1:].rstrip("\n"):
                raise ValueError(
                    f"the diff does not fit the file at line {place + 1}: it expects"
                    f" {line[1:].rstrip()!r}"
                )
            made += rows[place : place + 1] if line.startswith(" ") else []
            place += 1
    return "".join(made + rows[place:])


def patched_files(shop: Checkout, diff: str) -> dict[str, str]:
    """The files that a unified diff changes, with their new text. Nothing is written.

    Raises ValueError for a diff that does not fit, ToolError for a file that is not the project's.
    """
    found = {}
    for piece in re.split(r"^(?=--- )", diff, flags=re.M):
        named = re.search(r"^\+\+\+ b/(.+)", piece, re.M)
        if named:
            found[named[1]] = patched(shop.text(named[1]), piece)
    return found


def python(arguments: tuple[str, ...], folder: Path) -> subprocess.Popen[str]:
    """Starts this Python on `arguments` in `folder`, without keys.

    It runs in a box where the machine has one (see `unboxed`): there it sees the system, Python,
    the files that `arguments` names by their absolute paths, and `folder`, the one place that it
    can change; it has no network. Elsewhere it is cut off from the network where that is possible.
    """
    boxed = not unboxed()
    prefix = _box(folder, arguments) if boxed else _without_network()
    return subprocess.Popen(
        [*prefix, sys.executable, *arguments],
        cwd=folder,
        env=_environment(boxed),
        text=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _environment(boxed: bool) -> dict[str, str]:
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    if boxed:
        environment |= {"HOME": "/tmp", "TMPDIR": "/tmp"}
    return environment | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
    }


@cache
def unboxed() -> str:
    """Returns the reason that a project's code runs here without a box, as the user: it could then
    change and read whatever the user can. Empty when it runs in one.
    """
    if not sys.platform.startswith("linux"):
        return f"there is no box for {sys.platform}, only for Linux"
    if shutil.which("bwrap") is None:
        return "the program bwrap is not installed; install the package bubblewrap"
    with tempfile.TemporaryDirectory() as temporary:
        command = [*_box(Path(temporary), ()), sys.executable, "-c", "import pytest"]
        try:
            done = subprocess.run(
                command,
                env=_environment(boxed=True),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=BOX_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"bwrap did not start in {BOX_S:g} s"
    message = " ".join(done.stderr.split())[-200:]
    return f"bwrap does not start here: {message}" if done.returncode else ""


def _box(folder: Path, arguments: tuple[str, ...]) -> list[str]:
    """The command line of bwrap (https://github.com/containers/bubblewrap) around a command."""
    command = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent"]
    command += ["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in SYSTEM:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            command += ["--ro-bind", path, path]
    named = [each for each in arguments if Path(each).is_absolute() and Path(each).is_file()]
    for path in dict.fromkeys([sys.prefix, sys.base_prefix, *named]):
        if not Path(path).is_relative_to("/usr"):
            command += ["--ro-bind", path, path]
    return [*command, "--bind", str(folder), str(folder), "--chdir", str(folder)]


async def run_python(arguments: tuple[str, ...], folder: Path, seconds: float) -> Ended:
    """Runs this Python and waits for its end, no longer than `seconds`; a caller that is cancelled
    ends it.
    """
    process = python(arguments, folder)
    try:
        output, errors = await asyncio.to_thread(process.communicate, timeout=seconds)
        return Ended(process.returncode, output, errors)
    except subprocess.TimeoutExpired:
        _kill(process)
        output, errors = await asyncio.to_thread(process.communicate)
        return Ended(None, output, errors)
    except asyncio.CancelledError:
        _kill(process)
        raise


def _kill(process: subprocess.Popen[str]) -> None:
    """Ends a process and, on POSIX, what it started."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.kill()


@cache
def _without_network() -> tuple[str, ...]:
    """The command that starts a process without a network: `unshare` on a Linux that allows it,
    else nothing.
    """
    command = ("unshare", "--user", "--map-current-user", "--net")
    if not sys.platform.startswith("linux") or not shutil.which(command[0]):
        return ()
    done = subprocess.run([*command, "true"], capture_output=True, timeout=10, check=False)
    return command if done.returncode == 0 else ()
