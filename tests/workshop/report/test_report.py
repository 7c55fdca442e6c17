"""Facts about the build report: it shows any log, runs none of it, and holds no secret."""

from __future__ import annotations

import hashlib
import html
import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from kernel import (
    Budget,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    Result,
    Run,
    connect,
    specialists,
)
from kernel.budget import NOTHING
from kernel.events import Dispatched, Note, Returned, to_json
from workshop.__main__ import main
from workshop.report import Checked, LogError, Report, replay
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


def logged(text, agent="desk"):
    """A log whose every text is this one."""
    given = Handoff(intent=text, context=text, artifacts={"facts": text}, from_agent=text)
    result = Result(status="failed", output=text, reason=text, artifacts={"draft": text})
    head = {"run": "1", "agent": agent}
    return [
        Dispatched(seq=0, at=0.0, handoff=given, parent="", limits=Budget(), **head),
        Note(seq=1, at=0.1, text=text, about="gate", fields={"issues": [text]}, **head),
        Returned(seq=2, at=0.2, return_to=text, result=result, spent=NOTHING, **head),
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
    page = Report(log, baseline=single()).html()
    assert "times as much. The model was the offline one" in page
    assert "times as long" not in page
    assert "another task" not in page
    other = Report(log, baseline=saved_trace("Another"))
    for text in (other.html(), other.markdown()):
        assert "another task" in text and "as much" not in text
    assert "No single-agent baseline was given" in Report(log).html()


def single(budget=None, of_run=None):
    """The run of one agent on the same task."""
    import asyncio

    from workshop.material.shipping import alone

    async def work():
        run = Run(connect("offline"), budget=of_run)
        await run.dispatch(alone(Corpus()), Handoff(intent=TASK), budget=budget)
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
    from kernel import Trace

    return Trace(logged(text))


def test_the_replay_ends_with_the_finished_picture_and_stays_small(run):
    frames = replay.frames(run.events)
    assert "Done:" in frames[-1].svg and "working" in frames[0].svg
    assert len(replay.frames(run.events, limit=5)) == 5
    many = [event for _ in range(2000) for event in run.events]
    assert len(replay.places(many)) <= replay.MOST


def test_nothing_is_loaded_and_only_our_own_script_and_style_may_run(log):
    page = Page(Report(log, note=HOSTILE, title=HOSTILE).html())
    assert not [
        name
        for _, given in page.tags
        for name in given
        if name in ("src", "href") or name[:2] == "on"
    ]
    assert not [given for _, given in page.tags if "style" in given]
    assert [tag for tag, _ in page.tags].count("script") == 1
    policy = next(given["content"] for _, given in page.tags if "http-equiv" in given)
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_whatever_a_log_holds_is_shown_and_never_markup(tmp_path):
    path = saved(logged(HOSTILE, agent=HOSTILE), tmp_path / "bad.jsonl")
    checks = [Checked(HOSTILE, HOSTILE, HOSTILE, False)]
    report = Report(path, baseline=path, note=HOSTILE, checks=checks)
    page = Page(report.html())
    tags = {tag for tag, _ in page.tags}
    assert "img" not in tags and [tag for tag, _ in page.tags].count("script") == 1
    assert "alert(1)" in "".join(page.words)
    assert "\x1b" not in report.html() and "\u202e" not in report.html()
    text = re.sub(r"^(`{3,})text\n.*?^\1$", "", report.markdown(), flags=re.DOTALL | re.MULTILINE)
    assert "<img" not in text and "<script" not in text and not re.search(r"(?<!\\)\](?=\()", text)


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
    report = Report(path, note=f"I used {secret} here")
    for text in (report.html(), report.markdown()):
        assert kept not in text and "secret]" in text
        assert "do not hand that file on" in text


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
    events[1]["at"], events[2]["at"] = 1e308, -5
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
