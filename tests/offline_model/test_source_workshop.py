"""The source workshop's own script ends in cited briefs: raw over HTTP, and through the kernel."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from kernel import Agent, Corpus, Handoff, Run, connect, models, tool
from offline_model import Server
from tests.on_each import on_each

from . import source_workshop as script
from .reader.wire import TEXT, send, shape

TOPICS = ("the history of MCP (Model Context Protocol)", "vector databases", "Qdrant")
COMPARED = ["pgvector", "Qdrant", "Pinecone"]
COMPARISON = "the trade-offs of pgvector, Qdrant, and Pinecone"
LEADS = (
    "You are a supervisor. Your team: a researcher, a writer and a reviewer. Hand off work with "
    "the handoff tools; call finalize when the work is complete.",
    "You lead a small team of specialists. Decide which specialist to call when. Research first, "
    "then have the brief written, then reviewed. If the reviewer says REVISE, send it back to the "
    "writer. When the reviewer says PASS, finalize.",
    "You are the supervisor of a team.",
)
LIBRARY = Corpus()


def searched(query: str) -> list[dict]:
    """The reader's search, with the script's own keys; it may be called where a loop runs."""
    with ThreadPoolExecutor(1) as pool:
        hits = pool.submit(asyncio.run, LIBRARY.search(query, 3)).result()
    return [
        {"title": hit.document.title, "snippet": hit.document.text, "url": hit.document.id}
        for hit in hits
    ]


IDS = set(LIBRARY.documents)


@pytest.fixture(scope="module", autouse=True)
def served():
    with Server() as url:
        script.API_URL = f"{url}/v1/messages"
        script.web_search = searched
        yield


def check_brief(text: str, *names: str) -> None:
    """A brief has a title, and in each sentence a source of the library."""
    title, _, body = text.partition("\n\n")
    assert title.startswith("# ") and "Topic:" not in title and "feedback" not in title, text
    cited = {source for group in re.findall(r"\[([^\]]+)\]", body) for source in group.split(", ")}
    assert cited and cited <= IDS, text
    sentences = re.findall(r"[.!?](?:\s|$)", body)
    assert len(re.findall(r"\]\.", body)) == len(sentences), text
    assert all(name in body for name in names) and "{" not in text, text


@on_each("topic", TOPICS)
def test_the_sequence_ends_in_a_brief_that_is_passed(topic):
    state = script.supervisor(topic)
    check_brief(state["final"])
    assert state["stages"][-1]["verdict"].startswith("PASS")


def test_the_parallel_form_compares_all_that_it_was_given():
    check_brief(script.supervisor_parallel(COMPARISON, COMPARED), *COMPARED)


@on_each("lead", LEADS)
@on_each("task", ["Write a 500-word brief on the history of MCP", f"Compare {COMPARISON}."])
def test_the_handoff_tools_end_in_one_brief_that_is_finalized_once(lead, task):
    final = []
    fns = {tool["name"]: getattr(script, tool["name"], None) for tool in script.HANDOFF_TOOLS}
    fns["finalize"] = lambda answer: final.append(answer) or "done"
    tools = [{**tool, "fn": fns[tool["name"]]} for tool in script.HANDOFF_TOOLS]
    answer = script.Agent("supervisor", lead, tools).run(task)
    assert len(final) == 1 and answer != "(max turns reached)"
    check_brief(final[0])


def test_a_fault_is_found_and_repaired():
    facts = script.researcher.run("Research the topic: Qdrant")
    good = script.writer.run(f"Topic: Qdrant\n\nFacts:\n{facts}\n\nWrite the brief.")
    wrong = good.replace("2021", "2019")
    verdict = script.reviewer.run(f"Facts:\n{facts}\n\nDraft:\n{wrong}\n\nEvaluate.")
    assert wrong != good and verdict.startswith("REVISE") and "2019" in verdict
    revised = script.writer.run(
        f"Topic: Qdrant\n\nFacts:\n{facts}\n\nPrevious draft:\n{wrong}\n\n"
        f"Editorial feedback:\n{verdict}\n\nProduce a revised brief."
    )
    check_brief(revised)
    assert "2019" not in revised


async def played(system: str, intent: str, tools=()) -> str:
    """What an agent of the kernel with one of the script's prompts answers."""
    async with connect("offline") as client:
        agent = Agent("specialist", "Works.", system, models.worker, tools)
        result = await Run(client).dispatch(agent, Handoff(intent=intent))
    assert result.status == "ok", result.reason
    return result.as_text()


@tool
async def kernel_search(query: str) -> str:
    """Search the web for a query. Returns title, snippet, url."""
    return str(searched(query))


async def test_the_same_texts_as_intents_of_the_kernel_read_alike():
    facts = await played(script.RESEARCHER, "Research: Qdrant", (kernel_search,))
    assert {*facts.splitlines()} == {*script.researcher.run("Research: Qdrant").splitlines()}
    draft = await played(
        script.WRITER, f"Topic: Qdrant\n\nFacts to draw from:\n{facts}\n\nWrite the brief."
    )
    check_brief(draft)
    evaluate = f"Facts:\n{facts}\n\nDraft:\n{{}}\n\nEvaluate."
    assert (await played(script.REVIEWER, evaluate.format(draft))).startswith("PASS")
    wrong = draft.replace("2021", "2019")
    verdict = await played(script.REVIEWER, evaluate.format(wrong))
    assert wrong != draft and verdict.startswith("REVISE")
    revised = await played(
        script.WRITER,
        f"Topic: Qdrant\n\nFacts:\n{facts}\n\nPrevious draft:\n{wrong}\n\n"
        f"Editorial feedback:\n{verdict}\n\nProduce a revised brief.",
    )
    check_brief(revised)
    assert "2019" not in revised


@on_each("fields", [("executors", "parallel"), ("executors",)])
def test_the_executors_of_a_task_are_chosen_from_a_list(fields):
    kinds = {"executors": {"type": "array", "items": TEXT}, "parallel": {"type": "boolean"}}
    task = (
        "Task: Research retries, fix the failing test and review the patch.\nAvailable executors:\n"
        "- research_agent\n- coding_agent\n- review_agent\n- search_tool\nReturn the executors required."
    )
    schema = shape(**{name: kinds[name] for name in fields})
    chosen = send(task, "You are a supervisor.", schema=schema).json
    assert chosen["executors"] == ["research_agent", "coding_agent", "review_agent"]
    assert chosen.get("parallel") in (None, False)


def test_a_wrong_models_name_is_answered_with_the_names_that_there_are():
    body = {
        "model": "claude-sonnet-4-6",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi"}],
    }
    reply = httpx.post(script.API_URL, headers=script.HEADERS, json=body)
    message = reply.json()["error"]["message"]
    assert reply.status_code == 404 and message.startswith("model: claude-sonnet-4-6")
    assert models.worker in message
