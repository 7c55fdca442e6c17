"""Repair: find the lines behind a failing test, try small edits, propose one that passes; or say that the code is right.

A generic procedure over what the tools show: run the tests, open what the tracebacks and the failing tests name, list
the edits of the functions involved, have them tried, propose the likeliest that passes. It knows no program.
"""

from __future__ import annotations

import ast
import re
import sys

from ...answer import Answer
from ...reader.view import View
from .edits import edits
from .material import (
    Finding,
    asked,
    called,
    calls_of,
    colleague,
    expected,
    functions_of,
    parts_of,
    report,
    stems,
    tool_for,
    unnumbered,
    use,
)

BATCH = 30
MOST = 120
_RUNS = r"\bruns?\b.*\btests\b"
_READS = r"\bread\b.*\bfile\b"
_LIBRARIES = {*sys.stdlib_module_names, "pytest", "hypothesis"}
"""Modules whose files are not the project's own."""
_HIT = re.compile(r"^([^\s:]+\.py):\d+: (.+)$", re.M)
_VERSION = re.compile(r"version\W{1,4}(\d+(?:\.\d+)+)", re.I)
_USE = re.compile(r"\buse `(\w+)`", re.I)


def fits(view: View) -> bool:
    """A tool that runs tests and one that reads files are offered."""
    return bool(tool_for(view, _RUNS) and tool_for(view, _READS))


def repair(view: View) -> Answer:
    """The next call that the work needs, or the findings."""
    runs, searches = tool_for(view, _RUNS), tool_for(view, r"\bsearch\b.*\bfiles\b")
    reports = [call.result for call in calls_of(view, runs)]
    if not called(view, runs):
        why = "First the tests, and which version this is."
        return use(why, (runs, {}), (searches, _search(searches, "version")))
    if not reports:
        return report(view, [Finding("The tests could be run.", False)], "No report of the tests.")
    failing = list(dict.fromkeys(re.findall(r"^(?:FAILED|ERROR) (\S+)", reports[-1], re.M)))
    if failing:
        return _failing(view, reports[-1], failing)
    return _passing(view, reports[-1], searches)


def _search(tool: dict, text: str) -> dict:
    """The arguments of a search."""
    return {next(iter(tool.get("input_schema", {}).get("properties", {})), "text"): text}


def _sources(view: View) -> dict[str, str]:
    """Path → text of each file that was read."""
    calls = calls_of(view, tool_for(view, _READS))
    return {call.input["path"]: unnumbered(call.result) for call in calls}


def _unread(view: View, paths: list[str]) -> list[str]:
    """The paths that were not asked for yet; none when no call is allowed."""
    known = [call.input.get("path") for call in view.calls]
    return [path for path in paths if path not in known] if view.tools else []


def _claimed(view: View, otherwise: str = "") -> str:
    """What the ticket expects, with the version that the project says it has."""
    results = "\n".join(call.result for call in calls_of(view, tool_for(view, r"\bsearch\b")))
    told = [_VERSION.search(line) for _, line in _HIT.findall(results)]
    version = next((f"In version {found[1]}: " for found in told if found), "")
    return version + (expected(view) or otherwise)


def _is_test(path: str) -> bool:
    return "test" in path.rsplit("/", 1)[-1]


def _passing(view: View, tests: str, searches: dict) -> Answer:
    """Does the function that the ticket speaks of do it, or leave it to a setting?"""
    words = sorted(
        set(re.findall(r"[A-Za-z]{4,}", expected(view))), key=lambda word: (-len(word), word)
    )
    found = calls_of(view, searches)[1:]
    if searches and view.tools and words and len(view.calls) < 3:
        calls = [(searches, _search(searches, word)) for word in words[:4]]
        return use("The tests pass; where is this in the code?", *calls)
    weights: dict[str, float] = {}  # a word that few files hold counts more
    for call in found:
        paths = {path for path, _ in _HIT.findall(call.result) if not _is_test(path)}
        for path in paths:
            weights[path] = weights.get(path, 0) + 1 / len(paths)
    best = sorted(weights, key=lambda path: (-weights[path], path))[:2]
    if not _sources(view) and _unread(view, best):
        reads = tool_for(view, _READS)
        return use(
            "The functions that the ticket speaks of.", *((reads, {"path": path}) for path in best)
        )
    scored = []
    for path, source in _sources(view).items():
        for function in functions_of(source):
            told = f"{path} {function.name} {ast.get_docstring(function) or ''}"
            scored.append((len(stems(expected(view)) & stems(told)), path, function, source))
    shared, path, function, source = max(scored, key=lambda row: row[0], default=(0, "", None, ""))
    passed = re.sub(r" in [\d.]+s.*", "", tests.strip().splitlines()[-1])
    evidence = [passed, "no function speaks of it"]
    if shared > 1:
        evidence[1] = (
            f"{path}:{function.lineno}: {function.name}: {ast.get_docstring(function) or ''}"
        )
        keys = re.findall(r"\[[\"'](\w+)[\"']\]", ast.unparse(function))
        if keys and re.search(r"toml|json|yaml|config|settings|environ", source, re.I):
            evidence.append(f"the function reads the value from the setting {keys[0]}")
    holds = True if shared > 1 and len(evidence) == 2 else None
    next_one = colleague(view, r"\b[Ss]ettings?\b|\bconfig")
    finding = Finding(_claimed(view), holds, tuple(evidence), next_one)
    return report(
        view, [finding], "All tests pass; what runs may have other settings or another version."
    )


def _failing(view: View, tests: str, failing: list[str]) -> Answer:
    """What the failing tests reach is read, edited on trial and, when an edit passes, proposed."""
    proposes = tool_for(view, r"\bpropose\b.*\b(?:patch|replace|change)")
    broken = Finding(_claimed(view, f"The test {failing[0]} passes."), False, tuple(failing[:3]))
    frames = re.findall(r"^(\S+\.py):(\d+): ", tests, re.M)
    inner = [(path, int(line)) for path, line in frames if not _is_test(path)]
    names, modules = _used(_sources(view).get(failing[0].partition("::")[0], ""), failing)
    wanted = list(
        dict.fromkeys([failing[0].partition("::")[0], *(path for path, _ in inner[::-1]), *modules])
    )
    if unread := _unread(view, wanted):
        return use(
            "What the failing tests want and run.", (tool_for(view, _READS), {"path": unread[0]})
        )
    proposed = calls_of(view, proposes)
    if proposed:
        given, result = proposed[-1].input, proposed[-1].result
        claim = f"A patch of {given['path']}, line {given['line']}, makes all tests pass."
        ok = " failed" not in result.split("\n")[0]
        return report(
            view, [broken, Finding(claim, ok, (result, given["why"]))], "A person applies a patch."
        )
    tries, tried = tool_for(view, r"\btry\b.*\bedits\b"), []
    for call in calls_of(view, tries):
        rows = [{"path": call.input["path"], **edit} for edit in call.input["edits"]]
        tried += rows
        passing = [
            rows[int(place)]
            for place in re.findall(r"^(\d+): .*: all tests pass \|", call.result, re.M)
        ]
        if passing and view.tools:
            others = f"; so they do with {len(passing) - 1} other edit" if len(passing) > 1 else ""
            why = f"With `{passing[0]['new'].strip()}` all tests pass{others}."
            return use("This edit passes all tests.", (proposes, {**passing[0], "why": why}))
    batch = _batch(view, tests, wanted, dict(inner), names, tried)
    if view.tools and tries and batch and len(tried) < MOST:
        return use("The likeliest edits.", (tries, {**batch, "tests": failing[:3]}))
    evidence = (f"{len(tried)} edits were tried; a person has to look",)
    return report(
        view,
        [broken, Finding("One small edit makes the failing tests pass.", False, evidence)],
        "None passes.",
    )


def _used(source: str, failing: list[str]) -> tuple[set[str], list[str]]:
    """(the names that the failing tests use, the files of the modules that these come from)."""
    tests = {name.split("::")[-1].split("[")[0] for name in failing}
    texts = [ast.unparse(each) for each in functions_of(source) if each.name in tests]
    names = set(re.findall(r"\w+", " ".join(texts)))
    modules = []
    for module, imported, plain in re.findall(
        r"^from ([\w.]+) import (.+)|^import (\w+)$", source, re.M
    ):
        name = module or plain
        used = names & set(re.findall(r"\w+", imported + plain))
        if used and name.partition(".")[0] not in _LIBRARIES:
            modules.append(name.replace(".", "/") + ".py")
    return names, modules


def _batch(
    view: View,
    tests: str,
    paths: list[str],
    focus: dict[str, int],
    names: set[str],
    tried: list[dict],
) -> dict:
    """The edits to try next, and in which file: those of the functions that the failing tests reach."""
    sources = _sources(view)
    evidence = "\n".join([asked(view), tests, *sources.values()])
    named = tuple(_USE.findall(parts_of(view).get("feedback", "")))
    for path in paths:
        lines = (
            _reached(sources.get(path, ""), focus.get(path, 0), names)
            if not _is_test(path)
            else set()
        )
        found = edits(sources[path], lines, evidence, focus.get(path, 0), named) if lines else []
        rows = [{"line": edit.line, "new": edit.new} for edit in found]
        left = [row for row in rows if {"path": path, **row} not in tried]
        if left:
            return {"path": path, "edits": left[:BATCH]}
    return {}


def _reached(source: str, focus: int, names: set[str]) -> set[int]:
    """The lines of the functions that the tests name or a traceback stands in, and of those that these call."""
    lines: set[int] = set()
    functions = functions_of(source)
    for _ in functions:  # as long as another one is reached
        for each in functions:
            if each.name in names or focus in range(each.lineno, each.end_lineno + 1):
                lines |= set(range(each.lineno, each.end_lineno + 1))
                names = names | set(re.findall(r"\w+", ast.unparse(each)))
    return lines
