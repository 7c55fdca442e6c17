"""Facts about the terminal: `python -m kernel TOPIC`, run as a person runs it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

from kernel import Client, Corpus, Trace
from kernel.__main__ import main
from kernel.parts.terminal import LiveWords, command
from offline_model import OfflineTransport
from tests.on_each import on_each
from tests.scripted import Worker
from workshop.desks.__main__ import main as oncall

pytestmark = pytest.mark.usefixtures("no_settings")


def terminal(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "kernel", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def claims(brief):
    """(sentence, source id) of every cited sentence of a printed run's brief."""
    text = brief.partition("\n\n")[2].partition("\nSources\n")[0]
    return [
        (sentence.strip(), id)
        for sentence, ids in re.findall(r"([^\[\]\n]+?)((?:\s*\[[\w.-]+\])+)", text)
        for id in re.findall(r"\[([\w.-]+)\]", ids)
    ]


PRONOUN = re.compile(r"^(It|They|(Its|Their) \w+) ")
"""What the writer puts for a subject that the sentence before has; the rest is the source's."""


@on_each("supervisor", ["deterministic", "llm"])
def test_a_cited_brief_whose_every_claim_stands_in_the_source_that_it_cites(supervisor):
    done = terminal("the history of MCP", "--supervisor", supervisor)
    assert done.returncode == 0, done.stderr
    library = Corpus()
    found = claims(done.stdout)
    assert len(found) >= 4
    for sentence, id in found:
        assert id in library.documents, id
        claim = PRONOUN.sub("", sentence.lstrip(". "))
        assert len(claim.split()) > 3 and claim in library.documents[id].text, (sentence, id)
    assert re.search(
        r"\d+ calls · [\d,]+ tokens .* · \$0\.\d+ as if on \S+.* · \d+\.\d+ seconds", done.stdout
    )
    for agent in ("researcher", "writer", "reviewer"):
        assert f"supervisor → {agent}" in done.stdout and f"{agent} → supervisor" in done.stdout


def test_the_same_run_twice_gives_the_same_bytes():
    first, second = (re.sub(r"\d+\.\d+ seconds", "", terminal("pgvector").stdout) for _ in range(2))
    assert first == second


def test_removing_a_document_removes_its_facts(tmp_path, capsys):
    library = Corpus()
    for document in library.documents.values():
        if document.id.startswith("mcp-"):
            (tmp_path / f"{document.id}.md").write_text(
                f"---\nid: {document.id}\ntitle: {document.title}\n---\n{document.text}\n",
                encoding="utf-8",
            )
    main(["the history of MCP", "--library", str(tmp_path)])
    cited = claims(capsys.readouterr().out)
    gone = cited[0][1]
    (tmp_path / f"{gone}.md").unlink()
    main(["the history of MCP", "--library", str(tmp_path)])
    after = capsys.readouterr().out
    assert gone not in after and all(sentence not in after for sentence, id in cited if id == gone)


@pytest.mark.parametrize(
    "topic", ["the mating habits of king penguins", "medieval falconry", "Größe 漢字"]
)
def test_a_topic_that_the_library_knows_nothing_about_ends_in_a_brief_that_says_so(topic, capsys):
    assert main([topic]) == 0
    out = capsys.readouterr().out
    assert claims(out) == [] and "No sources." in out
    assert re.search(
        r"no (facts|sources|information|documents)|nothing|found no", out, re.IGNORECASE
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "the topic is empty"),
        (["   "], "the topic is empty"),
        (["x", "--live"], "ANTHROPIC_API_KEY is not set"),
        (["x", "--save", "/nowhere/at/all/run.jsonl"], "/nowhere/at/all/run.jsonl"),
        (["x", "--library", "/nowhere"], "is not a folder"),
        (["x", "--max-usd", "much"], "(--max-usd) is 'much'"),
        (["x", "--save", "/nowhere/at/all/run.jsonl"], "a folder that exists"),
        (["x", "--save", ""], "Is a directory" if os.name == "posix" else "Permission denied"),
        (["oncall", "T-21"], "python3 -m workshop oncall T-21"),
        (
            ["the", "history", "--supervisor", "llm", "of", "MCP"],
            command("-m", "kernel", "the history of MCP"),
        ),
        (["serve", "8765"], "serve takes --port only; given: 8765"),
        (["serve", "--port", "99999"], "a number from 0 to 65535"),
        (["?!..."], "the topic is '?!...'"),
        (["caf\udce9"], r"the topic is 'caf\udce9'"),
    ],
)
def test_what_cannot_be_carried_out_gets_one_clear_line_and_status_2(arguments, message, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and "Traceback" not in error


def test_a_used_port_is_said_with_the_way_out(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port]) == 2
    error = capsys.readouterr().err
    assert f"port {port} cannot be opened: another program uses it" in error
    assert "--port 0" in error and "Errno" not in error and error.count("\n") == 1


def test_an_option_that_does_not_exist_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["x", "--colour"])
    assert "unrecognized arguments: --colour" in capsys.readouterr().err


def test_a_document_whose_id_is_made_of_its_files_name_is_among_the_sources(tmp_path, capsys):
    (tmp_path / "my notes (draft).md").write_text(
        "The quokka is a small macropod that lives on Rottnest Island.\n", encoding="utf-8"
    )
    assert main(["quokkas", "--library", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert (
        "Rottnest Island [my-notes-draft]." in out
        and "\nSources\n[my-notes-draft] my notes (draft) (no date)\n" in out
    )


def test_a_source_names_no_other_one_and_its_fields_have_an_end(tmp_path, capsys):
    (tmp_path / "good.md").write_text("The quokka is a small macropod.\n", encoding="utf-8")
    fields = f"title: [good] The quokka\ndate: [good]\nurl: {'x' * 50_000} [good]"
    text = f"---\n{fields}\n---\nThe quokka eats leaves on Rottnest Island.\n"
    (tmp_path / "bad.md").write_text(text, encoding="utf-8")
    assert main(["quokkas", "--library", str(tmp_path)]) == 0
    _, sources = capsys.readouterr().out.split("\nSources\n")
    assert "\n[bad] (good) The quokka ((good)) “xxx" in f"\n{sources}"
    assert sources.count("[good]") == 1 and len(sources) < 3_000


def test_a_run_that_is_interrupted_keeps_its_record(tmp_path, monkeypatch, capsys):
    def interrupted(handoff, run):
        raise KeyboardInterrupt

    monkeypatch.setattr("kernel.core.team.writer", lambda: Worker("writer", interrupted))
    assert main(["Qdrant", "--save", str(tmp_path / "run.jsonl")]) == 130
    out, err = capsys.readouterr()
    assert err == "stopped\n" and "spent so far: 2 calls · " in out and "under way" not in out
    trace = Trace.load(tmp_path / "run.jsonl")
    assert trace.totals()["calls"] == 2 and "writer → supervisor: cancelled" in str(trace)


@pytest.mark.parametrize(("program", "argument"), [(main, "Qdrant"), (oncall, "T-21")])
def test_ctrl_c_tells_what_was_spent_from_what_was_reserved(program, argument, monkeypatch, capsys):
    class Interrupted(OfflineTransport):
        """A service during whose first answer somebody presses Ctrl-C."""

        async def handle_async_request(self, request):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)

    monkeypatch.setattr("kernel.parts.terminal.connect", lambda *_, **__: Client(Interrupted()))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
    try:
        assert program([argument]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    out = capsys.readouterr().out
    assert "spent so far: 0 calls · 0 tokens · $0.0000; what was under way may be billed" in out
    assert re.search(r"cancelled.*\[at most 1 call, [\d,]+ tokens\]", out)


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_nobody_reads_is_one_clear_line(tmp_path, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "kernel", "Qdrant", "--save", str(tmp_path / "run.jsonl")],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    os.close(writer)
    assert (
        ended.returncode == 2
        and ended.stderr.count("\n") == 1
        and ended.stderr.startswith("error: the program that reads this output has closed it")
    )
    assert Trace.load(tmp_path / "run.jsonl").totals()["calls"] > 3


def test_a_run_without_any_reply_has_a_bill_that_names_no_model(monkeypatch, capsys):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-key")
    assert main(["Qdrant", "--live", "--max-usd", "0"]) == 1
    assert "0 calls · 0 tokens (0 in, 0 out) · $0.0000 · " in capsys.readouterr().out


def test_a_run_is_saved_and_read_again(tmp_path, capsys):
    main(["Qdrant", "--save", str(tmp_path / "run.jsonl")])
    trace = Trace.load(tmp_path / "run.jsonl")
    assert str(trace) in capsys.readouterr().out and trace.totals()["calls"] > 3


def test_the_offline_model_serves_on_a_free_port_and_says_where_first():
    import httpx

    process = subprocess.Popen(
        [sys.executable, "-m", "kernel", "serve", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        body = {
            "model": "claude-haiku-5-5",
            "max_tokens": 50,
            "messages": [{"role": "user", "content": "Hello"}],
        }
        reply = httpx.post(
            f"{address}/v1/messages",
            json=body,
            headers={"anthropic-version": "2026-10-21"},
            trust_env=False,
        ).json()
        assert reply["type"] == "message" and reply["stop_reason"] == "end_turn"
    finally:
        process.kill()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a disk that is full, as Linux has one")
def test_a_record_that_cannot_be_written_costs_no_brief(capsys):
    assert main(["the history of MCP", "--save", "/dev/full"]) == 2
    out, error = capsys.readouterr()
    assert (
        "# The history of MCP" in out
        and "/dev/full could not be written" in error
        and error.count("\n") == 1
    )


# ── words while they come ─────────────────────────────────────────────────────────────────────────

TAKEN_BACK = re.compile(r"\r\x1b\[(\d+)A\x1b\[J")


def screens_of(*arguments):
    """What a person sees in a terminal of 60 columns, each time that lines are taken back, and at last."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "kernel", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "60"},
    )
    os.close(theirs)
    written = b""
    with contextlib.suppress(OSError):  # how a terminal tells that its program has ended
        while part := os.read(ours, 65_536):
            written += part
    os.close(ours)
    process.wait()
    parts = TAKEN_BACK.split(written.decode().replace("\r\n", "\n"))
    screens = [parts[0]]
    for rows, part in zip(parts[1::2], parts[2::2], strict=True):
        kept = screens[-1].splitlines(keepends=True)
        screens.append("".join(kept[: -int(rows)]) + part)
    return screens


def test_a_terminal_shows_the_words_while_they_come_and_in_the_end_what_a_pipe_gets():
    *while_it_runs, last = screens_of("pgvector")
    spoken = [screen.splitlines()[-1] for screen in while_it_runs]
    assert {line.partition(":")[0] for line in spoken} >= {"researcher", "writer"}
    assert all(len(line) < 60 for line in spoken)
    seconds = re.compile(r"\d+\.\d+ seconds")
    assert seconds.sub("", last) == seconds.sub("", terminal("pgvector").stdout)


async def live_lines(capsys, *speeches):
    """The lines that a terminal shows of these."""
    following = asyncio.ensure_future(LiveWords().follow(speeches))
    while not (printed := capsys.readouterr().out):
        await asyncio.sleep(0.01)
    following.cancel()
    return printed.splitlines()


@on_each(
    ("words", "line"),
    [
        ("one two", "writer: one two"),
        ("one\n\ntwo", "writer: one two"),
        ("one two three four", "writer: … four"),
        ("\x1b[2Jone", "writer: \ufffd[2Jone"),
        ("中文 中文中文中", "writer: … 中文中"),
    ],
)
async def test_of_each_who_speaks_the_end_fits_into_one_line(capsys, monkeypatch, words, line):
    monkeypatch.setenv("COLUMNS", "18")
    speech = SimpleNamespace(agent="writer", text=words)
    silent = SimpleNamespace(agent="reviewer", text="")
    assert await live_lines(capsys, speech, silent, speech) == [line, line]
