"""Nothing in the process of a submission tells right from wrong: ways that once earned points, and their like, earn nothing."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest

from classroom.authoring import answers
from classroom.checks import exercise, exercises
from classroom.checks.draws import drawn
from classroom.grading import observed
from classroom.observing import sight_of

SEED = 20_261_122
SCRIPT = """
import json, sys
for given, source, cells in json.load(sys.stdin):
    names = {"__name__": "__main__"}
    lines = []
    try:
        exec(given, names)
        exec(source, names)
        for cell in cells:
            names["In"] = [cell]
            exec(cell, names)
    except BaseException as problem:
        print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
    print("end of an answer", flush=True)
"""

FRAMES = """
import sys
def around():
    "Every value by name, in all frames."
    frame, found = sys._getframe(1), {}
    while frame:
        found |= {name: value for name, value in frame.f_locals.items() if name not in found}
        frame = frame.f_back
    return found
"""
VERDICT = """
def verdict(team, alone, source_usd):
    kind = {value}
    if isinstance(kind, str):
        return "team" if kind in ("worth it", "cheaper", "better", "worth") else "one agent"
"""
WAYS = {
    "the frame's own name for the case": (
        "07.3",
        FRAMES + VERDICT.format(value="around().get('kind', around().get('trial'))"),
    ),
    "what the collector knows": (
        "07.3",
        VERDICT.format(
            value="next((one for one in __import__('gc').get_objects() "
            "if type(one) is list and one[:1] == ['worth it']), [None])[0]"
        ),
    ),
    "a tracer on all threads": (
        "07.3",
        "import sys, threading\nkinds = []\n"
        "def tracer(frame, event, arg):\n    kind = frame.f_locals.get('kind')\n"
        "    if isinstance(kind, str):\n        kinds.append(kind)\n    return tracer\n"
        "threading.settrace(tracer)\n" + VERDICT.format(value="kinds[-1] if kinds else None"),
    ),
    "a patched shuffle": (
        "07.3",
        "import random\nseen = []\nreal = random.Random.shuffle\n"
        "def shuffle(self, x):\n    real(self, x); seen.append(x)\nrandom.Random.shuffle = shuffle\n"
        + VERDICT.format(value="seen[-1][0] if seen else None"),
    ),
    "the seed in the cell": (
        "07.3",
        "import re, random\n"
        "from importlib import import_module\n"
        "def verdict(team, alone, source_usd):\n"
        "    seed = re.search(r'\\b\\d{6,}\\b', In[-1])\n"
        "    cases = import_module('workshop.course.lesson_07.inputs')\n"
        "    drawn = cases.INPUTS['07.3'](random.Random(f'{seed[0]}/07.3'))\n"
        "    return 'team' if drawn else 'one agent'\n",
    ),
    "the sample that was drawn last": (
        "00.2",
        "import random\nlast = []\nreal = random.Random.sample\n"
        "def sample(self, *given, **named):\n    last[:] = real(self, *given, **named)\n    return list(last)\n"
        "random.Random.sample = sample\n"
        "def what_changed(first, second):\n    return list(last) or None\n",
    ),
    "the code that draws": (
        "07.2",
        "import sys\nkinds = []\n"
        "try:\n    from workshop.course.lesson_07 import inputs\n    made = inputs._sentence\n"
        "    cases._sentence = lambda draw, kind, *more: kinds.append(kind) or made(draw, kind, *more)\n"
        "except ImportError:\n    pass\n"
        "def numbers_held(pairs, documents):\n"
        "    return sum(kind == 'right' for kind in kinds) / len(kinds)\n",
    ),
    "the code that makes logs": (
        "06.2",
        FRAMES + "def lost_handoffs(handoffs, needs):\n    kinds = around()['kinds']\n"
        "    return [(at, 'writer', []) for at, kind in enumerate(kinds, 1) if kind != 'whole']\n",
    ),
    "an agent that looks at who asks": (
        "02.1",
        FRAMES + "class Looking(Agent):\n"
        "    async def execute(self, handoff, run):\n"
        "        kind = around().get('kind', around().get('fault'))\n"
        "        return Result(status='ok', output=Verdict(verdict='REVISE' if kind else 'PASS'))\n"
        "def fact_checker():\n    return Looking('fact_checker', 'Checks.', 'Check.', models.worker, output=Verdict)\n",
    ),
    "what a gate's issues must name": (
        "11.1",
        FRAMES + "from kernel.parts.gates import Issue\n"
        "def unsourced(draft, sources):\n"
        "    pieces = around()['case']['pieces']\n"
        "    lines = draft.splitlines()\n"
        "    return [Issue(where=draft, problem=' '.join(['bad', *piece]), remedy='x') for piece in pieces]\n",
    ),
    "who of a team does not deliver": (
        "18.1",
        FRAMES + "async def lead(members, handoff, run):\n"
        "    missing = around()['case']['missing']\n"
        "    jobs = [(member, Handoff(intent=f'Research {topic}')) for topic, member in members.items()]\n"
        "    results = await run.fan_out(jobs)\n"
        "    texts = [f'{topic}: {result.output}' for topic, result in zip(members, results) if result.output]\n"
        "    evidence = {name: text for result in results for name, text in result.artifacts.items()}\n"
        "    return Result(status='failed' if missing else 'ok', output='\\n'.join(texts),\n"
        "                  artifacts=evidence, reason=', '.join(missing))\n",
    ),
    "the table of draws": (
        "07.3",
        "import json, pathlib, workshop\n"
        "def verdict(team, alone, source_usd):\n"
        "    table = next(pathlib.Path(workshop.__path__[0]).rglob('07.3.json'))\n"
        "    return json.loads(table.read_text())['example']['ours'][0][1]\n",
    ),
    "how often it was called": (
        "07.3",
        "calls = []\ndef verdict(team, alone, source_usd):\n    calls.append(1)\n"
        "    return 'team' if len(calls) % 4 in (1, 3) else 'one agent'\n",
    ),
    "the label of the case": (
        "07.3",
        FRAMES + "def verdict(team, alone, source_usd):\n"
        "    return 'team' if int(around()['label'].rpartition('/')[2]) < 7 else 'one agent'\n",
    ),
}
SPY = """
import gc, hashlib, sys
def {name}(*given):
    if globals().get("told"):
        return None
    globals()["told"] = True
    texts = [one for one in gc.get_objects() if type(one) in (list, tuple, dict)]
    found = set()
    for one in texts:
        for part in (one if type(one) is not dict else [*one, *one.values()]):
            if type(part) is str:
                found.add(part)
    frame = sys._getframe(1)
    while frame:
        found |= {{value for value in frame.f_locals.values() if type(value) is str}}
        frame = frame.f_back
    marks = {{hashlib.sha256(one.encode("utf-8", "replace")).hexdigest(): one for one in found}}
    seen = sorted(marks[mark] for mark in {secrets!r}.split() if mark in marks)
    sys.__stderr__.write("SPY " + repr([{name!r}, len(found) > 1000, seen, sorted(m for m in sys.modules if "cases" in m and m != "kernel.parts.evaluate.cases")]) + "\\n")
"""


@pytest.fixture(scope="module")
def inside(material):
    """Runs answers as their process would, on the course as a submission sees it; returns their lines."""
    folder = material

    def run(tried):
        environ = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"], "HOME": str(folder)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=json.dumps(tried),
            env=environ,
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.split("end of an answer\n"), done.stderr

    return run


def given_cells(id):
    cells = answers.master(id[:2]).cells
    sources = [
        cell.source
        for cell in cells
        if cell.cell_type == "code" and cell.metadata.get("workshop", {}).get("role") == "given"
    ]
    return "\n".join(source for source in sources if "await" not in source)


def tried(id, source):
    known = exercise(id)
    cells = [
        observed.case_source(known, case.inputs, case.label) for case in observed.drawn(known, SEED)
    ]
    return given_cells(id), source, cells


def lines_of(output):
    return [line for line in output.splitlines() if line.startswith('{"seen"')]


def earned(id, output, right):
    """The trials of which every case is right."""
    known = exercise(id)
    actual = {json.loads(line)["case"]: line for line in lines_of(output)}
    expected = {json.loads(line)["case"]: line for line in lines_of(right)}
    missed = set()
    for case in observed.drawn(known, SEED):
        line = actual.get(case.label)
        if line is None or observed.first_difference(known, line, expected[case.label]) is not None:
            missed.add(case.trial)
    return [trial.title for trial in known.trials if trial.name not in missed]


def test_no_way_earns_a_point_and_our_solutions_earn_all(inside):
    ways = list(WAYS.items())
    outputs, _ = inside([tried(id, source) for _, (id, source) in ways])
    ids = sorted({id for id, _ in WAYS.values()})
    rights, _ = inside([tried(id, answers.ours(id)) for id in ids])
    right = dict(zip(ids, rights, strict=False))
    for id in ids:
        titles = [trial.title for trial in exercise(id).trials]
        assert earned(id, right[id], right[id]) == titles and sight_of(lines_of(right[id])[0])
    for (way, (id, _)), output in zip(ways, outputs, strict=False):
        assert earned(id, output, right[id]) == [], way


def test_no_process_of_an_answer_holds_a_seed_a_kind_or_the_words_of_a_case(inside, exhaustive):
    """Of every third exercise; of all with `--all`."""
    chosen = exercises()[:: 1 if exhaustive else 3]
    secrets = {str(SEED)}
    for known in exercises():
        secrets |= {trial.title for trial in known.trials}
        secrets |= {slip.cause for slip in known.slips.values()} | {*known.hints}
        cases = drawn(known.id, observed.Random(f"{SEED}/{known.id}"))
        secrets |= {case.about for case in cases if case.about}
    marks = " ".join(sorted(hashlib.sha256(text.encode()).hexdigest() for text in secrets))
    _, spied = inside(
        [tried(known.id, SPY.format(name=known.name, secrets=marks)) for known in chosen]
    )
    reports = [eval(line[4:]) for line in spied.splitlines() if line.startswith("SPY ")]
    assert {name for name, *_ in reports} == {known.name for known in chosen}
    for name, looked, found, modules in reports:
        assert looked and not found and not modules, (name, found, modules)


def test_the_cell_of_a_case_holds_its_inputs_and_nothing_else():
    for known in exercises():
        for case in observed.drawn(known, SEED):
            cell = observed.case_source(known, case.inputs, case.label)
            assert str(SEED) not in cell and "about" not in case.inputs
            assert not any(f"'{trial.name}'" in cell for trial in known.trials if " " in trial.name)


def test_a_submission_sees_no_cases_no_words_and_no_table(material):
    folder = material
    names = {path.name for path in folder.rglob("*")}
    assert "observe.py" in names and not names & {"inputs.py", "right", "words.toml", "07.3.json"}
    assert not (folder / "solutions").exists() and not (folder / "classroom" / "authoring").exists()
