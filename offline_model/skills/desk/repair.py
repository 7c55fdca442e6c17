"""Repair: find the lines behind a failing test, try small edits, propose one that passes.

A generic procedure over what the tools show: run the tests, open what the tracebacks and the failing tests name, list
the edits of the functions involved, have them tried, propose the likeliest that passes. When the tests pass, say whether
the code does what the ticket expects. It knows no program.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from typing import NamedTuple

from ...answer import Answer
from ...reader.view import View
from .edits import edits
from .material import (
    Json,
    Statement,
    asked,
    called,
    colleague,
    documented,
    expected,
    functions_of,
    parts_of,
    report,
    results_of,
    stems,
    tool_for,
    unnumbered,
    use,
)

BATCH = 30
MOST = 120
_RUNS = r"\bruns?\b.*\btests\b"
_READS = r"\bread\b.*\bfile\b"
_SEARCHES = r"\bsearch\b.*\bfiles\b"
_TRIES = r"\btry\b.*\bedits\b"
_PROPOSES = r"\bpropose\b.*\b(?:patch|replace|change)"
_LIBRARIES = {*sys.stdlib_module_names, "pytest", "hypothesis"}
"""Modules whose files are not the project's own."""
_HIT = re.compile(r"^([^\s:]+\.py):\d+: ", re.M)
_FRAME = re.compile(r"^(\S+\.py):(\d+): ", re.M)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.M)
_PASSED = re.compile(r"^(\d+): .*: all tests pass \|", re.M)
_VERSION = re.compile(r"version\W{1,4}(\d+(?:\.\d+)+)", re.I)
_IMPORT = re.compile(r"^from ([\w.]+) import (.+)|^import (\w+)$", re.M)
_USE = re.compile(r"\buse `(\w+)`", re.I)


class Trial(NamedTuple):
    """An edit that was tried, and whether all tests pass with it."""

    path: str
    line: int
    new: str
    passes: bool


def fits(view: View) -> bool:
    """A tool that runs tests and one that reads files are offered."""
    return bool(tool_for(view, _RUNS) and tool_for(view, _READS))


def repair(view: View) -> Answer:
    """The next call that the work needs, or the findings."""
    runs = tool_for(view, _RUNS)
    if not called(view, runs):
        searches = tool_for(view, _SEARCHES)
        why = "First the tests, and which version this is."
        return use(why, (runs, {}), (searches, _search(searches, "version")))
    reports = results_of(view, runs)
    if not reports:
        finding = Statement(claim="The tests could be run.", holds=False)
        return report(view, [finding], "No report of the tests.")
    _, tests = reports[-1]
    failing = list(dict.fromkeys(_FAILED.findall(tests)))
    return _failing(view, tests, failing) if failing else _passing(view, tests)


def _search(tool: Json, text: str) -> Json:
    """The arguments of a search."""
    parameters = tool.get("input_schema", {}).get("properties", {})
    return {next(iter(parameters), "text"): text}


def _sources(view: View) -> dict[str, str]:
    """Path → text of each file that was read."""
    results = results_of(view, tool_for(view, _READS))
    return {given["path"]: unnumbered(text) for given, text in results}


def _unread(view: View, paths: list[str]) -> list[str]:
    """The paths that were not asked for yet; none when no call is allowed."""
    known = [call.input.get("path") for call in view.calls]
    return [path for path in paths if path not in known and view.tools]


def _claim(view: View, otherwise: str = "") -> str:
    """Returns the ticket's expectation, with the version of the project."""
    sentence = expected(view) or otherwise
    for _, text in results_of(view, tool_for(view, _SEARCHES)):
        version = _VERSION.search(text)
        if version:
            return f"In version {version[1]}: {sentence}"
    return sentence


def _is_test(path: str) -> bool:
    return "test" in path.rpartition("/")[2]


# ── all tests pass: does the code do it? ─────────────────────────────────────────────────────────


def _passing(view: View, tests: str) -> Answer:
    """Looks, when the tests pass, for the ticket's function: it may lack it, or leave it to a
    setting.
    """
    searches = tool_for(view, _SEARCHES)
    words = set(re.findall(r"[A-Za-z]{4,}", expected(view)))
    longest = sorted(words, key=lambda word: (-len(word), word))[:4]
    if searches and view.tools and longest and len(view.calls) < 3:
        calls = [(searches, _search(searches, word)) for word in longest]
        return use("The tests pass; where is this in the code?", *calls)
    paths = _unread(view, _nearest_files(view, searches))
    if paths and not _sources(view):
        reads = tool_for(view, _READS)
        calls = [(reads, {"path": path}) for path in paths]
        return use("The functions that the ticket speaks of.", *calls)
    summary = tests.strip().rpartition("\n")[2]
    passed = re.sub(r" in [\d.]+s.*", "", summary)
    place, setting = _nearest_function(view)
    evidence = [passed, place or "no function speaks of it"]
    if setting:
        evidence.append(f"the function reads the value from the setting {setting}")
    is_there = bool(place) and not setting
    finding = Statement(
        claim=_claim(view),
        holds=is_there or None,
        evidence=tuple(evidence),
        suggests=colleague(view, r"\b[Ss]ettings?\b|\bconfig"),
    )
    why = "All tests pass; what runs may have other settings or another version."
    return report(view, [finding], why)


def _nearest_files(view: View, searches: Json) -> list[str]:
    """The two files that hold most of the ticket's words; a word that few files hold counts more."""
    weights: dict[str, float] = defaultdict(float)
    for _, text in results_of(view, searches)[1:]:
        paths = {path for path in _HIT.findall(text) if not _is_test(path)}
        for path in paths:
            weights[path] += 1 / len(paths)
    return sorted(weights, key=lambda path: (-weights[path], path))[:2]


def _nearest_function(view: View) -> tuple[str, str]:
    """(where a function is that speaks of what the ticket expects, the setting that it reads)."""
    wanted = stems(expected(view))
    most = 1
    nearest = ("", "")
    for path, source in _sources(view).items():
        for function in functions_of(source):
            docs = documented(function)
            spoken = stems(f"{path} {function.name} {docs}")
            shared = len(wanted & spoken)
            if shared > most:
                most = shared
                place = f"{path}:{function.lineno}: {function.name}: {docs}"
                nearest = (place, _setting_of(function, source))
    return nearest


def _setting_of(function: ast.FunctionDef, source: str) -> str:
    """The setting that a function looks up, where its module knows of settings."""
    key = re.search(r"\[[\"'](\w+)[\"']\]", ast.unparse(function))
    knows = re.search(r"toml|json|yaml|config|settings|environ", source, re.I)
    return key[1] if key and knows else ""


# ── a test fails: which edit makes it pass? ──────────────────────────────────────────────────────


def _failing(view: View, tests: str, failing: list[str]) -> Answer:
    """Reads the code that the failing tests reach, edits it on trial, and proposes an edit that
    passes.
    """
    test_file = failing[0].partition("::")[0]
    names, modules = _used(_sources(view).get(test_file, ""), failing)
    frames: dict[str, int] = {}  # the last line of each file that the tracebacks name
    reached = []
    for path, line in _FRAME.findall(tests):
        if not _is_test(path):
            frames[path] = int(line)
            reached.append(path)
    paths = [test_file, *reversed(reached), *modules]
    unread = _unread(view, paths)
    if unread:
        read = (tool_for(view, _READS), {"path": unread[0]})
        return use("What the failing tests want and run.", read)
    claim = _claim(view, f"The test {failing[0]} passes.")
    broken = Statement(
        claim=claim,
        holds=False,
        evidence=tuple(failing[:3]),
    )
    proposes = tool_for(view, _PROPOSES)
    proposed = results_of(view, proposes)
    if proposed:
        findings = [broken, _patched(*proposed[-1])]
        return report(view, findings, "A person applies a patch.")
    tries = tool_for(view, _TRIES)
    trials = _trials(view, tries)
    passing = [trial for trial in trials if trial.passes]
    if passing and view.tools:
        return use("This edit passes all tests.", (proposes, _proposal(passing)))
    focus = dict.fromkeys(paths, 0) | frames
    batch = _batch(view, tests, focus, names, trials)
    if view.tools and tries and batch and len(trials) < MOST:
        batch["tests"] = failing[:3]
        return use("The likeliest edits.", (tries, batch))
    missed = Statement(
        claim="One small edit makes the failing tests pass.",
        holds=False,
        evidence=(f"{len(trials)} edits were tried; a person has to look",),
    )
    return report(view, [broken, missed], "None passes.")


def _used(source: str, failing: list[str]) -> tuple[set[str], list[str]]:
    """(the names that the failing tests use, the files of the modules that these come from)."""
    tests = set()
    for test in failing:
        name = test.rpartition("::")[2]
        tests.add(name.partition("[")[0])
    names = set()
    for function in functions_of(source):
        if function.name in tests:
            names |= _words(ast.unparse(function))
    modules = []
    for module, imported, plain in _IMPORT.findall(source):
        path = module or plain
        is_own = path.partition(".")[0] not in _LIBRARIES
        if is_own and names & _words(imported + plain):
            modules.append(path.replace(".", "/") + ".py")
    return names, modules


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _patched(given: Json, result: str) -> Statement:
    """Returns the finding on a proposed patch: it holds when all tests pass."""
    claim = f"A patch of {given['path']}, line {given['line']}, makes all tests pass."
    passes = " failed" not in result.partition("\n")[0]
    return Statement(
        claim=claim,
        holds=passes,
        evidence=(result, given["why"]),
    )


def _trials(view: View, tries: Json) -> list[Trial]:
    """All edits that were tried, in order."""
    trials = []
    for given, result in results_of(view, tries):
        passing = _PASSED.findall(result)
        for number, edit in enumerate(given["edits"]):
            passes = str(number) in passing
            trials.append(Trial(given["path"], edit["line"], edit["new"], passes))
    return trials


def _proposal(passing: list[Trial]) -> Json:
    """The arguments of a patch: the first edit that passes."""
    best, *others = passing
    also = f"; so they do with {len(others)} other edit" if others else ""
    why = f"With `{best.new.strip()}` all tests pass{also}."
    return {"path": best.path, "line": best.line, "new": best.new, "why": why}


def _batch(
    view: View, tests: str, focus: dict[str, int], names: set[str], trials: list[Trial]
) -> Json:
    """The edits to try next, and in which file: those of the functions that the failing tests reach."""
    sources = _sources(view)
    evidence = "\n".join([asked(view), tests, *sources.values()])
    named = _USE.findall(parts_of(view).get("feedback", ""))
    tried = [(trial.path, trial.line, trial.new) for trial in trials]
    for path, line in focus.items():
        if _is_test(path):
            continue
        source = sources.get(path, "")
        lines = _reached(source, names)
        if not lines:
            continue
        rows = []
        for edit in edits(source, lines, evidence, line, named):
            if (path, edit.line, edit.new) not in tried:
                rows.append({"line": edit.line, "new": edit.new})
        if rows:
            return {"path": path, "edits": rows[:BATCH]}
    return {}


def _reached(source: str, names: set[str]) -> set[int]:
    """The lines of the functions that the tests name, and of those that these call."""
    lines: set[int] = set()
    functions = functions_of(source)
    for _ in functions:  # as long as another one is reached
        for function in functions:
            if function.name in names:
                end = function.end_lineno or 0
                lines.update(range(function.lineno, end + 1))
                names = names | _words(ast.unparse(function))
    return lines
