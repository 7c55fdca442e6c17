"""Facts about spans: the tree, live and from a log; what they tell and what they keep; real OTLP bytes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field, replace

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.trace import NoOpTracer

from kernel import (
    ApiError,
    Budget,
    Client,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    HandoffTool,
    LLMSupervisor,
    Result,
    Run,
    Trace,
    connect,
    researcher,
    reviewer,
    tool,
    writer,
)
from kernel.core.tools import run_calls
from kernel.core.wire import Block
from kernel.parts.guards import Retry
from kernel.parts.telemetry import INSTALL, NAMES, Span, Spans, sending_to
from offline_model import Script
from tests.on_each import on_each
from tests.scripted import Worker, call, no_sleep, scripted
from workshop.material.receiver import Receiver

TASK = Handoff(intent="Write a brief on pgvector")
MODEL = "claude-haiku-5-5"


async def desk(supervisor=None, **run):
    run = Run(connect("offline"), **run)
    team = (researcher(Corpus()), writer(), reviewer())
    await run.dispatch(supervisor or LLMSupervisor(team), TASK)
    return run


@pytest.fixture(scope="module")
def fired():
    return asyncio.run(desk())


def spans_of(run, **options):
    return Spans(**options).read(run, began=1_000_000.0).spans


def named(spans):
    return [span.name for span in spans]


def only(spans, name):
    (found,) = [span for span in spans if span.name == name]
    return found


def facts(span):
    """All that a span holds, without the identity of the one above."""
    events = [(event.name, event.at_ns, event.attributes) for event in span.events]
    above = span.parent and (span.parent.name, span.parent.start_ns)
    times = (span.start_ns, span.end_ns)
    return span.name, span.kind, above, times, span.attributes, events, span.error


def untimed(span):
    return span.name, span.kind, span.depth, span.attributes, span.error


# ── the tree ───────────────────────────────────────────────────────────────────────────────────────


def test_each_dispatch_request_and_tool_call_is_a_span_below_what_caused_it(fired):
    kinds = [event.kind for event in fired.events]
    spans = spans_of(fired)
    assert len(spans) == sum(kinds.count(kind) for kind in ("dispatch", "request", "tool_call"))
    assert [span.name for span in spans if span.parent is None] == ["invoke_agent supervisor"]
    search = only(spans, "execute_tool search")
    way = [search.parent, search.parent.parent, search.parent.parent.parent]
    assert named(way) == [
        "invoke_agent researcher",
        "execute_tool handoff_to_researcher",
        "invoke_agent supervisor",
    ]
    for span in spans:
        assert span.end_ns >= span.start_ns and not span.error
        if span.parent:
            assert span.parent.start_ns <= span.start_ns and span.end_ns <= span.parent.end_ns


def test_a_handoff_is_a_tool_call_with_a_target_to_which_control_returns(fired):
    handoff = only(spans_of(fired), "execute_tool handoff_to_writer").attributes
    assert handoff["gen_ai.transfer.target.name"] == "writer"
    assert handoff["gen_ai.transfer.mode"] == "return_to_caller"
    search = only(spans_of(fired), "execute_tool search").attributes
    assert not [name for name in search if "transfer" in name]


async def test_two_handoffs_to_one_specialist_in_one_turn_each_have_their_own_work_below():
    async def boss(handoff, run):
        tools = [HandoffTool(Worker("ann"))]
        calls = [
            Block(type="tool_use", id=f"call {n}", name=tools[0].name, input={"intent": f"{n}"})
            for n in (1, 2)
        ]
        await run_calls(tools, calls, run)
        return Result(status="ok")

    run = Run(scripted())
    await run.dispatch(Worker("boss", boss), TASK)
    ann = [span for span in spans_of(run) if span.name == "invoke_agent ann"]
    assert [span.parent.attributes["gen_ai.tool.call.id"] for span in ann] == ["call 1", "call 2"]


async def test_live_spans_are_those_of_the_saved_log(tmp_path):
    live = Spans()
    run = await desk(on_event=live)
    run.trace().save(tmp_path / "run.jsonl")
    later = Spans().read(Trace.load(tmp_path / "run.jsonl"))
    assert list(map(untimed, live.spans)) == list(map(untimed, later.spans))
    for one, other in zip(live.spans, later.spans, strict=True):
        assert abs(one.ms - other.ms) < 0.001


def test_a_log_takes_its_times_from_when_the_run_began(fired):
    first, *_ = spans_of(fired)
    assert first.start_ns == 10**15 + round(fired.events[0].at * 1e9)


def test_the_numbers_of_first_and_last_event_lead_back_to_the_log(fired):
    for span in spans_of(fired):
        first, last = (span.attributes[f"workshop.{name}_event"] for name in ("first", "last"))
        pair = (fired.events[first].kind, fired.events[last].kind)
        assert pair in {
            ("dispatch", "return"),
            ("request", "reply"),
            ("tool_call", "tool_result"),
        }
        assert fired.events[first].agent == span.attributes["gen_ai.agent.name"]


# ── what a span tells ──────────────────────────────────────────────────────────────────────────────


def test_the_chats_of_an_agent_add_up_to_its_line_in_the_bill(fired):
    for agent, used in fired.trace().by_agent().items():
        chats = [
            span.attributes
            for span in spans_of(fired)
            if span.name.startswith("chat") and span.attributes["gen_ai.agent.name"] == agent
        ]
        assert len(chats) == used["calls"]
        assert sum(chat["gen_ai.usage.input_tokens"] for chat in chats) == used["input_tokens"]
        assert sum(chat["gen_ai.usage.output_tokens"] for chat in chats) == used["output_tokens"]
        assert sum(chat["workshop.usd"] for chat in chats) == pytest.approx(float(used["usd"]))


async def test_a_price_that_is_not_known_is_left_out_not_zero(agent):
    run = Run(scripted("done", strict=False))
    await run.dispatch(agent(model="my-own-model"), TASK)
    spans = spans_of(run)
    assert len(spans) == 2 and not any("workshop.usd" in span.attributes for span in spans)


async def test_what_is_not_ok_is_an_error_with_its_status_as_the_type():
    team = (researcher(Corpus()), writer(), reviewer())
    run = await desk(DeterministicSupervisor(*team), budget=Budget(calls=3))
    top, *_ = spans_of(run)
    assert top.error == top.attributes["error.type"] == top.attributes["workshop.status"]
    assert top.error == "exhausted"
    assert "the run" in only(spans_of(run, payloads=True), "invoke_agent supervisor").error


async def test_a_tool_that_fails_is_an_error(agent):
    @tool
    def look(where: str) -> str:
        """Looks."""
        return where

    run = Run(scripted(call("look", here="x"), "done"))
    await run.dispatch(agent(tools=(look,)), TASK)
    spans = spans_of(run)
    assert only(spans, "execute_tool look").error == "tool_error"
    assert not spans[0].error


async def test_a_request_that_fails_says_why_and_ends_before_its_run(agent):
    run = Run(scripted(400))
    await run.dispatch(agent(), TASK)
    invoked, chat = spans_of(run)
    assert invoked.error == "failed" and chat.error == "invalid_request_error"
    assert chat.end_ns <= invoked.end_ns


class Ask:
    """Asks a model; with `patience`, the ticks that it goes on working for when that failed."""

    name, description = "asker", "Asks."

    def __init__(self, patience=0):
        self.patience = patience

    async def execute(self, handoff, run):
        try:
            await run.ask(model=MODEL, messages=[{"role": "user", "content": "?"}])
        except ApiError:
            run.note("fails", about="after")
            await asyncio.sleep(self.patience)
            run.note("goes on", about="after")
        return Result(status="ok")


async def test_a_request_that_failed_ends_when_it_failed_though_its_agent_goes_on():
    run = Run(scripted(400))
    await run.dispatch(Ask(0.02), TASK)
    invoked, chat = spans_of(run)
    fails, goes_on = (event.at_ns for event in invoked.events)
    assert chat.start_ns <= chat.end_ns <= fails < goes_on <= invoked.end_ns
    assert chat.error == "invalid_request_error" and not invoked.error


async def test_a_request_that_its_deadline_ends_has_the_error_of_its_run():
    class Silent(Script):
        async def handle_async_request(self, request):
            await asyncio.Event().wait()

    run = Run(Client(Silent([])))
    await run.dispatch(Ask(), TASK, budget=Budget(seconds=0.01))
    assert [span.error for span in spans_of(run)] == ["exhausted", "exhausted"]


async def test_a_retry_belongs_to_its_own_request_of_several():
    """The first of two requests is tried again while the second one is under way."""
    gates = [asyncio.Event(), asyncio.Event()]

    class Slow(Script):
        async def handle_async_request(self, request):
            number = len(self.requests)
            response = await super().handle_async_request(request)
            if number < 2:
                await gates[number].wait()
            return response

    async def asking(handoff, run):
        async def ask(text):
            return await run.ask(model=MODEL, messages=[{"role": "user", "content": text}])

        first = asyncio.create_task(ask("one"))
        await asyncio.sleep(0.01)
        second = asyncio.create_task(ask("two"))
        await asyncio.sleep(0.01)
        gates[0].set()
        await first
        gates[1].set()
        await second
        return Result(status="ok")

    run = Run(Client(Slow([529, "second", "first"]), sleep=no_sleep))
    await run.dispatch(Worker("asker", asking), TASK)
    _, first, second = spans_of(run, payloads=True)
    assert [event.name for event in first.events] == ["retry"] and not second.events
    assert '"first"' in first.attributes["gen_ai.output.messages"]
    older = [
        replace(event, request=0) if hasattr(event, "request") else event for event in run.events
    ]
    assert len(spans_of(Trace(older))) == 3, "a log of yesterday is read, too"


async def test_tool_calls_of_one_id_are_spans_that_all_end(agent):
    """Small servers give each call the same id."""

    @tool
    def look(where: str) -> str:
        """Looks."""
        return where

    async def boss(handoff, run):
        tools = [look, HandoffTool(Worker("ann"))]
        calls = [
            Block(type="tool_use", id="call_0", name="look", input={"where": "here"}),
            Block(type="tool_use", id="call_0", name=tools[1].name, input={"intent": "x"}),
            Block(type="tool_use", id="call_0", name="look", input={"where": "there"}),
        ]
        await run_calls(tools, calls, run)
        return Result(status="ok")

    run = Run(scripted())
    with Receiver() as receiver, sending_to(receiver.url) as tracer:
        run.subscribe(live := Spans(tracer, payloads=True))
        await run.dispatch(Worker("boss", boss), TASK)
    looks = [span for span in live.spans if span.name == "execute_tool look"]
    assert [span.attributes["gen_ai.tool.call.result"] for span in looks] == ["here", "there"]
    assert all(span.end_ns and not span.error for span in live.spans)
    assert len(receiver.spans) == len(live.spans) == 5
    assert only(live.spans, "invoke_agent ann").parent.name == "execute_tool handoff_to_ann"


async def test_a_name_that_a_model_made_up_is_cut():
    async def boss(handoff, run):
        long = "x" * 200_000
        await run_calls([], [Block(type="tool_use", id=long, name=long, input={})], run)
        return Result(status="ok")

    run = Run(scripted())
    await run.dispatch(Worker("boss", boss), TASK)
    _, made_up = spans_of(run)
    cut = "x" * 127 + "…"
    assert made_up.name == f"execute_tool {cut}" and made_up.error == "tool_error"
    assert (
        made_up.attributes["gen_ai.tool.name"] == made_up.attributes["gen_ai.tool.call.id"] == cut
    )


def test_a_clock_that_is_set_back_makes_no_span_shorter_than_nothing(fired):
    events = [replace(event, at=100 - event.at) for event in fired.events]
    spans = spans_of(Trace(events))
    assert len(spans) == len(spans_of(fired)) and all(span.ms >= 0 for span in spans)
    for span in spans:
        assert span.parent is None or span.parent.start_ns <= span.start_ns


async def test_a_retry_is_an_event_of_its_request_and_a_note_of_its_agent(agent):
    async def noting(handoff, run):
        run.note("research")
        run.note("a round", about="gate")
        return await run.dispatch(agent(), handoff)

    run = Run(Client(Script([529, "done"]), sleep=no_sleep))
    await run.dispatch(Worker("boss", noting), TASK)
    boss, _, chat = spans_of(run)
    assert [event.name for event in boss.events] == ["note", "gate"]
    (retry,) = chat.events
    assert retry.name == "retry" and retry.attributes["error.type"] == "overloaded_error"
    assert retry.attributes["workshop.wait_s"] > 0 and not chat.error


async def test_a_transparent_wrapper_is_a_span_that_invokes_no_agent():
    results = iter([Result(status="failed", transient=True), Result(status="ok")])
    worker = Worker("ann", lambda handoff, run: next(results))
    run = Run(scripted())
    await run.dispatch(Retry(worker, sleep=no_sleep), TASK)
    spans = spans_of(run)
    assert named(spans) == ["Retry ann", "invoke_agent ann", "invoke_agent ann"]
    assert "gen_ai.operation.name" not in spans[0].attributes
    assert [span.error for span in spans] == ["", "failed", ""]


async def test_replies_that_overtake_each_other_end_their_own_requests():
    """Two requests of one run at once: the second is answered first."""
    gates = [asyncio.Event(), asyncio.Event()]

    class Slow(Script):
        async def handle_async_request(self, request):
            number = len(self.requests)
            response = await super().handle_async_request(request)
            await gates[number].wait()
            return response

    async def asking(handoff, run):
        async def ask(text, model):
            return await run.ask(model=model, messages=[{"role": "user", "content": text}])

        first = asyncio.create_task(ask("one", MODEL))
        await asyncio.sleep(0.02)
        second = asyncio.create_task(ask("two", MODEL))
        await asyncio.sleep(0.02)
        for gate, answer in ((gates[1], second), (gates[0], first)):
            gate.set()
            await answer
        return Result(status="ok")

    run = Run(Client(Slow(["a long answer to the first", "short"])))
    await run.dispatch(Worker("asker", asking), TASK)
    _, first, second = spans_of(run, payloads=True)
    assert "long answer" in first.attributes["gen_ai.output.messages"]
    assert "short" in second.attributes["gen_ai.output.messages"]
    assert first.start_ns < second.start_ns and second.end_ns < first.end_ns


async def test_further_attributes_go_onto_the_span_that_an_event_begins_or_ends():
    def more(event):
        if event.kind == "dispatch":
            return {"shop.parts": sorted(event.handoff.artifacts)}
        return {"shop.ok": event.result.ok} if event.kind == "return" else {}

    run = Run(scripted())
    await run.dispatch(Worker(), Handoff(intent="x", artifacts={"facts": "y"}))
    (span,) = spans_of(run, more=more)
    assert span.attributes["shop.parts"] == ["facts"] and span.attributes["shop.ok"] is True


async def test_a_log_that_ends_in_the_middle_ends_its_spans_and_says_so(fired):
    spans = spans_of(Trace(fired.events[:9]))
    ended = [span.error for span in spans]
    assert "unfinished" in ended and all(span.end_ns is not None for span in spans)


async def test_events_of_another_run_are_refused_and_the_run_goes_on():
    spans = Spans()
    await Run(scripted(), on_event=spans).dispatch(Worker(), TASK)
    with pytest.warns(UserWarning, match="make new Spans for each run"):
        result = await Run(scripted(), on_event=spans).dispatch(Worker(), TASK)
    assert result.ok and len(spans.spans) == 1


async def test_a_wide_fan_out_is_read_in_linear_time():
    run = Run(scripted())
    await run.fan_out((Worker(f"w{n}"), TASK) for n in range(2_000))
    assert len({span.name for span in spans_of(run)}) == 2_000


# ── what a span keeps to itself ────────────────────────────────────────────────────────────────────

SECRET = "sk-ant-api03-very-secret-indeed"


@dataclass
class Everything:
    """Puts a marked text wherever a text can stand."""

    agent: object
    name: str = "boss"
    description: str = "d"
    marks: tuple = field(default=tuple(f"MARK-{n}" for n in range(12)))

    async def execute(self, handoff, run):
        run.note(self.marks[0], fields=self.marks[1])
        await run.dispatch(
            self.agent,
            Handoff(
                intent=self.marks[2], context=self.marks[3], artifacts={"facts": self.marks[4]}
            ),
            again=self.marks[5],
        )
        return Result(status="failed", reason=self.marks[6], output=self.marks[7])


def everything(agent):
    @tool
    def look(where: str) -> str:
        """Looks."""
        return "MARK-8"

    answers = [529, call("look", where="MARK-9"), "MARK-10"]
    client = Client(Script(answers), sleep=no_sleep, api_key=SECRET, base_url="https://example.com")
    run = Run(client)
    asyncio.run(run.dispatch(Everything(agent(tools=(look,), system="MARK-11")), TASK))
    return run


def sent(run, **options):
    with Receiver() as receiver, sending_to(receiver.url) as tracer:
        Spans(tracer, **options).read(run)
    return receiver


def test_texts_stay_here_unless_they_are_asked_for_and_a_key_always_does(agent):
    run = everything(agent)
    quiet = b"".join(sent(run).posts)
    assert b"MARK-" not in quiet and TASK.intent.encode() not in quiet
    loud = b"".join(sent(run, payloads=True).posts)
    for number in (0, 2, 3, 4, 5, 6, 8, 9, 10, 11):
        assert f"MARK-{number}".encode() in loud, number
    assert SECRET.encode() not in loud + quiet


# ── over the wire ──────────────────────────────────────────────────────────────────────────────────


def test_every_span_that_is_sent_is_read_back_unchanged(fired):
    began = 1_763_800_000.0
    with Receiver() as receiver, sending_to(receiver.url, "editorial desk") as tracer:
        spans = Spans(tracer).read(fired, began)
    assert b"editorial desk" in b"".join(receiver.posts)
    assert len(receiver.spans) == len(spans.spans) > 10
    assert list(map(facts, receiver.spans)) == list(map(facts, spans.spans))


async def test_errors_and_events_arrive_too(agent):
    run = Run(Client(Script([529, 400]), sleep=no_sleep))
    live = []
    with Receiver() as receiver, sending_to(receiver.url) as tracer:
        live = Spans(tracer)
        run.subscribe(live)
        await run.dispatch(agent(), TASK)
    assert [span.error for span in receiver.spans] == ["failed", "invalid_request_error"]
    assert [event.name for event in receiver.spans[1].events] == ["retry"]
    assert list(map(facts, receiver.spans)) == list(map(facts, live.spans))


async def test_a_log_larger_than_the_usual_queue_arrives_whole():
    run = Run(scripted())
    await run.fan_out((Worker(f"w{n}"), TASK) for n in range(3_000))
    assert len(sent(run).spans) == 3_000


def test_what_cannot_be_sent_is_warned_about(fired):
    with Receiver() as receiver:
        elsewhere = receiver.url + "/nobody"
        with (
            pytest.warns(UserWarning, match="17 spans could not be sent"),
            sending_to(elsewhere) as tracer,
        ):
            Spans(tracer).read(fired)


def test_leaving_is_quick_when_nobody_listens(fired):
    with Receiver() as receiver:
        gone = receiver.url
    with pytest.warns(UserWarning, match="17 spans could not be sent"), sending_to(gone) as tracer:
        Spans(tracer).read(fired)
        began = time.monotonic()
    assert time.monotonic() - began < 4, "OpenTelemetry's own tries take 6 seconds"


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(fired, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert len(sent(fired).spans) == 17


@on_each("tracer", [NoOpTracer(), TracerProvider(sampler=ALWAYS_OFF).get_tracer("off")])
def test_a_tracer_that_records_nothing_changes_nothing(fired, tracer):
    assert list(map(facts, spans_of(fired, tracer=tracer))) == list(map(facts, spans_of(fired)))


@on_each(("path", "body", "status"), [("", b"\xff\xff", 400), ("", b"", 413), ("/x", b"1", 404)])
def test_the_receiver_refuses_what_it_cannot_read(path, body, status):
    with Receiver() as receiver:
        request = urllib.request.Request(receiver.url + path, data=body, method="POST")
        with pytest.raises(urllib.error.HTTPError) as problem:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
        problem.value.close()
        assert problem.value.code == status and not receiver.spans


# ── the extra ──────────────────────────────────────────────────────────────────────────────────────


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@on_each("missing", ["opentelemetry", "requests", "opentelemetry.exporter"])
def test_a_missing_package_is_named_with_the_line_that_installs_it(missing):
    done = python(
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from kernel.parts.telemetry import Spans, sending_to\n"
        "Spans().read([])\n"
        "try:\n    sending_to('http://localhost:1').__enter__()\n"
        "except ModuleNotFoundError as problem: print(problem)"
    )
    assert INSTALL in done.stdout and missing in done.stdout, done.stderr


def test_the_names_are_those_of_the_conventions():
    known = {value for value in vars(gen_ai_attributes).values() if isinstance(value, str)}
    newer = {NAMES["transfer_to"], NAMES["transfer_mode"]}  # not in the package yet
    ours = {name for name in NAMES.values() if name.startswith("gen_ai.")}
    assert ours - known == newer


def test_a_span_that_goes_on_has_taken_no_time_yet():
    assert Span("a", "internal", None, 5, {}).ms == 0.0
