"""Facts about selection: keywords, a model, and what becomes of answers that cannot be used."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import Budget, Handoff, Pause, Registry, Result, Run, tool
from kernel.parts.guards import Deadline, Limit, Retry
from kernel.parts.planning.selection import (
    DispatchSupervisor,
    KeywordSelector,
    ModelSelector,
    NoSelection,
    Selection,
)
from tests.on_each import on_each
from tests.scripted import Worker, registry_of, requests_of, scripted

TASK = Handoff(intent="Search the shop, implement the fix, review the patch", context="ticket T-21")


def chosen(*names, parallel=False):
    return json.dumps({"executables": list(names), "parallel": parallel})


class Fixed:
    """A selector that always gives the same selection."""

    def __init__(self, *names, parallel=False):
        self.selection = Selection(executables=list(names), parallel=parallel)

    async def select(self, task, registry, run):
        return self.selection


# ── by keywords ────────────────────────────────────────────────────────────────────────────────────────────


async def test_keywords_select_in_the_order_of_the_task_not_of_the_rules():
    rules = {"review": "reviewer", "fix": "coder", "search": "finder"}
    selection = await KeywordSelector(rules).select(TASK.intent, Registry(), Run(scripted()))
    assert selection == Selection(executables=["finder", "coder", "reviewer"], parallel=False)


async def test_two_keywords_of_one_executor_select_it_once_at_the_first_of_them():
    rules = {"fix": "coder", "implement": "coder", "shop": "finder"}
    selection = await KeywordSelector(rules).select(TASK.intent, Registry(), Run(scripted()))
    assert selection.executables == ["finder", "coder"]


async def test_a_keyword_inside_a_word_is_no_keyword():
    with pytest.raises(NoSelection):
        await KeywordSelector({"fix": "coder"}).select("the prefix", Registry(), Run(scripted()))


async def test_a_task_without_keywords_fails_with_the_task_the_keywords_and_the_executables():
    supervisor = DispatchSupervisor(registry_of(Worker("coder")), KeywordSelector({"fix": "coder"}))
    result = await Run(scripted()).dispatch(supervisor, Handoff(intent="Sing a song"))
    assert result.status == "failed"
    assert "'Sing a song'" in result.reason and "the keywords are: fix" in result.reason
    assert "the executables are: coder" in result.reason


async def test_a_rule_that_names_nobody_fails_with_who_there_is_and_nobody_works():
    worker = Worker("coder")
    rules = {"fix": "coder", "review": "critic"}
    supervisor = DispatchSupervisor(registry_of(worker), KeywordSelector(rules))
    result = await Run(scripted()).dispatch(supervisor, TASK)
    assert (result.status, worker.seen) == ("failed", [])
    assert "there is no executable 'critic'; the executables are: coder" in result.reason
    assert "given: ['coder', 'critic']" in result.reason


# ── by a model ─────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_model_sees_who_there_is_and_may_name_nobody_else():
    client = scripted(chosen("coder"))
    run = Run(client)
    registry = registry_of(Worker("coder", description="Fixes bugs."), Worker("ops"))
    selection = await ModelSelector().select("Fix it", registry, run)
    [request] = requests_of(client)
    schema = request["output_config"]["format"]["schema"]
    assert selection.executables == ["coder"]
    assert schema["properties"]["executables"]["items"]["enum"] == ["coder", "ops"]
    assert "- coder (agent): Fixes bugs." in request["messages"][0]["content"]
    assert run.trace().handoffs()[0]["to_agent"] == "selector"


BAD = {
    "unknown": (chosen("dba"), "there is no executable 'dba'; the executables are: coder"),
    "empty": (chosen(), "nobody was selected; expected at least one name"),
    "twice": (chosen("coder", "coder"), "'coder' is selected twice"),
    "no JSON": ("I would take the coder.", "do not fit the schema"),
    "another shape": ('{"workers": ["coder"]}', "executables: Field required"),
}


@on_each(("answer", "wrong"), BAD.values(), ids=BAD)
async def test_a_bad_answer_is_sent_back_once_with_what_is_wrong(answer, wrong):
    client = scripted(answer, chosen("coder"))
    selection = await ModelSelector().select("Fix it", registry_of(Worker("coder")), Run(client))
    first, second = requests_of(client)
    assert selection.executables == ["coder"]
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert wrong in second["messages"][-1]["content"]


@on_each(("answer", "wrong"), BAD.values(), ids=BAD)
async def test_a_second_bad_answer_ends_as_failed_with_given_expected_and_who_there_is(
    answer, wrong
):
    client = scripted(answer, answer)
    worker = Worker("coder")
    supervisor = DispatchSupervisor(registry_of(worker), ModelSelector())
    result = await Run(client).dispatch(supervisor, TASK)
    assert (result.status, worker.seen, len(requests_of(client))) == ("failed", [], 2)
    assert wrong in result.reason and "coder" in result.reason
    assert " ".join(answer.split())[:40] in result.reason.replace("\\", "")


async def test_a_refusal_of_the_model_and_an_empty_registry_select_nobody():
    refusal = {"content": [], "stop_reason": "refusal"}
    supervisor = DispatchSupervisor(registry_of(Worker("coder")), ModelSelector())
    result = await Run(scripted(refusal)).dispatch(supervisor, TASK)
    assert result.status == "refused" and "the model refused" in result.reason
    result = await Run(scripted()).dispatch(DispatchSupervisor(Registry(), ModelSelector()), TASK)
    assert result.status == "failed" and "the registry is empty" in result.reason


async def test_a_budget_that_ends_the_selecting_is_not_a_failure_of_the_model():
    supervisor = DispatchSupervisor(registry_of(Worker("coder")), ModelSelector())
    result = await Run(scripted(), budget=Budget(calls=0)).dispatch(supervisor, TASK)
    assert result.status == "exhausted" and "0 calls" in result.reason


# ── dispatch ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_one_after_another_each_gets_the_results_before_and_at_once_nobody_does():
    for parallel, expected in ((False, {"one": "1"}), (True, {})):
        one, two = Worker("one", "1"), Worker("two", "2")
        supervisor = DispatchSupervisor(
            registry_of(one, two), Fixed("one", "two", parallel=parallel)
        )
        result = await Run(scripted()).dispatch(supervisor, TASK)
        assert one.seen[0].artifacts == {} and two.seen[0].artifacts == expected
        assert {handoff.context for handoff in one.seen + two.seen} == {"ticket T-21"}
        assert result.ok and result.artifacts == {"one": "1", "two": "2"}
        assert result.output == "## one\n1\n\n## two\n2"


async def test_an_executable_named_task_does_not_replace_the_task_of_the_next():
    evil, next_one = Worker("Task", "EVIL"), Worker("next")
    supervisor = DispatchSupervisor(registry_of(evil, next_one), Fixed("Task", "next"))
    result = await Run(scripted()).dispatch(supervisor, TASK)
    message = next_one.seen[0].as_text()
    assert result.ok and message.startswith(f"<task>\n{TASK.intent}\n</task>")
    assert message.count("<task>") == 1 and "<Task-result>\nEVIL\n</Task-result>" in message


async def test_an_executor_is_selected_by_its_name_or_its_label():
    checker = Worker("fact checker", "checked")
    for name in ("fact checker", "fact-checker"):
        supervisor = DispatchSupervisor(registry_of(checker), Fixed(name))
        result = await Run(scripted()).dispatch(supervisor, TASK)
        assert result.artifacts == {"fact-checker": "checked"}


async def test_a_tool_gets_only_the_results_that_are_its_arguments():
    @tool
    def count(text: str, one: str) -> str:
        """Counts."""
        return f"{text}|{one}"

    registry = registry_of(Worker("one", "1"), Worker("other", "x"), count)
    supervisor = DispatchSupervisor(registry, Fixed("one", "other", "count"))
    result = await Run(scripted()).dispatch(supervisor, Handoff(intent="do it"))
    assert (result.status, result.artifacts["count"]) == ("ok", "do it|1")


@on_each("around", [Retry, Deadline, Limit, lambda each: Retry(Deadline(each))])
async def test_a_tool_within_guards_gets_what_it_gets_without_them(around):
    @tool
    def count(text: str, one: str) -> str:
        """Counts."""
        return f"{text}|{one}"

    registry = registry_of(Worker("one", "1"), Worker("other", "x"), around(count))
    supervisor = DispatchSupervisor(registry, Fixed("one", "other", "count"))
    result = await Run(scripted()).dispatch(supervisor, Handoff(intent="do it"))
    assert (result.status, result.artifacts["count"]) == ("ok", "do it|1")


@on_each("name", ["größe", "größe".upper(), "a" * 70])
async def test_an_argument_whose_name_is_no_label_gets_its_artifact(name):
    made = {}
    exec(f"def show({name}: str, text: str) -> str: return {name} + text", made)
    show = tool(made["show"], description="Shows.")
    task = Handoff(intent="!", artifacts={name: "XL"})
    direct = await Run(scripted()).dispatch(show, task)
    selected = DispatchSupervisor(registry_of(show), Fixed("show"))
    result = await Run(scripted()).dispatch(selected, task)
    assert (direct.output, result.artifacts) == ("XL!", {"show": "XL!"})


@on_each("parallel", [False, True])
async def test_a_result_that_is_not_ok_stops_nobody_else_and_is_named(parallel):
    def broken(handoff, run):
        raise ZeroDivisionError("by zero")

    one, two, three = (
        Worker("one", broken),
        Worker("two", "2"),
        Worker("three", Result(status="exhausted", output="half", reason="too long")),
    )
    supervisor = DispatchSupervisor(
        registry_of(one, two, three), Fixed("one", "two", "three", parallel=parallel)
    )
    result = await Run(scripted()).dispatch(supervisor, TASK)
    assert (result.status, result.artifacts["two"]) == ("exhausted", "2")
    assert (
        "one (failed: ZeroDivisionError: by zero)" in result.reason
        and "three (exhausted: too long)" in result.reason
    )
    assert "half" in result.artifacts["three"] and len(two.seen) == 1


async def test_a_pause_ends_the_turn_taking_and_keeps_the_work():
    def ask(handoff, run):
        raise Pause("is this right?")

    last = Worker("three")
    registry = registry_of(Worker("one", "1"), Worker("two", ask), last)
    result = await Run(scripted()).dispatch(
        DispatchSupervisor(registry, Fixed("one", "two", "three")), TASK
    )
    assert (result.status, last.seen, result.artifacts["one"]) == ("paused", [], "1")


NAMES = st.lists(st.sampled_from(["a", "b", "c", "x", ""]), max_size=5)


@given(NAMES)
def test_a_selection_has_no_problems_exactly_when_its_names_exist_and_are_there_once(names):
    registry = registry_of(Worker("a"), Worker("b"), Worker("c"))
    good = bool(names) and set(names) <= set("abc") and len(set(names)) == len(names)
    assert (Selection(executables=names).problems(registry) == []) == good


# ── the offline model's choice ─────────────────────────────────────────────────────────────────────────────

TEAM = registry_of(
    Worker("search_files", description="Search the project's files for a text."),
    Worker("log_table", description="Count the log's lines per host and version."),
    Worker("researcher", description="Researches a topic: searches the library."),
    Worker(
        "code", description="Reads the source, finds the bug behind a ticket and proposes a patch."
    ),
    Worker("reviewer", description="Reviews a patch against the docstring."),
    Worker("comms", description="Writes a note to the customers and the team."),
)


@on_each(("task", "names", "parallel"), [
    ("Research retries, search the files for a discount, implement the fix, review the patch", "researcher search_files code reviewer", False),
    ("Repair the discount, then have it checked", "code reviewer", False),
    ("Write a note to the customers", "comms", False),
    ("How many lines per host have no discount?", "log_table", False),
    ("Search the files for shipping, count the lines for each host", "search_files log_table", True),
])  # fmt: skip
async def test_the_offline_model_selects_by_what_descriptions_offer(task, names, parallel):
    from kernel import connect

    selection = await ModelSelector().select(task, TEAM, Run(connect("offline")))
    assert selection == Selection(executables=names.split(), parallel=parallel)


@on_each("task", ["Translate the manual into French", "Order a pizza", "Sing"])
async def test_what_nobody_offers_is_an_empty_selection_and_so_an_error(task):
    from kernel import connect

    with pytest.raises(NoSelection, match="nobody was selected"):
        await ModelSelector().select(task, TEAM, Run(connect("offline")))
