"""Lesson 24: plays the ports in processes of their own against the offline model's server."""

from __future__ import annotations

import ast
import datetime
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kernel.core.team import REVIEWER, WRITER
from offline_model import Answer, OfflineAPI, Server, Temperament
from offline_model.api.forced import answered
from offline_model.reader.reader import answer
from workshop.material.port_rows import ENVIRONMENT, FOLDER, PORTS, TASK, Port, PortRow

BUG = "hit.documnet"
"""The typo in desk.py that a traceback or a log should show."""
PASSED_ON = "PATH SYSTEMROOT TEMP TMP TMPDIR LANG PYTHONPATH PYTHONHASHSEED"
"""The only variables of the environment that a port gets: no key, no proxy, and not your home."""
QUIET = {
    "PYTHONUTF8": "1",
    "ANTHROPIC_API_KEY": "offline",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "LANGSMITH_TRACING": "false",
}
PATIENCE_S = 180
"""A port that takes longer is ended."""
MEETING_S = 1
"""The first of two handoffs waits so long for the second to begin."""
OURS = Path(sysconfig.get_paths()["purelib"])


# ── what is installed ─────────────────────────────────────────────────────────────────────────


def pins() -> dict[str, str]:
    """The versions in requirements.txt."""
    found: dict[str, str] = {}
    text = (FOLDER / "requirements.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            name = canonicalize_name(requirement.name)
            found[name] = str(requirement.specifier).removeprefix("==")
    return found


def python_of(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    windows = environment / "Scripts" / "python.exe"
    return windows if os.name == "nt" else environment / "bin" / "python"


def packages_of(environment: Path) -> Path:
    """Returns the folder of a virtual environment's packages."""
    windows = environment / "Lib" / "site-packages"
    return next(environment.glob("lib/python*/site-packages"), windows)


def python_for(port: Port) -> Path | None:
    """The Python that has what a port needs, in the pinned versions; None where none has it."""
    if port.name == "kernel":
        return Path(sys.executable)
    if not port.shipped:
        return None
    places = {
        python_of(ENVIRONMENT): packages_of(ENVIRONMENT),
        Path(sys.executable): OURS,
    }
    needed = _names(port.needs)
    pinned = {name: version for name, version in pins().items() if name in needed}
    for python, site in places.items():
        installed = _installed(site)
        versions = {name: package.version for name, package in installed.items()}
        if all(versions.get(name) == version for name, version in pinned.items()):
            return python
    return None


def pythons() -> dict[str, Path]:
    """For each port whose packages are installed, the Python that has them."""
    found = {name: python_for(port) for name, port in PORTS.items()}
    return {name: python for name, python in found.items() if python}


def _names(requirements: Iterable[str]) -> list[str]:
    return [str(canonicalize_name(Requirement(each).name)) for each in requirements]


def _installed(site: Path) -> dict[str, Distribution]:
    found = distributions(path=[str(site)]) if site.is_dir() else ()
    return {_name(package): package for package in found}


def _name(package: Distribution) -> str:
    return str(canonicalize_name(package.metadata["Name"]))


def with_dependencies(needs: Iterable[str], site: Path) -> list[Distribution]:
    """The packages that are needed, and those that these need."""
    installed = _installed(site)
    seen: dict[tuple[str, str], None] = {}
    waiting = [Requirement(need) for need in needs]
    while waiting:
        requirement = waiting.pop()
        name = str(canonicalize_name(requirement.name))
        for extra in ("", *sorted(requirement.extras)):
            if name not in installed or (name, extra) in seen:
                continue
            seen[name, extra] = None
            for line in installed[name].requires or ():
                further = Requirement(line)
                if further.marker is None or further.marker.evaluate({"extra": extra}):
                    waiting.append(further)
    names = sorted({name for name, _ in seen})
    return [installed[name] for name in names]


def megabytes(packages: Iterable[Distribution]) -> float:
    """Returns the size of packages on the disk, without compiled Python."""
    paths = set()
    for package in packages:
        for file in package.files or ():
            paths.add(Path(str(file.locate())))
    total = 0
    for path in paths:
        if path.is_file() and path.suffix != ".pyc":
            total += path.stat().st_size
    return round(total / 1e6, 1)


# ── what a server and a clock see ─────────────────────────────────────────────────────────────


class Meeting:
    """A turn of the supervisor with two handoffs to the writer, and whether both were under way at
    once."""

    def __init__(self) -> None:
        self.came_together = False
        self._both = threading.Barrier(2, timeout=MEETING_S)

    def answer(self, request: dict[str, Any]) -> Answer | None:
        """The two handoffs, for the first request of the supervisor. A request of the writer waits
        for the other one."""
        if WRITER.strip() in _system(request):
            self._meet()
            return None
        names = [tool["name"] for tool in request.get("tools") or ()]
        writer = next((name for name in names if name.endswith("handoff_to_writer")), "")
        if not writer or any(turn["role"] == "assistant" for turn in request["messages"]):
            return None
        orders = [{"intent": f"Write a brief on {topic}"} for topic in ("tea", "coffee")]
        return Answer.call([(writer, order) for order in orders], "two topics")

    def _meet(self) -> None:
        if not (self.came_together or self._both.broken):
            with suppress(threading.BrokenBarrierError):
                self._both.wait()
                self.came_together = True


class Watched(OfflineAPI):
    """An offline API that notes each request for a message: the request, the status, the reply."""

    def __init__(self) -> None:
        super().__init__(answer=self._by_the_meeting)
        self.calls: list[tuple[dict[str, Any], int, dict[str, Any]]] = []
        self.meeting: Meeting | None = None

    def _by_the_meeting(self, request: dict[str, Any], temperament: Temperament) -> Answer:
        arranged = self.meeting.answer(request) if self.meeting else None
        return arranged or answered(request, temperament, answer)

    def handle(self, method: str, path: str, headers: Any, body: bytes = b"") -> Any:
        response = super().handle(method, path, headers, body)
        if path.startswith("/v1/messages") and method == "POST":
            if isinstance(response.body, bytes):
                reply = json.loads(response.body or b"{}")
            else:
                reply = _first_event(response.body)
            self.calls.append((json.loads(body), response.status, reply))
        return response

    @property
    def refused(self) -> list[dict[str, Any]]:
        return [reply["error"] for _, status, reply in self.calls if status != 200]


def _first_event(events: Iterable[bytes]) -> dict[str, Any]:
    """The message as a stream begins it: it has the input tokens, and no content yet."""
    for line in b"".join(events).splitlines():
        if line.startswith(b"data:"):
            return json.loads(line.removeprefix(b"data:")).get("message", {})
    return {}


@contextmanager
def watching() -> Iterator[tuple[Watched, str]]:
    """An API that notes what it is asked, and its address on this machine."""
    api = Watched()
    with Server(api) as url:
        yield api, url


def verdict_by(api: Watched) -> str:
    """Names the way in which a port asks its reviewer for a typed answer, as its requests show."""
    for request, status, _ in api.calls:
        if status != 200 or REVIEWER.strip() not in _system(request):
            continue
        config = request.get("output_config") or {}
        if "format" in config:
            return "schema"
        choice = request.get("tool_choice") or {}
        if choice.get("type") in ("any", "tool"):
            return "forced tool"
        return "offered tool" if request.get("tools") else "words"
    return ""


def _system(request: dict[str, Any]) -> str:
    system = request.get("system") or ""
    if isinstance(system, str):
        return system
    return "".join(block["text"] for block in system)


class Player:
    """A port in a process of its own; `with Player(port, python, url) as player: player.play()`."""

    def __init__(self, port: Port, python: Path, url: str) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="port-", ignore_cleanup_errors=True)
        home = self._home.name
        environment = {name: os.environ[name] for name in PASSED_ON.split() if name in os.environ}
        environment |= QUIET
        environment["HOME"] = home
        environment["USERPROFILE"] = home
        environment["ANTHROPIC_BASE_URL"] = url
        self._log = Path(home, "log.txt")
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [str(python), str(FOLDER / "play.py"), port.module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
                env=environment,
                cwd=home,
            )
        self._watchdog = threading.Timer(PATIENCE_S, self._process.kill)
        self._watchdog.daemon = True

    def __enter__(self) -> Player:
        self._watchdog.start()
        return self

    def __exit__(self, *_: Any) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._watchdog.cancel()
        self._home.cleanup()

    def answer(self) -> dict[str, Any]:
        """The next line that the port answers. Raises RuntimeError with its log where it ended."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the port ended before it answered:\n{self.log()[-2000:]}")
        return json.loads(line)

    def play(self, *, bug: bool = False) -> dict[str, Any]:
        """One run of the team."""
        assert self._process.stdin
        order = json.dumps({"task": TASK, "bug": bug})
        self._process.stdin.write(f"{order}\n")
        self._process.stdin.flush()
        return self.answer()

    def log(self) -> str:
        """Returns the text that the port has written to stderr so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")


def measured(pythons: Mapping[str, Path], *, runs: int = 1) -> dict[str, PortRow]:
    """Plays the kernel's team, then the named ports by their Python; `runs` times for the clock."""
    rows = {}
    brief = ""
    players = {"kernel": Path(sys.executable), **pythons}
    with watching() as (api, url):
        for name, python in players.items():
            port = PORTS[name]
            with Player(port, python, url) as player:
                rows[name], written = _measured(port, player, api, brief, runs)
            brief = brief or written
    return rows


def _measured(
    port: Port, player: Player, api: Watched, brief: str, runs: int
) -> tuple[PortRow, str]:
    """The port's row and its brief: played once, with a bug in our tool, for the clock, and with
    two handoffs in one turn."""
    loaded = player.answer()
    first = player.play()
    regular = _counted(api)
    by = verdict_by(api)
    api.calls.clear()
    bug = player.play(bug=True)
    bug_answered = _counted(api)["answered"]
    bug_logged = BUG in player.log()
    timed = [player.play() for _ in range(runs)]
    meeting = api.meeting = Meeting()
    player.play()
    api.meeting = None
    api.calls.clear()
    packages = with_dependencies(port.needs, Path(loaded["packages"]))
    versions = {_name(package): package.version for package in packages}
    written = first.get("brief", "")
    row = PortRow(
        name=port.name,
        versions={name: versions[name] for name in _names(port.needs)},
        date=datetime.date.today().isoformat(),
        lines=code_lines(port.source),
        **regular,
        same_brief=bool(written) and written == (brief or written),
        verdict_by=by,
        failed=first.get("raised", ""),
        bug_raised=bug.get("raised", ""),
        bug_line_named=bug.get("names our line", False),
        bug_logged=bug_logged,
        bug_answered=bug_answered,
        at_once=meeting.came_together,
        megabytes=megabytes(packages),
        packages=len(packages),
        import_seconds=round(loaded["import_seconds"], 2),
        seconds=round(statistics.median(each["seconds"] for each in timed), 3),
    )
    return row, written


def _counted(api: Watched) -> dict[str, int]:
    """Counts the answered and the refused requests, and the tokens of the answered ones."""
    answered = [reply for _, status, reply in api.calls if status == 200]
    tokens = sum(_input(reply.get("usage", {})) for reply in answered)
    refused = len(api.calls) - len(answered)
    return {"answered": len(answered), "refused": refused, "tokens_in": tokens}


def _input(usage: dict[str, Any]) -> int:
    """All input tokens, those written to or read from a cache included."""
    kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(usage.get(kind) or 0 for kind in kinds)


def code_lines(source: str) -> int:
    """Lines of code: neither blank lines nor comments, docstrings or imports."""
    counted = set()
    for number, line in enumerate(source.splitlines(), 1):
        text = line.strip()
        if text and not text.startswith("#"):
            counted.add(number)
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
                last = node.end_lineno or node.lineno
                counted -= {*range(node.lineno, last + 1)}
    return len(counted)
