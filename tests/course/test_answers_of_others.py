"""Answers that the authors of the exercises had not thought of: what is wrong does not pass, what is right does."""

from __future__ import annotations

import pytest

from workshop.authoring import answers
from workshop.checks import deadline, exercise
from workshop.checks.engine import judge

CHECKER = """
def fact_checker():
    return Agent("fact_checker", "Checks facts.", {prompt!r}, models.worker, output=Verdict)
"""
WRONG_PROMPTS = (
    "Always answer PASS.",
    "Always answer REVISE.",
    "Check the style of the draft only. PASS or REVISE.",
    "Check that the draft has at most 20 words. PASS or REVISE.",
    "Ignore wrong numbers. Check the citations of every sentence, and the facts.",
    "Ignore wrong numbers. Ignore missing citations. Check the facts.",
    "Never say REVISE. Numbers and facts, citations and sentences.",
    "Numbers in the draft do not need to match the facts. Every sentence needs a citation. Decide PASS or REVISE.",
    "You check citations only: every sentence needs one. PASS or REVISE.",
    "Facts numbers citation sentence.",
    "Banana facts draft number citation PASS REVISE.",
    "You are a poet. Numbers, facts, citations.",
    "Do not compare the numbers with the facts. Each sentence needs a citation.",
    "Wrong numbers are fine. Each sentence needs a citation. PASS or REVISE.",
    "Compare each number with the facts. Sentences without a citation are fine. PASS or REVISE.",
    "Check the numbers only; citations do not matter. PASS or REVISE.",
)
NOT_READ = (
    "Check that every year in the draft is the year in the facts, and that each sentence cites a source. PASS or REVISE.",
    "Check that the draft mentions every number of the facts. Each sentence needs a citation. PASS or REVISE.",
    "Say PASS if the draft is well written. Numbers must match and citations exist.",
)
"""What the offline model may not read as it is meant; then the verdict says so."""
RIGHT_PROMPTS = (
    "A wrong number means REVISE, and so does a sentence without a citation. A true draft passes. "
    "Length and completeness stay the reviewer's job.",
    "A wrong number means REVISE, and so does a sentence without a citation. A true draft passes. "
    "Length and completeness are not your job.",
    "Check every number of the draft against the facts. Every sentence needs a citation. "
    "Do not judge length or completeness. Decide PASS or REVISE.",
    "Compare each number in the draft with the facts, and see that each sentence cites its source. "
    "The draft may leave facts out. Answer PASS or REVISE.",
    "Your only job: find wrong numbers and missing citations. If you find one, REVISE; otherwise PASS.",
)
EDITOR = """
def with_editor(team):
    return LLMSupervisor((*team, Agent("editor", {says!r}, {prompt!r}, models.worker)))
"""
SAYS = "Shortens a finished text to one sentence. Artifacts: draft."
SHORTENS = "You shorten the draft to one sentence, and keep its citation."
WRONG_EDITORS = (
    (SAYS, "Say banana."),
    (SAYS, "You are a helpful assistant."),
    (SAYS, "Translate the draft into French."),
    (SAYS, "Expand the draft to three paragraphs."),
    (SAYS, "Ignore the draft and say that all is well."),
    ("A helpful assistant.", SHORTENS),
)
RIGHT_EDITORS = (
    ("Condenses a finished brief into a single line.", SHORTENS),
    ("Cuts a finished text down to one sentence.", SHORTENS),
    ("Turns the draft into one sentence.", SHORTENS),
    (SAYS, "Shorten the draft."),
    (SAYS, "Reduce the draft to a single sentence with its source."),
    (SAYS, "Keep only the first sentence of the draft, with its citation in brackets."),
)
WRONG = [
    ("02.2", "return as_text(hits)", "return as_text(hits[:1])"),
    ("04.3", "Budget(seconds=seconds)", "Budget(seconds=2)"),
    ("08.2", "found[0].name", "max(found, key=lambda it: len(it.description)).name"),
    (
        "08.2",
        "found = registry.find(capability)",
        "found = [it for it in registry.list() if capability.split()[0][:4] in it.description.lower()]",
    ),
    ("08.3", "(ValueError, TypeError, KeyError)", "(ValueError, TypeError)"),
    ("09.2", "set(waiting[id]) <= done", "len(waiting[id]) <= len(done)"),
    ("02.3", "intent=task, context=audience", 'intent=f"{task} for {audience}"'),
    ("02.3", 'line.startswith("- ") and line.endswith("]")', '"[" in line'),
    (
        "02.3",
        'line.startswith("- ") and line.endswith("]")',
        'line.strip().startswith("-") and "[" in line',
    ),
    ("04.3", "Budget(seconds=seconds)", "Budget(seconds=seconds / len(jobs))"),
    ("07.1", "if known else None", 'if ours["usd"] and theirs["usd"] else None'),
    (
        "07.2",
        "held += numbers(sentence) <= there",
        'held += any(numbers(sentence) <= numbers(documents.get(id, "")) for id in sources)',
    ),
    (
        "07.2",
        'there = {number for id in sources for number in numbers(documents.get(id, ""))}',
        'there = numbers("".join(documents.get(id, "") for id in sources))',
    ),
    (
        "07.2",
        "for sentence, sources in pairs if sources]",
        "for sentence, sources in pairs if sources and numbers(sentence)]",
    ),
    ("00.1", "* sent_back", "* min(sent_back, 5)"),
    ("00.2", "for name in first if", "for name in ('order', 'calls', 'documents') if"),
    ("03.1", "if revision < desk.max_revisions:", "if revision < 2:"),
    ("03.2", "len(verdict.issues) < fewest", "len(verdict.issues) <= fewest - 2"),
    ("03.3", "artifacts=work))", "artifacts={**work, 'note': task}))"),
    ("04.1", "asyncio.Semaphore(limit)", "asyncio.Semaphore(min(limit, 3))"),
    ("04.2", "if result.ok else", "if result.output else"),
    ("06.1", "before = run.spent.calls", "before = 3"),
    ("06.2", ".strip()]", "]"),
    ("06.3", "Budget(calls=calls)", "Budget(calls=min(calls, 5))"),
    ("06.4", "return [*way[way.index(name):], name]", "return [*way[-2:], name]"),
    ("07.3", "gain > extra", "gain >= extra and gain > 0"),
    ("11.1", "if opened is not None", "if opened"),
    (
        "03.1",
        'if verdict.verdict == "PASS":',
        'if verdict.verdict == "PASS" or not verdict.issues:',
    ),
    (
        "03.3",
        "reason=reason, artifacts=work)",
        "reason=reason, artifacts={**work, **result.artifacts})",
    ),
    ("03.3", "if not result.ok:", "if not result.ok or not result.as_text():"),
    ("03.3", "text = result.as_text()", "text = str(result.output)"),
    (
        "04.1",
        "[task.result() for task in tasks]",
        "[task.result() for task in tasks if task.result().ok]",
    ),
    ("04.2", 'f"Research {topic}"', 'f"Research {topic.lower()}"'),
    ("04.3", 'result.status == "exhausted"', 'result.status == "exhausted" and not result.output'),
    ("04.3", 'result.status == "exhausted"', "result.transient"),
    ("04.3", "jobs[at][1]", "Handoff(intent=jobs[at][1].intent)"),
    ("06.1", 'reviewed.output.verdict == "PASS"', "not reviewed.output.issues"),
    (
        "06.1",
        "budget=Budget(calls=left))\n        if not reviewed",
        "budget=Budget(calls=calls))\n        if not reviewed",
    ),
    ("06.4", "if name in way:", "if name in way[:-1]:"),
    ("07.3", '(team["sources"] - alone["sources"])', 'abs(team["sources"] - alone["sources"])'),
    ("08.1", "except ToolError as problem", "except Exception as problem"),
    ("08.1", "output=output)", "output=output.strip())"),
    ("08.2", "registry.list())", 'registry.list("agent"))'),
    ("08.3", "> 1", "> 2"),
    ("08.3", "        if names_given.count(name) > 1", "        elif names_given.count(name) > 1"),
    ("08.3", "if name not in names", "if name.lower() not in [known.lower() for known in names]"),
    (
        "09.1",
        'found.append((step["id"], "unknown need"))',
        'found.append((step["id"], "unknown need"))\n                break',
    ),
    (
        "09.1",
        'if step["worker"] not in workers',
        'if not any(step["worker"] in known for known in workers)',
    ),
    ("09.3", "return found", "return [name for name in workers if name in found]"),
    ("09.4", 'yes["step"], no["step"]))', 'yes["step"], no["step"]))\n                break'),
    ("09.4", 'yes["claim"].strip().lower() == no', 'yes["claim"].strip(" .").lower() == no'),
    ("10.1", "elif cited[-1] not in sources", "elif not set(cited) & set(sources)"),
    ("10.1", "elif cited[-1] not in sources", "elif cited[0] not in sources"),
    (
        "10.1",
        "    return issues",
        "    return list({issue.where: issue for issue in issues}.values())",
    ),
    ("10.2", "if issues and gate.cost > paid", "if issues and gate.cost > 0"),
    ("10.2", "paid = gate.cost", "paid += gate.cost"),
    (
        "10.3",
        "if line not in lines",
        'if not any(known.startswith(f"- {issue.where}:") for known in lines)',
    ),
    ("06.3", 'result.artifacts.get("tool_results", "")', '"\\n".join(result.artifacts.values())'),
    ("06.4", "for name in arrows:", "for name in [*arrows][:1]:"),
    # lessons 05 and 15 to 19: what passed at first
    ("05.1", "intent=intent,", "intent=intent, context=facts,"),
    ("05.1", "if not result.as_text()", "if not result.ok"),
    ("05.1", "if not result.as_text()", "if result.output is None"),
    ("05.1", "@tool\n", "@tool(ends=True)\n"),
    ("05.2", "Run(client)", "Run(connect())"),
    ("05.2", "        if needless:", "        if not needless:\n            break\n        else:"),
    ("05.2", "dict.fromkeys(mine)", "reversed(dict.fromkeys(mine[::-1]))"),
    ("05.2", "if needless:", "if needless and traces[1].events[-1].result.ok:"),
    ("15.1", "for text in parts.values()", "for text in (*parts.values(), event.handoff.context)"),
    ("15.1", "sorted(parts)", "sorted(name for name in parts if parts[name])"),
    ("15.1", "sorted(parts)", "sorted(parts)[:3]"),
    ("15.1", "text.split()", "[word for word in text.split() if word.isalpha()]"),
    ("15.1", "or not event", 'or event.handoff.from_agent == "user" or not event'),
    (
        "15.2",
        'span.attributes.get("workshop.usd", math.inf)',
        'span.attributes.get("workshop.usd") or math.inf',
    ),
    ("15.3", "models[:-1] if", "models[:2] if"),
    (
        "15.3",
        "return read * price_in + written * price_out",
        "return price_in if read > written else price_out",
    ),
    (
        "15.3",
        "        models = ",
        "        if chosen and [*chosen.values()][-1] == models[-1]:\n"
        "            chosen[agent] = models[-1]\n            continue\n        models = ",
    ),
    ("16.1", "{*ids} <= known", "ids[-1] in known"),
    ("16.1", "sentences(answer)", '[part for part in answer.split(".") if part.strip(" #")]'),
    ("16.1", "{*ids} <= known", 'sentence.endswith("].") and {*ids} <= known'),
    ("16.1", "{*ids} <= known", "all(any(one.startswith(id) for one in known) for id in ids)"),
    ("16.1", "sentences(answer)", "{*sentences(answer)}"),
    ("16.2", "range(101)", "range(100)"),
    ("16.2", "blind = sorted(", "blind = (lambda found: [*found][::-1])("),
    (
        "16.2",
        "for fault in counts if fault)\n        if",
        "for fault in counts if fault) - counts[''].caught\n        if",
    ),
    ("16.3", "trial.marks[item]", "[*trial.marks.values()][0]"),
    ("16.3", "-tolerated", "-0.05"),
    ("16.3", "gain.high < 0", "gain.mean < -tolerated"),
    ("17.1", "handoff.as_text()", 'handoff.model_copy(update={"context": ""}).as_text()'),
    ("17.1", "**ASK,", '**{**ASK, "max_tokens": 1024},'),
    (
        "17.1",
        "        try:\n",
        '        if reply.stop_reason != "end_turn":\n'
        '            return Result(status="failed", output=text, reason="stopped")\n        try:\n',
    ),
    (
        "17.1",
        "model_validate_json(text)",
        'model_validate_json(text[text.find("{") : text.rfind("}") + 1])',
    ),
    ("17.1", 'status="ok", output', 'status="ok", artifacts=handoff.artifacts, output'),
    (
        "17.1",
        'if reply.stop_reason == "max_tokens":',
        """if reply.stop_reason == "max_tokens" and '"issues"' not in text:""",
    ),
    (
        "18.1",
        "return await asyncio.gather(*[branch(task) for task in tasks])",
        "return await asyncio.gather(*[branch(task) for task in dict.fromkeys(tasks)])",
    ),
    (
        "18.1",
        "    async def branch(task):\n        for",
        "    gate = asyncio.Semaphore(5)\n\n    async def branch(task):\n      async with gate:\n        for",
    ),
    (
        "18.1",
        "return await cluster.submit(task)",
        'return (await cluster.submit(task)).model_copy(update={"status": "ok"})',
    ),
    ("19.1", "return task, documents", 'return task, dict.fromkeys(documents, "rain tanks " * 8)'),
    (
        "19.1",
        "return task, documents",
        'return task, {id: f"rain tanks {id} " * 6 for id in documents}',
    ),
    ("19.2", "return written.model_copy(", "return found.model_copy("),
    ("13.3", 'if choice == "Stop":', 'if choice == "Stop" or not text:'),
    ("14.1", 'f"Research {topic}"', 'f"Research: {topic}"'),
]
RIGHT = [
    ("07.1", '"tokens": tokens[0] / tokens[1]', '"tokens": round(tokens[0] / tokens[1], 1)'),
    (
        "00.2",
        "return [name for name in first if first[name] != second[name]]",
        "return {k for k in first if first[k] != second[k]}",
    ),
]


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(deadline, "TIME_LIMIT_S", 60)


def verdicts(id, source, seeds=3):
    known = exercise(id)
    return [judge(known, answers.made(id, known.name, source), seed=seed) for seed in range(seeds)]


@pytest.mark.parametrize("prompt", WRONG_PROMPTS)
def test_a_prompt_that_asks_for_something_else_does_not_pass(prompt):
    for verdict in verdicts("02.1", CHECKER.format(prompt=prompt)):
        assert verdict.outcome == "wrong", verdict


@pytest.mark.parametrize("prompt", NOT_READ)
def test_a_prompt_that_was_not_read_as_it_is_meant_does_not_pass_in_silence(prompt):
    for verdict in verdicts("02.1", CHECKER.format(prompt=prompt)):
        assert not verdict.passed or "not understood: " in " ".join(verdict.text().split())


@pytest.mark.parametrize("prompt", RIGHT_PROMPTS)
def test_a_right_prompt_in_plain_words_passes(prompt):
    for verdict in verdicts("02.1", CHECKER.format(prompt=prompt)):
        assert verdict.passed, verdict


@pytest.mark.parametrize(("id", "old", "new"), WRONG)
def test_a_wrong_answer_does_not_pass(id, old, new):
    for verdict in verdicts(id, answers.changed(id, [(old, new)])):
        assert not verdict.passed, verdict


@pytest.mark.parametrize(("id", "old", "new"), RIGHT)
def test_a_right_answer_passes(id, old, new):
    for verdict in verdicts(id, answers.changed(id, [(old, new)])):
        assert verdict.passed, verdict


@pytest.mark.parametrize(
    "kind",
    [
        "OrderedDict({})",
        "MappingProxyType({})",
        "UserDict({})",
        "ChainMap({})",
        "defaultdict(int, {})",
    ],
)
@pytest.mark.parametrize(
    ("id", "old"), [("07.1", "return {"), ("04.2", "return found"), ("05.2", "return table")]
)
def test_a_dict_of_the_standard_library_is_a_dict(id, old, kind):
    source = answers.changed(id, []).replace(old, old.replace("return", "made ="))
    name = kind.partition("(")[0]
    module = "types" if name == "MappingProxyType" else "collections"
    source += f"\n    from {module} import {name}\n    return {kind.format('made')}\n"
    for verdict in verdicts(id, source):
        assert verdict.passed, verdict


@pytest.mark.parametrize(("says", "prompt"), WRONG_EDITORS)
def test_an_editor_that_does_another_job_or_is_not_found_does_not_pass(says, prompt):
    verdict, *_ = verdicts("05.3", EDITOR.format(says=says, prompt=prompt), seeds=1)
    assert verdict.outcome == "wrong" and verdict.misconception, verdict


@pytest.mark.parametrize(("says", "prompt"), RIGHT_EDITORS)
def test_an_editor_in_other_words_passes(says, prompt):
    verdict, *_ = verdicts("05.3", EDITOR.format(says=says, prompt=prompt), seeds=1)
    assert verdict.passed, verdict


def test_the_verdict_on_a_prompt_shows_what_the_offline_model_read():
    (verdict, *_) = verdicts("02.1", CHECKER.format(prompt=WRONG_PROMPTS[0]))
    assert "the offline model: read as: reviewer" in " ".join(verdict.text().split())
