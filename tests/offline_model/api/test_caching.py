"""Prompt caching as the service counts it: what is written, what is read, for how long, by whom, and what is refused."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from offline_model import Answer, Faults, OfflineAPI
from tests.on_each import on_each

HAIKU, SONNET = "claude-haiku-5-5", "claude-sonnet-5-5"
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
LONG = "The library holds briefs on vector databases and their history. " * 40  # 640 tokens
TOOL = {"name": "search", "description": LONG, "input_schema": {"type": "object"}}


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Service:
    """An offline API whose clock a test moves; `ask` gives (read, written for 5 minutes, for an hour, the rest)."""

    def __init__(self, **settings):
        self.clock = Clock()
        answer = Answer(({"type": "text", "text": "Yes."},))
        self.api = OfflineAPI(answer=lambda *_: answer, clock=self.clock, **settings)

    def handle(self, key="one", path="/v1/messages", **request):
        body = {"model": HAIKU, "max_tokens": 100, "messages": [user("Hi")], **request}
        headers = {"anthropic-version": "2026-10-21", "x-api-key": key}
        return self.api.handle("POST", path, headers, json.dumps(body).encode())

    def usage(self, **request):
        response = self.handle(**request)
        body = json.loads(response.body)
        assert response.status == 200, body
        return body["usage"]

    def ask(self, **request):
        usage = self.usage(**request)
        written = usage["cache_creation"]
        five, hour = written["ephemeral_5m_input_tokens"], written["ephemeral_1h_input_tokens"]
        assert usage["cache_creation_input_tokens"] == five + hour
        return usage["cache_read_input_tokens"], five, hour, usage["input_tokens"]

    def refusal(self, **request):
        response = self.handle(**request)
        assert response.status == 400
        return json.loads(response.body)["error"]["message"]


def text(words, **mark):
    return {"type": "text", "text": words, **mark}


def user(*content):
    blocks = [text(block) if isinstance(block, str) else block for block in content]
    return {"role": "user", "content": blocks}


def assistant(*content):
    return {**user(*content), "role": "assistant"}


def test_without_a_mark_nothing_is_cached():
    service = Service()
    first, second = (service.ask(system=LONG) for _ in range(2))
    assert first == second and first[:3] == (0, 0, 0)


def test_a_marked_prefix_is_written_once_and_then_read():
    service = Service()
    whole = service.ask(system=LONG)[3]
    written = service.ask(system=[text(LONG, **MARK)])
    read = service.ask(system=[text(LONG, **MARK)], messages=[user("Something else")])
    assert written[0] == 0 and written[1] == 640 and written[3] == whole - 640
    assert read[0] == 640 and read[1] == 0
    assert sum(written) == whole


def test_the_sum_is_what_the_counter_counts():
    service = Service()
    request = {"system": [text(LONG, **MARK)], "tools": [TOOL]}
    counted = json.loads(
        service.handle(path="/v1/messages/count_tokens", max_tokens=None, **request).body
    )
    assert "error" in counted  # max_tokens is not one of its fields
    body = {"model": HAIKU, "messages": [user("Hi")], **request}
    headers = {"anthropic-version": "2026-10-21"}
    response = service.api.handle(
        "POST", "/v1/messages/count_tokens", headers, json.dumps(body).encode()
    )
    assert (
        json.loads(response.body)["input_tokens"]
        == sum(service.ask(**request))
        == sum(service.ask(**request))
    )


def test_a_short_prefix_is_not_cached_and_nobody_is_told():
    service = Service()
    short = [text("Be brief.", **MARK)]
    assert service.ask(system=short)[:3] == service.ask(system=short)[:3] == (0, 0, 0)


def test_the_order_is_tools_system_messages():
    service = Service()
    service.ask(tools=[{**TOOL, **MARK}], system=LONG)
    assert service.ask(tools=[{**TOOL, **MARK}], system="Another role.")[0] > 640, (
        "the tools come first"
    )
    assert service.ask(tools=[{**TOOL, "name": "find", **MARK}], system=LONG)[0] == 0
    service.ask(system=[text(LONG, **MARK)])
    other = [{**TOOL, "name": "open"}]
    assert service.ask(system=[text(LONG, **MARK)], tools=other)[0] == 0, "a new tool comes first"
    assert service.ask(system=[text(LONG, **MARK)], messages=[user("Bye")])[0] == 640


def test_what_changes_how_messages_are_read_spares_the_system_prompt_only():
    service = Service()
    request = {
        "system": [text(LONG, **MARK)],
        "messages": [user(text(LONG, **MARK))],
        "tools": [TOOL],
    }
    whole = sum(service.ask(**request)[:2])
    assert service.ask(**request)[0] == whole
    read, written, *_ = service.ask(**request, tool_choice={"type": "none"})
    assert 0 < read < whole and read + written == whole


def test_each_model_has_its_own_cache():
    service = Service()
    service.ask(system=[text(LONG, **MARK)])
    assert service.ask(system=[text(LONG, **MARK)], model=SONNET)[:2] == (0, 640)


def test_each_client_has_its_own_cache():
    service = Service()
    service.ask(system=[text(LONG, **MARK)], key="one")
    assert service.ask(system=[text(LONG, **MARK)], key="two")[:2] == (0, 640)
    assert service.ask(system=[text(LONG, **MARK)], key="one")[:2] == (640, 0)


@on_each(("mark", "seconds"), [(MARK, 300), (HOUR, 3600)])
def test_an_entry_lives_for_its_time_after_each_use(mark, seconds):
    service = Service()
    request = {"system": [text(LONG, **mark)]}
    service.ask(**request)
    for _ in range(3):
        service.clock.now += seconds - 1
        assert service.ask(**request)[0] == 640, "each use starts its time anew"
    service.clock.now += seconds
    assert service.ask(**request)[0] == 0


def test_an_hour_is_counted_apart():
    service = Service()
    request = {"system": [text(LONG, **HOUR)], "messages": [user(text(LONG, **MARK))]}
    read, five, hour, rest = service.ask(**request)
    assert (read, hour) == (0, 640) and five >= 640
    assert service.ask(**request)[:3] == (hour + five, 0, 0)
    service.clock.now += 301
    assert service.ask(**request)[:3] == (hour, five, 0), "five minutes later only the hour is left"


def test_a_growing_conversation_reads_what_the_turn_before_wrote():
    service = Service()
    history = [user(LONG)]
    before = 0
    for number in range(5):
        read, five, hour, rest = service.ask(messages=history, cache_control={"type": "ephemeral"})
        assert read == before and five > 0 and rest == 0
        before = read + five
        history += [assistant(f"Answer {number}"), user(f"Question {number}")]


def test_an_edited_history_is_read_up_to_the_edit():
    service = Service()
    first, second = text(LONG, **MARK), text(LONG + "Two.", **MARK)
    service.ask(messages=[user(first, second, "Go")])
    read, five, *_ = service.ask(messages=[user(first, text(LONG + "Three.", **MARK), "Go")])
    assert 640 <= read < 660 and five >= 640


def test_the_top_level_mark_stands_at_the_last_block():
    service = Service()
    marked = service.ask(messages=[user(LONG, text("End", **MARK))])
    assert Service().ask(messages=[user(LONG, "End")], **MARK) == marked
    assert service.ask(messages=[user(LONG, "End")], **MARK)[0] == marked[1]


def test_an_entry_more_than_20_blocks_back_is_not_found():
    blocks = [text(f"Block {number}. {LONG}") for number in range(30)]

    def read_after(more):
        service = Service()
        service.ask(messages=[user(*blocks[:4], {**blocks[4], **MARK})])
        later = [*blocks[: 4 + more], {**blocks[4 + more], **MARK}]
        return service.ask(messages=[user(*later)])[0]

    assert read_after(19) > 0 and read_after(20) == 0


def test_a_run_of_results_counts_as_one_block_of_the_20():
    uses = [
        {"type": "tool_use", "id": f"toolu_{n}", "name": "search", "input": {}} for n in range(30)
    ]
    results = [{"type": "tool_result", "tool_use_id": use["id"], "content": "1660"} for use in uses]
    service = Service()
    service.ask(messages=[user(text(LONG, **MARK))])
    turns = [user(LONG), assistant(*uses), user(*results, text("And?", **MARK))]
    assert service.ask(messages=turns)[0] > 640 - 1


def test_an_entry_can_be_read_once_the_reply_has_begun():
    service = Service(latency_ms=2000)
    request = {"system": [text(LONG, **MARK)]}
    assert [service.ask(**request)[0] for _ in range(3)] == [0, 0, 0], "three at once: each writes"
    service.clock.now += 1
    assert service.ask(**request)[0] == 640, "half a reply later it has begun"


def test_a_request_that_failed_writes_nothing():
    service = Service(faults=Faults(first=("529", "500")))
    assert [service.handle(system=[text(LONG, **MARK)]).status for _ in range(2)] == [529, 500]
    assert service.ask(system=[text(LONG, **MARK)])[:2] == (0, 640)


def test_a_cache_can_be_filled_ahead_with_no_answer():
    service = Service()
    usage = service.usage(system=[text(LONG, **MARK)], max_tokens=0)
    assert usage["cache_creation_input_tokens"] == 640 and usage["output_tokens"] == 0
    reply = json.loads(service.handle(system=[text(LONG, **MARK)], max_tokens=0).body)
    assert reply["content"] == [] and reply["stop_reason"] == "max_tokens"
    assert service.ask(system=[text(LONG, **MARK)])[0] == 640


def test_a_stream_says_the_same():
    service = Service()
    service.ask(system=[text(LONG, **MARK)])
    *_, delta, _ = service.handle(system=[text(LONG, **MARK)], stream=True).body
    assert (
        json.loads(delta.decode().partition("data: ")[2])["usage"]["cache_read_input_tokens"] == 640
    )


def test_more_than_four_marks_are_refused():
    service = Service()
    four = [text(LONG, **MARK) for _ in range(4)]
    assert service.ask(messages=[user(*four)])[1] > 0
    problem = "A maximum of 4 blocks with cache_control may be provided. Found 5."
    assert service.refusal(messages=[user(*four)], tools=[{**TOOL, **MARK}]) == problem
    assert service.refusal(messages=[user(*four, "And?")], **MARK) == problem
    assert service.ask(messages=[user(*four)], **MARK)[0] > 0, "the last block has its mark already"


def test_an_hour_does_not_come_after_five_minutes():
    message = Service().refusal(system=[text("a", **MARK), text("b", **HOUR)])
    assert message == (
        "system.1.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
        "cache_control block. Note that blocks are processed in the following order: `tools`, "
        "`system`, `messages`."
    )
    place = Service().refusal(tools=[{**TOOL, **MARK}], messages=[user(text("b", **HOUR))])
    assert place.startswith("messages.0.content.0.cache_control.ttl: ")


def test_a_mark_within_a_result_marks_the_result():
    use = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [text(LONG, **MARK)]}
    service = Service()
    turns = [user("Go"), assistant(use), user(result)]
    assert service.ask(messages=turns)[1] > 640 and service.ask(messages=turns)[0] > 640


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 400)), max_size=12))
def test_no_token_is_counted_twice_or_lost(requests):
    service = Service()
    plain = Service()
    for marked, length, wait in requests:
        service.clock.now += wait
        blocks = [f"{number} {LONG}" for number in range(4)][: length + 1]
        content = [text(words, **(MARK if n == marked else {})) for n, words in enumerate(blocks)]
        read, five, hour, rest = service.ask(messages=[user(*content)])
        assert read + five + hour + rest == plain.ask(messages=[user(*blocks)])[3]
        assert min(read, five, hour, rest) >= 0
