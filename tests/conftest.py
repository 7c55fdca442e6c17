"""Async tests run on a plain event loop, no plugin needed; property tests know no deadline, since speed is no fact."""

import asyncio
import inspect
import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import workshop  # noqa: F401 (which says what course this is)
from classroom.quick_start import leave_out_the_grammar
from kernel import Agent, spending

leave_out_the_grammar()

hypothesis.settings.register_profile("workshop", deadline=None, print_blob=True)
hypothesis.settings.load_profile("workshop")


LEFT = "runs with --all"
PATIENCE_S = 600
"""Seconds until an async test that hangs has failed; a busy machine is no reason."""
ROWS = 12
"""So many folders the table of seconds names at most."""


def pytest_addoption(parser):
    parser.addoption(
        "--all",
        action="store_true",
        help="the exhaustive form: 20 draws an exercise, every table and all marked `exhaustive`",
    )

    parser.addoption(
        "--store-seconds",
        action="store_true",
        help="write what each folder took to tests/house/seconds.toml",
    )


@pytest.fixture(scope="session")
def exhaustive(pytestconfig):
    """Whether everything is asked for: for tests that try more of the same then."""
    return pytestconfig.getoption("--all")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--all"):
        for item in items:
            if item.get_closest_marker("exhaustive"):
                item.add_marker(pytest.mark.skip(reason=LEFT))


class FailuresAtOnce:
    """Names each failure when it happens: a long run that is cut off has still said what failed."""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        if report.outcome != "failed":
            return
        lines = str(report.longrepr).strip().splitlines()
        reason = next(
            (line for line in lines if line.startswith("E  ")), lines[-1] if lines else ""
        )
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        part = report.context.msg if isinstance(report, pytest.SubtestReport) else report.when
        terminal.write_line(f"\nFAILED at {part}: {report.nodeid}", red=True)
        terminal.write_line(f"  {reason.removeprefix('E').strip()[:300]}")


def pytest_configure(config):
    config.pluginmanager.register(Processor())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailuresAtOnce(config))


class Processor:
    """Notes with each report what a test has had of the processors since the one before it."""

    def __init__(self):
        self.before = self.used()

    def used(self) -> float:
        """Seconds of the processors: of this process, and of those that it waited for to the end. What was killed, or
        left to the system, is in no count; what another process did, a test names as its `processor_s elsewhere`.
        """
        return sum(os.times()[:4])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        now = self.used()
        elsewhere = [
            value
            for name, value in item.user_properties
            if name == "processor_s elsewhere" and call.when == "call"
        ]
        report.processor_s, self.before = now - self.before + sum(elsewhere), now


def seconds_by_folder(stats: dict[str, list[Any]], kind: str) -> Counter[str]:
    """What the tests of each folder took, added up over all workers: `kernel`, `classroom/checks`. kind: `duration`,
    which is elapsed time, or `processor_s`. The time that a part of a test lasted is in that of the test, too.
    """
    seconds: Counter[str] = Counter()
    for report in (report for reports in stats.values() for report in reports):
        part = isinstance(report, pytest.SubtestReport) and kind == "duration"
        if hasattr(report, kind) and not part:
            folders = report.nodeid.partition("::")[0].split("/")[:-1]
            seconds["/".join(folders[1:3])] += getattr(report, kind)
    return seconds


STORED = Path(__file__).with_name("house") / "seconds.toml"
"""What each folder took when somebody last wrote it down, to look at."""


def stored_seconds(processor: Counter[str]) -> str:
    """The text of the file of seconds."""
    rows = "".join(f'"{name}" = {seconds:.0f}\n' for name, seconds in sorted(processor.items()))
    head = (
        "# Seconds of the processors by folder of `test`; `test --store-seconds` writes them.\n\n"
    )
    return head + rows


def dearest_tests(stats: dict[str, list[Any]]) -> Iterator[str]:
    """The ten tests that needed the processors most."""
    seconds: Counter[str] = Counter()
    for report in (report for reports in stats.values() for report in reports):
        seconds[getattr(report, "nodeid", "")] += getattr(report, "processor_s", 0)
    yield "The dearest tests:"
    for name, taken in seconds.most_common(10):
        yield f"{taken:8,.0f}  {name.removeprefix('tests/')}"


def slowest_folders(processor: Counter[str], elapsed: Counter[str]) -> Iterator[str]:
    """A table of the folders that needed the processors most, beside what was stored of each; the
    last row is the rest.
    """
    total = processor.total()
    stored = tomllib.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    shown = [name for name, taken in processor.most_common(ROWS) if taken >= total / 100]
    rest = [
        (seconds.total() - sum(seconds[name] for name in shown)) for seconds in (processor, elapsed)
    ]
    yield (
        f"Seconds of the processors: {total:,.0f} ({sum(stored.values()):,} when they were stored);"
        f" elapsed, added up over all workers: {elapsed.total():,.0f}"
    )
    yield "  stored       now   elapsed"
    for folder in shown:
        yield f"{stored.get(folder, 0):8,} {processor[folder]:9,.0f} {elapsed[folder]:9,.0f}  {folder}"
    others = sum(seconds for name, seconds in stored.items() if name not in shown)
    yield f"{others:8,} {rest[0]:9,.0f} {rest[1]:9,.0f}  all others"


def skipped_by_reason(skipped: list[Any]) -> Iterator[str]:
    """How many tests were skipped for each reason; where something can be installed, the command that runs
    them then.
    """
    folders: dict[str, Counter[str]] = {}
    for report in skipped:
        reason = report.longrepr[2].removeprefix("Skipped: ")
        folders.setdefault(reason, Counter())[
            report.nodeid.partition("::")[0].rpartition("/")[0]
        ] += 1
    for reason, counts in sorted(folders.items()):
        if reason != LEFT:
            then = f"; then `python3 -m workshop test {' '.join(sorted(counts))}`"
            yield f"Skipped {counts.total():,}: {reason}{then if 'install' in reason else ''}"


def cells_not_compared(stats: dict[str, list[Any]]) -> list[str]:
    """How many cells of notebooks were not compared since an extra is missing, by the extra."""
    cells: Counter[str] = Counter()
    for report in (report for reports in stats.values() for report in reports):
        for name, value in getattr(report, "user_properties", ()):
            if name == "not compared" and report.when == "call":
                cells[value[0]] += value[1]
    return [
        f"{count:,} {'cell' if count == 1 else 'cells'} not compared (without the extra {extra})"
        for extra, count in sorted(cells.items())
    ]


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    """The last lines: why something was skipped, where the time went, what grew; what ran, what did
    not, and how the rest is run.
    """
    stats = terminalreporter.stats
    skipped = stats.get("skipped", [])
    for row in skipped_by_reason(skipped):
        terminalreporter.write_line(row)
    seconds = [seconds_by_folder(stats, kind) for kind in ("processor_s", "duration")]
    if len(seconds[0]) > 1 and seconds[0].total() > 0:
        for row in [*slowest_folders(*seconds), *dearest_tests(stats)]:
            terminalreporter.write_line(row)
    if config.getoption("--store-seconds"):
        STORED.write_text(stored_seconds(seconds[0]), encoding="utf-8")
    if config.args == ["tests"]:
        from tests.house import size  # a copy of this file may stand alone

        terminalreporter.write_line(size.growth(size.stored(), size.measured()))
    left = sum(LEFT in str(report.longrepr) for report in skipped)
    failed = len(stats.get("failed", [])) + len(stats.get("error", []))
    counts = [f"{len(stats.get('passed', [])):,} passed", f"{failed:,} failed"]
    counts.append(f"{len(skipped) - left:,} skipped")
    rest = f", {left:,} left to `python3 -m workshop test --all`" if left else ""
    counts += cells_not_compared(stats)
    form = "Everything" if config.getoption("--all") else "The quick form"
    terminalreporter.write_line(f"{form}: {', '.join(counts)}{rest}.")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), PATIENCE_S))
    return True


def _shared(module):
    """The browser tests share one JupyterLab, other tests what their module makes."""
    return "browser" if "/browser/" in module else module


def scope_of(nodeid):
    """What a test runs together with: each notebook and each killed team goes for itself, an exercise
    with all that is tried on it, else a test with those that share things."""
    module, _, test = nodeid.partition("::")
    if "/notebooks/" in module or "/crash/" in module:
        return nodeid
    if module.endswith("/course/test_exercises.py"):
        exercise = test.partition("[")[2].partition("-")[0].rstrip("]")
        return f"{module}[{exercise}]"
    return _shared(module)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return scope_of(nodeid)

    return Together(config, log)


@pytest.fixture
def agent():
    def make(**changes: Any) -> Agent:
        return Agent(
            **{
                "name": "agent",
                "description": "d",
                "system": "Be brief.",
                "model": "claude-haiku-5-5",
                **changes,
            }
        )

    return make


@pytest.fixture(autouse=True)
def nothing_spent(monkeypatch):
    """Each test is a process of its own for the account of what is spent on real models."""
    monkeypatch.delenv(spending.VARIABLE, raising=False)
    monkeypatch.setattr(spending, "_ledger", None)


SETTINGS = (
    "WORKSHOP_MODEL",
    "WORKSHOP_WORKER_MODEL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
)
"""Variables of the environment that choose a model and a service."""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory, pytestconfig):
    """Built from what git knows, so nothing that lies around in the clone gets into it."""
    root = pytestconfig.rootpath
    place = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True
    )
    for name in filter(None, listed.stdout.decode("utf-8").split("\0")):
        if (root / name).is_file():
            (place / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            (place / "source" / name).write_bytes((root / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", place, place / "source"], check=True)
    [built] = place.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """The folder of commands of an environment that holds the wheel and what it needs."""
    place = tmp_path_factory.mktemp("installed") / "env"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    binaries = place / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([binaries / "python", "-m", "pip", "install", "-q", wheel], check=True)
    return binaries


@pytest.fixture
def patient(monkeypatch):
    """Gives a right answer time enough on a busy machine too."""
    from classroom.checks import deadline

    monkeypatch.setattr(deadline, "TIME_LIMIT_S", 60)


@pytest.fixture
def no_settings(monkeypatch):
    """An environment that chooses neither a model nor a service."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
