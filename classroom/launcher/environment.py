"""The environment: makes `.venv` and goes on inside it, with the standard library alone.

What `.venv` holds is written down in a stamp, `.venv/NAME.json`, as the last step: a set-up that
was interrupted is taken up at the next start. What cannot be used is named with its repair: the
folder is deleted, by whoever owns it.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from classroom.course import active

ARRIVED = "ARRIVED"
"""Set while going inside: the environment was checked a moment ago, and a second jump would be a
loop. Like the next one, it has the course's key in front, as in WORKSHOP_ARRIVED.
"""
OWN_PYTHON = "NO_VENV"
"""Set to 1 where the current Python already has everything (Binder, Colab, an environment of your
own).
"""

Runner = Callable[[list[str], Path], tuple[int, str]]
"""Runs a command in a folder; returns its exit status and everything it wrote."""


class SetupFailed(Exception):
    """The environment could not be made. The message is for the person who waits: what failed, what
    to do.
    """


@dataclass(frozen=True)
class Environment:
    """The environment that belongs to one copy of the repository."""

    root: Path

    @property
    def folder(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def stamp_file(self) -> Path:
        return self.folder / f"{active().key}.json"

    @property
    def is_current(self) -> bool:
        """True if this very process runs inside it."""
        return Path(sys.prefix).resolve() == self.folder.resolve()

    def read_stamp(self) -> dict | None:
        """The stamp; None when there is none, {} when it cannot be read."""
        try:
            stamp = json.loads(self.stamp_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def write_stamp(self, *, python: str, installed: Mapping[str, str]) -> None:
        """Replace the stamp in one step: a reader sees the old one or the new one."""
        stamp = {
            "root": str(self.root),
            "python": python,
            "installed": dict(installed),  # requirement file → its digest
        }
        draft = self.stamp_file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")
        os.replace(draft, self.stamp_file)

    def packages_folders(self) -> list[Path]:
        """The folders of its packages."""
        return [
            *self.folder.glob("lib/python3.*/site-packages"),
            *self.folder.glob("Lib/site-packages"),
        ]


def settle(argv: list[str], files: tuple[str, ...]) -> None:
    """Return only inside an environment in which the requirement `files` are installed.

    Outside of it, makes or completes it and starts the command ARGV there. Raises SetupFailed. A
    course without an environment of its own runs in the Python that it was started with.
    """
    course = active()
    if not course.makes_environment or has_own_python():
        return
    env = Environment(course.root)
    arrived = os.environ.pop(course.variable(ARRIVED), "")
    if arrived and env.is_current:
        return
    prepare(env, files)
    if env.is_current:
        return
    if arrived:
        raise SetupFailed(
            f"{env.python} runs, but not as the environment in {env.folder}. Delete that folder,"
            " start again."
        )
    environ = {**child_environ(env, os.environ), course.variable(ARRIVED): "1"}
    become([str(env.python), "-m", course.package, *argv], environ)


def has_own_python() -> bool:
    """True if the user has declared that this Python has everything."""
    return os.environ.get(active().variable(OWN_PYTHON), "") not in ("", "0")


def child_environ(env: Environment, environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` for a process inside: its programs first, bytecode kept, loopback not through a
    proxy.
    """
    child = {
        name: value
        for name, value in environ.items()
        if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONHOME")
    }
    child["VIRTUAL_ENV"] = str(env.folder)
    child["PATH"] = os.pathsep.join([str(env.python.parent), environ.get("PATH", os.defpath)])
    if any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") for name in environ):
        known = environ.get("NO_PROXY") or environ.get("no_proxy") or ""
        child["NO_PROXY"] = child["no_proxy"] = ",".join(
            filter(None, [known, "localhost,127.0.0.1,::1"])
        )
    return child


def become(command: list[str], environ: Mapping[str, str], folder: Path | None = None) -> NoReturn:
    """Go on as `command`: on POSIX in this process, on Windows in a child whose exit status is
    passed on.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if folder:
        os.chdir(folder)
    if os.name != "nt":
        os.execve(command[0], command, dict(environ))
    child = subprocess.Popen(command, env=dict(environ))
    while True:
        try:
            sys.exit(child.wait())
        except KeyboardInterrupt:
            continue  # Ctrl-C reaches the child as well: it decides how to end


# ---------------------------------------------------------------- is it good?


def damage(env: Environment, run: Runner) -> str:
    """Returns the reason why the environment cannot be used, "" when it can."""
    if not (env.folder / "pyvenv.cfg").is_file() or not env.python.exists():
        return "it has no Python"
    python = python_of(env, run)
    if not python:
        return "its Python does not start"
    if tuple(int(part) for part in python.split(".")) < (3, 11):
        return f"its Python is {python}, 3.11 or newer is needed"
    stamp = env.read_stamp()
    if stamp is None:  # made by somebody else: it is completed
        return ""
    if not isinstance(stamp.get("installed"), dict):
        return "its stamp cannot be read"
    if stamp.get("root") != str(env.root):
        return "the folder was moved or copied"
    if stamp.get("python") != python:
        return f"its Python changed from {stamp.get('python')} to {python}"
    return ""


def repair(env: Environment, reason: str) -> str:
    """Returns a sentence that says what is wrong with an environment, and how it is made again."""
    delete = f'rmdir /s /q "{env.folder}"' if os.name == "nt" else f"rm -rf '{env.folder}'"
    return f"The environment in .venv cannot be used: {reason}. Delete it ({delete}), start again."


def python_of(env: Environment, run: Runner) -> str:
    """The version of the environment's Python, like "3.12"; "" when it does not start."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    status, output = run([str(env.python), "-I", "-S", "-c", ask], env.root)
    found = re.search(r"^(\d+\.\d+)\s*$", output, re.MULTILINE)
    return found[1] if found and not status else ""


def due(env: Environment, files: tuple[str, ...]) -> dict[str, str]:
    """The requirement files to install, each with its reason."""
    installed = (env.read_stamp() or {"installed": {}})["installed"]
    reasons = {}
    for name in files:
        if name not in installed:
            reasons[name] = f"{name} is not installed yet"
        elif installed[name] != digest(env.root / name):
            reasons[name] = f"{name} has changed"
    return reasons


def digest(requirements: Path) -> str:
    """The SHA-256 of a requirement file, whatever its line ends."""
    return hashlib.sha256(requirements.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def unmet(requirements: Path) -> list[str]:
    """Returns the requirements that the packages of this Python fail, in words.

    Lines with a marker (`; sys_platform == …`), with an option (`-e .`) or with a URL are not
    judged.
    """
    wrong = []
    for line in requirements.read_text(encoding="utf-8").splitlines():
        found = re.fullmatch(
            r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:(==)\s*([\w.+!-]+)|[<>~!=].*)?",
            line.split("#")[0].strip(),
        )
        if not found or ";" in line:
            continue
        name, exactly, version = found.groups()
        have = next((d.version for d in importlib.metadata.distributions(name=name)), None)
        if have is None:
            wrong.append(f"{name} is missing")
        elif exactly and re.sub(r"(\.0)+$", "", have) != re.sub(r"(\.0)+$", "", version):
            wrong.append(f"{name} is {have} instead of {version}")
    return wrong


# ---------------------------------------------------------------- make it good


def _unattended(folder: Path) -> dict[str, Any]:
    """Returns the arguments of a command in `folder`: no input, all its output in one pipe, and no
    variable that would change another Python.
    """
    unwanted = ("PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    return {
        "cwd": folder,
        "env": {name: value for name, value in os.environ.items() if name not in unwanted},
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
    }


def run_quietly(command: list[str], folder: Path) -> tuple[int, str]:
    """Run `command` in `folder` without showing anything; returns exit status and output."""
    try:
        done = subprocess.run(command, **_unattended(folder))
    except OSError as error:
        return 127, f"{command[0]}: {error}"
    return done.returncode, done.stdout.decode("utf-8", "replace")


PROGRESS_S = 5


class SetUpProgress:
    """Runs commands of a set-up like `run_quietly`; every few seconds a line says how far it is:
    the seconds since the set-up began, and how many packages are fetched and installed.
    """

    def __init__(
        self,
        env: Environment,
        say: Callable[[str], None] = lambda line: print(line, flush=True),
        every_s: float = PROGRESS_S,
    ) -> None:
        self._env, self._say, self._every_s = env, say, every_s
        self._began = time.monotonic()
        self._fetched = 0

    def __call__(self, command: list[str], folder: Path) -> tuple[int, str]:
        try:
            child = subprocess.Popen(command, **_unattended(folder))
        except OSError as error:
            return 127, f"{command[0]}: {error}"
        ended = threading.Event()

        def report() -> None:
            while not ended.wait(self._every_s):
                seconds = time.monotonic() - self._began
                self._say(f"  … {seconds:.0f} s{self._packages()}")

        reporter = threading.Thread(target=report, daemon=True)
        reporter.start()
        lines: list[str] = []
        try:
            with child:
                for line in child.stdout or ():
                    lines.append(line.decode("utf-8", "replace"))
                    self._fetched += lines[-1].startswith(
                        ("Collecting ", "Processing ", "Downloaded ")
                    )
        finally:
            ended.set()
            reporter.join()
        return child.returncode, "".join(lines)

    def _packages(self) -> str:
        """Counts packages; pip says nothing while it installs them."""
        if not self._fetched:
            return ""
        folders = self._env.packages_folders()
        installed = sum(1 for folder in folders for _ in folder.glob("*.dist-info"))
        return f", {self._fetched} packages fetched, {installed} installed"


def prepare(
    env: Environment,
    files: tuple[str, ...],
    *,
    run: Runner | None = None,
    say: Callable[[str], None] = lambda line: print(line, flush=True),
    which: Callable[[str], str | None] = shutil.which,
) -> None:
    """Make `env` or complete it, until the requirement `files` are installed.

    `run`, `say` and `which` are there for the tests. Raises SetupFailed.
    """
    for name in files:
        if not (env.root / name).is_file():
            raise SetupFailed(
                f"{env.root} has no {name}: run this from a complete copy of the repository."
            )
    with one_at_a_time(env.root / files[0], say):
        try:
            _prepare(env, files, run or SetUpProgress(env, say), say, which("uv"))
        except OSError as error:
            raise SetupFailed(
                f"Setting up {env.folder} failed: {in_words(str(error), env.root)}"
            ) from error


def _prepare(
    env: Environment, files: tuple[str, ...], run: Runner, say: Callable, uv: str | None
) -> None:
    exists = os.path.lexists(env.folder)
    if exists and (reason := damage(env, run)):
        raise SetupFailed(repair(env, reason))
    reasons = due(env, files) if exists else dict.fromkeys(files, "")
    if not reasons:
        return
    started = time.monotonic()
    if exists:
        say(f"Updating the environment ({'; '.join(reasons.values())}) …")
    else:
        say(f"Setting up (once, {'some seconds' if uv else 'about a minute'}) …")
        create(env, uv, run)
    install(env, list(reasons), uv, run)
    say(f"Ready after {time.monotonic() - started:.0f} s.")


def create(env: Environment, uv: str | None, run: Runner) -> None:
    """Make an empty environment, with uv or else with venv. Raises SetupFailed."""
    base = getattr(sys, "_base_executable", "") or sys.executable
    by_uv = [uv or "", "venv", "--no-project", "--seed", "--python", base, str(env.folder)]
    if uv and run(by_uv, env.root)[0] == 0:
        return
    # The base interpreter has the same standard library as this one, so its gaps can be seen from
    # here.
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise SetupFailed(
            "This Python cannot make environments: its venv module is not complete. Run `sudo apt"
            f" install python{version}-venv` (Debian, Ubuntu), or install uv, and start again."
        )
    status, output = run([base, "-I", "-m", "venv", "--clear", str(env.folder)], env.root)
    if status:
        reason = in_words(output, env.root)
        shutil.rmtree(env.folder, ignore_errors=True)
        raise SetupFailed(f"Making the environment failed: {reason}")


def install(env: Environment, names: list[str], uv: str | None, run: Runner) -> None:
    """Install requirement files and the project, and stamp the environment. Raises SetupFailed.

    A lock names all that is needed, so nothing is resolved; its hashes are those of one index, and
    others (a mirror that builds its own wheels) have other files of the same versions.
    """
    python = python_of(env, run)
    if not python:
        raise SetupFailed(repair(env, "its Python does not start"))
    before = env.read_stamp()
    installed = dict(before["installed"]) if before else {}
    locks = [name for name in names if name.endswith(".lock")]
    steps = [["-r", name] for name in names if name not in locks]
    if locks:
        pins = env.folder / "pins.txt"
        pins.write_text("\n".join(pins_of(env.root, locks)), encoding="utf-8")
        steps.insert(0, ["--no-deps", "-r", str(pins), "-e", "."])
    for step in steps:
        output = _install(env, step, uv, run)
        if output is not None:
            raise SetupFailed(f"Installing the packages failed: {in_words(output, env.root)}")
    fresh = {name: digest(env.root / name) for name in names}
    env.write_stamp(python=python, installed={**installed, **fresh})


def pins_of(root: Path, locks: list[str]) -> list[str]:
    """The requirements of some locks, each once, without hashes."""
    text = "\n".join((root / name).read_text(encoding="utf-8") for name in locks)
    return sorted({found.strip() for found in re.findall(r"^([a-z0-9][^\\\n]*)", text, re.M)})


def _install(env: Environment, arguments: list[str], uv: str | None, run: Runner) -> str | None:
    """Install with uv or else with pip; returns None, or what the installer said when it failed."""
    by_uv = [uv or "", "pip", "install", "--python", str(env.python), *arguments]
    if uv and run(by_uv, env.root)[0] == 0:
        return None
    # pip may succeed where uv fails: the two read different settings for mirrors and proxies.
    pip = [str(env.python), "-I", "-m", "pip"]
    if run([*pip, "--version"], env.root)[0]:
        status, output = run([str(env.python), "-I", "-m", "ensurepip"], env.root)
        if status:
            return output
    options = ["--disable-pip-version-check", "--no-input", "--retries", "2"]
    status, output = run([*pip, "install", *options, *arguments], env.root)
    return output if status else None


FULL_DISK_BYTES = 50_000_000
CAUSES = (
    (
        ("no space left", "disk quota", "not enough space"),
        "the disk is full. Free 1 GB and start again.",
    ),
    (
        ("read-only file system", "permission denied", "access is denied"),
        "the folder cannot be written. Copy the repository to a folder of your own and start "
        "again.",
    ),
    (
        ("certificate_verify_failed", "invalid peer certificate", "unknownissuer"),
        "the package index's certificate is not trusted, perhaps because a proxy opens the "
        "connection. Point SSL_CERT_FILE and PIP_CERT to your network's certificate and start "
        "again.",
    ),
    (
        (
            "name resolution",
            "name or service not known",
            "getaddrinfo",
            "dns error",
            "timed out",
            "timeout",
            "failed to establish a new connection",
            "connection refused",
            "connection reset",
            "network is unreachable",
            "error sending request",
            "failed to fetch",
            "tunnel connection failed",
            "proxyerror",
            "connecterror",
        ),
        "the package index cannot be reached. Connect this machine to the network (or set "
        "PIP_INDEX_URL, for uv UV_INDEX_URL, to a mirror) and start again.",
    ),
)


def in_words(output: str, root: Path) -> str:
    """Returns the meaning of an installer's output: a sentence with its remedy, or its last
    lines.
    """
    low = output.lower()
    if shutil.disk_usage(root).free < FULL_DISK_BYTES:
        low += CAUSES[0][0][0]  # tools in between often swallow the message
    for signs, words in CAUSES:
        if any(sign in low for sign in signs):
            return words
    lines = [line for line in output.splitlines() if line.strip()]
    return (
        "\n    ".join(["last lines of its output:", *lines[-12:]])
        if lines
        else "it said nothing. Start again."
    )


@contextmanager
def one_at_a_time(file: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold a lock on `file` (an existing one, so that nothing is left behind): two starts do not
    mix.

    The system frees it when the process ends, however that ends. Where locks do not exist it does
    nothing.
    """
    try:
        descriptor = os.open(file, os.O_RDWR)
    except OSError:  # read-only: whoever writes next says so
        descriptor = None
    try:
        reported = False
        while descriptor is not None and not _lock(descriptor):
            if not reported:
                say("Another start is setting up; waiting for it …")
                reported = True
            time.sleep(0.2)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Try to lock an open file; False when another process holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(
                descriptor, 1 << 30, os.SEEK_SET
            )  # beyond the end: nobody's reading is blocked
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass  # a file system without locks
    return True
