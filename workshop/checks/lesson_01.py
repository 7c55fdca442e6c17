"""The exercises of lesson 01: the loop, a tool whose errors reach the model, a limit that loses nothing."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

from kernel import Agent, Handoff, Result, Tool, models, tool

from .probe import Probe, Wire, brief
from .register import Exercise, Misconception

TOPICS = ("vector stores", "retries", "tracing", "evaluation", "memory", "budgets", "caching", "handoffs")
TOOLS = {"documents_on": "Count the documents on a topic.",
         "newest_on": "Give the date of the newest document on a topic."}


# ── 01.1: the loop ─────────────────────────────────────────────────────────────────────────────────────────


def check_loop(answer: Any, probe: Probe) -> None:
    """One call; no call; several calls in one reply, behind a thinking block; several turns."""
    draw = probe.random
    for turns in ([1], [], [draw.randint(2, 3)], [draw.randint(1, 3) for _ in range(draw.randint(3, 4))]):
        first = turns == [1]
        drawn = Random(1) if first else draw  # the first case is the one that is shown, always the same
        count = {topic: f"{drawn.randint(2, 900)} documents" for topic in TOPICS}
        newest = {topic: f"2026-{drawn.randint(1, 9):02}-{drawn.randint(1, 28):02}" for topic in TOPICS}
        functions = {"documents_on": lambda topic, known=count: known[topic],
                     "newest_on": lambda topic, known=newest: known[topic]}
        script = [_turn(drawn, size, functions, thinking=not first) for size in turns]
        final = f"On {drawn.choice(TOPICS)} there are {drawn.randint(2, 900)} documents."
        wire = probe.wire([*script, [*_thought(drawn, not first), {"type": "text", "text": final}]])
        with wire.client() as client:
            question = f"What is there on {drawn.choice(TOPICS)}?"
            came, problem = probe.attempt(client, question, _tools(), functions)
        _look_at_the_messages(probe, wire, functions)
        _look_at_the_answer(probe, wire, came, problem, final)
        if problem:
            raise problem


def _turn(draw: Random, size: int, functions: dict, *, thinking: bool) -> list[dict]:
    calls = draw.sample([(name, topic) for name in functions for topic in TOPICS], size)
    return [*_thought(draw, thinking), *({"type": "tool_use", "name": name, "input": {"topic": topic}}
                                         for name, topic in calls)]


def _thought(draw: Random, thinking: bool) -> list[dict]:
    seal = f"seal-{draw.random():.12f}"
    return [{"type": "thinking", "thinking": "I look into the library.", "signature": seal}] * thinking


def _tools() -> list[dict]:
    topic = {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}
    return [{"name": name, "description": says, "input_schema": topic} for name, says in TOOLS.items()]


def _look_at_the_messages(probe: Probe, wire: Wire, functions: dict) -> None:
    """Compares each request with what the reply before it asked for."""
    for (before, _, reply), (request, _, _) in pairwise(wire.exchanges):
        known, said = before["messages"], request.get("messages")
        if not isinstance(said, list) or not all(isinstance(it, dict) for it in said):
            probe.wrong(came=_refused(wire, brief(said)), expected="a list of messages, each a dict")
        if any(it.keys() - {"role", "content"} for it in said):
            keys = next(sorted(it) for it in said if it.keys() - {"role", "content"})
            probe.wrong("reply as message", came=_refused(wire, f"a message with {', '.join(keys)}"),
                        expected="messages with a role and a content, and nothing else")
        content = reply.get("content", [])
        calls = {it["id"]: it for it in content if it["type"] == "tool_use"}
        if reply.get("content") and not calls:
            probe.wrong("never stops", came="another request, after a reply that called no tool",
                        expected="the text of that reply")
        if said[:len(known)] != known:
            probe.wrong("history lost", came=f"{_count(said, 'message')}, not those sent before and more",
                        expected=f"the {_count(known, 'message')} sent before, unchanged, then the new ones")
        new = said[len(known):]
        spoken = [it["content"] for it in new if it.get("role") == "assistant"]
        answers = [it for it in new if it.get("role") != "assistant"]
        if any(_results(it) for it in new if it.get("role") != "user"):
            probe.wrong("wrong role", came=f"tool results with the role {new[-1].get('role')!r}",
                        expected="tool results in a message with the role 'user'")
        if new[0].get("role") != "assistant":
            probe.wrong("no assistant message", came=_refused(wire, "results without their calls"),
                        expected="first the reply as an assistant message, then the results")
        if spoken[0] != content:
            probe.wrong("part of the reply", came=f"an assistant message with {_kinds(spoken[0])}",
                        expected=f"the reply's content as it came: {_kinds(content)}")
        blocks = [block for it in answers for block in _results(it)]
        ids = [str(block.get("tool_use_id")) for block in blocks]
        if not blocks:
            said = brief(answers[-1].get("content")) if answers else "no message"
            probe.wrong("results not as blocks", came=said,
                        expected="a list of tool_result blocks, one for each call")
        if set(ids) < set(calls) and len(ids) < len(calls):
            probe.wrong("only some calls", came=f"{_count(blocks, 'result')} for {_count(calls, 'call')}",
                        expected="a result for each tool_use block of the reply")
        if set(ids) != set(calls) or len(ids) != len(calls):
            probe.wrong("wrong ids", came=f"results for {', '.join(ids)}", expected=", ".join(calls))
        if len([it for it in answers if _results(it)]) > 1:
            probe.wrong("a message for each result",
                        came=f"{_count(blocks, 'result')} in {_count(answers, 'message')}",
                        expected="all results of one reply in one user message")
        right = {id: functions[it["name"]](**it["input"]) for id, it in calls.items()}
        for id, block in zip(ids, blocks, strict=True):
            sent, call = _plain(block.get("content")), calls[id]
            if sent != right[id]:
                name = "wrong ids" if sent in right.values() else "function not run"
                probe.wrong(name, expected=repr(right[id]),
                            came=f"{brief(sent)} as the result of {call['name']}({call['input']['topic']!r})")


def _look_at_the_answer(probe: Probe, wire: Wire, came: Any, problem: Exception | None, final: str) -> None:
    """Compares what the function returned with the model's last words."""
    turns = len(wire._items)
    last = wire.exchanges[-1][2].get("content", []) if wire.exchanges else []
    first = last[0].get("text") if last else None
    if not wire.exchanges and problem is None:
        probe.wrong("never asks", came=f"{came!r}, without a request", expected="the model's own last words")
    if any(request.get("tools") != _tools() for request, *_ in wire.exchanges):
        probe.wrong(came="a request without the tools", expected="the same tools in every request")
    if isinstance(problem, AssertionError):
        probe.wrong("never stops", came=f"request {len(wire.exchanges)}, after the model had answered",
                    expected=f"{turns} requests: the loop ends with the first reply that calls no tool")
    if wire.refused:
        probe.wrong(came=f"the API refused request {len(wire.exchanges)}: {wire.refused}",
                    expected="requests that the API accepts")
    if len(wire.exchanges) < turns and problem is None:
        probe.wrong("one round", came=f"{brief(came)} after {_count(wire.exchanges, 'request')}",
                    expected=f"{turns} requests: the last reply still called a tool")
    if problem is None and came != final:
        if isinstance(came, dict | list):
            probe.wrong("not the text", came=brief(came), expected=f"the text {final!r}")
        probe.wrong("first block" if came == first else None, came=brief(came), expected=repr(final))
    if isinstance(problem, TypeError) and "unhashable type: 'dict'" in str(problem):
        probe.wrong("input not unpacked", came=f"TypeError: {problem}, in a function that was called with a dict",
                    expected="a function that is called with topic=…")
    if isinstance(problem, KeyError) and problem.args == ("text",):
        probe.wrong("first block", came="KeyError: 'text'", expected=repr(final))


def _results(message: dict) -> list[dict]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [it for it in blocks if isinstance(it, dict) and it.get("type") == "tool_result"]


def _kinds(content: Any) -> str:
    blocks = isinstance(content, list) and all(isinstance(it, dict) for it in content)
    return ", ".join(str(it.get("type")) for it in content) or "nothing" if blocks else brief(content)


def _plain(content: Any) -> Any:
    blocks = isinstance(content, list) and all(isinstance(it, dict) for it in content)
    return "".join(it.get("text", "") for it in content) if blocks else content


def _refused(wire: Wire, otherwise: str) -> str:
    return f"the API's error: {wire.refused}" if wire.refused else otherwise


def _count(things: Any, name: str) -> str:
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"


LOOP = Exercise(
    id="01.1", title="Complete the loop", name="answer", difficulty=2, importance=5, minutes=4, points=3,
    objective="Write the loop that turns a model and some functions into an agent",
    why="Every agent of this workshop, and of every framework, is this loop with concerns added.",
    check=check_loop,
    hints=(
        "The model has no memory and runs nothing. Each request carries the whole conversation, so each "
        "round adds two messages to it: what the model said, and what its tools gave. A reply without a "
        "tool call ends it.",
        "Look at the reply's `content`: it is a list of blocks. Those of type `tool_use` have an `id`, a "
        "`name` and an `input`; each wants a `tool_result` block with the same id. All of them go into one "
        "user message.",
        'Inside the loop: append `{"role": "assistant", "content": reply["content"]}`; collect the blocks '
        'with `block["type"] == "tool_use"`; with none left, join the `text` of the text blocks and return '
        'it; else append one user message with a list of `{"type": "tool_result", "tool_use_id": …, '
        '"content": …}`.',
    ),
    misconceptions={
        "history lost": Misconception(
            "messages were replaced or shortened; the model remembers nothing between two requests",
            "Keep one list, and only ever append to it."),
        "no assistant message": Misconception(
            "the model's own reply was not put into the conversation before the results",
            'Append `{"role": "assistant", "content": reply["content"]}` first.'),
        "part of the reply": Misconception(
            "the reply's blocks were changed on the way: some are missing, or they were made into a text",
            'Append `reply["content"]` whole, without looking into it.'),
        "reply as message": Misconception(
            "the whole reply went into the conversation, with its id, its model and its usage",
            'Append `{"role": "assistant", "content": reply["content"]}` instead of `reply`.'),
        "input not unpacked": Misconception(
            "the function got the whole `input`, a dict, as one value; it wants what is inside, by name",
            'Two stars unpack a dict: `functions[block["name"]](**block["input"])`.'),
        "wrong role": Misconception(
            "tools have no role of their own in this API: what is not the model's is the user's",
            'Give the message with the results the role `"user"`.'),
        "results not as blocks": Misconception(
            "the results were sent as plain text, or not at all, so nothing says which call they answer",
            'Send blocks: `{"type": "tool_result", "tool_use_id": …, "content": …}`.'),
        "only some calls": Misconception(
            "one reply may call several tools; the API wants all of them answered",
            "Go over all blocks of the reply, not only the first or the last one."),
        "wrong ids": Misconception(
            "results and calls are matched by id, not by order",
            "Take the `tool_use_id` from the very block whose function you run."),
        "a message for each result": Misconception(
            "each result was sent in a message of its own; the API takes it, but the model learns to call "
            "one tool at a time",
            "Collect the results in a list, and append one message after the loop over the blocks."),
        "function not run": Misconception(
            "what was sent is not what the function returns for these arguments",
            'Call `functions[block["name"]](**block["input"])` and send what it returns.'),
        "never asks": Misconception(
            "the answer is written into the function; it has to come from the model",
            "Send the conversation with `ask(client, messages, tools)` and work with its reply."),
        "never stops": Misconception(
            "nothing ends the loop when the model has answered",
            "Return as soon as a reply has no `tool_use` block."),
        "one round": Misconception(
            "the function returns after one round of tools, but the model may want another",
            "Go round as long as the replies call tools: the return stands inside a `while True`."),
        "first block": Misconception(
            "the first block is not always the text: it may be `thinking`",
            "Look for the blocks with the type `text`, wherever they stand."),
        "not the text": Misconception(
            "the whole reply was returned, or a list of its parts",
            "Return the text of the text blocks only."),
    },
    solution_note="The conversation is the only memory: what the model said and what the tools gave are "
                  "appended, and nothing is ever taken out. The ids say which result answers which call, so "
                  "the order does not matter.",
    break_it="Leave out the assistant message and read what the API says; then send each result in a "
             "message of its own.",
    alternative='''# Instead of `while True`: the stop reason says whether to go round again.
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
''')


# ── 01.2: a tool whose errors reach the model ──────────────────────────────────────────────────────────────


def check_reading_tool(reading_tool: Any, probe: Probe) -> None:
    """An agent with the tool reads what exists, what does not, and both in one turn."""
    draw = probe.random
    for first in (True, False, False):
        drawn = Random(2) if first else draw
        ids = [f"{topic.replace(' ', '-')}-{drawn.randint(1, 99)}" for topic in drawn.sample(TOPICS, 4)]
        missing = ids.pop()
        shelf = {id: f"{id} was read {drawn.randint(2, 900)} times." for id in ids}
        came = probe.call(shelf)
        if callable(came) and not isinstance(came, Tool):
            probe.wrong("no decorator", came=f"the function {brief(came)}", expected="a Tool, made by @tool")
        if not isinstance(came, Tool):
            probe.wrong("called inside" if came is not None else None, came=brief(came),
                        expected="the tool that is defined inside the function")
        parameters = list(came.arguments.model_fields)
        if len(parameters) != 1:
            probe.wrong("another parameter", came=f"a tool with the parameters {', '.join(parameters) or 'none'}",
                        expected="one parameter, source_id: str")
        reads = [{"type": "tool_use", "name": came.name, "input": {parameters[0]: id}}
                 for id in (ids[0], missing)]
        wire = probe.wire([reads, "Done."], who="reader")
        reader = Agent("reader", "Reads sources.", "Read what you are asked for.", models.worker, (came,))
        probe.calling = f"the tool of {probe.calling}, on {ids[0]!r} and on {missing!r}"
        problem = None
        try:
            probe.run(wire.run().dispatch(reader, Handoff(intent=f"Read {ids[0]} and {missing}.")))
        except Exception as bug:
            problem = bug
        if problem:
            if not isinstance(problem, NameError | TypeError | AttributeError):
                said = f"{type(problem).__name__}: {problem}"
                if isinstance(problem, KeyError) and problem.args == (ids[0],) and ids[0] in shelf:
                    probe.wrong("hard-coded", came=f"{said}, for a source that is on the shelf", expected=repr(shelf[ids[0]]))
                probe.wrong("another error", came=said, expected="a ToolError")
            raise problem
        good, bad = wire.exchanges[-1][0]["messages"][-1]["content"]
        _look_at_the_results(probe, good, bad, shelf, ids[0], missing)


def _look_at_the_results(probe: Probe, good: dict, bad: dict, shelf: dict, known: str, missing: str) -> None:
    if good.get("is_error"):
        hard_coded = "hard-coded" if known not in good["content"].replace(repr(known), "", 1) else None
        probe.wrong(hard_coded, came=f"the error {good['content']!r} for {known!r}, which is on the shelf",
                    expected=shelf[known])
    if good["content"] != shelf[known]:
        probe.wrong(None if good["content"].strip() else "not returned", came=f"{brief(good['content'])} for {known!r}",
                    expected=repr(shelf[known]))
    came = f"{bad['content']!r} for {missing!r}"
    if not bad.get("is_error"):
        if not bad["content"].strip():
            probe.wrong("silence", came=f"an empty result for {missing!r}", expected="a result with is_error")
        if bad["content"].startswith('"'):  # what is no text reaches the model as JSON
            probe.wrong("error returned", came=came, expected="a result with is_error")
        probe.wrong("error as text", came=came, expected="a result with is_error")
    if missing not in bad["content"]:
        probe.wrong("does not say what was given", came=came, expected=f"a message that names {missing!r}")
    if any(id not in bad["content"] for id in shelf):
        there = ", ".join(shelf)
        probe.wrong("does not say what there is", came=came, expected=f"a message that names {there}")


READING_TOOL = Exercise(
    id="01.2", title="A tool whose errors reach the model", name="reading_tool", difficulty=2, importance=4,
    minutes=3, points=2, check=check_reading_tool,
    objective="Write a tool that tells the model what went wrong, so that it can try something else",
    why="Models mend their own mistakes when the error says how; an exception that ends the run mends "
        "nothing.",
    hints=(
        "A tool fails in two ways: by a mistake of the model, which the model can mend, and by a bug, which "
        "it cannot. An id that does not exist is the model's: say so to it, and say what would have worked.",
        "The decorator `@tool` reads the name, the docstring and the types of your function. What the model "
        "may mend is raised as `ToolError`; its message becomes the result, marked `is_error`.",
        'Inside, under `@tool`, `def read(source_id: str) -> str:` with a docstring. If `source_id` is not '
        'in `shelf`, `raise ToolError(f"there is no source {…!r}; there are: {…}")`; else return the text. '
        'Then return `read`.',
    ),
    misconceptions={
        "no decorator": Misconception(
            "the inner function is returned as it is; without a schema no model can call it",
            "Put `@tool` above the inner function."),
        "called inside": Misconception(
            "something else than the tool was returned, perhaps what it gives when it is called",
            "Return the inner function by its name, without parentheses."),
        "another parameter": Misconception(
            "the model fills in every parameter of the tool, and of the shelf it knows nothing",
            "Give the inner function `source_id: str` alone; it sees the `shelf` of the function around it."),
        "not returned": Misconception(
            "the tool gives an empty text for a source that is there; what it prints never reaches the model",
            "Return `shelf[source_id]` in the inner function."),
        "another error": Misconception(
            "this exception counts as a bug of the program: it ends the run, and the model never hears of it",
            "Test for the id yourself, or catch this error, and raise `ToolError` with a message."),
        "error returned": Misconception(
            "the error was returned, not raised, and went to the model as an ordinary text",
            "Write `raise ToolError(…)`."),
        "error as text": Misconception(
            "the message was returned like a document; nothing marks it as an error, and it may end up in a "
            "brief as a fact",
            "Raise `ToolError` with the same message."),
        "silence": Misconception(
            "the failure was swallowed: to the model it looks like an empty document",
            "Raise `ToolError`, and say what was asked for and what there is."),
        "does not say what was given": Misconception(
            "the message leaves out the id; with several calls in one turn nobody can tell which one failed",
            "Put the `source_id` into the message."),
        "does not say what there is": Misconception(
            "the model learns that it was wrong, but not what is right, so it has to guess again",
            'Add the ids that there are: `", ".join(shelf)`.'),
        "hard-coded": Misconception(
            "the tool knows other sources than those on the shelf that it was given",
            "Look the id up in `shelf`, the function's own parameter."),
    },
    solution_note="`ToolError` is the one exception that the kernel turns into a result with `is_error`. "
                  "The message holds the next step, so the model needs one more turn, not three guesses.",
    break_it="Raise KeyError instead and see which line of the run you end up in. Would you want that at "
             "turn 40?",
    alternative='''# Try first, and translate the error: no second look-up.
def reading_tool(shelf):
    @tool
    def read(source_id: str) -> str:
        """Read one source in full, by its id."""
        try:
            return shelf[source_id]
        except KeyError:
            raise ToolError(f"{source_id!r} is not on the shelf. Choose one of {sorted(shelf)}.") from None

    return read
''')


# ── 01.3: a limit that loses nothing ───────────────────────────────────────────────────────────────────────


def check_limit(answer_within: Any, probe: Probe) -> None:
    """A model that would go on for ever; one that answers in its last turn; one that answers at once."""
    draw = probe.random
    cap = draw.randint(3, 5)
    for turns, max_turns in ((2, 2), (cap, cap), (cap - 1, cap), (0, cap)):
        drawn = Random(3) if max_turns == 2 else draw
        count = {topic: f"{drawn.randint(2, 900)} documents" for topic in TOPICS}

        @tool
        def documents_on(topic: str, count: dict = count) -> str:
            """Count the documents on a topic."""
            return count[topic]

        topics = drawn.sample(TOPICS, turns + 1)
        final = f"From what was found: {drawn.choice([*count.values()])}."
        calls = [{"type": "tool_use", "name": "documents_on", "input": {"topic": it}} for it in topics]
        stopped = turns == max_turns
        script = [_while_it_may(call, final) for call in calls[:turns + stopped]]
        wire = probe.wire(script if stopped else [*script, final])
        question = f"Compare {topics[0]} and {topics[-1]}."
        came, problem = probe.attempt(wire.run(), question, (documents_on,), max_turns)
        _look_at_the_end(probe, wire, came, problem, final, max_turns, stopped)
        if problem:
            raise problem


def _while_it_may(call: dict, final: str) -> Any:
    """A model that goes on calling tools as long as it may."""
    return lambda request: call if _may_call(request) else final


def _may_call(request: dict) -> bool:
    choice = request.get("tool_choice")
    return not isinstance(choice, dict) or choice.get("type") != "none"


def _look_at_the_end(probe: Probe, wire: Wire, came: Any, problem: Exception | None, final: str,
                     max_turns: int, stopped: bool) -> None:
    asked = [request for request, *_ in wire.exchanges]
    free = [it for it in asked if _may_call(it)]
    turns = f"{max_turns} turns with tools" + (" and one without" if stopped else " at most")
    if not asked and problem is None:
        probe.wrong("never asks", came=f"{brief(came)}, without a request", expected="the model's answer")
    if asked and not all(isinstance(it, dict) for it in asked[-1]["messages"]):
        probe.wrong("two values", came=f"a message that is no dict: {brief(asked[-1]['messages'][-1])}",
                    expected="the message that run_calls made")
    for before, after in pairwise(asked):
        if after["messages"][:len(before["messages"])] != before["messages"]:
            said = f"{_count(after['messages'], 'message')}, not beginning with those sent before"
            probe.wrong("work thrown away", came=said,
                        expected="the whole conversation, with one message more at its end")
    if wire.refused:
        name = "reply not kept" if "unexpected `tool_use_id`" in wire.refused else None
        probe.wrong(name, came=f"the API refused request {len(asked)}: {wire.refused}",
                    expected="requests that the API accepts")
    if stopped:
        if problem is not None and probe.raised_by_hand(problem) and len(asked) >= max_turns:
            said = f"{type(problem).__name__}: {problem}"
            probe.wrong("raises", came=said, expected="a Result with status 'exhausted'")
        if problem is not None and not isinstance(problem, AssertionError):
            return
        if asked and not free:
            probe.wrong("no turn with tools", came=f"{_count(asked, 'request')}, none with tools", expected=turns)
        if len(free) > max_turns:
            asks_to_end = not _results(asked[max_turns]["messages"][-1])
            probe.wrong("may still call tools" if asks_to_end else "one turn too many",
                        came=f"{len(free)} requests in which the model could call tools", expected=turns)
        if len(asked) == len(free) == max_turns:
            said = f"{brief(came)} after {_count(asked, 'request')}"
            probe.wrong("no last answer", came=said, expected=turns)
        if len(free) < max_turns:
            probe.wrong("one turn too few", came=f"{_count(free, 'request')} with tools", expected=turns)
        if isinstance(problem, AssertionError):
            probe.wrong(came=f"request {len(asked)}, after the last answer", expected=turns)
        if not _has_text(asked[-1]["messages"][-1]):
            probe.wrong("does not ask", came="a last request that ends with the tools' results",
                        expected="a user message after them that asks for the answer now")
        if asked[-1].get("tools") != asked[0].get("tools"):
            probe.wrong("tools taken out", came="a last request without the tools' definitions",
                        expected="the same tools, and tool_choice {'type': 'none'}")
    elif isinstance(problem, AssertionError):
        probe.wrong("limit without need", came="another request, after a reply that called no tool",
                    expected=f"status 'ok' and {final!r}")
    elif problem is None and isinstance(came, Result) and came.status != "ok":
        probe.wrong("limit without need", came=brief(came), expected=f"status 'ok' and {final!r}")
    if problem:
        return
    if not isinstance(came, Result):
        probe.wrong("no result" if came is not None else None, came=brief(came), expected="a Result")
    if came.output != final:
        whole = getattr(came.output, "text", None) == final
        probe.wrong("whole reply" if whole else None, came=f"output {brief(came.output)}", expected=repr(final))
    if stopped and came.status != "exhausted":
        probe.wrong("pretends to be done", came=f"status {came.status!r}", expected="status 'exhausted'")
    if stopped and not came.reason.strip():
        probe.wrong("no reason", came="an empty reason",
                    expected=f"a reason, such as 'stopped after {max_turns} turns'")


def _has_text(message: dict) -> bool:
    content = message["content"]
    return isinstance(content, str) or any(it["type"] == "text" for it in content)


LIMIT = Exercise(
    id="01.3", title="Stop at the limit, keep the work", name="answer_within", difficulty=3, importance=5,
    minutes=3, points=3, check=check_limit,
    objective="Stop a loop at a limit and still return the best answer that it can give",
    why="Runs do hit their limits; what people complain about most is that all the work before it was "
        "thrown away.",
    hints=(
        "A limit is not an error. When the turns are used up, the conversation holds all that was found: "
        "let the model answer once more from it, without tools, and say in the result that it was stopped.",
        "A `for` loop over the turns has a natural place for this: after it. There the conversation already "
        "ends with the last tool results; one more user message asks for the answer, and `tool_choice` "
        "forbids further calls.",
        "After the loop: append a user message such as \"Answer now, from what you have.\"; `reply = await "
        "run.ask(**request, tool_choice={\"type\": \"none\"}, messages=conversation)`; return a `Result` "
        "with the status `\"exhausted\"`, the reply's text as output, and a reason.",
    ),
    misconceptions={
        "raises": Misconception(
            "the limit is treated as an error, and an exception carries no work",
            "Return a `Result` with the status `exhausted`."),
        "reply not kept": Misconception(
            "the model's own reply was not put into the conversation before the results",
            "Append `reply.as_message()` before the tools are run."),
        "two values": Misconception(
            "`run_calls` returns two values, and both went into the conversation",
            "Write `results, _ = await run_calls(…)`, and append `results`."),
        "does not ask": Misconception(
            "nothing tells the model that these are its last words; it may announce another search",
            "Append one more user message after the loop, such as: Answer now, from what you have."),
        "no last answer": Misconception(
            "the function stops where the turns end; the tools' results were paid for, and nobody has read "
            "them",
            "After the loop, ask once more without tools."),
        "may still call tools": Misconception(
            "the last request lets the model call tools, and this one did",
            'Pass `tool_choice={"type": "none"}` to the last `run.ask`.'),
        "one turn too many": Misconception(
            "the loop goes round once more than `max_turns` says",
            "Count the requests with tools: `for _ in range(max_turns)`."),
        "one turn too few": Misconception(
            "the loop ends before `max_turns` is used up",
            "Count the requests with tools: `for _ in range(max_turns)`."),
        "no turn with tools": Misconception(
            "already the first request forbids tools, so the model can look nothing up",
            'Pass `tool_choice={"type": "none"}` to the last `run.ask` alone.'),
        "whole reply": Misconception(
            "the reply itself is the output, with its blocks and its usage; who calls this wants the words",
            "Return `Result(…, output=reply.text)`."),
        "tools taken out": Misconception(
            "the tools were left out of the last request, though the conversation holds calls of them",
            "Keep `request` as it is, and forbid calls by `tool_choice`."),
        "work thrown away": Misconception(
            "the conversation was shortened or begun anew, and with it goes what was found",
            "Append to the conversation; never replace it."),
        "pretends to be done": Misconception(
            "the caller cannot tell a finished answer from one that was cut short",
            'Give the status `"exhausted"` after the limit, and `"ok"` only inside the loop.'),
        "limit without need": Misconception(
            "the model had answered within its turns, the last one included",
            'Return `Result(status="ok", …)` inside the loop, as soon as a reply calls no tool.'),
        "no reason": Misconception(
            "the status says that it was stopped, nothing says why",
            "Give `reason=` a sentence with the number of turns."),
        "no result": Misconception(
            "the bare text was returned; who calls this needs the status as well",
            "Return `Result(status=…, output=reply.text)`."),
        "never asks": Misconception(
            "the answer is written into the function; it has to come from the model",
            "Send the conversation by `await run.ask(**request, messages=conversation)`."),
    },
    solution_note="The limit costs one more request and saves all of those before it. The status tells the "
                  "caller, who decides whether a partial answer will do; `kernel.Agent` does the same.",
    break_it="Leave out `tool_choice` and run the check again: this model never stops calling while it may.",
    alternative='''# One loop for both: the turn after the last is the one without tools.
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
''')

EXERCISES = (LOOP, READING_TOOL, LIMIT)
