"""Each sentence and each row of the page of the edge has a test: the table `PROOFS`, and the tests that it lacked."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import offline_model
from kernel import connect, models
from offline_model import OfflineAPI
from offline_model.account import HEADER, MAX_BYTES
from offline_model.page import BEGIN
from offline_model.skills import SKILLS, Skill
from tests.on_each import on_each
from workshop.desks.oncall import PROMPTS

from .desk import FACTS, GOOD
from .test_edge import FAMILIES, PAGE, ROWS
from .test_skills import FINISH, desk, research, team
from .test_wordings import TEAM
from .wire import HEADERS, TEXT, TEXTS, VERDICT, Reply, bullets, converse, parts, send, shape, tool

HERE = "test_page"
EDGE = "test_edge"
PROMPT = "test_prompts"
SKILL = "test_skills"
WORDING = "test_wordings"

PROOFS = {  # how a sentence of the page begins → the tests that prove it
    "A program that answers like the Messages API": f"{HERE}.test_it_answers_without_key_and_network",
    "It is a *deterministic reader": f"{SKILL}.test_the_same_request_gives_the_same_bytes_under_any_hash_seed",
    "It knows nothing but the request": f"{HERE}.test_what_was_asked_before_changes_nothing",
    "A brief has no sentence of its own": f"{EDGE}.test_sentences_of_a_brief_are_those_of_the_facts",
    "Where the sentence before has the same subject": "test_prose.test_a_pronoun_stands_for_a_thing_that_the_sentence_before_is_about",
    "What a real model does with style": f"{HERE}.test_what_is_not_read_is_named",
    "Each reply carries an account": f"{HERE}.test_the_account_is_in_the_header_and_not_in_the_body {HERE}.test_the_account_of_a_reply_is_the_one_in_the_header",
    "read as: writer": f"{EDGE}.test_the_example_account_of_the_page_is_what_it_says",
    "A sentence of a system prompt": "test_forms.test_a_sentence_with_a_foreign_clause_is_named_whole_and_none_of_it_is_obeyed",
    "It is a form when": "test_forms.test_rules_in_the_commonest_shapes_are_obeyed",
    "A number may be any": "test_forms.test_a_number_may_be_any_number",
    "Every other sentence": "test_forms.test_a_reversed_rule_is_named_whole_and_changes_nothing",
    "In a task, the clauses": "test_prompts.test_a_name_that_the_task_lists_is_a_subject_and_a_wish_is_none",
    "Whatever is no work": "test_beyond.test_a_job_that_it_does_not_know_is_no_brief_because_facts_are_at_hand",
    "So are the lines of feedback": f"{SKILL}.test_feedback_that_names_nothing_to_fix_is_in_the_account",
    "The topic is what the task": f"{EDGE}.test_the_example_account_of_the_page_is_what_it_says",
    "Of a call of a tool the account says": f"{HERE}.test_the_arguments_of_a_call_are_in_the_account",
    "When the job itself is not on this page": f"{HERE}.test_the_sentence_on_an_unknown_job_is_the_one_of_the_page",
    "It invents in one case only": f"{SKILL}.test_it_invents_only_without_any_text_and_when_nothing_forbids_it",
    "**Parts** of a message": f"{HERE}.test_a_part_is_a_tag_or_a_line_that_is_a_label",
    "A tag's name": f"{PROMPT}.test_a_part_may_have_a_name_of_several_words",
    "What a task quotes": f"{PROMPT}.test_a_text_that_the_task_quotes_is_no_clause {PROMPT}.test_a_quoted_wish_is_still_a_clause",
    "The labels' synonyms": f"{HERE}.test_each_synonym_names_its_part",
    "A label that is not there": f"{SKILL}.test_a_label_that_the_lexicon_lacks_is_a_part_of_its_own_name",
    "An empty part is empty": f"{SKILL}.test_an_empty_part_is_empty",
    "Where there is no task": f"{HERE}.test_where_there_is_no_task_the_last_paragraph_is_the_order",
    "**Who it is**": f"{HERE}.test_the_system_prompt_says_who_it_is",
    "A request that names no role": f"{HERE}.test_without_a_role_task_tools_and_schema_decide",
    "**Dials**": f"{EDGE}.test_the_page_is_the_one_that_the_data_make",
    "The last sentence that mentions a dial counts": f"{HERE}.test_the_last_sentence_that_mentions_a_wish_counts",
    "A limit is the strictest one": f"{SKILL}.test_the_strictest_length_counts",
    "A reviewer checks": "test_forms.test_a_reviewer_that_is_told_nothing_passes_and_says_so",
    "To it, what a sentence lacks": f"{HERE}.test_what_a_sentence_lacks_is_a_fault_to_a_reviewer",
    "Clear is a sentence of at most 35": f"{HERE}.test_what_a_reviewer_takes_for_clear",
    "A dial that a clause forbids": f"{HERE}.test_a_dial_that_is_forbidden_is_not_set",
    "A number is taken": f"{HERE}.test_the_arguments_of_a_call_are_in_the_account",
    "**Tools**": f"{HERE}.test_each_tool_of_the_page_is_used",
    "**Schemas**": f"{SKILL}.test_a_verdict_fills_whatever_shape_is_asked_for",
    "A field is filled with what a skill knows": f"test_own_schemas.test_each_field_is_filled_or_null_and_named_or_refused_by_name {SKILL}.test_a_verdict_fills_whatever_shape_is_asked_for {SKILL}.test_a_form_is_filled_from_labels_and_what_nothing_fills_is_refused_by_name {HERE}.test_a_text_with_a_format_is_filled_from_its_own_line",
    "The whole text fills one": "test_own_schemas.test_each_field_is_filled_or_null_and_named_or_refused_by_name",
    "A field that nothing fills": f"{SKILL}.test_a_field_that_may_be_null_is_null_and_named",
    "A required field": f"{HERE}.test_what_nothing_fills_is_a_refusal_that_names_it",
    "A judge scores": f"{HERE}.test_a_judge_scores_what_it_can_check_and_nothing_else",
    "The skills of the desk answer in the shapes": f"{HERE}.test_the_desk_answers_in_the_shapes_of_the_kernel",
    "Any other shape is left": f"{HERE}.test_any_other_shape_is_left_to_the_general_skills",
    "A tool that takes the final answer": f"{EDGE}.test_a_tool_that_takes_the_final_answer_is_called_when_the_job_is_known",
    "Else the answer is words": f"{EDGE}.test_where_the_job_is_not_known_it_says_so_in_words",
    "**Results** of tools": f"{HERE}.test_results_are_read_in_three_forms",
    "An order in a document": f"{SKILL}.test_orders_inside_documents_are_neither_followed_nor_reported {WORDING}.test_an_order_in_a_document_is_not_repeated",
    "It has no memory": f"{HERE}.test_what_was_asked_before_changes_nothing",
    "Of a request that is longer": f"{SKILL}.test_beyond_its_attention_the_middle_of_a_request_is_overlooked_and_the_account_says_so",
    "A list of workers is read as far as 50": f"{HERE}.test_a_list_of_workers_is_read_as_far_as_50_names",
    "A comparison is read as far as 20": f"{HERE}.test_a_comparison_is_read_as_far_as_20_things",
    "Without a number, a researcher": f"{HERE}.test_a_researcher_reports_at_most_12_facts",
    "Without a length, a brief": f"{HERE}.test_a_brief_has_at_most_250_words",
    "A review names at most": f"{HERE}.test_a_review_names_at_most_20_faults",
    "A synthesis compares at most": f"{HERE}.test_a_synthesis_compares_at_most_80_statements",
    "A label is in a line": f"{HERE}.test_a_label_is_in_a_line_of_at_most_2000_characters",
    "A worker of a desk looks": f"{HERE}.test_a_worker_of_a_desk_looks_for_its_tools_in_2000_characters",
    "A repair tries at most": f"{HERE}.test_a_repair_tries_at_most_120_edits",
    "The account names at most": f"{HERE}.test_the_account_names_at_most_20_clauses",
    "Each of the three examples": f"{HERE}.test_the_examples_of_the_page_are_performed",
    "`python -m offline_model.page`": f"{EDGE}.test_the_page_is_the_one_that_the_data_make",
    "**A dial**": f"{HERE}.test_the_examples_of_the_page_are_performed",
    "A sentence at the end of a text": "test_closing.test_it_is_no_part_of_the_topic test_closing.test_it_is_no_claim test_closing.test_it_stays_last_when_the_draft_is_revised",
    "A dial that changes more": f"{HERE}.test_the_examples_of_the_page_are_performed",
    "**A reference sentence**": f"{HERE}.test_the_examples_of_the_page_are_performed",
    "It may only say": f"{HERE}.test_the_examples_of_the_page_are_performed",
    "**A behaviour**": f"{HERE}.test_the_examples_of_the_page_are_performed",
    "A wording is literal words": f"{HERE}.test_a_wording_is_added_by_one_line_of_data",
    "There are no regular expressions": f"{EDGE}.test_no_wording_is_a_regular_expression",
}  # fmt: skip
ADVICE = ("Before you add one, ask",)
"""What claims nothing."""
NOT_READ = {  # what the page says that it does not read → a prompt that asks for it
    "another tone": "Write it in a cheerful tone.",
    "a language": "Write in Italian.",
    "a rhyme": "Make it rhyme.",
    "tables": "Add a table of all years.",
    "headlines": "Give each paragraph a headline.",
    "numbered lists": "Use a numbered list.",
    "footnotes": "Put the sources into footnotes.",
    "which facts come first, but for a history": "Begin with the most surprising fact.",
    "what a text must mention or must not": "Never mention Berlin.",
    "a least length (“at least 300 words”)": "Write at least 300 words.",
    "an exact number of words": "Write exactly 42 words.",
    "a length of each part (“three sentences each”)": "Two paragraphs of three sentences each.",
    "sums and prices in prose": "Add up the prices.",
    "wishes about other wishes": "The rule on lengths is more important than the one on tone.",
}


def units() -> list[str]:
    """The sentences of the page and what stands between semicolons, without its tables and lists."""
    found: list[str] = []
    written = re.sub(r"^```.*?^```$", "", PAGE.partition(BEGIN)[0], flags=re.M | re.S)
    for block in re.split(r"\n\s*\n", written):
        if block.strip() and not block.startswith(("#", "|")):
            plain = " ".join(block.removeprefix("> ").split())
            pieces = re.split(r"(?<=[.!?;])\*{0,2}[”\"]?\s+(?=[A-Z*`])|: (?=An? `a)", plain)
            found += [piece for piece in pieces if not piece.startswith("I read:")]
    return found


SENTENCES = [unit for unit in units() if not unit.startswith("Not read:")]


@on_each("sentence", SENTENCES, ids=lambda text: text[:50])
def test_each_sentence_of_the_page_has_a_test(sentence):
    proofs = [begins for begins in (*PROOFS, *ADVICE) if sentence.startswith(begins)]
    assert len(proofs) == 1, f"no test, or more than one entry, for: {sentence}"


@on_each("begins", PROOFS)
def test_each_proof_is_of_a_sentence_and_exists(begins):
    assert any(sentence.startswith(begins) for sentence in SENTENCES), "not on the page any more"
    for proof in PROOFS[begins].split():
        module, name = proof.split(".")
        assert callable(getattr(import_module(f"{__package__}.{module}"), name))


def test_each_row_of_the_page_is_of_a_family_that_is_tested():
    tested = {*ROLE_REQUESTS, *EFFECTS, *FAMILIES["tools"]}
    assert set(ROWS) == tested


# ── what the whole page says ─────────────────────────────────────────────────────────────────────────────────

BRIEF = {"task": "Write a brief on Qdrant", "facts": FACTS}


def body_of(api: OfflineAPI, text: str) -> bytes:
    """The body of the reply to a text."""
    request = {"model": models.worker, "max_tokens": 900}
    request["messages"] = [{"role": "user", "content": text}]
    return api.handle("POST", "/v1/messages", HEADERS, json.dumps(request).encode()).body


def test_it_answers_without_key_and_network(monkeypatch):
    def cut(*arguments):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", cut)
    assert not {"x-api-key", "authorization"} & {*HEADERS}
    message = json.loads(body_of(OfflineAPI(), parts(**BRIEF)))
    assert (message["type"], message["role"], message["stop_reason"]) == (
        "message",
        "assistant",
        "end_turn",
    )
    assert {"id", "content", "model", "usage"} <= {*message}


def test_what_was_asked_before_changes_nothing():
    api = OfflineAPI()
    first = body_of(api, parts(**BRIEF))
    for text in ("My name is Ada.", "Never cite a source.", parts(task="Write", facts="None.")):
        body_of(api, text)
    assert body_of(api, parts(**BRIEF)) == first
    assert "Ada" not in body_of(api, "What is my name?").decode()


def test_the_account_is_in_the_header_and_not_in_the_body():
    request = {"model": models.worker, "max_tokens": 900, "system": "You are the writer. Sing it."}
    request["messages"] = [{"role": "user", "content": parts(**BRIEF)}]
    response = OfflineAPI().handle("POST", "/v1/messages", HEADERS, json.dumps(request).encode())
    header = response.headers[HEADER]
    assert "Sing it" in header and header.isascii() and len(header) <= MAX_BYTES
    assert b"Sing it" not in response.body and b"not_understood" not in response.body


async def test_the_account_of_a_reply_is_the_one_in_the_header():
    body = {"model": models.worker, "max_tokens": 900}
    body["messages"] = [{"role": "user", "content": "Hello!"}]
    async with connect("offline") as client:
        reply = await client.send(body)
    assert reply.account["read_as"] == "a question"


def test_the_sentence_on_an_unknown_job_is_the_one_of_the_page():
    draft = " ".join(["Qdrant stores points."] * 40)
    reply = send(
        parts(task="Translate the draft into German", draft=draft), "You are a translator."
    )
    quoted = re.search(r'"(I am the offline model.*?words\)\.)"', " ".join(PAGE.split()))
    assert reply.refusal == quoted[1] and reply.account.read_as == "an unknown job"


# ── parts and roles ──────────────────────────────────────────────────────────────────────────────────────────

SYNONYMS = [
    (word, label)
    for label in ("task", "feedback", "facts", "draft", "context", "rubric")
    for word in re.search(
        rf'^{label} = "(.*)"',
        (Path(offline_model.__file__).parent / "lexicon/words/labels.toml").read_text("utf-8"),
        re.M,
    )[1].split()
]


@on_each("label", ["<notes>", "Notes:", "**Draft:**", "## Evidence"])
def test_a_part_is_a_tag_or_a_line_that_is_a_label(label):
    name = re.sub(r"\W", "", label).lower()
    end = f"\n</{name}>" if label.startswith("<") else ""
    reply = send(f"Task: Say what you need\n\n{label}\n{FACTS}{end}", "You are the writer.")
    assert reply.account.parts == ("task", "draft" if name == "draft" else "facts")


@on_each(("word", "label"), SYNONYMS)
def test_each_synonym_names_its_part(word, label):
    assert (
        label
        in send(
            f"{word.capitalize()}:\n- The teapot holds 150 ml. [teapots]", "Hello."
        ).account.parts
    )


def test_where_there_is_no_task_the_last_paragraph_is_the_order():
    reply = send(f"Facts:\n{FACTS}\n\nWrite one sentence about Qdrant.", "You are the writer.")
    assert "at most 1 sentence" in reply.account.wishes and reply.text.count(".") == 1


PLAN = shape(
    steps={"type": "array", "items": shape(worker={"enum": ["researcher", "writer"]}, task=TEXT)}
)
FOUND = {
    "type": "array",
    "items": shape(claim=TEXT, holds={"type": ["boolean", "null"]}, evidence=TEXTS),
}
SETTINGS = tool("read_settings", "Read all settings of the project.", only=TEXT)
DIFFER = {"one": "Qdrant was founded in 2021. [a]", "two": "Qdrant was founded in 2020. [b]"}
ROLE_REQUESTS = {  # role → (how it is named in the account, the request that it acts on)
    "research": ("researcher", {"text": parts(task="Qdrant"), "tools": [tool()]}),
    "write": ("writer", {"text": parts(task="Qdrant", facts=FACTS)}),
    "edit": ("editor", {"text": parts(task="Do it", draft=GOOD)}),
    "review": ("reviewer", {"text": parts(task="Do it", facts=FACTS, draft=GOOD)}),
    "supervise": ("supervisor", {"text": parts(task="A brief on Qdrant"), "tools": TEAM}),
    "plan": ("planner", {"text": parts(task="Write a brief on Qdrant"), "schema": PLAN}),
    "synthesize": ("synthesizer", {"text": parts(task="Qdrant", **DIFFER)}),
    "judge": ("judge", {"text": parts(task="Do it", rubric="- cites its sources", draft=GOOD)}),
    "desk": (
        "worker for settings",
        {"text": parts(task="Look"), "tools": [SETTINGS], "schema": shape(items=FOUND)},
    ),
    "talk": ("a question", {"text": "Do it"}),
}
DOES = {  # role → whether a reply is what the page says that it does
    "research": lambda reply: reply.calls[0]["input"] == {"query": "Qdrant"},
    "write": lambda reply: reply.text.startswith("# Qdrant"),
    "edit": lambda reply: reply.text.count(".") == 1,
    "review": lambda reply: reply.text == "PASS",
    "supervise": lambda reply: reply.calls[0]["name"] == "handoff_to_researcher",
    "plan": lambda reply: {step["worker"] for step in reply.json["steps"]},
    "synthesize": lambda reply: "Sources differ" in reply.text,
    "judge": lambda reply: "cites its sources: 5" in reply.text,
    "desk": lambda reply: reply.calls[0]["name"] == "read_settings",
    "talk": lambda reply: "Give me a task" in reply.text or "I would need" in reply.refusal,
}
EXAMPLES = [
    (role, wording)
    for role in ROLE_REQUESTS
    for wording in re.findall(r'"([^"]+)"', ROWS[role].rpartition("|")[2])
]


def with_task(request: dict, task: str) -> dict:
    """A request with another task."""
    text = re.sub(r"(?s)(?<=<task>\n).*?(?=\n</task>)", task, request["text"])
    return {**request, "text": text if "<task>" in text else task}


@on_each(("role", "wording"), EXAMPLES)
def test_the_system_prompt_says_who_it_is(role, wording):
    read_as, request = ROLE_REQUESTS[role]
    reply = send(system=wording, **request)
    if role == "edit" and "one sentence" not in wording:
        reply = send(system=f"{wording} One sentence.", **request)
    assert reply.account.read_as == read_as and DOES[role](reply), reply


@on_each(("role", "wording"), EXAMPLES)
def test_without_a_role_task_tools_and_schema_decide(role, wording):
    read_as, request = ROLE_REQUESTS[role]
    assert send(**with_task(request, wording)).account.read_as == read_as


# ── wishes ───────────────────────────────────────────────────────────────────────────────────────────────────

WRONG = GOOD.replace("2021", "2011")
UNCITED = GOOD.replace(" [qdrant-company]", "")
PARTIAL = GOOD.split(" The free")[0]
UNCLEAR = GOOD.replace("2021", "2021 2021")
DATED = """\
[late] MCP and Rust now (2024-05-01)
MCP and Rust came to version 2 in 2024.

[early] MCP and Rust then (2019-05-01)
MCP and Rust came to version 1 in 2019."""


def wrote(wish: str, facts: str = FACTS, task: str = "Write about Qdrant") -> str:
    return send(parts(task=task, facts=facts), f"You are the writer. {wish}").text


def reviewed(wish: str, draft: str, schema: dict | None = VERDICT) -> Reply:
    given = parts(task="Review the draft", facts=FACTS, draft=draft)
    return send(given, f"You are the reviewer. {wish}", schema=schema)


def passes(wish: str, draft: str) -> bool:
    return reviewed(wish, draft).json["verdict"] == "PASS"


def issues(wish: str, draft: str) -> list[str]:
    """What a reviewer finds who is not to compare with facts."""
    wish = f"Do not check the facts. {wish}"
    given = parts(task="Review the draft", draft=draft)
    return send(given, f"You are the reviewer. {wish}", schema=VERDICT).json["issues"]


def test_what_a_reviewer_takes_for_clear():
    wish = "Every sentence must be clear."
    numbers = [str(number) for number in range(35)]
    for clear in ("It began.", " ".join(numbers) + "."):
        assert not issues(wish, clear)
    for unclear in ("It began", "It began began.", " ".join([*numbers, "35"]) + "."):
        assert len(issues(wish, unclear)) == 1
        assert not issues("", unclear)


def searches(wish: str) -> int:
    return len(research("Find facts about teapots", f"You are the researcher. {wish}")[1])


BARE = f"{GOOD} Qdrant is fast."
"""A draft with one sentence that cites nothing."""


def supervised(
    wish: str, *, drafts=(BARE, GOOD), verdict="PASS", task="Write a brief on Qdrant"
) -> list[str]:
    """The specialists that a supervisor asks, in turn; its writer writes the drafts one after the other."""
    left = list(drafts)
    answers = {
        "handoff_to_researcher": lambda given: FACTS,
        "handoff_to_writer": lambda given: left.pop(0) if len(left) > 1 else left[0],
        "handoff_to_reviewer": lambda given: verdict,
    }
    system = f"You are the supervisor of a team. {wish}"
    _, calls = converse(task, system, tools=team(), answers=answers)
    return [call["name"].removeprefix("handoff_to_") for call in calls]


def needed(wish: str) -> list[list[str]]:
    """What each step needs in a plan that compares two things."""
    step = shape(id=TEXT, worker={"enum": ["researcher", "writer"]}, intent=TEXT, needs=TEXTS)
    schema = shape(steps={"type": "array", "items": step})
    text = parts(task="Compare Qdrant and Pinecone")
    planned = send(text, f"You are the planner of a desk. {wish}", schema=schema).json
    return [step["needs"] for step in planned["steps"]]


ONE_ROUND = ["researcher", "writer", "reviewer", "finalize"]
TWO_ROUNDS = ["researcher", *["writer", "reviewer"] * 2, "finalize"]
COMPLAINT = "REVISE\n- The title is dull."


def capitals(wish: str) -> list[str]:
    return re.findall(r"\b[A-Z]{4,}(?: [A-Z]{4,})?", wish)


def years(text: str) -> list[str]:
    return re.findall(r"\b20\d\d(?=\.| \[)", text)


def scored(wish: str) -> int:
    asked = parts(task="Score the draft.", facts=FACTS, draft=GOOD)
    schema = shape(support={"type": "integer"})
    return send(asked, f"You are a judge. {wish}", schema=schema).json["support"]


def answered(wish: str) -> list[str]:
    """What a judge answers to two questions on a draft that lacks a citation."""
    rubric = "- Does every sentence cite a source?\n- Is every sentence carried by the facts?"
    text = parts(task="Judge the draft.", facts=FACTS, draft=UNCITED, rubric=rubric)
    lines = send(text, f"You are a judge. {wish}").text.splitlines()
    return [line.rpartition(": ")[2] for line in lines]


EFFECTS = {  # wish → whether a reply does what a wording asks for
    "length": lambda wish: len(wrote(wish).split()) <= 180 and wrote(wish).count("\n\n") <= 3,
    "citations": lambda wish: wrote(wish).count("[") == wrote(wish).count(".") > 0,
    "no_invention": lambda wish: "No facts" in send("Write a brief on owls", f"You are the writer. {wish}").text,
    "coverage": lambda wish: not passes(wish, PARTIAL),
    "bullets": lambda wish: len(bullets(wrote(wish))) > 1,
    "title": lambda wish: wrote(wish).startswith("#") == ("no title" not in wish),
    "agreement": lambda wish: not passes(wish, WRONG),
    "style_only": lambda wish: passes(wish, WRONG),
    "clarity": lambda wish: passes(wish, GOOD) and not passes(wish, UNCLEAR),
    "verdict": lambda wish: [reviewed(f"Check the draft against the facts. {wish}", draft, None).text.split()[0] for draft in (GOOD, WRONG)] == capitals(wish),
    "time_order": lambda wish: years(research(f"Find facts on {wish}", search=lambda query: DATED)[0]) == ["2019", "2024"],
    "nothing_found": lambda wish: capitals(research("Find facts on owls", f"You are the researcher. {wish}")[0]) == capitals(wish)[-1:],
    "scale": lambda wish: scored(wish) == int(re.findall(r"\d+", wish)[-1]),
    "no_revision": lambda wish: supervised(wish, verdict=COMPLAINT) == ONE_ROUND,
    "no_review": lambda wish: supervised(wish) == ["researcher", "writer", "finalize"],
    "accept_cited": lambda wish: supervised(wish, drafts=[GOOD], verdict=COMPLAINT) == ONE_ROUND and supervised(wish) == TWO_ROUNDS,
    "accept_covered": lambda wish: supervised(wish, drafts=[GOOD], verdict=COMPLAINT) == ONE_ROUND and supervised(wish, drafts=[PARTIAL, GOOD]) == TWO_ROUNDS,
    "ask_again": lambda wish: supervised(wish, task="Write a brief on Qdrant. Use the sources qdrant-intro and qdrant-pricing.")[:3] == ["researcher", "researcher", "writer"],
    "one_by_one": lambda wish: needed(wish) == [[], ["researcher-1"], ["researcher-2"]],
    "at_once": lambda wish: needed(wish) == [[], [], []],
    "question": lambda wish: wrote(wish).endswith("What else would you like to know about Qdrant?"),
    "yes_no": lambda wish: answered(wish) == ["no", "yes"],
    "facts_only": lambda wish: "writer" not in desk(f"{wish}: Qdrant")[0],
}  # fmt: skip
TURNED = {  # wish → whether a reply does what a wording that turns it down asks for
    "citations": lambda wish: "[" not in wrote(f"Cite each sentence. {wish.capitalize()}."),
    "coverage": lambda wish: passes(f"Every source must be used. {wish.capitalize()}.", PARTIAL),
    "bullets": lambda wish: not bullets(wrote(f"Write in bullets. {wish.capitalize()}.")),
    "title": lambda wish: not wrote(f"Write under a title. {wish.capitalize()}.").startswith("#"),
    "at_once": lambda wish: (
        needed(f"Run all steps at once. {wish.capitalize()}.")
        == [[], ["researcher-1"], ["researcher-2"]]
    ),
    "no_revision": lambda wish: (
        supervised(f"Never revise. {wish.capitalize()}.", verdict=COMPLAINT).count("writer") == 3
    ),
    "no_review": lambda wish: (
        supervised(f"Finish without a review. {wish.capitalize()}.") == ONE_ROUND
    ),
    "agreement": lambda wish: passes(f"A wrong number means REVISE. {wish.capitalize()}.", WRONG),
}


@on_each(
    "wish",
    [
        "Do not skip the review.",
        "Never finish without a review.",
        "You must not leave out the reviewer.",
    ],
)
def test_a_dial_that_is_forbidden_is_not_set(wish):
    reply = send("Write a brief on Qdrant", f"You are the supervisor. {wish}", tools=team())
    assert "without a review" not in reply.account.wishes
    assert supervised(wish) == ONE_ROUND


def test_without_a_dial_of_judgment_the_reviewer_decides():
    """What each dial of a supervisor changes is not so without it."""
    assert supervised("") == ONE_ROUND
    assert supervised("", verdict=COMPLAINT).count("writer") == 3
    task = "Write a brief on Qdrant. Use the sources qdrant-intro and qdrant-pricing."
    assert supervised("", task=task) == ONE_ROUND
    assert needed("") == [[], [], ["researcher-1", "researcher-2"]]


def test_a_supervisor_asks_for_two_things_in_one_turn_unless_it_is_told_one_after_another():
    for wish, count in (("", 2), ("One after another.", 1)):
        reply = send("Compare Qdrant and Pinecone", f"You are the supervisor. {wish}", tools=team())
        assert len(reply.calls) == count


def test_a_rule_on_a_text_that_is_kept_under_a_name_is_named():
    def kept(name: str) -> str:
        return f"Kept as {name} (90 words)."

    answers = {
        "handoff_to_researcher": lambda given: kept("facts-1"),
        "handoff_to_writer": lambda given: kept("draft-1"),
        "handoff_to_reviewer": lambda given: "PASS",
    }
    by_name = {"type": "object", "additionalProperties": TEXTS}
    tools = [
        tool(one["name"], one["description"], intent=TEXT, artifacts=by_name) for one in team()[:3]
    ]
    wish = "Accept the draft when every sentence has a citation."
    reply, _ = converse(
        "Write a brief on Qdrant", f"You are the supervisor. {wish}", tools=tools, answers=answers
    )
    assert any("kept under a name" in clause for clause in reply.account.not_understood)


def wordings(wish: str, column: int) -> list[str]:
    """The wordings that a column of a wish's row quotes."""
    return re.findall(r'"([^"]+)"', ROWS[wish].split("|")[column])


@on_each(
    ("wish", "wording"), [(wish, wording) for wish in EFFECTS for wording in wordings(wish, 0)]
)
def test_a_wish_is_done(wish, wording):
    assert EFFECTS[wish](wording)


@on_each(
    ("wish", "wording"), [(wish, wording) for wish in EFFECTS for wording in wordings(wish, 1)]
)
def test_a_wish_that_is_turned_down_is_not_done(wish, wording):
    assert TURNED[wish](wording)


def test_the_last_sentence_that_mentions_a_wish_counts():
    assert "[" in wrote("No citations. Cite each sentence.")
    assert "[" not in wrote("Cite each sentence. No citations.")
    assert bullets(wrote("No bullets. Write as a list."))
    assert not bullets(wrote("Write as a list. No bullets."))


# ── tools, schemas, results ──────────────────────────────────────────────────────────────────────────────────


def tool_of(text: str) -> dict:
    """The tool that a row of the page writes as "name(parameter, …): Description."."""
    name, fields, description = re.fullmatch(r"(\w+)(?:\((.*?)\))?(?:: (.*))?", text).groups()
    kind = {"type": "number"} if name == "divide" else TEXT
    named = {field: kind for field in (fields or "intent").split(", ")}
    return tool(name, description or "", **named)


USES = {  # kind of tool → whether a tool of the page is called, in a request that needs it
    "search": lambda used: send("Find facts about Qdrant", tools=[used]),
    "open": lambda used: after_search(used),
    "hand_over": lambda used: send("Write a brief on Qdrant", tools=[used, FINISH], system="You are the supervisor of a team."),
    "finish": lambda used: send(parts(**BRIEF), tools=[{**used, "input_schema": FINISH["input_schema"]}]),
    "run": lambda used: send("How many words has “to be”? What is 144 divided by 12?", tools=[used]),
}  # fmt: skip


def after_search(used: dict) -> Reply:
    """The reply when a search brought titles alone."""
    find = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"query": "Qdrant"}}
    back = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "[qdrant-intro] Qdrant"}
    messages = [
        {"role": "user", "content": "Find facts about Qdrant"},
        {"role": "assistant", "content": [find]},
        {"role": "user", "content": [back]},
    ]
    return send(system="You are the researcher.", tools=[tool(), used], messages=messages)


@on_each(
    ("kind", "text"),
    [(kind, text) for kind in USES for text in re.findall(r'"([^"]+)"', ROWS[kind])],
)
def test_each_tool_of_the_page_is_used(kind, text):
    used = tool_of(text)
    assert [call["name"] for call in USES[kind](used).calls] == [used["name"]]


@on_each("rule", [{"format": "date"}, {"pattern": "^[0-9-]+$"}])
def test_a_text_with_a_format_is_filled_from_its_own_line(rule):
    schema = shape(due={"type": "string", **rule})
    assert send("The plan.\n\nDue: 2026-11-22", schema=schema).json == {"due": "2026-11-22"}
    reply = send("The plan is due soon.", schema=schema)
    assert not reply.text and "due" in reply.account.not_understood[-1]


@on_each("kind", ["number", "integer", "boolean", "string", "array"])
def test_what_nothing_fills_is_a_refusal_that_names_it(kind):
    reply = send("Fill the form. It is a red one.", schema=shape(colour={"type": kind}))
    assert not reply.text and not reply.calls
    assert any("colour" in clause for clause in reply.account.not_understood)


CHECKED = json.dumps({"items": [{"claim": "Lists are sorted.", "holds": True}]})
CLASH = shape(claim=TEXT, steps=TEXTS, why=TEXT)
SYNTHESIS = {
    "answer": TEXT,
    "contradictions": {"type": "array", "items": CLASH},
    "open_questions": TEXTS,
}
STEP = shape(id=TEXT, worker={"enum": ["code", "ops"]}, intent=TEXT, needs=TEXTS)
WORKERS = "- code: Reads the source.\n- ops: Reads the settings."
PATCHES = "You review patches. Decide PASS or REVISE."
DESK_REQUESTS = [  # what a request is read as, its system prompt, the answer's fields, its parts
    ("synthesizer of findings", "You are the synthesizer.", SYNTHESIS, {"code": CHECKED}),
    ("reviewer of patches", PATCHES, VERDICT["properties"], {"draft": CHECKED}),
    ("selector of executables", "You select.", {"executables": {"type": "array", "items": {"enum": ["code", "ops"]}}, "parallel": {"type": "boolean"}}, {"executables": WORKERS}),
]  # fmt: skip
KERNEL_REQUESTS = [
    ("planner", "You plan.", {"steps": {"type": "array", "items": STEP}}, {"workers": WORKERS}),
    *DESK_REQUESTS,
]


@on_each("request_of", KERNEL_REQUESTS, ids=lambda row: row[0])
def test_the_desk_answers_in_the_shapes_of_the_kernel(request_of):
    read_as, system, fields, given = request_of
    reply = send(parts(task="Is it so?", **given), system, schema=shape(**fields))
    assert reply.account.read_as == read_as and {*reply.json} == {*fields}


@on_each("request_of", DESK_REQUESTS, ids=lambda row: row[0])
def test_any_other_shape_is_left_to_the_general_skills(request_of):
    read_as, system, fields, given = request_of
    other = shape(**fields, certainty={"type": "integer"})
    reply = send(parts(task="Is it so?", **given), system, schema=other)
    assert reply.account.read_as != read_as and not reply.text
    assert any("certainty" in clause for clause in reply.account.not_understood)


RESULTS = (
    "[quill] The quillfish (2020)\nThe quillfish lives at 900 metres.",
    '[{"id": "quill", "title": "The quillfish", "text": "The quillfish lives at 900 metres."}]',
    "The quillfish lives at 900 metres. [quill]",
)


@on_each("result", RESULTS)
def test_results_are_read_in_three_forms(result):
    found, _ = research("Find facts about the quillfish", search=lambda query: result)
    assert bullets(found) == ["The quillfish lives at 900 metres. [quill]"]


# ── what it does not read, and how far ───────────────────────────────────────────────────────────────────────


def test_the_page_lists_what_is_tried():
    listed = re.search(r"Not read: (.*?)\.\n\n", PAGE, re.S)[1]
    assert [" ".join(item.split()) for item in listed.split("; ")] == list(NOT_READ)


@on_each("wish", [*NOT_READ.values(), "Begin with a joke."])
def test_what_is_not_read_is_named(wish):
    account = send(parts(**BRIEF), f"You are the writer. {wish}").account
    named = " ".join(account.not_understood)
    words = re.findall(r"\w{4,}", wish)
    assert sum(word in named for word in words) >= len(words) / 2, account


@on_each(("count", "is_read"), [(50, True), (51, False)])
def test_a_list_of_workers_is_read_as_far_as_50_names(count, is_read):
    names = [f"scout{number}" for number in range(count)]
    names[-1] = "writer"
    listed = "\n".join(f"- {name}: Finds facts." for name in names).replace(
        "writer: Finds facts", "writer: Writes briefs from facts"
    )
    text = parts(task="Write a brief on Qdrant", workers=listed)
    schema = shape(steps={"type": "array", "items": shape(worker=TEXT, task=TEXT)})
    planned = send(text, "You are the planner of a team.", schema=schema).json["steps"]
    assert ("writer" in {step["worker"] for step in planned}) == is_read


@on_each("count", [20, 21])
def test_a_comparison_is_read_as_far_as_20_things(count):
    names = [f"Zeb{chr(97 + number)}" for number in range(count)]
    task = f"Compare {', '.join(names[:-1])} and {names[-1]}"
    reply = send(task, "You are the researcher.", tools=[tool()])
    searched = {call["input"]["query"] for call in reply.calls}
    assert searched == set(names[:20])
    left = " ".join(reply.account.not_understood)
    assert all(name in left for name in names[20:])


def statements(count: int) -> list[str]:
    """So many statements, each on a thing of its own."""
    return [f"Zeb{number} weighs {number + 3} kilograms." for number in range(count)]


def test_a_researcher_reports_at_most_12_facts():
    pages = [f"[z{number}] Zebras (2020)\n{text}" for number, text in enumerate(statements(30))]
    result = "\n\n".join(pages).replace("Zeb", "Zebra ")
    found, _ = research("Find facts about zebras", search=lambda query: result)
    assert len(bullets(found)) == 12


def test_a_brief_has_at_most_250_words():
    facts = "\n".join(f"- {text} [z]" for text in statements(90))
    written = send(parts(task="Write a brief on zebs", facts=facts), "You are the writer.").text
    assert 240 < len(written.split()) <= 250


@on_each(("count", "named"), [(19, 19), (25, 20)])
def test_a_review_names_at_most_20_faults(count, named):
    issues = reviewed("Check the draft against the facts.", " ".join(statements(count))).json[
        "issues"
    ]
    assert len(issues) == named


@on_each(("count", "is_compared"), [(79, True), (80, False)])
def test_a_synthesis_compares_at_most_80_statements(count, is_compared):
    one = "\n".join(
        f"- {text} [a]" for text in ("The bridge is 300 metres long.", *statements(count - 1))
    )
    two = "- The bridge is 200 metres long. [b]"
    reply = send(
        parts(task="The bridge and the zebs", one=one, two=two), "You are the synthesizer."
    )
    assert ("Sources differ: The bridge" in reply.text) == is_compared


@on_each(("length", "is_label"), [(1_900, True), (2_100, False)])
def test_a_label_is_in_a_line_of_at_most_2000_characters(length, is_label):
    text = f"Task: Write a brief\n\nNotes: {'Qdrant stores points. ' * (length // 22)}"
    assert ("facts" in send(text, "You are the writer.").account.parts) == is_label


@on_each(("before", "is_found"), [(1_000, True), (2_500, False)])
def test_a_worker_of_a_desk_looks_for_its_tools_in_2000_characters(before, is_found):
    ran = tool("t1", f"{'x' * before}. Run the tests of the project.", only=TEXT)
    read = tool("t2", "Read one file of the project.", path=TEXT)
    task = "Find the bug behind the failing test."
    calls = send(task, PROMPTS["code"], tools=[ran, read]).calls
    assert (bool(calls) and calls[0]["name"] == "t1") == is_found


def test_a_repair_tries_at_most_120_edits():
    lines = [f"    total = total + {number} * count" for number in range(60)]
    source = "\n".join(["def add(count):", "    total = 0", *lines, "    return total"])
    test = "from sums import add\n\ndef test_add():\n    assert add(1) == 5"
    files = {"sums.py": source, "test_sums.py": test}

    def listing(given: dict) -> str:
        rows = enumerate(files[given["path"]].split("\n"), 1)
        return "\n".join(f"{number:4}  {row}" for number, row in rows)

    answers = {
        "run_tests": lambda given: "FAILED test_sums.py::test_add - assert 0 == 5\n1 failed",
        "read_file": listing,
        "try_edits": lambda given: "0: line 3: test_sums.py::test_add fails | x",
    }
    runs = tool("run_tests", "Run the tests.") | {"input_schema": {"type": "object"}}
    tools = [
        runs,
        tool("read_file", "Read one file.", path=TEXT),
        tool("try_edits", "Try edits of one file.", path=TEXT),
    ]
    task = "Find the bug behind the failing test."
    reply, calls = converse(task, "You repair.", tools=tools, answers=answers, turns=20)
    tried = sum(len(call["input"]["edits"]) for call in calls if call["name"] == "try_edits")
    assert tried == 120 and "120 edits were tried; a person has to look" in reply.text


def test_the_account_names_at_most_20_clauses():
    wishes = [f"Zebrify the {letter}-stripes." for letter in "abcdefghijklmnopqrstuvwxy"]
    account = send(parts(**BRIEF), f"You are the writer. {' '.join(wishes)}").account
    assert len(account.not_understood) == 20 and account.left_out == 5
    account = send(
        parts(**BRIEF), f"You are the writer. Zebrify {'every little thing ' * 20}"
    ).account
    assert [len(clause) for clause in account.not_understood] == [160 + len(" …")]


# ── how it grows ─────────────────────────────────────────────────────────────────────────────────────────────

ADDED = """
import json, sys
from offline_model import OfflineAPI
from offline_model.account import HEADER

for text in json.loads(sys.argv[1]):
    request = {"model": sys.argv[3], "max_tokens": 900, "system": f"You are the writer. {text}"}
    request["messages"] = [{"role": "user", "content": sys.argv[2]}]
    headers = {"anthropic-version": "2023-06-01", "content-type": "application/json"}
    reply = OfflineAPI().handle("POST", "/v1/messages", headers, json.dumps(request).encode())
    print(json.dumps("bullets" in json.loads(reply.headers[HEADER]).get('wishes', [])))
"""
GRAMMAR = {  # a text → whether the wording "^ quark|gluon (very) sparkl* {n} ... leptons" is in it
    "Quark sparkles 3 leptons.": True,
    "Gluon sparkling three leptons.": True,
    "Quark very sparkly 3 leptons.": True,
    "Quark sparkles 3 of the best leptons.": False,
    "Quark quite sparkly 3 leptons.": False,
    "Quark sparkles many leptons.": False,
    "Muon sparkles 3 leptons.": False,
    "Our quark sparkles 3 leptons.": False,
}


def test_a_wording_is_added_by_one_line_of_data(tmp_path):
    home = Path(offline_model.__file__).parent
    shutil.copytree(home, tmp_path / "offline_model", ignore=shutil.ignore_patterns("__pycache__"))
    dials = tmp_path / "offline_model" / "lexicon" / "dials.toml"
    before, header, table = dials.read_text("utf-8").partition("[bullets]")
    line = '"^ quark|gluon (very) sparkl* {n} ... leptons",'
    table = table.replace("wordings = [", f"wordings = [{line}", 1)
    dials.write_text(f"{before}{header}{table}", encoding="utf-8", newline="\n")
    search = os.pathsep.join([str(tmp_path), str(home.parent)])
    arguments = [sys.executable, "-c", ADDED, json.dumps([*GRAMMAR]), parts(**BRIEF), models.worker]
    done = subprocess.run(
        arguments, env={**os.environ, "PYTHONPATH": search}, cwd=tmp_path, capture_output=True
    )
    assert not done.returncode, done.stderr.decode()
    assert list(map(json.loads, done.stdout.split())) == [*GRAMMAR.values()]


@on_each("name", SKILLS)
def test_each_skill_is_a_module_with_the_names_of_the_protocol(name):
    module = import_module(f"offline_model.skills.{name}")
    assert (Path(offline_model.__file__).parent / "skills" / f"{name}.py").is_file()
    expected = {*Skill.__annotations__, *(key for key in vars(Skill) if not key.startswith("_"))}
    assert {"fits", "reply", "read", "about"} == expected <= {*vars(module)}


def test_the_arguments_of_a_call_are_in_the_account():
    number = {"type": "number"}
    add = tool("add", "Adds two numbers.", a=number, b=number)
    weather = tool("weather", "Get the weather of a city.", city=TEXT)
    assert send("Add 2 and 3.", tools=[add]).account.arguments == ("add(a=2, b=3)",)
    quoted = send('What is the weather in "Lisbon"?', tools=[weather])
    assert quoted.account.arguments == ("weather(city='Lisbon')",)
    untold = send("What is the weather in Lisbon?", tools=[weather])
    assert untold.account.arguments == ("weather: city not found",)
    assert "weather needs city" in untold.refusal and "no text or tool" not in untold.refusal


@on_each(
    "rule",
    [
        "REVISE if a number differs from the facts or a sentence has no citation.",
        "If any sentence has no source in brackets, answer REVISE.",
    ],
)
def test_what_a_sentence_lacks_is_a_fault_to_a_reviewer(rule):
    uncited = GOOD.replace(" [qdrant-company]", "")
    assert uncited != GOOD
    assert passes(rule, GOOD) and not passes(rule, uncited)


def test_a_judge_scores_what_it_can_check_and_nothing_else():
    judge = "You are a judge. Score the draft from 1 to 5."
    asked = parts(task="Score the draft.", facts=FACTS, draft=GOOD)
    whole = {"type": "integer"}
    assert send(asked, judge, schema=shape(support=whole)).json == {"support": 5}
    charmed = send(asked, judge, schema=shape(support=whole, charm=whole))
    assert not charmed.text and "charm" in charmed.account.not_understood[-1]


PERFORMED = """
import json, sys
from offline_model import OfflineAPI
from offline_model.account import HEADER

def said(system, text):
    request = {"model": sys.argv[1], "max_tokens": 900, "system": system}
    request["messages"] = [{"role": "user", "content": text}]
    headers = {"anthropic-version": "2023-06-01", "content-type": "application/json"}
    reply = OfflineAPI().handle("POST", "/v1/messages", headers, json.dumps(request).encode())
    texts = [block.get("text", "") for block in json.loads(reply.body)["content"]]
    return "".join(texts), json.loads(reply.headers[HEADER])

given = json.loads(sys.argv[2])
print(json.dumps([said(*each) for each in given]))
"""


def test_the_examples_of_the_page_are_performed(tmp_path):
    home = Path(offline_model.__file__).parent
    copied = tmp_path / "offline_model"
    shutil.copytree(home, copied, ignore=shutil.ignore_patterns("__pycache__"))
    dial, sentence, behaviour = re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.M | re.S)
    grown(copied / "lexicon" / "dials.toml", lambda text: f"{text}\n{dial}")
    line = re.search(r'\["(.+)"\]', sentence)[1]
    declared = '[shout]\nsays = "shouter"\n\n'
    grown(
        copied / "lexicon" / "behaviours.toml",
        lambda text: (
            declared
            + text.replace('    "You are the writer of a newsletter.",\n', f'    "{line}",\n')
        ),
    )
    (copied / "skills" / "shout.py").write_text(behaviour, encoding="utf-8", newline="\n")
    grown(
        copied / "skills" / "__init__.py",
        lambda text: text.replace("SKILLS = (\n", 'SKILLS = (\n    "shout",\n', 1),
    )
    brief = parts(task="Write a brief on Qdrant and end with an invitation", facts=FACTS)
    draft = "Qdrant is a search engine for vectors [qdrant-intro]. Write to us about Qdrant."
    given = [
        ("You are the writer.", brief),
        (f"You are the writer. {line}", parts(**BRIEF)),
        (
            "You are the reviewer. Every claim must be carried by the facts.",
            parts(draft=draft, facts=FACTS),
        ),
        ("", parts(task="Shout the draft", draft="Quiet.")),
    ]
    search = os.pathsep.join([str(tmp_path), str(home.parent)])
    arguments = [sys.executable, "-c", PERFORMED, models.worker, json.dumps(given)]
    done = subprocess.run(
        arguments, env={**os.environ, "PYTHONPATH": search}, cwd=tmp_path, capture_output=True
    )
    assert not done.returncode, done.stderr.decode()
    asked, declared_, reviewed_, shouted = json.loads(done.stdout)
    assert asked[0].startswith("# Qdrant\n") and asked[0].endswith("Write to us about Qdrant.")
    assert asked[1]["wishes"] == ["end with an invitation"] and "not_understood" not in asked[1]
    assert "not_understood" not in declared_[1]
    assert reviewed_[0].startswith("PASS")
    assert shouted[0] == "QUIET." and shouted[1]["read_as"] == "shouter"


def grown(file: Path, change) -> None:
    """A file with a change; the change must be one."""
    before = file.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    file.write_text(after, encoding="utf-8", newline="\n")
