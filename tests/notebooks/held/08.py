"""Lesson 08: one contract, who is found and selected, what is handed on."""

import json

from tests.notebooks.held import only


def test_a_failure_is_a_result_as_well(lesson):
    statuses = {how: result.status for how, result in lesson.counted.items()}
    assert statuses == {"by intent": "ok", "by name": "ok", "wrong name": "failed"}
    assert lesson.calls_of["line_count"] == lesson.calls_of["triage"] == 0
    assert lesson.calls_of["settings_reader"] > 0


def test_everybody_talks_to_the_hub_and_to_nobody_else(lesson):
    pairs = {(each["from_agent"], each["to_agent"]) for each in lesson.first_run.trace().handoffs()}
    hub = lesson.first_run.trace().handoffs()[0]["to_agent"]
    assert pairs == {("user", hub), *((hub, name) for name in lesson.rules.values())}
    assert lesson.mesh_lines(len(lesson.rules)) == 6


def test_the_best_match_is_found_first_and_nobody_is_found_for_what_nobody_can(lesson):
    found = {wish: [one.name for one in lesson.desk.registry.find(wish)] for wish in lesson.wishes}
    assert found["review a patch"][0] == "reviewer"
    assert "propose_patch" in found["patches"] and not lesson.shelf.find("patches")
    assert not found["translate into French"]


def test_the_registry_describes_each_with_its_kind(lesson):
    described = lesson.desk.registry.describe()
    assert described.count(" (tool): ") == 10 and described.count(" (skill): ") == 1
    assert described.count(" (agent): ") == 6


def test_keywords_select_in_the_order_of_the_sentence(lesson):
    got_work = [
        each["to_agent"]
        for each in lesson.first_run.trace().handoffs()
        if each["from_agent"] == "supervisor" and "draft" not in each["artifacts"]
    ]
    assert got_work == ["researcher", "search_files", "code", "reviewer"]


def test_a_model_selects_names_of_the_list_in_order_and_says_whether_at_once(lesson):
    assert set(lesson.of_seventeen["executables"]) <= set(lesson.desk.registry.names())
    assert lesson.selected[lesson.reworded] == {
        "executables": ["code", "reviewer"],
        "parallel": False,
    }


def test_a_wrong_selection_is_sent_back_once_before_it_is_an_error(lesson):
    text = only(lesson.sent_back)
    assert text.startswith("sent back: nobody was selected")


def test_every_executable_of_the_desk_was_given_work(lesson):
    assert set(lesson.desk.registry.names()) <= lesson.worked
    assert {name: result.status for name, result in lesson.by_tool.items()} == dict.fromkeys(
        lesson.desk.tools, "ok"
    )


def test_the_workflow_takes_a_ticket_from_new_to_proposed_and_changes_no_file(lesson):
    assert lesson.before == "new" and lesson.status_of("T-21") == "proposed"
    assert "line.quantity > 10" in lesson.desk.shop.text("shop/cart.py")


async def test_the_coding_agents_patch_passes_the_makers_own_test(lesson):
    patch = lesson.finished.artifacts["code"]
    assert "+++ b/shop/cart.py" in patch and await lesson.desk.hidden_test(patch)


def test_all_at_once_nobody_gets_the_result_of_another(lesson):
    in_turn, at_once = lesson.given[False], lesson.given[True]
    assert "code" in in_turn["reviewer"]["artifacts"]
    assert not any(at_once[name]["artifacts"] for name in lesson.rules.values())


def test_the_context_is_the_same_for_all_and_the_artifacts_are_not(lesson):
    given = [lesson.in_turn[name] for name in lesson.rules.values()]
    assert [each["context"] for each in given] == [lesson.about] * 4
    assert list(given[-1]["artifacts"]) == ["researcher", "search_files", "code"]
    assert not given[0]["artifacts"]


def test_an_index_works_under_the_name_of_a_search(lesson):
    found = {kind: result.artifacts for kind, result in lesson.by_kind.items()}
    assert found["tool"]["search_files"].startswith("no file holds")
    assert "shop/service.py" in found["agent"].get("search_files", "")


def test_an_agent_counts_under_the_name_of_a_rule(lesson):
    by_kind = lesson.by_kind
    assert by_kind["tool"].status == "failed" and by_kind["agent"].ok
    assert "13 of 28 lines" in by_kind["agent"].artifacts["log_table"]


def test_an_agent_that_cannot_do_the_job_does_another_one(lesson):
    assert lesson.brought.ok and "gift" not in json.dumps(lesson.brought.as_text())
