"""Facts about the views: what they show, what they never contain, and that they never stop a run."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from xml.etree import ElementTree

import pytest

import workshop.views.live as live
from classroom.launcher.lab import IN_THE_DARK
from classroom.notebook.presence import interactive
from classroom.paper.svg import INK, MUTED, PAPER, WARNING, cut, deep, escape, text_width, tint
from kernel import (
    Agent,
    Budget,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Result,
    Run,
    ToolError,
    Trace,
    Verdict,
    connect,
    models,
    researcher,
    tool,
)
from kernel.core.events import Waited
from kernel.plumbing.readings import reading_of
from tests.places import ROOT
from tests.scripted import Worker, call, scripted
from workshop.views import (
    BudgetGauges,
    ContextSizes,
    HandoffLog,
    TeamPicture,
    Timeline,
    Transcript,
    chart,
    watch,
)
from workshop.views.hues import FURTHER, ROLES, Hues
from workshop.views.scene import BARS, Scene
from workshop.views.understood import readings

VIEWS = (TeamPicture, Timeline, BudgetGauges, ContextSizes, HandoffLog, Transcript)
HOSTILE = '</text><script>alert("x")</script><img src=x onerror=alert(1)> & \x00\x1b[31m \u202eleft'


def picture(view) -> str:
    """What a notebook stores: drawn on both sheets, or the line that says why not."""
    return view.html() if hasattr(view, "html") else view.svg()


class Desk:
    """A supervisor whose work is a function of (run): for shapes of teams that the kernel has no class for."""

    def __init__(self, name, work):
        self.name, self.description, self.work = name, "d", work

    async def execute(self, handoff, run):
        return await self.work(run) or Result(status="ok", output=f"{self.name} is done")


async def desk(**settings) -> Run:
    """research → write → review → revise → review, by specialists that ask no model."""
    drafts = iter(["one two three", "one two"])
    verdicts = iter([Verdict(verdict="REVISE", issues=["too long"]), Verdict(verdict="PASS")])
    team = (
        Worker("researcher", "- A fact. [d1]"),
        Worker("writer", lambda *_: next(drafts)),
        Worker("reviewer", lambda *_: next(verdicts)),
    )
    run = Run(scripted(), **settings)
    await run.dispatch(
        DeterministicSupervisor(*team),
        Handoff(intent="Write a brief on ducks", context="for children"),
    )
    return run


@tool
def search(query: str) -> str:
    """Searches the library."""
    raise ToolError(f"there is nothing on {query}")


async def conversation(agent, *, budget=None) -> Run:
    """An agent that thinks, calls a tool that fails, and answers."""
    thought = {"type": "thinking", "thinking": "let me see", "signature": "s"}
    run = Run(
        scripted([thought, call("search", query="ducks")], "Ducks swim.", strict=False),
        budget=budget,
    )
    await run.dispatch(agent(name="researcher", tools=(search,)), Handoff(intent="Find facts"))
    return run


# ── what the team picture says ─────────────────────────────────────────────────────────────────────────────


async def test_the_picture_names_everybody_their_state_and_the_totals():
    run = await desk()
    view = TeamPicture(run)
    drawn, text = view.svg(), view.text()
    for words in (
        "supervisor",
        "researcher",
        "writer",
        "reviewer",
        "done",
        "PASS",
        "Write a brief on ducks",
    ):
        assert words in drawn and words in text
    assert (
        "Done: the supervisor gave 2 words back to the user after 6 handoffs." in drawn
        and view.finding() in text
    )
    assert "handoffs 3 and 5" in drawn and "handoffs 4 and 6" in text


async def test_while_the_writer_works_it_holds_the_work_and_the_edge_says_what_it_was_given():
    events = (await desk()).events
    second = [
        event.seq for event in events if event.kind == "dispatch" and event.agent == "writer"
    ][1]
    view = TeamPicture(events[: second + 1])
    assert (
        view.finding()
        == "The writer holds the work: task 5, context 2, facts 4, draft 3, feedback 3 words."
    )
    drawn, words = view.svg(), view.text()
    assert "facts" in drawn and "feedback" in drawn and "working" in drawn and "waiting" in drawn
    assert re.search(
        r"writer +working .*holds 5 \(task 5, context 2, facts 4, draft 3, feedback 3 words\)",
        words,
    )
    assert re.search(r"supervisor +waiting +revise 1 of 2", words)


async def test_work_that_came_back_is_on_its_way_to_the_supervisor_until_that_goes_on():
    events = (await desk()).events
    back = next(event.seq for event in events if event.kind == "return")
    assert "came back: 4 words" in TeamPicture(events[: back + 1]).svg()
    assert "came back" not in TeamPicture(events[: back + 2]).svg()


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("ok", "done"),
        ("failed", "failed"),
        ("refused", "failed"),
        ("exhausted", "stopped"),
        ("paused", "paused"),
        ("cancelled", "stopped"),
    ],
)
async def test_each_way_to_end_is_a_word(status, state):
    run = Run(scripted())
    await run.dispatch(
        Worker("writer", Result(status=status, reason="why it is so")), Handoff(intent="x")
    )
    view = TeamPicture(run)
    assert f">{state}</text>" in view.svg() and re.search(rf"writer +{state}", view.text())
    if status != "ok":
        assert "Why it is so." in view.finding()


async def test_the_same_agent_three_times_at_once_says_times_three_and_takes_three_rows():
    inside = []

    async def work(run):
        async def wait(handoff, child):
            await asyncio.sleep(0)
            inside.append(TeamPicture(run).svg())
            return "found"

        await run.fan_out(
            [(Worker("researcher", wait), Handoff(intent=f"part {i}")) for i in range(3)]
        )

    run = Run(scripted())
    await run.dispatch(Desk("supervisor", work), Handoff(intent="x"))
    assert (
        "working ×3" in inside[0]
        and "3 handoffs at once" in inside[0]
        and "researcher ×3" in inside[0]
    )
    assert "working ×3" not in TeamPicture(run).svg()
    assert Scene(run.events).hub.specialists["researcher"].slots == 3
    assert Timeline(run).finding() == "4 handoffs, at most 3 at once."


async def test_a_team_of_teams_shows_every_level():
    async def lead(run):
        await run.dispatch(Worker("researcher"), Handoff(intent="find"))

    async def chief(run):
        await run.dispatch(Desk("lead", lead), Handoff(intent="lead"))
        await run.dispatch(Worker("writer"), Handoff(intent="write"))

    run = Run(scripted())
    await run.dispatch(Desk("chief", chief), Handoff(intent="all of it"))
    assert [member.name for member in Scene(run.events).members] == [
        "chief",
        "lead",
        "researcher",
        "writer",
    ]
    assert (
        "    researcher" in TeamPicture(run).text()
        and ">researcher</text>" in TeamPicture(run).svg()
    )


async def test_beyond_twelve_specialists_the_others_share_a_box_and_the_text_has_all():
    async def work(run):
        await run.fan_out([(Worker(f"w{i}"), Handoff(intent="x")) for i in range(30)])

    run = Run(scripted())
    await run.dispatch(Desk("supervisor", work), Handoff(intent="x"))
    drawn = TeamPicture(run).svg()
    assert (
        "+ 19 more" in drawn
        and "19 done" in drawn
        and ">w10</text>" in drawn
        and ">w11</text>" not in drawn
    )
    assert all(f"w{i} " in TeamPicture(run).text() for i in range(30))


async def test_an_llm_supervisors_team_is_there_before_it_is_first_called():
    run = Run(scripted(call("finalize", output="nothing to do")))
    await run.dispatch(LLMSupervisor((Worker("researcher"), Worker("writer"))), Handoff(intent="x"))
    assert "not called yet" in TeamPicture(run).svg() and re.search(
        r"writer +waiting +not called yet", TeamPicture(run).text()
    )


@pytest.mark.parametrize("view", VIEWS)
def test_an_empty_run_has_a_picture_too(view):
    assert "text/plain" in view([])._repr_mimebundle_()
    assert TeamPicture([]).finding() == "Nothing has happened yet."


async def test_a_price_that_is_not_known_is_not_zero(agent):
    run = Run(scripted("an answer", strict=False))
    await run.dispatch(agent(model="a-model-nobody-knows"), Handoff(intent="x"))
    assert (
        ">unknown</text>" in TeamPicture(run).svg() and "price unknown" in TeamPicture(run).text()
    )


async def test_the_figures_are_the_ledgers_figures_also_when_a_call_fails(agent):
    run = Run(scripted("an answer", 400))
    await run.dispatch(agent(), Handoff(intent="x"))
    await run.dispatch(agent(), Handoff(intent="y"))
    scene = Scene(run.events)
    assert (scene.spent.calls, scene.spent.tokens, scene.spent.cost) == (
        run.spent.calls,
        run.spent.tokens,
        run.spent.cost,
    )
    assert scene.spent.calls == 2 and scene.spent.cost > Decimal(0)


async def test_the_scene_reads_events_one_by_one_as_it_reads_them_all():
    events = (await desk()).events
    one_by_one, growing = TeamPicture(at_hand := []), []
    for event in events:
        at_hand.append(event)
        growing.append(one_by_one.svg())
    assert growing[-1] == TeamPicture(events).svg()
    assert len(set(growing)) > 10


async def test_of_a_long_run_only_the_latest_bars_are_kept_apart():
    run = Run(scripted(), budget=Budget(depth=2))
    for i in range(3 * BARS):
        await run.dispatch(Worker("writer"), Handoff(intent=f"{i}"))
    short, scene = Run(scripted()), Scene(run.events)
    for i in range(BARS):
        await short.dispatch(Worker("writer"), Handoff(intent=f"{i}"))
    assert len(scene.passages) == 3 * BARS and len(scene.hub.specialists["writer"].bars) == BARS
    assert len(TeamPicture(run).svg()) < 1.2 * len(TeamPicture(short).svg())


# ── what stored pictures must be ───────────────────────────────────────────────────────────────────────────


async def hostile() -> Run:
    turn = [{"type": "text", "text": HOSTILE}, call("search", query=HOSTILE)]
    run = Run(scripted(turn, HOSTILE, strict=False), budget=Budget(calls=3))
    writer = Agent("<writer>", HOSTILE, "Be <brief>.", "claude-haiku-5-5", tools=(search,))
    await run.dispatch(writer, Handoff(intent=HOSTILE, artifacts={"facts": HOSTILE}))
    await run.dispatch(
        Worker("<reviewer>", Result(status="failed", reason=HOSTILE)), Handoff(intent=HOSTILE)
    )
    run.note(HOSTILE)
    return run


@pytest.mark.parametrize("view", VIEWS)
async def test_what_comes_from_a_model_is_text_and_nothing_else(view):
    run = await hostile()
    for events in (run, run.events[:2], run.events[:-4]):
        drawn = picture(view(events))
        assert not re.search(r"<(script|img|b|i|style|iframe|a|link|object)\b", drawn)
        assert "\x00" not in drawn and "\x1b" not in drawn and "\u202e" not in drawn
        drawn.encode("utf-8")
        ElementTree.fromstring(
            drawn.replace("<details open ", "<details ")
        )  # well-formed, HTML too


def test_a_broken_half_of_a_character_pair_does_not_break_the_file():
    assert escape("a\ud800b\x00").encode("utf-8") == "a\ufffdb\ufffd".encode()


@pytest.mark.parametrize("view", VIEWS)
async def test_a_stored_picture_needs_nothing_that_hosts_strip(view, agent):
    drawn = picture(view(await conversation(agent, budget=Budget(calls=5))))
    plain = drawn.replace(
        ' class="mathjax_ignore"', ""
    )  # for JupyterLab's sake; a host that strips it sets no formulas
    assert not re.search(r"<style|<script|url\(|href|\s(id|class|on\w+)=", plain)
    if drawn.startswith("<svg"):
        assert drawn.count(" style=") == 1 and 'role="img"' in drawn
        root = ElementTree.fromstring(drawn)
        assert (
            root.get("aria-label") == root[0].text
            and root[0].tag.endswith("title")
            and len(root[0].text) > 10
        )
        assert root.get("viewBox").startswith("0 0 760 ")
    else:
        assert 'aria-label="' in drawn and "<summary" in drawn


@pytest.mark.parametrize("view", VIEWS)
async def test_the_text_twin_stands_beside_every_picture(view, agent):
    bundle = view(await conversation(agent, budget=Budget(calls=5)))._repr_mimebundle_(
        include=None, exclude=None
    )
    assert {"text/html", "text/plain"} <= set(bundle)
    assert "researcher" in bundle["text/plain"] or view is BudgetGauges
    assert "could not be drawn" not in bundle["text/plain"]


@pytest.mark.parametrize("view", [TeamPicture, Timeline, BudgetGauges, ContextSizes])
async def test_a_finished_picture_is_an_image_that_speaks_and_has_a_form_for_a_phone(view):
    shown = view(await hostile())
    wide, narrow = shown.sheets()
    markup = shown._repr_mimebundle_()["text/html"]
    phone, image = ElementTree.fromstring(markup.replace('">', '"/>').replace("/><img", "/><img"))
    assert len(image.get("alt")) > 10 and "max-width:100%" in image.get("style")
    for drawn, data in ((wide, image.get("src")), (narrow, phone.get("srcset"))):
        kind, _, data = data.partition(",")
        assert kind == "data:image/svg+xml;base64"
        assert base64.b64decode(data).decode() == drawn
    assert phone.get("media") == "(max-width: 599px)"


NARROW_VIEWS = [view for view in VIEWS if not hasattr(view, "html")]


@pytest.mark.parametrize("view", NARROW_VIEWS)
async def test_on_a_phone_every_letter_can_be_read_and_no_word_is_lost_at_the_edge(view, agent):
    for run in (await hostile(), await conversation(agent, budget=Budget(calls=5))):
        for end in range(0, len(run.events) + 1, 3):
            root = ElementTree.fromstring(view(run.events[:end]).sheets()[1])
            width = float(root.get("width"))
            assert width <= 344, "the room of a window of 360 px"
            for shape in root.iter("{http://www.w3.org/2000/svg}text"):
                size, x = float(shape.get("font-size")), float(shape.get("x"))
                wide = text_width(shape.text, size, bold=bool(shape.get("font-weight")))
                share = {"end": 1.0, "middle": 0.5}.get(shape.get("text-anchor"), 0.0)
                assert size >= 11 and x - wide * share >= 0, shape.text
                assert x + wide * (1 - share) <= width + 1, shape.text


async def test_a_reason_is_said_once_and_in_full():
    why = "the provider answered with " + "a long reason " * 12 + "and an end"

    async def work(child):
        for i in range(6):
            await child.dispatch(
                Worker(f"w{i}", Result(status="failed", reason=why)), Handoff(intent="x")
            )
        return Result(status="ok", output="done")

    run = Run(scripted())
    await run.dispatch(Desk("supervisor", work), Handoff(intent="Write"))
    for view in (Timeline(run), TeamPicture(run)):
        assert view.text().count(why) == 1 and "2–7: " in view.text()
        words = re.sub(r"<[^>]+>", " ", view.svg().partition("</title>")[2])
        assert " ".join(words.split()).count(why) == 1, "not cut, and not on each row"
        assert why in view.alt()


async def test_depth_is_seen_as_depth():
    def nested(depth):
        async def work(child):
            if depth:
                await child.dispatch(Desk(f"level_{depth}", nested(depth - 1)), Handoff(intent="x"))
            return Result(status="ok", output="done")

        return work

    run = Run(scripted(), budget=Budget(depth=40))
    deep = Budget(depth=40)
    await run.dispatch(Desk("top", nested(24)), Handoff(intent="Dig"), budget=deep)
    timeline = Timeline(run)
    assert "25 levels deep" in timeline.finding()
    places = [float(number) for number in re.findall(r'<circle cx="([\d.]+)"', timeline.svg())]
    assert len(set(places)) == 25 and places == sorted(places)
    assert all(f">level_{level}</text>" in timeline.svg() for level in range(1, 25))


@pytest.mark.parametrize(
    "drawn",
    [
        chart.bars("Near", {"a": 2.9, "<b>": 0.1}, axis="times", ideal=3),
        chart.pairs("Fewer", {"<b>": (24, 8), "b": (0, 4)}, axis="calls"),
        chart.curves(
            "Held", {"a": [1, 20], "<b>": [5, 4]}, x_axis="step", y_axis="tokens", limit=9
        ),
        chart.intervals("Wide", {"a": (0.5, 0.25, 0.75), "<b>": (0.5, 0.5, 0.5)}, axis="mark"),
        chart.intervals("Same", {"<b>": (0.0, 0.0, 0.0)}, axis="gain", zero="no change"),
    ],
    ids=["bars", "pairs", "curves", "intervals", "an empty interval"],
)
def test_a_chart_has_its_numbers_in_words_and_its_own_paper(drawn):
    root = ElementTree.fromstring(drawn.svg)
    assert root.get("aria-label") == drawn.finding and root[1].get("rx") == "12"
    numbers = re.findall(r"\d+(?:\.\d+)?", drawn.words)
    assert len(numbers) >= 3 and "&lt;b&gt;" in drawn.svg and "<b>" in drawn.words
    bundle = drawn._repr_mimebundle_()
    assert 'alt="' + drawn.finding in bundle["text/html"] and bundle["text/plain"] == drawn.text()


def on_the_picture(svg):
    """The words of a chart with their baselines, and its lines as (y, y2)."""
    root = ElementTree.fromstring(svg)
    texts = [shape for shape in root.iter() if shape.tag.endswith("text")]
    drawn = [shape for shape in root.iter() if shape.tag.endswith("line")]
    words = {shape.text: float(shape.get("y")) for shape in texts}
    return words, [(float(shape.get("y1")), float(shape.get("y2"))) for shape in drawn]


@pytest.mark.parametrize(
    ("ends", "drawn"),
    [
        (
            ["9", "9.1", "9.2"],
            chart.curves(
                "Held",
                {"one": [1, 9, 9], "two": [1, 8, 9.1], "three": [0, 0, 9.2]},
                x_axis="step",
                y_axis="tokens",
                limit=9,
            ),
        ),
    ],
    ids=["curves"],
)
def test_the_name_of_a_line_lies_on_no_line_and_numbers_stand_apart(ends, drawn):
    words, lines = on_the_picture(drawn.svg)
    names = {name: words[name] for name in ("one", "two", "three")}
    for name, y in names.items():
        crossing = [ends for ends in lines if min(ends) - 2 <= y and max(ends) + 2 >= y - 12]
        assert all(first == second == y - 4 for first, second in crossing), name  # its own sample
    numbers = sorted(words[end] for end in ends)
    assert numbers[1] - numbers[0] >= 12 and numbers[2] - numbers[1] >= 12


@pytest.mark.parametrize(
    ("steps", "shown"), [(12, range(1, 13)), (13, range(1, 14, 2)), (36, range(1, 37, 3))]
)
def test_of_many_steps_some_have_a_number(steps, shown):
    heights = [5_000 + step for step in range(steps)]
    drawn = chart.curves(
        "Grows", {"one": heights}, x_axis="check", y_axis="tokens", limit=2_870, line="one agent"
    )
    words, _ = on_the_picture(drawn.svg)
    assert [word for word in words if word.isdigit() and word != "0"] == [*map(str, shown)]
    assert "one agent 2,870" in words


@pytest.mark.parametrize("view", VIEWS)
async def test_the_object_has_a_stable_repr(view):
    assert repr(view((await desk()).events)) == repr(view((await desk()).events))
    assert "0x" not in repr(view([]))


def test_the_bytes_are_the_same_in_every_process_and_with_every_hash_seed():
    code = """
import asyncio, hashlib
from kernel import *
from offline_model import Script
from workshop.views import *
async def main():
    work = lambda name: Agent(name, "d", "s", "claude-haiku-5-5")
    run = Run(Client(Script(["a b c"] * 4)), budget=Budget(calls=9))
    parts = {"facts": "x y", "draft": "z"}
    await run.fan_out([(work(it), Handoff(intent=it, artifacts=parts)) for it in ("zoe", "amy", "bob", "zed")])
    await asyncio.sleep(0.01)
    return run
run = asyncio.run(main())
for view in (TeamPicture(run), Timeline(run), BudgetGauges(run), ContextSizes(run), HandoffLog(run), Transcript(run)):
    bundle = view._repr_mimebundle_()
    print(*[hashlib.sha256(bundle[kind].encode("utf-8")).hexdigest() for kind in sorted(bundle)])
"""
    texts = set()
    for seed in ("1", "2", "77"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        texts.add(done.stdout)
    assert len(texts) == 1 and texts.pop().count("\n") == 6


async def test_seconds_are_in_a_picture_only_when_asked_for():
    events = (await desk()).events
    slow = [replace(event, at=event.at * 100 + event.seq) for event in events]
    for view in (TeamPicture, Timeline, HandoffLog):
        assert view(events)._repr_mimebundle_() == view(slow)._repr_mimebundle_()
    assert TeamPicture(events, time="seconds").svg() != TeamPicture(slow, time="seconds").svg()
    with pytest.raises(ValueError, match="minutes"):
        TeamPicture(events, time="minutes")


async def test_a_saved_run_gives_the_same_pictures(tmp_path, agent):
    run = await conversation(agent)
    run.trace().save(tmp_path / "run.jsonl")
    loaded = Trace.load(tmp_path / "run.jsonl")
    for view in (TeamPicture, Timeline, HandoffLog, Transcript):
        assert view(loaded)._repr_mimebundle_() == view(run)._repr_mimebundle_()


def test_a_list_of_something_else_is_refused_with_what_was_expected():
    with pytest.raises(TypeError, match="list of str; expected a Run"):
        TeamPicture(["not an event"])


# ── hues and type ──────────────────────────────────────────────────────────────────────────────────────────


def luminance(hue):
    parts = [int(hue[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_roles_keep_their_hue_and_every_hue_can_be_read_on_the_paper():
    hues = Hues()
    first = hues["archivist"]
    assert hues["researcher-2"] == hues["deep_researcher"] == ROLES["researcher"]
    assert hues["translator"] != first == hues["archivist"]
    for hue in (*ROLES.values(), *FURTHER, WARNING):
        for paper in (PAPER, tint(hue, 0.09)):
            assert (luminance(paper) + 0.05) / (luminance(deep(hue)) + 0.05) >= 5, hue
    assert (
        (luminance(PAPER) + 0.05) / (luminance(MUTED) + 0.05)
        >= 5
        < (luminance(PAPER) + 0.05) / (luminance(INK) + 0.05)
    )


TURNED = ((-0.574, 1.43, 0.144), (0.426, 0.43, 0.144), (0.426, 1.43, -0.856))
"""What `hue-rotate(180deg)` does to red, green and blue, as the CSS filter effects module has it."""


def in_the_dark(hue):
    """The hue as JupyterLab's dark theme shows it, by the filter of the launcher's style."""
    share = float(re.search(r"invert\(([\d.]+)\) hue-rotate\(180deg\)", IN_THE_DARK)[1])
    channels = [int(hue[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    inverted = [share * (1 - channel) + (1 - share) * channel for channel in channels]
    turned = (sum(a * b for a, b in zip(row, inverted, strict=True)) for row in TURNED)
    return "#" + "".join(f"{round(255 * min(1, max(0, channel))):02x}" for channel in turned)


def test_every_hue_can_be_read_in_the_dark_theme():
    assert luminance(in_the_dark(PAPER)) < 0.02
    for hue in (*map(deep, ROLES.values()), *map(deep, FURTHER), WARNING, INK, MUTED):
        for paper in (PAPER, tint(hue, 0.09)):
            light, dark = luminance(in_the_dark(hue)), luminance(in_the_dark(paper))
            assert (light + 0.05) / (dark + 0.05) >= 5, hue


def test_long_names_are_cut_to_their_room():
    for words in (
        "supervisor of everything that moves",
        "WWWWWWWWWWWWWWWW",
        "研究者研究者研究者研究者",
        "x" * 5000,
    ):
        short = cut(words, 90)
        assert short.endswith("…") and text_width(short) <= 90
    assert cut("writer", 90) == "writer"


# ── the other views ────────────────────────────────────────────────────────────────────────────────────────


async def test_the_handoff_log_has_every_word_that_was_handed_over_and_that_came_back():
    facts = "\n".join(f"- Fact number {i}. [d{i}]" for i in range(300))

    async def work(run):
        handoff = Handoff(intent="write", context="for children", artifacts={"facts": facts})
        await run.dispatch(Worker("writer", "the draft"), handoff)

    run = Run(scripted())
    await run.dispatch(Desk("supervisor", work), Handoff(intent="x"))
    log = HandoffLog(run)
    assert facts in log.html() and "the draft" in log.html() and "for children" in log.html()
    assert all(line in log.text() for line in facts.splitlines()) and "the draft" in log.text()
    assert (
        log.html().count("<details") >= 2
        and "supervisor → writer (task 1, context 2, facts 1,500 words)" in log.text()
    )


async def test_the_transcript_shows_one_conversation_block_by_block(agent):
    view = Transcript(await conversation(agent))
    assert [(turn.role, turn.kind) for turn in view.turns()] == [
        ("system", "instructions"),
        ("system", "tools"),
        ("user", "text"),
        ("assistant", "thinking"),
        ("assistant", "tool_use"),
        ("user", "tool_result"),
        ("assistant", "text"),
    ]
    output = view.text()
    for words in (
        "Be brief.",
        "Find facts",
        "let me see",
        "search({",
        "nothing on ducks",
        "Ducks swim.",
        "search error",
    ):
        assert words in output
    assert "The researcher's conversation: 2 replies, 1 tool call" in output


async def test_the_transcript_of_somebody_who_is_not_there_says_who_is(agent):
    run = await conversation(agent)
    words = "writer has no conversation; who asked a model: researcher"
    with pytest.raises(ValueError, match=words):
        Transcript(run, agent="writer").html()


async def test_a_history_that_is_sent_whole_each_time_is_shown_once():
    run = Run(scripted("one", "two"))
    messages = [{"role": "user", "content": "first"}]
    await run.ask(model="claude-haiku-5-5", messages=messages)
    messages = [
        *messages,
        {"role": "assistant", "content": "one"},
        {"role": "user", "content": "second"},
    ]
    await run.ask(model="claude-haiku-5-5", messages=messages)
    texts = [turn.text for turn in Transcript(run).turns()]
    assert texts[0] == "first" and texts[-2:] == ["second", "two"]


async def test_gauges_show_used_against_cap_and_say_when_a_budget_is_used_up(agent):
    run = Run(scripted("one", "two", max_usd="1"), budget=Budget(calls=2, usd="0.5", seconds=30))
    for word in ("a", "b"):
        await run.dispatch(agent(), Handoff(intent=word), budget=Budget(tokens=100_000))
    output = BudgetGauges(run).text()
    assert re.search(r"the run +█{20} +2 of 2 calls, used up", output)
    assert (
        "the connection" in output
        and "of $1.0000" in output
        and "1. agent" in output
        and "of 100,000 tokens" in output
    )
    assert "– of 30 seconds, seconds are shown live" in output
    assert "seconds are shown live" not in BudgetGauges(run, time="seconds").text()
    assert "No budget has a cap." in BudgetGauges(run.events[:0]).text()


async def test_a_context_grows_turn_by_turn_and_says_what_is_read_again():
    run = Run(connect())
    await run.dispatch(researcher(Corpus()), Handoff(intent="Find facts about pgvector"))
    (context,), used = ContextSizes(run).contexts(), run.trace().totals()
    first, second = context.turns
    assert (
        context.name == "researcher" and first + second == used["input_tokens"] and first < second
    )
    assert list(context.parts()) == [(0, first), (first, second)]
    assert (
        ContextSizes(run).finding()
        == f"The largest context is researcher's, with {second:,} tokens."
    )
    output = ContextSizes(run).text()
    assert re.search(rf"researcher  turn 1  █+ +{first:,}\n +turn 2  ░+█+ +{second:,}\n", output)
    assert (
        f"{first + second:,} tokens read in 2 turns" in output
        and f">{second:,}<" in ContextSizes(run).svg()
    )


async def test_contexts_apart_stand_beside_one_mixed_context_on_one_scale(agent):
    apart, mixed = Run(connect()), Run(connect())
    for name, words in (("researcher", 30), ("writer", 20), ("writer", 10)):
        await apart.dispatch(agent(name=name), Handoff(intent="word " * words))
    for words in (9, 900):
        await mixed.ask(
            model=models.worker, messages=[{"role": "user", "content": "word " * words}]
        )
    view = ContextSizes(apart, mixed=mixed)
    assert [context.name for context in view.contexts()] == [
        "researcher",
        "writer",
        "writer 2",
        "one conversation",
    ]
    (first,), (second,), (third,), (few, many) = (context.turns for context in view.contexts())
    assert first > second > third and few < many
    assert view.finding() == (
        f"Apart, the largest context holds {first:,} tokens and the last one {third:,}; "
        f"in one conversation it grows to {many:,}."
    )
    longest = max(re.findall("[░█]+", view.text()), key=len)
    assert len(longest) == 40 and "turn 2  " + longest in view.text()


async def test_of_very_many_turns_the_picture_has_forty_and_the_text_has_all():
    run = Run(scripted(*["yes"] * 45, strict=False))
    for _ in range(45):
        await run.ask(model=models.worker, messages=[{"role": "user", "content": "and?"}])
    assert "+ 5 more turns" in ContextSizes(run).svg() and "turn 45" in ContextSizes(run).text()


async def test_the_timeline_numbers_every_handoff_as_the_log_does():
    run = await desk()
    output = Timeline(run).text()
    assert re.search(r"  4   reviewer .*REVISE · 1 issue", output) and re.search(
        r"  6   reviewer .*PASS", output
    )
    assert Timeline(run).finding() == "6 handoffs, one after the other."


# ── watching ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_timeline_of_a_fan_out_names_all_tasks_and_a_single_handoff_has_no_order():
    run = Run(scripted())
    jobs = [(Worker(f"w{n}"), Handoff(intent=f"Research {n}")) for n in range(5)]
    await run.dispatch(*jobs[0])
    assert Timeline(run).text().splitlines()[:2] == ["Research 0", "1 handoff."]
    await run.fan_out(jobs[1:3])
    assert Timeline(run).text().startswith("3 tasks: Research 0; Research 1; Research 2\n")
    assert ">3 tasks: Research 0; Research 1; Research 2<" in Timeline(run).svg()
    await run.fan_out(jobs[3:])
    assert (
        Timeline(run)
        .text()
        .startswith("5 tasks: Research 0; Research 1; Research 2; Research 3; …\n")
    )


async def test_outside_a_notebook_watching_prints_the_text_twin(capsys):
    run = Run(scripted())
    with watch(run):
        await run.dispatch(Worker("writer"), Handoff(intent="Write"))
    assert "Done: the writer gave 1 word back" in capsys.readouterr().out
    assert not interactive()


async def test_a_body_that_raises_is_pictured_and_what_it_raised_goes_on(capsys):
    run = Run(scripted())
    with pytest.raises(KeyError, match="of the body"), watch(run, TeamPicture, HandoffLog):
        await run.dispatch(Worker("writer"), Handoff(intent="Write"))
        raise KeyError("of the body")
    assert (
        "Done: the writer" in (output := capsys.readouterr().out) and "1. user → writer" in output
    )


async def test_a_cancelled_body_is_pictured_and_stays_cancelled(capsys):
    run = Run(scripted())

    async def body():
        with watch(run):
            await run.dispatch(
                Worker("writer", lambda *_: asyncio.sleep(60)), Handoff(intent="Write")
            )

    task = asyncio.create_task(body())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "Stopped: the writer gave nothing back" in capsys.readouterr().out


class Broken(TeamPicture):
    def draw(self, sheet):
        raise RuntimeError("no <paper> left")


async def test_a_view_that_fails_says_so_in_its_place_and_the_run_goes_on(capsys):
    run = Run(scripted())
    with watch(run, Broken, TeamPicture):
        result = await run.dispatch(Worker("writer"), Handoff(intent="Write"))
    output = capsys.readouterr().out
    assert (
        result.ok
        and "Broken could not be drawn: RuntimeError: no <paper> left" in output
        and "Done: the writer" in output
    )
    bundle = Broken(run)._repr_mimebundle_()
    assert (
        "no &lt;paper&gt; left" in bundle["text/html"]
        and len(bundle["text/plain"].splitlines()) == 1
    )


def test_watching_something_else_says_what_was_expected():
    with pytest.raises(TypeError, match="watch was given Trace; expected the Run"):
        watch(Trace([]))


class Screen:
    """Stands for the notebook: keeps what is displayed."""

    def __init__(self):
        self.displayed, self.updated = [], []

    def __call__(self, thing, **settings):
        self.displayed.append(thing)
        return self

    def update(self, thing):
        self.updated.append(thing)


@pytest.fixture
def screen(monkeypatch):
    display = pytest.importorskip("IPython.display")
    pytest.importorskip("ipywidgets")
    screen = Screen()
    monkeypatch.setattr(display, "display", screen)
    monkeypatch.setattr(live, "interactive", lambda: True)
    monkeypatch.setattr(live, "in_notebook", lambda: True)
    return screen


async def until(ready, frames=300):
    """Waits for the drawing, which has a clock of its own; on a busy machine a frame may come late."""
    while not ready() and frames:
        frames -= 1
        await asyncio.sleep(live.FRAME_S)
    assert ready()


async def test_when_somebody_is_there_every_state_is_drawn_and_one_picture_is_left(screen):
    run, states = Run(scripted()), set()

    def look(*_):
        states.add(screen.displayed[0].children[0].value)
        return "done"

    async def work(child):
        for i in range(6):
            await until(lambda: screen.displayed[0].children[0].value not in states)
            await child.dispatch(Worker(f"w{i}", look), Handoff(intent="x"))

    with watch(run) as watching:
        await run.dispatch(Desk("supervisor", work), Handoff(intent="Write"))
        pictures, log = watching._screen._pictures, watching._screen._log
        await until(
            lambda: "".join(widget.value for widget in log.children).count("<details") >= 14
        )
        entries = "".join(widget.value for widget in log.children)
    assert len(states) >= 5 and all('aria-label="' in state for state in states)
    assert entries.count("<details") >= 14 and "supervisor" in entries
    assert len(screen.displayed) == 1 and [type(drawn) for drawn in screen.updated] == [TeamPicture]
    assert screen.updated[0].time == "seconds", "what was counted live does not vanish"
    assert all(picture.comm is None for picture in pictures)


async def test_the_log_of_a_live_picture_only_grows(screen):
    run = Run(scripted())
    with watch(run) as watching:
        seen = []
        for i in range(3):
            await run.dispatch(Worker("writer"), Handoff(intent=f"{i}"))
            await until(
                lambda: len(watching._screen._log.children) > (len(seen[-1]) if seen else 0)
            )
            seen.append([widget.value for widget in watching._screen._log.children])
    assert seen[0] == seen[2][: len(seen[0])] and len(seen[2]) > len(seen[0])


async def test_a_live_view_that_fails_neither_stops_the_run_nor_the_other_view(screen):
    run = Run(scripted())
    with watch(run, Broken, TeamPicture) as watching:
        result = await run.dispatch(Worker("writer"), Handoff(intent="Write"))
        await until(lambda: ">writer</text>" in watching._screen._pictures[1].value)
        values = [picture.value for picture in watching._screen._pictures]
    assert result.ok and "could not be drawn" in values[0] and ">writer</text>" in values[1]


def test_the_toolkit_can_be_imported_without_widgets():
    code = (
        "import sys; sys.modules['ipywidgets'] = sys.modules['IPython'] = None\nimport workshop.views, classroom.notebook.presence\n"
        "assert not classroom.notebook.presence.interactive() and not classroom.notebook.presence.in_notebook()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


async def test_a_transparent_wrapper_is_no_stop_on_the_way_but_what_it_refuses_is_shown():
    class Breaker:
        name = description = "breaker"
        wraps = Worker("writer")
        closed = True

        async def execute(self, handoff, run):
            if self.closed:
                return await run.dispatch(self.wraps, handoff)
            return Result(status="failed", reason="the circuit is open")

    breaker = Breaker()
    run = Run(scripted())
    await run.dispatch(breaker, Handoff(intent="first"))
    breaker.closed = False
    await run.dispatch(breaker, Handoff(intent="second"))
    scene = Scene(run.events)
    assert [(passage.sender, passage.member.name, passage.state) for passage in scene.passages] == [
        ("user", "writer", "done"),
        ("user", "writer", "failed"),
    ]
    assert scene.finished


# ── what the offline model read, and what waited ───────────────────────────────────────────────────────────

READ = {"read_as": "writer", "wishes": ["cite"], "not_understood": ["be <b>witty</b>"]}


async def accounted(account):
    run = Run(scripted("A brief."))
    await run.dispatch(Agent("writer", "d", "s", models.worker), Handoff(intent="Write"))
    events = list(run.events)
    place = next(index for index, event in enumerate(events) if event.kind == "reply")
    reply = events[place].reply.model_copy(update={"account": account})
    events[place] = replace(events[place], reply=reply)
    return events


async def test_what_the_offline_model_read_is_one_quiet_line_a_request():
    events = await accounted(READ)
    line = 'read as: writer · wishes: cite · not understood: "be <b>witty</b>"'
    assert readings(events) == [f"writer: {line}"]
    assert Transcript(events).turns()[-1] == ("offline model", "what it read", line, "")
    for view in (TeamPicture, Timeline, HandoffLog, BudgetGauges):
        shown = view(events)._repr_mimebundle_()
        assert 'not understood: "be <b>witty</b>" (writer)' in shown["text/plain"]
        assert "be <b>" not in shown["text/html"] and "be &lt;b&gt;witty" in shown["text/html"]
        assert "be &lt;b&gt;witty" in view(events).markup()


async def test_a_live_model_is_not_accompanied_by_anything():
    events = await accounted(None)
    assert readings(events) == [] and reading_of(events) == ""
    assert all(turn.role != "offline model" for turn in Transcript(events).turns())
    understood = await accounted({"read_as": "writer"})
    assert reading_of(understood) == ""
    assert (
        TeamPicture(understood)._repr_mimebundle_()["text/plain"] == TeamPicture(understood).text()
    )


async def test_what_many_requests_did_not_understand_is_said_once_and_counted():
    account = {"not_understood": [f"wish {number}" for number in range(9)]}
    events = await accounted(account)
    line = reading_of([*events, *events])
    assert line.count("wish") == 4 and line.endswith("and 5 more")


async def test_a_displayed_result_says_what_was_not_read():
    run = Run(connect("offline"))
    agent = Agent("writer", "d", "You are the writer. Write like a pirate.", models.worker)
    result = await run.dispatch(agent, Handoff(intent="Write a brief on tea"))
    assert 'not understood: "Write like a pirate" (writer)' in repr(result)
    assert "topic: tea" in result.reading


async def test_a_request_that_waits_for_a_budget_has_a_mark_and_a_sentence():
    run = Run(scripted("One."))
    await run.dispatch(Agent("writer", "d", "s", models.worker), Handoff(intent="Write"))
    events = list(run.events)
    place = next(index for index, event in enumerate(events) if event.kind == "request")
    request = events[place]
    waited = Waited(
        seq=request.seq,
        at=request.at,
        run=request.run,
        agent="writer",
        reason="the cap of $0.50 has no room",
        at_once=8,
    )
    later = [replace(moved, seq=moved.seq + 3) for moved in events[place:]]
    waiting = [*events[:place], waited, *later]
    for view in (Timeline, TeamPicture):
        assert "1 waited (outlined): the cap of $0.50 has no room" in view(waiting).text()
        outlines = view(waiting).svg().count('fill="#ffffff" stroke="#')
        assert outlines == view(events).svg().count('fill="#ffffff" stroke="#') + 1


def test_panels_have_a_scale_each_and_a_table_as_their_twin():
    sizes = {"lines": {"kernel": 5, "other": 20}, "megabytes": {"kernel": 12.0, "other": 153.9}}
    drawn = chart.panels("They differ in size", sizes)
    assert drawn.text().splitlines()[0] == "They differ in size"
    assert drawn.text().splitlines()[2].split() == ["kernel", "5", "12"]
    assert drawn.svg.count(">153.9<") == drawn.narrow.count(">153.9<") == 1
    ends = re.findall(r'd="M208 [\d.]+H([\d.]+)V', drawn.svg)
    assert len(ends) == 4 and ends[1] == ends[3], "the longest of each measure fills its room"
