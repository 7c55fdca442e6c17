"""Facts about the build report: it shows any log, runs none of it, and holds no secret."""

from __future__ import annotations

import codecs
import hashlib
import html
import json
import re
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import (
    Budget,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    Result,
    Run,
    Trace,
    connect,
    specialists,
)
from kernel.core.budget import NOTHING
from kernel.core.events import Dispatched, Note, Requested, Returned, to_json
from kernel.core.wire import Block
from kernel.parts.gates import LengthGate, ModelGate, StyleGate
from kernel.parts.journal.journal import Journal, saying
from kernel.plumbing.search import Document
from workshop.__main__ import main
from workshop.material.criteria import FAVOUR, Criteria
from workshop.report import (
    QUESTIONS,
    Checked,
    LogError,
    Report,
    built,
    citing,
    facts,
    fork,
    rendered,
    replay,
)
from workshop.report.log import read

TASK = "Write a brief on pgvector"
MADE = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
HOSTILE = (
    "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)> ' onload='x "
    "](javascript:alert(3)) ``` \x1b[31m \u202e &lt;b&gt; <style>*{display:none}</style>"
)


@pytest.fixture(scope="module")
def run():
    import asyncio

    async def work():
        run = Run(connect("offline"))
        desk = DeterministicSupervisor(*specialists())
        await run.dispatch(desk, Handoff(intent=TASK), budget=Budget(calls=9))
        return run

    return asyncio.run(work())


@pytest.fixture(scope="module")
def log(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "run.jsonl"
    run.trace().save(path)
    return path


def logged(text, agent="desk", status="failed"):
    """A log whose every text is this one."""
    given = Handoff(intent=text, context=text, artifacts={"facts": text}, from_agent=text)
    result = Result(status=status, output=text, reason=text, artifacts={"draft": text})
    body = {"model": text, "system": text, "messages": [], "tools": [{"name": text}]}
    head = {"run": "1", "agent": agent}
    return [
        Dispatched(seq=0, at=0.0, handoff=given, parent="", limits=Budget(), **head),
        Note(seq=1, at=0.1, text=text, about="gate", fields={"issues": [text]}, **head),
        Requested(seq=2, at=0.1, body=body, since=0, **head),
        Returned(seq=3, at=0.2, return_to=text, result=result, spent=NOTHING, **head),
    ]


def saved(events, path):
    path.write_text(
        "".join(to_json(event) + "\n" for event in events), encoding="utf-8", errors="replace"
    )
    return path


class Page(HTMLParser):
    """What a browser would build: the tags with their attributes, and the texts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


def test_a_report_shows_the_bill_every_handoff_and_the_hash_of_the_file(run, log):
    report = Report(log, note="Yes.", made=MADE)
    trace = run.trace()
    for text in (html.unescape(report.html()), report.markdown()):
        assert hashlib.sha256(log.read_bytes()).hexdigest() in text
        assert f"{trace.totals()['input_tokens']:,}" in text
        assert all(
            payload in text
            for handoff in trace.handoffs()
            for payload in handoff["artifacts"].values()
        )
        assert "2026-11-22 12:00 UTC" in text and "Yes." in text


def test_a_run_in_memory_has_the_hash_of_the_file_that_it_would_save(run, log):
    assert read(run).digest == read(run.trace()).digest == read(log).digest


def test_the_baseline_stands_beside_it_and_another_task_is_said(run, log):
    report = Report(log, baseline=single())
    for text in (report.html(), report.markdown()):
        assert "times as much. The model was the offline one" in text
        assert "times as long" not in text and "another task" not in text
        assert "ended ok, " in text
    other = Report(log, baseline=saved_trace("Another"))
    for text in (other.html(), other.markdown()):
        assert "another task" in text and "as much" not in text
    assert "No single-agent baseline was given" in Report(log).html()


def test_seconds_of_a_program_are_in_no_figure(run, log):
    report = Report(log, baseline=single())
    for text in (report.html(), report.markdown()):
        assert "| seconds |" not in text and ">seconds<" not in text
    live = [
        replace(event, reply=event.reply.model_copy(update={"account": None}))
        if event.kind == "reply"
        else event
        for event in run.events
    ]
    assert ">seconds<" in Report(Trace(live)).html()


def test_the_rivals_text_stands_beside_ours_and_equal_is_said(log):
    rival = single()
    theirs = rival.events[-1].result.as_text()
    mine = Report(log).text
    sentence, only_ours, only_theirs = facts.beside(mine, theirs)
    page = html.unescape(Report(log, baseline=rival).html())
    assert sentence in page and page.count("<u>") == len(only_ours) + len(only_theirs)
    for text in (page, Report(log, baseline=rival).markdown()):
        assert "You are a desk of one." in text, "what the rival was told"
    assert facts.beside(mine, f" {mine}\n")[0] == "The two texts are equal, word for word."
    assert facts.beside("One. Two.", "Two. One.")[0].endswith("in another order.")
    assert facts.beside("One. Two.", "Two. Three.")[1:] == ({"One."}, {"Three."})


def test_a_rival_over_other_documents_is_said_and_not_compared(run, log):
    library = Corpus()
    one = Document("elsewhere", "pgvector elsewhere", "The pgvector extension is a fish of 2021.")
    other = single(library=Corpus.of([one]))
    for documents in (library.documents, None):
        report = Report(log, baseline=other, documents=documents)
        for text in (report.html(), report.markdown()):
            assert "had other documents" in text and "as much" not in text
    same = Report(log, baseline=single(), documents=library.documents)
    assert "had other documents" not in same.html()


def test_other_models_are_said(run):
    other = [
        replace(event, model="another-model") if event.kind == "reply" else event
        for event in single().events
    ]
    verdict = Report(run, baseline=Trace(other)).verdict
    assert "times as much" in verdict and "the one agent another-model." in verdict
    assert "The team asked" not in Report(run, baseline=single()).verdict


@pytest.mark.parametrize("text", ["**a " * 50_000, "[a " * 50_000, ". [a]" * 3_000, "`" * 99_999])
def test_a_long_odd_text_is_rendered_all_the_same(text):
    documents = citing.library({"a": "A document. " * 3_000})
    assert rendered.html(text, documents)
    assert facts._FOUND.findall(f"[a] {'(' * 50_000}{')' * 50_000}") == ["a"]


def test_a_team_that_did_not_deliver_is_not_compared(tmp_path):
    report = Report(single(budget=Budget(calls=1)), baseline=single())
    for text in (report.html(), report.markdown()):
        assert "The team did not deliver (exhausted" in text and "as much" not in text


def test_prompts_tools_gates_and_documents_are_on_the_page(run, log):
    library = Corpus()
    rules = [LengthGate(180), StyleGate({r"\d+ euros": "remove it"}), ModelGate(specialists()[2])]
    report = Report(log, documents=library.documents, gates=[*rules, Hostile()])
    for text in (html.unescape(report.html()), report.markdown()):
        for agent in specialists(library):
            assert agent.system.splitlines()[0] in text
        assert "Search the library." in text and "1 call" in text
        assert "At most so many words, and not none (words: 180)" in text
        assert "euros → remove it" in text and "agent: reviewer" in text
        assert "was not asked in this run" in text
        assert all(id in text for id in library.documents)


def test_a_gate_of_the_log_is_counted_by_its_name(tmp_path):
    notes = [logged("x")[1], replace(logged("x")[1], fields={"gate": "length", "issues": []})]
    found = built.gates_seen(notes, [LengthGate(9)])
    assert [(gate.name, gate.drafts, gate.vetoes) for gate in found] == [
        ("length", 1, 0),
        ("a gate without a name", 1, 1),
    ]


def test_a_citation_opens_the_sentence_that_has_most_words_in_common():
    texts = {"tanks": "Rain is rare. Two tanks hold 3,000 litres. A third one costs 480 euros."}
    documents = citing.library(texts)
    [found] = citing.claims("# Tanks\n\nThe two tanks hold 3,000 litres [tanks].", documents)
    assert found.carried and found.cited[0].sentence == 1
    [wrong] = citing.claims("The two tanks hold 5,000 litres [tanks].", documents)
    [unknown] = citing.claims("The two tanks hold 3,000 litres [nobody].", documents)
    assert not wrong.carried and not unknown.carried and unknown.cited[0].document is None
    page = rendered.html("# Tanks\n\nThe two tanks hold 3,000 litres [tanks].", documents)
    assert page == (
        "<h3>Tanks</h3><p>The two tanks hold 3,000 litres "
        '[<a href="#document-1-sentence-2">tanks</a>].</p>'
    )
    assert "not carried" in rendered.html(wrong.text, documents, marked=True)


def test_a_text_is_rendered(log):
    report = Report(log)
    assert report.text.startswith("# ")
    page = report.html().partition("Was it worth it?")[0]
    assert "<h3>" in page and f">{report.text[:8]}" not in page
    assert f"### {report.text.splitlines()[0][2:]}" in report.markdown()


@pytest.mark.parametrize(
    ("note", "passes"), [("", 0), ("Yes.", 0), ("A. B. C.", 1), ("A. " * 6, 0)]
)
def test_a_note_has_three_to_five_sentences(log, note, passes):
    report = Report(log, note=note, documents=Corpus().documents)
    assert report.checks[-1].passed is bool(passes)
    assert all(question in html.unescape(report.html()) for question in QUESTIONS)


def test_the_card_is_on_the_page_and_held_against_the_run(log):
    card = Criteria("Briefs", [FAVOUR[0]], "researcher: finds.\nclown: jokes. sings.")
    for text in (Report(log, card=card).html(), Report(log, card=card).markdown()):
        assert FAVOUR[0] in text and "Filled in for: Briefs" in text
        assert "(not one sentence)" in text
        assert "On the card, and not asked in this run: clown." in text
        assert "In this run, and not on the card: reviewer, writer." in text


def test_author_and_dates_are_on_the_page(run, log):
    page = Report(log, author="Ada", made=MADE).html()
    assert "by Ada · log of the run saved " in page and "report made 2026-11-22 12:00 UTC" in page
    assert "saved" not in Report(run, made=MADE).dates


def single(budget=None, of_run=None, library=None):
    """The run of one agent on the same task."""
    import asyncio

    from workshop.material.shipping import alone

    async def work():
        run = Run(connect("offline"), budget=of_run)
        await run.dispatch(alone(library or Corpus()), Handoff(intent=TASK), budget=budget)
        return run

    return asyncio.run(work())


def test_a_rival_that_failed_or_is_not_one_agent_is_said_and_not_compared(run, log):
    stopped = Report(log, baseline=single(budget=Budget(calls=0)))
    several = Report(log, baseline=run)
    for report, words in (
        (stopped, "The baseline is not one agent: nobody asked a model"),
        (several, "The baseline is not one agent: researcher, reviewer, writer asked a model"),
        (Report(log, baseline=single(budget=Budget(calls=1))), "The one agent did not deliver"),
    ):
        for text in (report.html(), report.markdown()):
            assert words in text and "as much" not in text and "| times |" not in text


def test_a_budget_is_shown_wherever_it_was_given(tmp_path):
    of_run = single(of_run=Budget(calls=12, usd="0.05"))
    of_run.trace().save(tmp_path / "run.jsonl")
    for source in (of_run, tmp_path / "run.jsonl"):
        report = Report(source, documents=Corpus().documents)
        assert "0.05 US dollars, 12 calls, 3 levels (given to the run)" in report.html()
        limits = next(check for check in report.checks if check.name == "limits in the budget")
        assert limits.passed and limits.measured == 2
    assert "9 calls, 3 levels" in Report(single(budget=Budget(calls=9))).html()
    assert "given to the run" not in Report(single()).html()


def saved_trace(text):
    return Trace(logged(text))


def test_the_replay_ends_with_the_finished_picture_and_stays_small(run):
    frames = replay.frames(run.events)
    assert "Done:" in frames[-1].svg and "working" in frames[0].svg
    assert len(replay.frames(run.events, limit=5)) == 5
    many = [event for _ in range(2000) for event in run.events]
    assert len(replay.places(many)) <= replay.MOST


def test_nothing_is_loaded_and_there_is_no_script(log):
    page = Page(Report(log, note=HOSTILE, title=HOSTILE, documents=Corpus().documents).html())
    assert not [
        name for _, given in page.tags for name in given if name == "src" or name[:2] == "on"
    ]
    links = [given["href"] for _, given in page.tags if "href" in given]
    assert links and all(re.fullmatch(r"#document-\d+-sentence-\d+", link) for link in links)
    assert {link[1:] for link in links} <= {given.get("id") for _, given in page.tags}
    assert not [given for _, given in page.tags if "style" in given]
    assert "script" not in [tag for tag, _ in page.tags]
    policy = next(given["content"] for _, given in page.tags if "http-equiv" in given)
    assert "default-src 'none'" in policy and "unsafe" not in policy and "script" not in policy


class Hostile:
    """<script>alert(5)</script>"""

    name, cost = HOSTILE, 0.0


def test_whatever_a_log_a_document_or_an_author_says_is_shown_and_never_markup(tmp_path):
    cites = f"# {HOSTILE}\n\n- **{HOSTILE}** `{HOSTILE}` said [doc-1].\n\nSaid [{HOSTILE}]."
    for text in (HOSTILE, cites):
        path = saved(logged(text, agent=HOSTILE, status="ok"), tmp_path / "bad.jsonl")
        report = Report(
            path,
            baseline=path,
            note=HOSTILE,
            author=HOSTILE,
            card=Criteria(task=HOSTILE, true=[HOSTILE], roles=f"{HOSTILE}: {HOSTILE}"),
            gates=[Hostile()],
            documents={"doc-1": HOSTILE, HOSTILE: HOSTILE},
        )
        report.checks.append(Checked(HOSTILE, HOSTILE, HOSTILE, False))
        page = Page(report.html())
        tags = {tag for tag, _ in page.tags}
        assert not tags & {"img", "script", "b", "iframe"}
        assert [tag for tag, _ in page.tags].count("style") == 1
        assert "alert(1)" in "".join(page.words) and "alert(5)" in "".join(page.words)
        assert "\x1b" not in report.html() and "\u202e" not in report.html()
        text = re.sub(
            r"^(`{3,})text\n.*?^\1$", "", report.markdown(), flags=re.DOTALL | re.MULTILINE
        )
        assert "<img" not in text and "<script" not in text
        assert not re.search(r"(?<!\\)\](?=\()", text)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrstuvwxyz012345",
        "AKIAABCDEFGHIJKLMNOP",
        'password = "correct-horse"',
        "Authorization: Bearer abcdefghijklmnop.qr",
        "https://ada:s3cretword@example.org/x",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.abc",
    ],
)
def test_what_looks_like_a_secret_is_replaced_everywhere(secret, tmp_path):
    kept = re.sub(r"password = |Authorization: Bearer |https://|@example.org/x|\"", "", secret)
    path = saved(logged(f"Use {secret} now"), tmp_path / "log.jsonl")
    text = f"I used {secret} here"
    report = Report(
        path,
        note=text,
        author=text,
        card=Criteria(task=text, roles=f"{text}: {text}"),
        documents={"mine": text, text: "no secret"},
    )
    for text in (report.html(), report.markdown()):
        assert kept not in text and "secret]" in text
        assert "do not hand that file on" in text and "beside the log" in text


def test_a_value_of_this_machines_keys_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", 'odd "key" 12')
    path = saved(logged('it is odd "key" 12, keep it'), tmp_path / "log.jsonl")
    assert "odd" not in Report(path).markdown() and "odd" not in Report(path).html()


def test_tokens_and_prose_about_keys_are_not_secrets(log):
    assert read(log).secrets == 0
    assert (
        read(saved_trace("The key: short. Tokens: 12,345,678. A password is needed")).secrets == 0
    )


LINE = to_json(logged("x")[0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("  \n", "is empty"),
        (LINE[:90], "line 1 breaks off in the middle"),
        (LINE + "\n" + LINE[:-30] + "\n", "line 2 breaks off in the middle"),
        ("<html>", "line 1 is not an event of a run"),
        ('{"kind": "dispatch", "seq": 0, "data": {}}', "earlier version of the kernel"),
        ('{"a": 1}', "line 1 is not an event of a run"),
        ("[" * 100_000, "is not an event"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "is not an event"),
        (to_json(logged("x")[1]), "holds no handoff"),
    ],
)
def test_a_log_that_is_none_gets_a_sentence(content, message, tmp_path, capsys):
    path = tmp_path / "log.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(LogError, match=re.escape(message)):
        Report(path)
    from workshop.report.__main__ import main as report_main

    assert report_main([str(path), "--out", str(tmp_path / "r.html")]) == 1
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error and not (tmp_path / "r.html").exists()


BLANKS = st.lists(st.sampled_from([b"", b" \t", b"\r"]), max_size=3)


@given(st.lists(BLANKS, min_size=5, max_size=5))
def test_blank_lines_and_marks_of_an_editor_carry_nothing(blanks):
    events = [codecs.BOM_UTF8 + to_json(event).encode() for event in logged("x")]
    lines = [*blanks[0]]
    for event, after in zip(events, blanks[1:], strict=True):
        lines += [event, *after]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        path.write_bytes(b"\n".join(lines) + b"\n")
        assert read(path).events == Trace.load(path).events == logged("x")


def test_bytes_a_folder_and_a_missing_file_get_a_sentence(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00\x01")
    for name, message in {
        "bytes": "is not an event",
        ".": "is a folder",
        "no": "cannot be read",
    }.items():
        with pytest.raises(LogError, match=message):
            Report(tmp_path / name)


def test_a_log_that_ends_while_the_work_is_under_way_is_reported(run, tmp_path):
    report = Report(saved(run.events[:12], tmp_path / "cut.jsonl"))
    assert "ends while the work is under way" in report.html()
    assert "under way" in report.markdown()


def test_odd_numbers_do_not_break_a_report(tmp_path):
    events = [json.loads(to_json(event)) for event in logged("x")]
    events[1]["at"], events[3]["at"] = 1e308, -5
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    assert "</html>" in Report(path).html() and Report(path).markdown()


def test_the_command_writes_both_files_and_replaces_only_a_report(log, tmp_path, capsys):
    from workshop.report.__main__ import main as report_main

    out = tmp_path / "my report.html"
    note = tmp_path / "note.md"
    note.write_text("Worth it.", encoding="utf-8")
    command = [str(log), "--baseline", str(log), "--note", str(note), "--out", str(out)]
    assert report_main(command) == report_main(command) == 0
    assert "Worth it." in out.read_text(encoding="utf-8")
    assert out.with_suffix(".md").read_text(encoding="utf-8").startswith("<!--")
    assert report_main([str(log), "--out", str(note)]) == 1
    mine = tmp_path / "mine.html"
    mine.write_text("mine", encoding="utf-8")
    assert report_main([str(log), "--out", str(mine)]) == 1
    assert mine.read_text(encoding="utf-8") == "mine"
    assert "not replaced" in capsys.readouterr().err


def test_the_launcher_knows_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("WORKSHOP_NO_VENV", "1")
    assert main(["report", str(tmp_path / "none.jsonl")]) == 1
    assert "cannot be read" in capsys.readouterr().err


# ── a fork ────────────────────────────────────────────────────────────────────────────────────────

NO = '{"verdict": "REVISE", "issues": ["Say what the limits of an index are."]}'


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    """A run over a journal, and a run over its fork, in which the reviewer said no."""
    import asyncio

    folder = tmp_path_factory.mktemp("fork")

    async def work(journal):
        run = Run(journal.around(connect("offline")))
        await run.dispatch(DeterministicSupervisor(*specialists()), Handoff(intent=TASK))
        return run

    with Journal(folder / "trunk.db") as journal:
        trunk = asyncio.run(work(journal))
        verdict = journal.kept()[-1].step
        with journal.fork(folder / "fork.db", at=verdict, change=saying(NO)) as branch:
            return trunk, asyncio.run(work(branch))


def test_a_fork_stands_beside_its_run_with_what_was_asked_and_its_dollars(two_runs, tmp_path):
    trunk, branch = two_runs
    asked = branch.spent.usd - trunk.spent.usd
    calls = branch.spent.calls - trunk.spent.calls
    for name, run in {"trunk": trunk, "fork": branch}.items():
        run.trace().save(tmp_path / f"{name}.jsonl")
    report = Report(tmp_path / "trunk.jsonl", fork=tmp_path / "fork.jsonl")
    found = fork.forked(report.log, report.fork)
    assert (found.kept, found.asked.calls, found.asked.usd) == (trunk.spent, calls, asked)
    for text in (html.unescape(report.html()), report.markdown().replace("\\", "")):
        assert "What if reviewer had given another reply?" in text
        assert f"{trunk.spent.calls} came from the trunk, and {calls} were asked for" in text
        assert facts.exactly(asked) in text and NO in text and '"verdict": "PASS"' in text
        assert branch.events[-1].result.as_text().splitlines()[0].strip("# ") in text
        assert report.fork.digest in text
    assert report.html().count("<u>") == sum(
        map(len, facts.beside(report.text, report.fork.text)[1:])
    )
    assert "What if?" not in Report(trunk).html() + Report(trunk).markdown()


def test_a_run_that_is_no_fork_is_said_and_not_compared(two_runs):
    trunk, branch = two_runs
    other = [
        replace(event, reply=event.reply.model_copy(update={"id": f"msg_{event.seq}"}))
        if event.kind == "reply"
        else event
        for event in branch.events
    ]
    for second, reason in (
        (Trace(other), "have no reply in common"),
        (saved_trace("Another"), "The fork had another task"),
    ):
        report = Report(trunk, fork=second)
        for text in (report.html(), report.markdown()):
            assert reason in text and "asked for" not in text


def test_a_fork_of_the_same_reply_says_that_nothing_differs(two_runs):
    trunk, _ = two_runs
    report = Report(trunk, fork=trunk)
    for text in (report.html(), report.markdown()):
        assert "No reply of the fork differs" in text and "0 were asked for" in text
        assert "equal, word for word" in text


def test_a_fork_on_the_command_line_and_a_hostile_one(two_runs, tmp_path, capsys):
    trunk, branch = two_runs
    for name, run in {"trunk": trunk, "fork": branch}.items():
        run.trace().save(tmp_path / f"{name}.jsonl")
    page = tmp_path / "page.html"
    command = ["report", str(tmp_path / "trunk.jsonl"), "--fork", str(tmp_path / "fork.jsonl")]
    assert main([*command, "--out", str(page)]) == 0
    assert "What if? The run beside a fork" in page.read_text("utf-8")
    assert "a fork" in page.with_suffix(".md").read_text("utf-8")
    capsys.readouterr()
    evil = [
        replace(
            event,
            agent=HOSTILE,
            reply=event.reply.model_copy(
                update={"content": [Block.model_validate({"type": "text", "text": HOSTILE})]}
            ),
        )
        if event.kind == "reply"
        else event
        for event in branch.events
    ]
    shown = Page(Report(trunk, fork=Trace(evil)).html())
    names = {name for name, _ in shown.tags}
    assert not names & {"script", "img"}
