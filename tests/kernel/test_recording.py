"""Facts about recorded runs: what the file holds and what it never holds, and that anybody replays it without a key."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from dataclasses import asdict, replace

import httpx
import pytest

from kernel import Client, Run, connect, models, spending
from kernel.__main__ import main
from kernel.core.budget import NOTHING
from kernel.core.wire import ApiError
from kernel.parts.journal.journal import Journal, JournalError, saying
from kernel.parts.journal.recording import ABOUT, OFFLINE, REAL, Recording, record
from offline_model import Faults, OfflineAPI, OfflineTransport, Server
from tests.places import ROOT
from tests.scripted import no_sleep
from workshop.views import Beside, beside

KEY = "sk-ant-very-secret-0123456789"
NETWORK_CUT = ROOT / "tests" / "notebooks" / "network_cut"


@pytest.fixture
def service(monkeypatch, no_settings):
    """A service behind a port, and a key for it."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with Server(OfflineAPI()) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        yield url


def events_of(run):
    """What happened, without times and without what a reply says of its request's number."""
    kept = []
    for event in run.events:
        facts = asdict(event) | {"at": 0}
        kept.append({name: value for name, value in facts.items() if name != "seconds"})
    return kept


async def recorded(path, mode="live", topic="Qdrant", **more):
    async with connect(mode) as client:
        return await record(path, client, topic, **more)


@pytest.mark.parametrize("team", ["deterministic", "llm"])
async def test_a_replay_is_the_run_that_was_recorded_and_asks_nobody(
    service, tmp_path, monkeypatch, team
):
    run, result = await recorded(tmp_path / "brief.journal", team=team)
    spent = spending.spent()
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name)
    whole = (tmp_path / "brief.journal").read_bytes()
    again, kept = await Recording(tmp_path / "brief.journal").replay()
    assert result.ok and kept == result and events_of(again) == events_of(run)
    assert again.spent == run.spent and spending.spent() == spent != NOTHING
    assert (tmp_path / "brief.journal").read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["brief.journal"]


async def test_a_fresh_copy_replays_it_without_a_key_and_without_a_network(service, tmp_path):
    _, result = await recorded(tmp_path / "brief.journal")
    clone = tmp_path / "clone"
    for folder in ("kernel", "notebooks/data/corpus"):
        shutil.copytree(ROOT / folder, clone / folder)
    ours = ("ANTHROPIC_", "WORKSHOP_", "PYTHON")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    bare["PYTHONPATH"] = os.pathsep.join([str(clone), str(NETWORK_CUT)])
    bare["PYTHONIOENCODING"] = "utf-8"
    done = subprocess.run(
        [sys.executable, "-m", "kernel", "replay", str(tmp_path / "brief.journal")],
        cwd=clone,
        env=bare,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert result.as_text().strip() in done.stdout
    assert (
        "answered by claude-haiku-5-5, by a server on the machine that recorded it" in done.stdout
    )


async def test_the_file_names_task_models_date_and_server_and_never_a_key(
    tmp_path, monkeypatch, no_settings
):
    def echo(request, temperament):
        return {"text": f"Your key is {KEY}. Bearer {KEY}", "stop_reason": "end_turn"}

    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "tiny-1b")
    with Server(OfflineAPI(answer=echo, strict=False)) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        await recorded(tmp_path / "brief.journal")
    content = (tmp_path / "brief.journal").read_bytes()
    assert b"Your key is [key]" in content
    for secret in (KEY, url, url.removeprefix("http://"), str(tmp_path), "very-secret"):
        assert secret.encode() not in content
    facts = Recording(tmp_path / "brief.journal").facts
    assert facts.task == "Write a brief on Qdrant" and facts.team == "deterministic"
    assert facts.server == "this machine" and facts.answered == ("tiny-1b",)
    assert facts.models["worker"] == "tiny-1b" and len(facts.date) == len("2026-11-25")


async def test_a_replay_has_the_models_of_the_recording_and_leaves_the_settings_alone(
    tmp_path, monkeypatch, no_settings
):
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "claude-sonnet-5-5")
    _, result = await recorded(tmp_path / "brief.journal", mode="offline")
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "something-else")
    monkeypatch.delenv("WORKSHOP_JUDGE_MODEL", raising=False)
    run, kept = await Recording(tmp_path / "brief.journal").replay()
    assert kept == result and result.ok
    assert {event.model for event in run.events if event.kind == "reply"} == {"claude-sonnet-5-5"}
    assert os.environ["WORKSHOP_WORKER_MODEL"] == "something-else"
    assert "WORKSHOP_JUDGE_MODEL" not in os.environ


async def test_a_run_of_the_offline_model_says_so(tmp_path, no_settings):
    await recorded(tmp_path / "brief.journal", mode="offline")
    facts = Recording(tmp_path / "brief.journal").facts
    assert facts.server == OFFLINE
    assert "answered by the workshop's offline model, which is no language model" in facts.sentence


async def test_a_prompt_that_has_changed_is_said_and_what_is_there_is_shown(
    tmp_path, monkeypatch, no_settings
):
    await recorded(tmp_path / "brief.journal", mode="offline")

    def changed(*arguments):
        search, write, review = specialists(*arguments)
        return search, replace(write, system=write.system + " Be brief."), review

    from kernel.core.team import specialists

    monkeypatch.setattr("kernel.parts.journal.recording.specialists", changed)
    _, result = await Recording(tmp_path / "brief.journal").replay()
    assert result.status == "failed" and result.artifacts["facts"]
    assert "does not hold this request: a prompt, a tool or a document is not as it was" in (
        result.reason
    )


async def test_a_run_that_failed_is_kept_as_it_was(tmp_path, no_settings):
    client = Client(
        OfflineTransport(faults=Faults(first=("", "529", "529", "529"))), sleep=no_sleep
    )
    _, result = await record(tmp_path / "brief.journal", client, "Qdrant")
    assert result.status == "failed"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, kept = await Recording(tmp_path / "brief.journal").replay()
    assert (kept.status, kept.reason, kept.artifacts) == (
        result.status,
        result.reason,
        result.artifacts,
    )


async def test_a_reply_that_a_tight_limit_cut_comes_back_cut(tmp_path):
    request = {
        "model": "claude-haiku-5-5",
        "max_tokens": 20,
        "messages": [{"role": "user", "content": "Write a brief on Qdrant"}],
    }
    with Journal(tmp_path / "cut.db") as journal:
        cut = await Run(journal.around(connect("offline"))).ask(**request)
    assert cut.stop_reason == "max_tokens"
    with Journal(tmp_path / "cut.db", final=True) as journal:
        again = await Run(journal.around(connect("offline"))).ask(**request | {"max_tokens": 4000})
        assert again == cut and journal.steps() == (1, 0)


# ── what cannot be carried out ─────────────────────────────────────────────────────────────────────────────


class Stops(OfflineTransport):
    """A service during whose n-th answer the run is stopped."""

    def __init__(self, after, problem):
        super().__init__()
        self.after = after
        self.problem = problem

    async def handle_async_request(self, request):
        if not self.after:
            if isinstance(self.problem, asyncio.CancelledError):
                asyncio.current_task().cancel()  # by somebody, not by what it waits for
                await asyncio.sleep(0)
            raise self.problem
        self.after -= 1
        return await super().handle_async_request(request)


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), asyncio.CancelledError()])
async def test_a_recording_that_is_stopped_keeps_what_was_answered(tmp_path, no_settings, problem):
    file = tmp_path / "brief.journal"
    with pytest.raises(type(problem)):
        await record(file, Client(Stops(0, problem)), "Qdrant")
    assert not [*tmp_path.iterdir()], "without any answer there is nothing to keep"
    with pytest.raises(type(problem)):
        await record(file, Client(Stops(2, problem)), "Qdrant")
    assert [path.name for path in tmp_path.iterdir()] == ["brief.journal"]
    recording = Recording(file)
    assert recording.facts.stopped and recording.facts.answered == ("claude-haiku-5-5",)
    assert recording.facts.sentence.endswith("; it was stopped before its end")
    run, result = await recording.replay()
    assert [event.kind for event in run.events].count("reply") == 2
    assert result.status == "failed" and "it was stopped before; record it" in result.reason


ENDED = """
import asyncio, os, signal, sys
from kernel import Client
from kernel.parts.journal.recording import record
from offline_model import OfflineTransport

class Ends(OfflineTransport):
    sent = 0
    async def handle_async_request(self, request):
        self.sent += 1
        if self.sent == 3:
            {end}
        return await super().handle_async_request(request)

run, result = asyncio.run(record(sys.argv[1], Client(Ends()), "Qdrant"))
print(result.status, result.reason)
"""


def ended(file, end):
    """A process that records a run, whose third request is where it ends."""
    code = ENDED.format(end=end)
    return subprocess.run(
        [sys.executable, "-c", code, str(file)], cwd=ROOT, capture_output=True, text=True
    )


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
async def test_a_signal_that_ends_the_process_leaves_a_valid_recording(tmp_path, no_settings, name):
    if not hasattr(signal, name):
        pytest.skip("Windows has no such signal")
    file = tmp_path / "brief.journal"
    signals = f"os.kill(os.getpid(), signal.{name})"
    if name == "SIGHUP":  # below nohup it is ignored, and a child inherits that
        signals = f"signal.signal(signal.{name}, signal.SIG_DFL); {signals}"
    done = ended(file, signals)
    assert done.returncode != 0 and file.is_file()
    recording = Recording(file)
    assert recording.facts.stopped and recording.facts.answered == ("claude-haiku-5-5",)
    run, result = await recording.replay()
    assert [event.kind for event in run.events].count("reply") == 2
    assert result.status == "failed" and "it was stopped before; record it" in result.reason
    assert file.is_file(), "a replay only reads it"


async def test_a_full_disk_leaves_a_valid_recording_and_the_result(tmp_path, no_settings):
    resource = pytest.importorskip("resource", reason="Windows has no limit on the size of a file")
    file = tmp_path / "brief.journal"
    full = f"__import__('resource').setrlimit({resource.RLIMIT_FSIZE}, (8192, -1))"
    done = ended(file, full)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("exhausted ") and "make room" in done.stdout
    recording = Recording(file)
    assert recording.facts.stopped
    run, _ = await recording.replay()
    assert [event.kind for event in run.events].count("reply") == 2


async def test_a_fork_of_a_recording_says_that_it_was_changed(tmp_path, no_settings):
    run, _ = await recorded(tmp_path / "brief.journal", mode="offline")
    steps = [event.reply.step for event in run.events if event.kind == "reply"]
    change = {"at": steps[1], "change": saying("Gold.")}
    with Journal(tmp_path / "brief.journal") as journal:
        journal.fork(tmp_path / "fork.journal", **change).close()
    assert Recording(tmp_path / "fork.journal").facts.sentence.endswith("it was changed, as a fork")
    assert "changed" not in Recording(tmp_path / "brief.journal").facts.sentence


def test_ctrl_c_in_a_terminal_keeps_the_record_and_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "kernel.parts.terminal.connect", lambda *_, **__: Client(Stops(2, KeyboardInterrupt()))
    )
    file, saved = tmp_path / "brief.journal", tmp_path / "run.jsonl"
    assert main(["Qdrant", "--record", str(file), "--save", str(saved)]) == 130
    out, err = capsys.readouterr()
    assert err == "stopped\n" and "spent so far: 2 calls · " in out
    assert (
        f"{file}: recorded on" in out and "stopped before its end. python -m kernel replay" in out
    )
    assert saved.read_text(encoding="utf-8").count('"kind": "reply"') == 2
    assert main(["replay", str(file)]) == 1


async def test_a_recording_names_the_models_that_replied_by_their_own_word(tmp_path, no_settings):
    names = ["llama3.2:1b", ""]

    class Other(OfflineTransport):
        async def handle_async_request(self, request):
            response = await super().handle_async_request(request)
            body = json.loads(response.content)
            body["model"] = names.pop(0) if names else "llama3.2:1b"
            return httpx.Response(response.status_code, json=body)

    await record(tmp_path / "brief.journal", Client(Other()), "Qdrant")
    facts = Recording(tmp_path / "brief.journal").facts
    assert facts.answered == ("claude-haiku-5-5", "llama3.2:1b"), "one that says nothing: as asked"


async def test_a_thread_beside_a_replay_asks_its_own_model(tmp_path, monkeypatch, no_settings):
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "tiny-1b")
    await recorded(tmp_path / "brief.journal", mode="offline")
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "mine")
    beside = []

    def look(event):
        thread = threading.Thread(target=lambda: beside.append(models.worker))
        thread.start()
        thread.join()
        assert models.worker == "tiny-1b"

    _, result = await Recording(tmp_path / "brief.journal").replay(on_event=look)
    assert result.ok and set(beside) == {"mine"} == {models.worker}


def test_a_role_that_there_is_not_gets_no_model():
    with pytest.raises(AttributeError, match="no model role 'boss'"), models.use({"boss": "m"}):
        raise AssertionError
    with models.use({"worker": "outer"}):
        with models.use({"judge": "inner"}):
            assert models.judge == "inner" and models.worker != "outer"
        assert models.worker == "outer"


async def test_what_cannot_be_written_is_said_before_anything_is_asked(tmp_path, no_settings):
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    nobody = Client(OfflineTransport(faults=Faults(first=("500",) * 9)))
    for path, words in (("there", "is there already"), ("no/folder", "cannot be written")):
        with pytest.raises(JournalError, match=words):
            await record(tmp_path / path, nobody, "Qdrant")
    with pytest.raises(ValueError, match="the supervisor is 'mine'; expected deterministic or llm"):
        await record(tmp_path / "new", nobody, "Qdrant", "mine")
    assert nobody.ledger.spent == NOTHING and not (tmp_path / "new").exists()
    assert (tmp_path / "there").read_text(encoding="utf-8") == "mine"


def test_a_file_that_is_no_recorded_run_is_said(tmp_path, capsys):
    with Journal(tmp_path / "plain.db"):
        pass
    with Journal(tmp_path / "odd.db") as journal:
        journal.describe(ABOUT, "{}")
        with pytest.raises(ValueError, match="'format' is a name of the journal's own"):
            journal.describe("format", "9")
    whole = {
        "task": "t",
        "team": "llm",
        "date": "d",
        "server": "s",
        "models": {},
        "answered": [],
    }
    for number, change in enumerate(
        (
            {"team": "mob"},
            {"models": []},
            {"models": {"worker": None}},
            {"models": {"boss": "m"}},
            {"task": 3},
            {"answered": "m"},
            {"stopped": "yes"},
            {"more": 1},
            {},
        )
    ):
        with Journal(tmp_path / f"{number}.db") as journal:
            journal.describe(ABOUT, json.dumps(whole | change) + ("" if change else "}"))
        assert main(["replay", str(tmp_path / f"{number}.db")]) == 2
        err = capsys.readouterr().err
        assert "says of itself cannot be read; take the file anew" in err and err.count("\n") == 1
    (tmp_path / "text").write_text("no database" * 100, encoding="utf-8")
    for name, words in (
        ("plain.db", "is a journal, and no recorded run"),
        ("odd.db", "says of itself cannot be read"),
        ("text", "cannot be used as a journal"),
        ("missing", "there is no file"),
    ):
        assert main(["replay", str(tmp_path / name)]) == 2
        err = capsys.readouterr().err
        assert words in err and err.count("\n") == 1


def test_record_and_replay_in_a_terminal(tmp_path, capsys, no_settings):
    file = str(tmp_path / "brief.journal")
    assert main(["Qdrant", "--record", file]) == 0
    first = capsys.readouterr().out
    assert f"python -m kernel replay {file}" in first and "offline model" in first
    assert main(["replay", file]) == 0
    second = capsys.readouterr().out
    brief = first.partition("\n# ")[2].partition("\nSources")[0]
    assert brief and brief in second
    assert main(["Qdrant", "--record", file]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["Qdrant", "--record", f"{file}2", "--library", str(tmp_path)]) == 2
    assert "leave --library out" in capsys.readouterr().err
    assert main(["Qdrant", "--record", ""]) == 2 and capsys.readouterr().err.count("\n") == 1


# ── the view ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_recorded_run_stands_beside_ours_and_says_whose_words_they_are(
    service, tmp_path, monkeypatch
):
    await recorded(tmp_path / "brief.journal")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    shown = await beside(Recording(tmp_path / "brief.journal"))
    assert isinstance(shown, Beside)
    for text in (shown.text(), shown._repr_mimebundle_()["text/html"]):
        assert "Write a brief on Qdrant: offline, and in a recorded run." in text
        assert "own program, run just now" in text
        assert "by a server on the machine that recorded it" in text
    ours, theirs = shown.sides
    assert ours.figures["cost"].endswith("as if") and not theirs.figures["cost"].endswith("as if")


async def test_a_recorded_failure_stands_there_with_its_reason(tmp_path, no_settings):
    faults = Faults(first=("529",) * 9)
    client = Client(OfflineTransport(faults=faults), sleep=no_sleep)
    await record(tmp_path / "brief.journal", client, "Qdrant")
    shown = await beside(Recording(tmp_path / "brief.journal"))
    assert shown.sides[0].result.ok and shown.sides[1].result.status == "failed"
    for text in (shown.text(), shown.html()):
        assert "There is no brief." in text and "failed: " in text and "Overloaded" in text


def test_no_request_leaves_a_replay():
    from kernel.parts.journal.recording import NoService

    class Named:
        path = ROOT / "brief.journal"

        class facts:
            date = "2026-11-25"
            stopped = False

    request = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "?"}]}
    with pytest.raises(ApiError, match="does not hold this request"):
        asyncio.run(NoService(Named()).send(request))


async def test_the_run_of_a_real_model_that_comes_with_the_workshop_replays_without_a_key(
    no_settings,
):
    """After a change of a prompt of the team it is recorded again, as CONTRIBUTING says."""
    recording = Recording(REAL)
    run, result = await recording.replay()
    assert recording.facts.answered == ("smollm2-135m",) and recording.facts.server != OFFLINE
    replies = [event for event in run.events if event.kind == "reply"]
    assert {event.reply.model for event in replies} == {"smollm2-135m"}, "record it again"
    assert result.status == "failed" and "not_recorded" not in result.reason, "record it again"
    assert b"sk-ant" not in REAL.read_bytes()
