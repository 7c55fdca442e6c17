"""The controls: what a person can do with them, what a reader sees of them, and what they never do."""

from __future__ import annotations

import asyncio
import os
import sys
from decimal import Decimal

import ipywidgets
import pytest
import traitlets

import kernel
from classroom.paper import control as control_module
from classroom.paper.shown import as_shown_html, as_shown_text, markdown
from kernel import (
    Agent,
    Client,
    DeterministicSupervisor,
    Result,
    Run,
    SetupError,
    Verdict,
    spending,
)
from kernel.parts.journal.journal import Journal
from offline_model import Script
from tests.scripted import Worker, scripted
from workshop.controls import (
    checkpoint,
    criteria_card,
    kept_file,
    model_switch,
    predict,
    tally,
    topic_box,
)
from workshop.controls.bill import accounts
from workshop.controls.model_switch import ModelSwitch
from workshop.material.criteria import AGAINST, FAVOUR, Criteria

switch_module, prediction_module, checkpoint_module, card_module = (
    sys.modules[f"workshop.controls.{name}"]
    for name in ("model_switch", "prediction", "checkpoint", "card")
)
KEY = "sk-ant-api03-Vq8-not-a-real-key-00000000"
HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">'

pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture
def somebody(monkeypatch):
    """A person is there, and what a cell displays is collected."""
    import sys

    shown = []
    monkeypatch.setattr(control_module, "interactive", lambda: True)
    for name in ("model_switch", "topic_box", "checkpoint"):
        module = sys.modules[f"workshop.controls.{name}"]
        monkeypatch.setattr(module, "interactive", lambda: True)
    monkeypatch.setattr(sys.modules["workshop.controls.checkpoint"], "_display", shown.append)
    return shown


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    """`pytest -s` has one, and a checkpoint would wait for a key."""
    monkeypatch.setattr(sys.modules["workshop.controls.terminal"], "at_terminal", lambda: False)


@pytest.fixture(autouse=True)
def kept_elsewhere(monkeypatch, tmp_path):
    """What a control keeps goes to the test's own folder, and nothing is known from before."""
    for module, name in (
        (switch_module, "choices"),
        (prediction_module, "predictions"),
        (card_module, "card"),
    ):
        monkeypatch.setattr(module, "FILE", tmp_path / f"{name}.json")
    switch_module._switches.clear()
    sys.modules["workshop.controls.topic_box"]._in_memory.clear()
    prediction_module._in_memory.clear()
    prediction_module._asked.clear()
    card_module._in_memory.clear()


def on_display(control):
    """The control as the end of a cell shows it; returns its widgets."""
    control._repr_mimebundle_()
    return control.widget


def all_of(kind, widget):
    found = [widget] if type(widget) is kind else []
    for child in getattr(widget, "children", ()):
        found += all_of(kind, child)
    return found


def button(widget, name):
    return next(
        button for button in all_of(ipywidgets.Button, widget) if button.description == name
    )


def page(widget):
    return "\n".join(html.value for html in all_of(ipywidgets.HTML, widget))


async def until(fact):
    while not fact():
        await asyncio.sleep(0)


# ── the model switch ───────────────────────────────────────────────────────────────────────────────────────


def test_the_switch_is_offline_unless_asked_and_a_line_of_text_where_nobody_is_there():
    assert model_switch()._repr_mimebundle_() == {
        "text/plain": "Model: offline (deterministic; no key needed)"
    }


def test_the_switch_begins_where_the_environment_says_and_refuses_what_it_does_not_know(
    monkeypatch,
):
    monkeypatch.setenv("WORKSHOP_MODEL", "local")
    assert model_switch().mode == "local" and model_switch("offline").mode == "offline"
    monkeypatch.setenv("WORKSHOP_MODEL", "big")
    with pytest.raises(SetupError, match="'big'; expected offline, live or local"):
        model_switch()


def test_nobody_waits_for_the_pace_and_a_person_does(somebody, monkeypatch):
    import sys

    assert model_switch().connect().transport.api.latency_ms == (300, 300)
    assert model_switch().connect(latency_ms=5).transport.api.latency_ms == (5, 5)
    monkeypatch.setattr(sys.modules["workshop.controls.model_switch"], "interactive", lambda: False)
    assert model_switch().connect().transport.api.latency_ms == (0, 0)


def test_what_is_missing_is_said_in_the_kernels_words_and_connecting_raises_it(somebody):
    switch = model_switch("live")
    assert "ANTHROPIC_API_KEY is not set" in page(on_display(switch))
    assert "ANTHROPIC_BASE_URL is not set" not in page(on_display(switch)), "nobody asked for it"
    assert "not ready" not in page(on_display(model_switch())), "offline needs nothing"
    with pytest.raises(SetupError, match="ANTHROPIC_API_KEY is not set"):
        switch.connect()


def test_no_part_of_a_key_is_ever_shown(somebody, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    for address in (
        "",
        f"https://user:{KEY}@example.org",
        KEY,
        f"ftp://me:{KEY}@host",
        "http://[",
        "https://me:pass word@host",
    ):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
        for mode in ("offline", "live", "local"):
            switch = model_switch(mode)
            shown = page(on_display(switch)) + switch.text() + repr(switch)
            assert KEY not in shown and KEY[7:20] not in shown and "pass word" not in shown


def test_a_live_connection_has_the_cap_of_the_switch_and_no_offline_settings(somebody, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    switch = model_switch("live")
    widget = on_display(switch)
    all_of(ipywidgets.BoundedFloatText, widget)[0].value = 0.25
    client = switch.connect(seed=7)
    assert str(spending.limit()) == "0.25" and client.mode == "live"
    assert (
        switch.text()
        == "Model: live, at api.anthropic.com (a key is set; hard cap $0.25 for this notebook)"
    )
    assert "$0.25" in page(widget)


def test_a_cap_that_is_none_is_refused():
    for cap in (0, -1, float("nan"), float("inf"), 1000):
        with pytest.raises(traitlets.TraitError, match="cap"):
            model_switch(max_usd=cap)


def test_a_switch_keeps_no_cap_of_its_own_beside_the_limit_of_the_process(somebody):
    switch = model_switch("live", max_usd=0.25)
    spending.allow(3)
    assert switch.max_usd == 3 and model_switch("live", max_usd=0.25) is switch
    switch.max_usd = 0.25
    spending.allow(3)
    switch.max_usd = 0.25
    assert str(spending.limit()) == "0.25", "the tighter cap is asked for again, and holds"
    spending.allow(3)
    ModelSwitch("live", max_usd=0.25)
    assert str(spending.limit()) == "0.25"


@pytest.mark.parametrize(("limit", "shown"), [(0, 0.0), (None, 100.0), ("0.0005", 0.0005)])
def test_a_switch_that_is_only_shown_changes_no_limit(somebody, limit, shown):
    spending.allow(limit)
    for _ in range(2):
        switch_module._switches.clear()  # a new kernel
        switch = model_switch("live")
        widget = on_display(switch)
        assert all_of(ipywidgets.BoundedFloatText, widget)[0].value == switch.max_usd == shown
        switch.mode = "local"
        assert spending.limit() == (None if limit is None else Decimal(str(limit)))


def test_a_limit_that_is_no_amount_is_said(monkeypatch):
    monkeypatch.setenv("WORKSHOP_MAX_USD", "abc")
    with pytest.raises(SetupError, match="WORKSHOP_MAX_USD is 'abc'; expected an amount"):
        ModelSwitch()


def test_a_click_switches_this_object_and_not_the_environment(somebody):
    switch, before = model_switch(), dict(os.environ)
    local = button(on_display(switch), "**Local server**: The server that ANTHROPIC_BASE_URL names")
    local.click()
    assert switch.mode == "local" and dict(os.environ) == before
    switch.mode = "offline"
    assert switch._choice.value == "offline", "and code moves the group"


def test_a_cell_that_runs_again_keeps_the_switch_and_another_cell_has_its_own(somebody):
    switch = model_switch()
    switch.mode, switch.pace_ms = "live", 800
    again = model_switch()
    assert (again.mode, again.pace_ms) == ("live", 800)
    assert model_switch("offline", pace_ms=0).pace_ms == 0


def test_in_a_new_kernel_a_choice_is_there_but_money_is_chosen_anew(somebody):
    model_switch().pace_ms = 800
    switch_module._switches.clear()  # a new kernel
    again = model_switch()
    assert again.pace_ms == 800 and not again.reminder
    again.mode = "live"
    switch_module._switches.clear()
    tomorrow = model_switch()
    assert tomorrow.mode == "offline" and "Last time you chose Live" in page(on_display(tomorrow))
    tomorrow.mode = "local"
    assert "Last time" not in page(tomorrow.widget)


def test_a_switch_that_is_written_differently_begins_as_it_is_written(somebody):
    model_switch().pace_ms = 800
    switch_module._switches.clear()
    assert model_switch(pace_ms=100).pace_ms == 100


def test_only_the_fields_of_the_chosen_mode_are_there_to_be_reached(somebody):
    switch = model_switch()
    widget = on_display(switch)
    pace, cap = (
        all_of(ipywidgets.BoundedIntText, widget)[0],
        all_of(ipywidgets.BoundedFloatText, widget)[0],
    )
    assert (pace.layout.display, cap.layout.display) == ("", "none")
    switch.mode = "live"
    assert (pace.layout.display, cap.layout.display) == ("none", "")
    assert all(field.description for field in (pace, cap)) and 'role="radiogroup"' in page(widget)


# ── the prediction ─────────────────────────────────────────────────────────────────────────────────────────

ASKED = "Who works first?", "writer", "researcher", "nobody"


def group(widget):
    return next(
        html.value for html in all_of(ipywidgets.HTML, widget) if "radiogroup" in html.value
    )


def test_a_choice_is_kept_by_notebook_question_and_options(somebody, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/ada/my-work/notebooks/00_start_here.ipynb")
    button(on_display(predict(*ASKED)), "researcher").click()
    assert predict(*ASKED).chosen == "researcher", "the same cell again"
    prediction_module._in_memory.clear()
    assert predict(*ASKED).chosen == "researcher", "a new kernel"
    assert predict(*ASKED, "all of them").chosen is None, "other options are another question"
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/ada/my-work/notebooks/01_agent_loop.ipynb")
    assert predict(*ASKED).chosen is None


def test_nobody_s_run_neither_reads_nor_leaves_a_choice(somebody, monkeypatch):
    button(on_display(predict(*ASKED)), "researcher").click()
    monkeypatch.setattr(control_module, "interactive", lambda: False)
    assert predict(*ASKED).chosen is None
    assert repr(predict(*ASKED).reveal("writer")) == (
        "It happened like this: writer. (No prediction was made.)"
    )


def test_the_reveal_speaks_of_a_choice_that_was_made_before_the_cell_ran_again(somebody):
    button(on_display(predict(*ASKED)), "researcher").click()
    again = predict(*ASKED)
    widget = on_display(again)
    assert group(widget).count(" checked") == 1 and "Noted and kept" in page(widget)
    assert repr(again.reveal("writer")) == (
        "You predicted: researcher. It happened like this: writer."
    )
    assert "Pick one" not in page(widget) and group(widget).count(" disabled") == 3


def test_after_a_reveal_without_a_choice_nothing_asks_to_pick_one(somebody):
    asked = predict(*ASKED)
    widget = on_display(asked)
    asked.reveal("writer")
    assert "Pick one" not in page(widget) and "run this cell again" in page(widget)
    button(widget, "writer").click()
    assert asked.chosen is None, "a click that was under way comes too late"


def test_a_function_picks_the_option_from_the_learners_own_run(somebody):
    def first_of(order, *more):
        return order[0] if order else "nobody"

    button(on_display(predict(*ASKED, right=first_of)), "researcher").click()
    for run, words in (
        ((["researcher", "writer"],), "You predicted it: researcher."),
        (([], 3), "You predicted: researcher. It happened like this: nobody."),
        ((["cook"],), "You predicted: researcher. It happened like this: cook."),
    ):
        asked = predict(*ASKED, right=first_of)
        assert asked.chosen == "researcher", "with or without a function it is the same question"
        assert repr(asked.reveal(*run)) == words
    counted = predict("How many?", "2", "3", right=len)
    assert counted.reveal(["a", "b"]).happened == "2"


def test_the_tally_counts_what_was_asked_made_and_right(somebody):
    first, second, third = (predict(f"Which one, {n}?", "this", "that") for n in (1, 2, 3))
    assert tally().text() == "You made none of 3 predictions."
    button(on_display(first), "this").click()
    button(on_display(second), "that").click()
    for each in (first, second, third):
        each.reveal("this")
    assert tally().text() == "You predicted 1 of 3. You left out 1."
    again = predict("Which one, 1?", "this", "that")
    again.reveal("this")
    assert tally().text() == "You predicted 1 of 3. You left out 1.", "a cell that ran twice"


def test_what_cannot_be_picked_is_said_and_ends_no_prediction(somebody):
    with pytest.raises(TypeError, match="expected a function of what the run left behind"):
        predict(*ASKED, right="writer")
    asked = predict(*ASKED, right=lambda run: None)
    with pytest.raises(TypeError, match="returned None, a NoneType; expected what happened as a"):
        asked.reveal([])
    assert not asked.revealed
    with pytest.raises(TypeError, match="was given 2 values, and this prediction has no function"):
        predict(*ASKED).reveal("writer", "reviewer")
    with pytest.raises(TypeError, match=r"`reveal` was given \['writer'\]"):
        predict(*ASKED).reveal(["writer"])


def test_a_folder_that_cannot_be_written_keeps_the_choice_while_the_kernel_lives(
    somebody, monkeypatch, tmp_path, capsys
):
    (tmp_path / "a file").write_text("", encoding="utf-8")
    monkeypatch.setattr(prediction_module, "FILE", tmp_path / "a file" / "predictions.json")
    button(on_display(predict(*ASKED)), "writer").click()
    assert predict(*ASKED).chosen == "writer"
    assert "could not be saved" in capsys.readouterr().err


def test_a_file_of_choices_that_is_damaged_is_set_aside(somebody, tmp_path, capsys):
    (tmp_path / "predictions.json").write_text("{", encoding="utf-8")
    assert predict(*ASKED).chosen is None
    assert (tmp_path / "predictions.unreadable-1.json").exists()
    assert "It is kept as" in capsys.readouterr().err


def test_an_option_is_shown_as_text_and_the_question_names_the_group(somebody):
    widget = on_display(predict(f"Which {HOSTILE}?", "`a`", HOSTILE))
    assert "<script>" not in page(widget) and "<img" not in page(widget)
    assert "<code>a</code>" in group(widget) and "aria-labelledby" in group(widget)


def test_every_control_holds_the_sentence_for_a_kernel_that_is_gone(somebody):
    for asked in (predict(*ASKED), model_switch()):
        assert "Not connected" in page(on_display(asked))


# ── the topic box ──────────────────────────────────────────────────────────────────────────────────────────

BRIEF = f"# MCP\n\nIt began in 2024 [mcp]. {HOSTILE}"


def desk():
    """Three specialists whose answers are in the script of `answers`."""
    one = (
        Agent("researcher", "d", "Be brief.", "claude-haiku-5-5"),
        Agent("writer", "d", "Be brief.", "claude-haiku-5-5"),
    )
    return DeterministicSupervisor(
        *one, Agent("reviewer", "d", "Be brief.", "claude-haiku-5-5", output=Verdict)
    )


def answers():
    return scripted("- It began in 2024. [mcp]", BRIEF, '{"verdict": "PASS"}')


class Gate(Script):
    """A script that waits before its second answer until it is opened."""

    def __init__(self):
        super().__init__(["- A fact. [a]", "never", "never"], strict=False)
        self.opened = asyncio.Event()

    async def handle_async_request(self, request):
        if len(self.requests) >= 1:
            await self.opened.wait()
        return await super().handle_async_request(request)


def gated():
    return Client(Gate())


async def test_run_shows_the_brief_escaped_its_bill_and_every_handoff(somebody):
    box = topic_box(desk, answers)
    widget = on_display(box)
    button(widget, "Run").click()
    await until(lambda: box.result)
    assert await box.task is box.result and box.result.status == "ok"
    await until(lambda: not button(widget, "Run").disabled)
    shown = page(widget)
    assert (
        "Done." in shown
        and "<h4>MCP</h4>" in shown
        and "3 calls" in shown
        and "researcher" in shown
    )
    assert "<script" not in shown and "<img" not in shown and "&lt;script&gt;" in shown
    assert 'role="img"' in shown and "Every handoff in full" in shown


async def test_while_it_runs_only_stop_can_be_pressed_and_stop_really_cancels(somebody):
    box = topic_box(desk, gated)
    widget = on_display(box)
    run, stop = button(widget, "Run"), button(widget, "Stop")
    assert (run.disabled, stop.disabled) == (False, True)
    run.click()
    await until(lambda: box.run and any(event.kind == "return" for event in box.run.events))
    assert (run.disabled, stop.disabled) == (True, False)
    stop.click()
    await until(lambda: not run.disabled)
    assert box.task.cancelled() and stop.disabled
    assert box.result.status == "cancelled" and box.result.artifacts == {
        "researcher": "- A fact. [a]"
    }
    assert "cancelled" in str(box.run.trace())
    shown = page(widget)
    assert (
        "Stopped by you. Finished before that: researcher." in shown
        and "<li>A fact. [a]</li>" in shown
    )
    assert "without an answer, at most" in shown, (
        "what was under way is billed at its bound, and says so"
    )


async def test_a_cell_that_runs_again_brings_its_box_and_the_next_run_its_new_desk(somebody):
    box = topic_box(desk, answers)
    on_display(box)
    box.start()
    result = await box.finished()
    assert topic_box(broken_desk, answers) is box and box.result is result
    assert topic_box(desk, answers, topic="another") is not box
    box.start()
    with pytest.raises(RuntimeError, match="the new desk"):
        await box.finished()


def broken_desk():
    raise RuntimeError("the new desk")


async def test_a_run_that_ended_leaves_nothing_behind_that_draws(somebody):
    box = topic_box(desk, answers)
    on_display(box)
    before = asyncio.all_tasks()
    for _ in range(3):
        box.start()
        await box.finished()
    await until(lambda: asyncio.all_tasks() == before)


async def test_enter_runs(somebody):
    box = topic_box(desk, answers)
    field = all_of(ipywidgets.Text, on_display(box))[0]
    field.value = "tea"
    field._handle_custom_msg({"event": "submit"}, [])
    await until(lambda: box.task)
    await box.finished()
    assert "Write a brief on tea" in box.run.trace().handoffs()[0]["intent"]


async def test_a_topic_with_braces_is_only_a_topic(somebody):
    box = topic_box(desk, answers, topic="{topic} {0}")
    assert (await box.finished()).ok
    assert box.run.trace().handoffs()[0]["intent"] == "Write a brief on {topic} {0}"


async def test_an_empty_topic_and_a_second_run_are_answered_in_one_line(somebody):
    box = topic_box(desk, gated, topic=" ")
    widget = on_display(box)
    button(widget, "Run").click()
    await until(lambda: "The topic is empty" in page(widget))
    assert box.task is None
    all_of(ipywidgets.Text, widget)[0].value = "tea"
    button(widget, "Run").click()
    await until(lambda: box.running)
    with pytest.raises(RuntimeError, match="under way"):
        box.start()
    box.stop()
    await box.finished()


@pytest.mark.parametrize(
    ("connect", "message"),
    [
        (
            lambda: kernel.connect("live"),
            "Not finished (failed): the model is live, but ANTHROPIC_API_KEY is not set",
        ),
        (lambda: 1 / 0, "Not finished (failed): ZeroDivisionError: division by zero"),
    ],
)
async def test_an_error_is_shown_in_its_place_and_raised_to_who_awaits(somebody, connect, message):
    box = topic_box(desk, connect)
    widget = on_display(box)
    button(widget, "Run").click()
    await until(lambda: box.task and box.task.done())
    await until(lambda: message in page(widget))
    with pytest.raises((SetupError, ZeroDivisionError)):
        await box.finished()
    assert not button(widget, "Run").disabled


async def test_a_bug_in_the_team_keeps_what_was_finished(somebody):
    def broken():
        researcher, writer = (
            Worker("researcher", "- A fact. [a]"),
            Worker("writer", lambda *_: 1 / 0),
        )
        return DeterministicSupervisor(researcher, writer, Worker("reviewer"))

    box = topic_box(broken, answers)
    widget = on_display(box)
    with pytest.raises(ZeroDivisionError):
        await box.finished()
    await until(lambda: "ZeroDivisionError" in page(widget))
    assert box.result.artifacts == {"researcher": "- A fact. [a]"} and "A fact. [a]" in page(widget)


async def test_with_nobody_there_the_box_is_text_and_runs_when_it_is_awaited():
    box = topic_box(desk, answers)
    assert box._repr_mimebundle_() == {"text/plain": "Topic: the history of MCP (not run yet)"}
    assert (await box.finished()).ok
    assert box.text().startswith(
        "Topic: the history of MCP (ok)\n\n# MCP"
    ) and "widget" not in vars(box)


async def test_interrupting_the_cell_that_waits_stops_the_run():
    box = topic_box(desk, gated)
    waiting = asyncio.create_task(box.finished())
    await until(lambda: box.run and any(event.kind == "return" for event in box.run.events))
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await until(lambda: box.task.done())
    assert box.task.cancelled() and box.result.status == "cancelled"


async def test_the_accounts_add_up_to_what_the_ledger_says():
    box = topic_box(desk, answers)
    await box.finished()
    *agents, total = accounts(box.run).values()
    assert total == box.run.spent and sum(agent.calls for agent in agents) == 3 == total.calls
    assert sum(agent.usd for agent in agents) == total.usd


# ── the checkpoint ─────────────────────────────────────────────────────────────────────────────────────────


async def asked(shown, **options):
    """A checkpoint that waits; returns its task and its widgets."""
    task = asyncio.create_task(checkpoint("Publish?", **options))
    await until(lambda: shown or task.done())
    return task, shown[-1].widget if shown else None


async def test_with_nobody_there_the_headless_answer_comes_at_once_and_says_so(capsys):
    decision = await checkpoint("Publish?", show="- one fact", edit="Dear reader")
    assert (decision.choice, decision.text, decision.by) == ("Proceed", "Dear reader", "headless")
    assert capsys.readouterr().out == (
        "Checkpoint: Publish?\n- one fact\nDear reader\nOptions: Proceed, Stop\n"
        "Decided: Proceed (nobody was there to ask: the headless answer)\n"
    )


async def test_a_person_decides_and_may_change_the_text(somebody):
    task, widget = await asked(somebody, edit="Dear reader")
    field = all_of(ipywidgets.Textarea, widget)[0]
    assert field.description and not task.done()
    field.value = "Dear editor"
    button(widget, "Stop").click()
    decision = await task
    assert (decision.choice, decision.text, decision.by) == ("Stop", "Dear editor", "person")
    assert "You chose Stop." in page(widget)
    assert all(control.disabled for control in (field, *all_of(ipywidgets.Button, widget)))


async def test_a_click_may_come_from_another_thread_and_twice(somebody):
    task, widget = await asked(somebody)
    await asyncio.to_thread(lambda: [button(widget, "Proceed").click() for _ in range(2)])
    assert (await task).choice == "Proceed"


async def test_others_go_on_while_one_waits(somebody):
    first, widget = await asked(somebody)
    box = topic_box(desk, answers)
    assert (await box.finished()).ok and not first.done()
    button(widget, "Proceed").click()
    await first


async def test_silence_is_answered_with_the_last_option_or_the_one_that_was_named(somebody):
    for options, choice in ({}, "Stop"), ({"on_timeout": "Proceed"}, "Proceed"):
        decision = await checkpoint("Publish?", timeout_s=0, edit="as it was", **options)
        assert (decision.choice, decision.text, decision.by) == (choice, "as it was", "timeout")
        assert "No answer within 0 seconds" in page(somebody[-1].widget)


async def test_over_a_journal_a_person_decides_once_about_the_same_facts(
    somebody, tmp_path, capsys
):
    for facts, clicks in (("- A fact.", 1), ("- A fact.", 1), ("- Another.", 2)):
        with Journal(tmp_path / "work.db") as journal:
            question = checkpoint("Publish?", edit=facts, journal=journal)
            task = asyncio.create_task(question)
            await until(lambda: task.done() or len(somebody) == clicks)  # noqa: B023
            if not task.done():
                widget = somebody[-1].widget
                all_of(ipywidgets.Textarea, widget)[0].value = f"{facts} Edited."
                button(widget, "Proceed").click()
            decision = await task
        assert (decision.text, decision.by) == (f"{facts} Edited.", "person")
        assert len(somebody) == clicks
    kept = "Decided: Proceed (by a person, before: from the journal)"
    assert capsys.readouterr().out.count(kept) == 1


async def test_what_nobody_decided_is_asked_again(somebody, tmp_path, monkeypatch):
    with Journal(tmp_path / "work.db") as journal:
        late = await checkpoint("Publish?", timeout_s=0, journal=journal)
        assert late.by == "timeout" and journal.steps() == (0, 0)
        monkeypatch.setattr(checkpoint_module, "interactive", lambda: False)
        headless = await checkpoint("Publish?", journal=journal)
        assert headless.by == "headless" and journal.steps() == (0, 0)
        monkeypatch.setattr(checkpoint_module, "interactive", lambda: True)
        task, widget = await asked(somebody, journal=journal)
        await until(lambda: len(somebody) == 3)
        button(somebody[-1].widget, "Stop").click()
        assert (await task).by == "person" and journal.steps() == (1, 0)


def test_a_kept_file_is_beside_the_progress_where_somebody_is_there(
    somebody, tmp_path, monkeypatch
):
    monkeypatch.setenv("WORKSHOP_PROGRESS", str(tmp_path / "own" / "progress.json"))
    assert kept_file("mine.db") == kept_file("mine.db") == tmp_path / "own" / "mine.db"
    assert (tmp_path / "own").is_dir()
    monkeypatch.setattr(checkpoint_module, "interactive", lambda: False)
    first, second = kept_file("mine.db"), kept_file("mine.db")
    assert first != second and not first.exists() and first.parent.is_dir()


async def test_an_interrupted_checkpoint_takes_no_more_answers(somebody):
    task, widget = await asked(somebody)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all(
        button.disabled for button in all_of(ipywidgets.Button, widget)
    ) and "cancelled" in page(widget)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"options": ()}, "at least one"),
        ({"options": ("Yes", "Yes")}, "different"),
        ({"options": ("Yes", "No")}, "headless is 'Proceed'"),
        (
            {"on_timeout": "Maybe"},
            "on_timeout is 'Maybe'; expected one of the options: Proceed, Stop",
        ),
    ],
)
async def test_an_answer_that_nobody_could_give_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        await checkpoint("Publish?", **options)


async def test_the_facts_of_a_checkpoint_cannot_act_on_the_page(somebody):
    for show in (
        HOSTILE,
        Verdict(verdict="REVISE", issues=[HOSTILE]),
        {"a": [HOSTILE]},
        Result(status="ok", output=HOSTILE),
    ):
        task, widget = await asked(somebody, show=show)
        assert (
            "<script" not in page(widget)
            and "<img" not in page(widget)
            and "alert(1)" in page(widget)
        )
        task.cancel()


# ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────


def test_markdown_is_what_a_brief_uses_and_nothing_else():
    assert markdown("# T\n\nOne **bold** `x<y`\nline [a].\n\n- a\n- b\n\n1. c") == (
        "<h4>T</h4><p>One <strong>bold</strong> <code>x&lt;y</code> line [a].</p><ul><li>a</li><li>b</li></ul><ol><li>c</li></ol>"
    )
    for hostile in (
        HOSTILE,
        f"# {HOSTILE}",
        f"- {HOSTILE}",
        f"**{HOSTILE}**",
        f"`{HOSTILE}`",
        "[x](javascript:alert(1))",
        '<a href="javascript:x">',
        "![x](http://example.org/pixel)",
    ):
        made = markdown(hostile)
        assert not {"<script", "<img", "<a ", "href=", "src="} & {
            tag for tag in ("<script", "<img", "<a ") if tag in made
        }, made


def test_views_are_shown_as_their_picture_and_written_as_their_text():
    from workshop.views import TeamPicture

    picture = TeamPicture(Run(scripted()))
    assert (
        as_shown_html(picture).startswith("<picture>") and as_shown_text(picture) == picture.text()
    )
    assert (as_shown_html(None), as_shown_text(None)) == ("", "")


# ── the card of criteria ───────────────────────────────────────────────────────────────────────────


def by_count(criteria):
    return f"{len(criteria.favour)} for, {len(criteria.against)} against"


def test_a_card_shows_its_example_and_what_the_rule_says_of_it():
    card = criteria_card(
        by_count, task="A brief", true=[FAVOUR[0], AGAINST[2]], roles="writer: writes.\ncritic"
    )
    text = card.text()
    assert f"[x] {FAVOUR[0]}" in text and f"[ ] {FAVOUR[1]}" in text and f"[x] {AGAINST[2]}" in text
    assert "writer: writes." in text and "critic: (not said)" in text
    assert card.criteria.unclear == ["critic"]
    assert text.endswith("Recommended: 1 for, 1 against")


@pytest.mark.parametrize(
    ("job", "clear"),
    [
        ("writes Python 3.11 code.", True),
        ("finds mistakes, e.g. a typo.", True),
        ("finds mistakes, e.g. Python's, etc. in code!", True),
        ("asks: is it true?", True),
        ("no dot at the end", True),
        ("writes. Reads.", False),
        ("writes. reads", False),
        ("writes 3. 4 are read.", False),
        ("Really?! Yes.", False),
        ("...", False),
        ("", False),
    ],
)
def test_a_job_of_one_sentence_is_clear_whatever_dots_are_in_it(job, clear):
    unclear = Criteria(roles=f"writer: {job}").unclear
    assert unclear == ([] if clear else ["writer"])


def test_what_is_filled_in_changes_the_recommendation_and_is_there_again(somebody):
    card = criteria_card(by_count, task="A brief")
    widget = on_display(card)
    boxes = all_of(ipywidgets.Checkbox, widget)
    assert len(boxes) == 9 and "0 for, 0 against" in page(widget)
    boxes[1].value = boxes[4].value = True
    [task] = all_of(ipywidgets.Text, widget)
    task.value = HOSTILE
    [roles] = all_of(ipywidgets.Textarea, widget)
    roles.value = "reader: reads. And writes."
    assert "1 for, 1 against" in page(widget) and "<script>" not in page(widget)
    boxes[4].value = False
    for memory_is_lost in (False, True):
        if memory_is_lost:
            card_module._in_memory.clear()
        again = criteria_card(by_count, task="A brief")
        assert again.criteria.task == HOSTILE and again.criteria.unclear == ["reader"]
        assert again.recommended == "1 for, 0 against"


def test_without_a_person_what_somebody_filled_in_is_not_looked_at(somebody, monkeypatch):
    on_display(criteria_card(by_count)).children[1].children[1].value = "mine"
    monkeypatch.setattr(control_module, "interactive", lambda: False)
    assert criteria_card(by_count, task="A brief").criteria.task == "A brief"


def test_an_example_that_is_not_on_the_card_is_refused():
    with pytest.raises(ValueError, match="'It is fashionable.' is no statement of the card"):
        criteria_card(by_count, true=["It is fashionable."])


def test_a_damaged_card_is_set_aside_and_a_new_one_begins(somebody, capsys):
    card_module.FILE.write_text("{", encoding="utf-8")
    assert criteria_card(by_count, task="A brief").criteria.task == "A brief"
    assert "card of criteria" in capsys.readouterr().err
    card_module.FILE.write_text('{"card": {"task": 7, "true": 3, "roles": []}}', encoding="utf-8")
    assert criteria_card(by_count, task="A brief").criteria.true == []
