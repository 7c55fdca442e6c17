"""The author's side of lesson 01: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel.trace import counted

TOPICS = (
    "vector stores",
    "retries",
    "tracing",
    "evaluation",
    "memory",
    "budgets",
    "caching",
    "handoffs",
)
TOOLS = {
    "documents_on": "Count the documents on a topic.",
    "newest_on": "Give the number of the newest document on a topic.",
    "words_on": "Count the words on a topic.",
}


# ── 01.1 ──────────────────────────────────────────────────────────────────────────────────────────


def conversations(draw: Random) -> dict[str, list[Any]]:
    """No call or one; several calls in a reply; several turns, with thinking."""
    many = [draw.randint(1, 3) for _ in range(draw.randint(3, 4))]
    return {
        "last words": [
            *(_conversation(draw, turns) for turns in ([1], [])),
            _conversation(draw, [1, 1], talking=True),
        ],
        "all calls": [_conversation(draw, [draw.randint(2, 3)]) for _ in range(2)],
        "whole replies": [_conversation(draw, many, thinking=True)],
    }


def _conversation(
    draw: Random, turns: list[int], *, thinking: bool = False, talking: bool = False
) -> dict[str, Any]:
    """talking: a few words stand before the calls, in the same reply."""
    known = {
        name: {topic: f"{draw.randint(1_000, 9_999)} on {topic}" for topic in TOPICS}
        for name in TOOLS
    }

    def thought() -> list[dict[str, Any]]:
        seal = f"seal-{draw.randint(10**8, 10**9)}"
        return [{"type": "thinking", "thinking": "I look into it.", "signature": seal}] * thinking

    pairs = [(name, topic) for name in TOOLS for topic in TOPICS]
    replies: list[Any] = []
    for size in turns:
        calls = [
            {"type": "tool_use", "name": name, "input": {"topic": topic}}
            for name, topic in draw.sample(pairs, size)
        ]
        words = {"type": "text", "text": f"Let me look at {calls[0]['input']['topic']}."}
        replies.append([*thought(), *[words] * talking, *calls])
    last = {"type": "text", "text": f"There are {draw.randint(1_000, 9_999)} documents."}
    used = " and ".join(counted(size, "call") for size in turns) or "no call"
    used += ", each after a few words" * talking
    return {
        "about": f"the model makes {used}, and then answers{'; it thinks first' * thinking}",
        "tools": TOOLS,
        "known": known,
        "replies": [*replies, [*thought(), last]],
        "question": f"What is there on {draw.choice(TOPICS)}?",
    }


# ── 01.2 ──────────────────────────────────────────────────────────────────────────────────────────


def shelves(draw: Random) -> dict[str, list[Any]]:
    """What is on a shelf, and what is not."""
    return {
        "there": [_shelf(draw, missing=False) for _ in range(2)],
        "unknown": [_shelf(draw, missing=True) for _ in range(2)],
    }


def _shelf(draw: Random, *, missing: bool) -> dict[str, Any]:
    ids = [
        f"{topic.replace(' ', '-')}-{draw.randint(100, 999)}" for topic in draw.sample(TOPICS, 5)
    ]
    away = ids.pop()
    sources = [ids[2], away] if missing else draw.sample(ids, 3)
    shelf = {id: f"{id} was read {draw.randint(100, 999)} times." for id in ids}
    about = f"on the shelf: {', '.join(ids)}; the model asks for {', '.join(sources)}"
    return {"about": about, "shelf": shelf, "wanted": sources}


# ── 01.3 ──────────────────────────────────────────────────────────────────────────────────────────


def limits(draw: Random) -> dict[str, list[Any]]:
    """An answer within the turns; a model that never has enough; a limit of one turn, and a high one."""
    cap, low = draw.randint(3, 5), draw.randint(2, 4)
    return {
        "within": [_limit(draw, turns, cap) for turns in (1, 0, cap - 1)],
        "at the limit": [_limit(draw, low, low)],
        "ends": [_limit(draw, size, size) for size in (1, 5)],
    }


def _limit(draw: Random, turns: int, max_turns: int) -> dict[str, Any]:
    known = {topic: f"{draw.randint(1_000, 9_999)} documents" for topic in TOPICS}
    wish = (
        "calls a tool as long as it may"
        if turns == max_turns
        else f"calls a tool in {counted(turns, 'turn')}, then answers"
    )
    return {
        "about": f"max_turns is {max_turns}; the model {wish}",
        "known": known,
        "topics": draw.sample(TOPICS, turns),
        "final": f"From what was found: {draw.choice([*known.values()])}.",
        "question": f"Compare {draw.choice(TOPICS)} and others.",
        "max_turns": max_turns,
    }


INPUTS = {"01.1": conversations, "01.2": shelves, "01.3": limits}

KEEP = 'messages.append({"role": "assistant", "content": reply["content"]})'
ANSWER_ALL = 'messages.append({"role": "user", "content": results})'
RETURN = 'return "".join(block["text"] for block in reply["content"] if block["type"] == "text")'
RAISE = "raise ToolError(f\"there is no source {source_id!r}; there are: {', '.join(shelf)}\")"
LAST = 'reply = await run.ask(**request, tool_choice={"type": "none"}, messages=conversation)'
SAID = '{"role": "user", "content": "Call no more tools. Answer now, from what you have."}'
CLOSE = f"conversation.append({SAID})"
EXHAUSTED = 'return Result(status="exhausted", output=reply.text, reason=f"stopped after {max_turns} turns")'

SLIPS = {
    "01.1": {
        "no assistant message": [(KEEP, "pass")],
        "part of the reply": [
            (
                KEEP,
                KEEP.replace(
                    'reply["content"]', '[it for it in reply["content"] if "input" in it]'
                ),
            )
        ],
        "reply as message": [(KEEP, "messages.append(reply)")],
        "extend for append": [(KEEP, KEEP.replace("append", "extend"))],
        "input not unpacked": [('(**block["input"])', '(block["input"])')],
        "history lost": [
            (KEEP, KEEP.replace("messages.append(", "messages = [").replace("})", "}]"))
        ],
        "wrong role": [(ANSWER_ALL, ANSWER_ALL.replace('"user"', '"tool"'))],
        "results not as blocks": [(ANSWER_ALL, ANSWER_ALL.replace("results})", "str(results)})"))],
        "only some calls": [(ANSWER_ALL, ANSWER_ALL.replace("results})", "results[:1]})"))],
        "wrong ids": [('block["id"]', "[it for it in reply['content'] if 'input' in it][0]['id']")],
        "a message for each result": [
            (ANSWER_ALL, 'messages += [{"role": "user", "content": [it]} for it in results]')
        ],
        "function not run": [('"content": output', '"content": str(block["input"])')],
        "never asks": [("", "    return 'On tracing there are 12 documents.'\n")],
        "never stops": [("if not results:", "if results is None:")],
        "one round": [
            (ANSWER_ALL, f"{ANSWER_ALL}; reply = ask(client, messages, tools); {RETURN}")
        ],
        "first words": [
            ("if not results:", "if any(it['type'] == 'text' for it in reply['content']):")
        ],
        "never asks again": [(ANSWER_ALL, "return ' '.join(str(it['content']) for it in results)")],
        "another function": [('functions[block["name"]]', "[*functions.values()][0]")],
        "first block": [(RETURN, 'return reply["content"][0]["text"]')],
        "not the text": [(RETURN, "return reply")],
    },
    "01.2": {
        "no decorator": [("@tool\n", "\n")],
        "called inside": [("return read\n", "return read(next(iter(shelf)))\n")],
        "another parameter": [("source_id: str)", "source_id: str, shelf: dict = shelf)")],
        "another name": [("source_id", "id")],
        "not returned": [("return shelf[source_id]", "print(shelf[source_id])")],
        "another error": [(RAISE, "raise KeyError(source_id)")],
        "error returned": [(RAISE, RAISE.replace("raise", "return"))],
        "error as text": [(RAISE, RAISE.replace("raise ToolError", "return str"))],
        "silence": [(RAISE, "return ''")],
        "does not say what was given": [("{source_id!r}", "like that")],
        "does not say what there is": [("; there are: {', '.join(shelf)}", "")],
        "hard-coded": [("    @tool", "    shelf = {'rfc-9110': 'HTTP semantics.'}\n\n    @tool")],
    },
    "01.3": {
        "raises": [(CLOSE, "raise RuntimeError('max_turns reached')")],
        "reply not kept": [("conversation.append(reply.as_message())", "pass")],
        "two values": [("results, _ = await", "results = await")],
        "does not ask": [(CLOSE, "pass")],
        "no last answer": [(LAST, "pass")],
        "may still call tools": [('tool_choice={"type": "none"}, ', "")],
        "one turn too many": [("range(max_turns)", "range(max_turns + 1)")],
        "one turn too few": [("range(max_turns)", "range(max_turns - 1)")],
        "no turn with tools": [
            ("request = {", "request = {'tool_choice': {'type': 'none'}, "),
            (LAST, LAST.replace('tool_choice={"type": "none"}, ', "")),
        ],
        "whole reply": [("output=reply.text", "output=reply")],
        "tools taken out": [(LAST, LAST.replace("**request", "model=request['model']"))],
        "work thrown away": [(CLOSE, f"conversation = Conversation([{SAID}])")],
        "pretends to be done": [(EXHAUSTED, EXHAUSTED.replace("exhausted", "ok"))],
        "limit without need": [('status="ok"', 'status="exhausted"')],
        "no reason": [(', reason=f"stopped after {max_turns} turns"', "")],
        "no result": [(EXHAUSTED, "return reply.text")],
        "never asks": [
            ("", "    return Result(status='exhausted', output='So far: 12 documents.')\n")
        ],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "01.1": [
        """\
# Instead of `while True`: the stop reason says whether to go round again.
def answer(client, question, tools, functions):
    messages = [{"role": "user", "content": question}]
    reply = ask(client, messages, tools)
    while reply["stop_reason"] == "tool_use":
        results = [
            {"type": "tool_result", "tool_use_id": block["id"],
             "content": functions[block["name"]](**block["input"])}
            for block in reply["content"] if block["type"] == "tool_use"
        ]
        messages += [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": results}]
        reply = ask(client, messages, tools)
    return "".join(block["text"] for block in reply["content"] if block["type"] == "text")
""",
        """\
def answer(client, question, tools, functions, messages=None):
    messages = messages or [{"role": "user", "content": [{"type": "text", "text": question}]}]
    reply = ask(client, messages, tools)
    calls = [it for it in reply["content"] if it["type"] == "tool_use"]
    if not calls:
        return next(it["text"] for it in reply["content"] if it["type"] == "text")
    results = [{"type": "tool_result", "tool_use_id": it["id"], "is_error": False,
                "content": [{"type": "text", "text": functions[it["name"]](**it["input"])}]} for it in reversed(calls)]
    return answer(client, question, tools, functions,
                  messages + [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": results}])
""",
        """\
def answer(client, question, tools, functions):
    messages = [dict(role="user", content=question)]
    for _ in range(50):
        reply = ask(client, messages, tools)
        messages.append({"role": reply["role"], "content": list(reply["content"])})
        uses = {it["id"]: it for it in reply["content"] if it["type"] == "tool_use"}
        if reply["stop_reason"] != "tool_use":
            break
        messages.append({"role": "user", "content": [
            {"content": functions[it["name"]](it["input"]["topic"]), "type": "tool_result", "tool_use_id": id}
            for id, it in uses.items()]})
    return reply["content"][-1]["text"]
""",
        """\
def answer(client, question, tools, functions):
    messages = [{"role": "user", "content": question}]
    while True:
        reply = ask(client, messages, tools)
        messages += [{"role": "assistant", "content": reply["content"]}]
        results, words = [], []
        for block in reply["content"]:
            match block:
                case {"type": "tool_use", "id": id, "name": name, "input": arguments}:
                    results.append({"type": "tool_result", "tool_use_id": id, "content": str(functions[name](**arguments))})
                case {"type": "text", "text": text}:
                    words.append(text)
        if not results:
            return "\\n".join(words)
        messages += [{"role": "user", "content": results}]
""",
    ],
    "01.2": [
        '''\
# Try first, and translate the error: no second look-up.
def reading_tool(shelf):
    @tool
    def read(source_id: str) -> str:
        """Read one source in full, by its id."""
        try:
            return shelf[source_id]
        except KeyError:
            raise ToolError(f"{source_id!r} is not on the shelf. Choose one of {sorted(shelf)}.") from None

    return read
''',
        """\
def reading_tool(shelf):
    async def get_source(source_id: str) -> str:
        if text := shelf.get(source_id):
            return text
        known = "\\n".join(f"- {id}" for id in sorted(shelf))
        raise ToolError(f"You asked for {source_id}. I only have:\\n{known}")
    return tool(get_source, name="get_source", description="Get a source.")
""",
        """\
class Reader:
    def __init__(self, shelf):
        self.shelf = shelf
    def complain(self, id):
        raise ToolError(id + " is not one of " + " ".join(self.shelf.keys()))
def reading_tool(shelf):
    reader = Reader(shelf)
    @tool
    async def look_up(source_id: str) -> str:
        "Look a source up."
        return shelf[source_id] if source_id in shelf else reader.complain(source_id)
    return look_up
""",
    ],
    "01.3": [
        """\
# One loop for both: the turn after the last is the one without tools.
async def answer_within(run, question, tools, max_turns):
    request = {"model": models.worker, "tools": [it.definition for it in tools]}
    conversation = Conversation([{"role": "user", "content": question}])
    for turn in range(max_turns + 1):
        last = turn == max_turns
        if last:
            conversation.append({"role": "user", "content": "Stop searching. Answer from what you have."})
        choice = {"type": "none" if last else "auto"}
        reply = await run.ask(**request, tool_choice=choice, messages=conversation)
        if not reply.tool_calls:
            reason = f"{max_turns} turns were not enough" if last else ""
            return Result(status="exhausted" if last else "ok", output=reply.text, reason=reason)
        conversation.append(reply.as_message())
        results, _ = await run_calls(tools, reply.tool_calls, run)
        conversation.append(results)
""",
        """\
async def answer_within(run, question, tools, max_turns):
    request = {"model": models.worker, "tools": [it.definition for it in tools]}
    conversation = Conversation([{"role": "user", "content": question}])
    turns = 0
    while True:
        reply = await run.ask(**request, messages=conversation)
        if not reply.tool_calls:
            return Result(status="ok", output=reply.text, reason="done")
        conversation.append(reply.as_message())
        message, _ = await run_calls(tools, reply.tool_calls, run)
        turns += 1
        if turns == max_turns:
            message["content"].append({"type": "text", "text": "That was the last search: what do you know?"})
        conversation.append(message)
        if turns == max_turns:
            last = await run.ask(messages=conversation, tool_choice={"type": "none"}, **request)
            return Result(status="exhausted", output=last.text, reason="out of turns")
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
