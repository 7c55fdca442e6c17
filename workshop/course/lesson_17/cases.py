"""The author's side of lesson 17: what answers are tried on, known slips, right answers."""

from __future__ import annotations

import json
from random import Random
from typing import Any

TOPICS = ("tea", "coffee", "paper", "glass", "silk", "salt", "ink", "clay")
PLACES = ("England", "China", "Venice", "Egypt", "Persia", "Peru")


def _block(kind: str, **given: Any) -> dict[str, Any]:
    return {"type": kind, **given}


def reviews(draw: Random) -> dict[str, list[Any]]:
    """Verdicts; an answer that does not fit, once or twice; refusals, cuts and errors."""
    topic, place = draw.choice(TOPICS), draw.choice(PLACES)
    year = draw.randint(1200, 1900)
    fact = f"- {topic.title()} was taxed in {place} in {year}. [{topic}-{draw.randint(1, 9)}]"
    draft = f"{topic.title()} was taxed in {place} in {year + draw.randint(1, 90)}."
    handoff = {
        "intent": f"Review the brief on {topic}",
        "context": f"It is printed at {draw.randint(1, 9)} o'clock.",
        "artifacts": {"facts": fact, "draft": draft},
    }
    issue = f"{place} taxed {topic} in {year}: correct the year"
    signature = f"{draw.randrange(16**8):08x}"
    thinking = _block("thinking", thinking="", signature=signature)

    def reply(text: str, stop: str = "end_turn", *, thinks: bool = True) -> dict[str, Any]:
        cut = draw.randint(1, max(1, len(text) - 1))
        pieces = [_block("text", text=part) for part in (text[:cut], text[cut:]) if part]
        return {"stop_reason": stop, "content": [thinking] * thinks + pieces}

    def verdict(word: str, *issues: str) -> str:
        return json.dumps({"verdict": word, "issues": [*issues]})

    def case(about: str, *replies: dict[str, Any]) -> dict[str, Any]:
        return {"about": about, "handoff": handoff, "replies": [*replies]}

    fine, wrong = verdict("PASS"), verdict("REVISE", issue)
    odd = verdict(draw.choice(("MAYBE", "OK", "FAIL")), issue)
    words = f"The year is wrong, it was {year}."
    half = wrong[: draw.randint(15, 25)]
    sorry = f"I will not judge {topic}."
    return {
        "verdicts": [
            case("the model thinks, then gives a verdict", reply(wrong)),
            case("the model gives a verdict at once", reply(fine, thinks=False)),
            case("the answer stopped for another reason, and fits", reply(wrong, "stop_sequence")),
        ],
        "again": [
            case("the first answer has another verdict", reply(odd), reply(wrong)),
            case("the first answer is words", reply(words), reply(fine)),
            case("no answer fits", reply(odd), reply(words), reply(fine)),
            case(
                "a verdict stands within other words", reply(f"```json\n{fine}\n```"), reply(wrong)
            ),
        ],
        "ends": [
            case("the model refuses", reply(sorry, "refusal")),
            case("the answer is cut", reply(half, "max_tokens")),
            case("the answer is cut just after a verdict", reply(fine, "max_tokens")),
            case("the model refuses at once, without a word", reply("", "refusal", thinks=False)),
            case("the model gives half a verdict that fits, and refuses", reply(fine, "refusal")),
            case("the second answer is cut", reply(odd), reply(half, "max_tokens")),
            case("the second time the model refuses", reply(words), reply(sorry, "refusal")),
        ],
        "errors": [
            case("the service has no room", {"raises": "Overloaded"}),
            case("there is a bug in the client", {"raises": "TypeError"}),
            case("the service has no room the second time", reply(odd), {"raises": "Overloaded"}),
        ],
    }


INPUTS = {"17.1": reviews}

TEXT = 'text = "".join(block.text for block in reply.content if block.type == "text")'
CREATE = "reply = await client.messages.create(**ASK, messages=messages)"
FIRST = 'messages = [{"role": "user", "content": handoff.as_text()}]'
BACK = 'messages.append({"role": "assistant", "content": reply.content})'
WRONG = 'messages.append({"role": "user", "content": f"{problem} Answer again."})'
REFUSED = """\
        if reply.stop_reason == "refusal":
            return Result(status="refused", output=text, reason="the model refused")
"""
CUT = """\
        if reply.stop_reason == "max_tokens":
            return Result(status="exhausted", output=text, reason="the answer was cut")
"""
OK = 'return Result(status="ok", output=Verdict.model_validate_json(text))'
FAILED = 'return Result(status="failed", output=text, reason="no verdict in two answers")'

SLIPS = {
    "17.1": {
        "joined by line ends": [(TEXT, TEXT.replace('"".join', '"\\n".join'))],
        "try again": [(WRONG, 'messages.append({"role": "user", "content": "Try again."})')],
        "never asks": [("", "    return Result(status='ok', output=Verdict(verdict='PASS'))\n")],
        "the first block": [(TEXT, "text = reply.content[0].text")],
        "the last block": [(TEXT, "text = reply.content[-1].text if reply.content else ''")],
        "the intent only": [("handoff.as_text()", "handoff.intent")],
        "without the schema": [
            ("**ASK, messages", '**{**ASK, "output_config": {}}, messages'),
        ],
        "without the prompt": [
            (
                "**ASK, messages",
                '**{name: ASK[name] for name in ASK if name != "system"}, messages',
            ),
        ],
        "asks once": [("range(2)", "range(1)")],
        "asks three times": [("range(2)", "range(3)")],
        "the answer is not sent back": [(f"            {BACK}\n", "")],
        "thinking left out": [(BACK, BACK.replace("reply.content", "text"))],
        "a new conversation": [
            (
                f"            {BACK}\n            {WRONG}\n",
                "            pass\n",
            )
        ],
        "not told what is wrong": [(WRONG, 'messages.append({"role": "user", "content": ""})')],
        "refusal not seen": [(REFUSED, "")],
        "text before stop reason": [
            (
                'if reply.stop_reason == "refusal":',
                'if reply.stop_reason == "refusal" and not text.startswith("{"):',
            )
        ],
        "cut not seen": [(CUT, "")],
        "cut is a failure": [('status="exhausted"', 'status="failed"')],
        "cut text dropped": [(CUT, CUT.replace("output=text, ", ""))],
        "refusal is a failure": [('status="refused"', 'status="failed"')],
        "pretends to be done": [(FAILED, 'return Result(status="ok", output=text)')],
        "no reason": [(FAILED, 'return Result(status="failed", output=text)')],
        "the bare verdict": [(OK, "return Verdict.model_validate_json(text)")],
        "text as output": [
            (
                OK,
                'Verdict.model_validate_json(text)\n            return Result(status="ok", output=text)',
            )
        ],
        "errors swallowed": [
            (
                CREATE,
                f"try:\n            {CREATE}\n        except Exception as error:\n"
                '            return Result(status="failed", reason=str(error))',
            )
        ],
    },
}

RIGHT = {
    "17.1": [
        """\
async def review(client, handoff):
    conversation = [dict(role="user", content=handoff.as_text())]
    ends = {"refusal": "refused", "max_tokens": "exhausted"}
    tries = 0
    while True:
        tries += 1
        reply = await client.messages.create(messages=conversation, **ASK)
        text = "".join([block.text for block in reply.content if hasattr(block, "text")])
        if reply.stop_reason in ends:
            return Result(status=ends[reply.stop_reason], output=text, reason=reply.stop_reason)
        try:
            verdict = Verdict.model_validate_json(text)
        except ValidationError:
            if tries == 2:
                return Result(status="failed", output=text, reason="no verdict")
            conversation = [
                *conversation,
                {"role": "assistant", "content": [*reply.content]},
                {"role": "user", "content": [{"type": "text", "text": "Answer as JSON of the schema."}]},
            ]
        else:
            return Result(status="ok", output=verdict)
""",
        """\
async def review(client, handoff):
    async def ask(messages):
        reply = await client.messages.create(**ASK, messages=messages)
        text = "".join(block.text for block in reply.content if block.type == "text")
        match reply.stop_reason:
            case "refusal":
                return reply, Result(status="refused", output=text, reason="refused")
            case "max_tokens":
                return reply, Result(status="exhausted", output=text, reason="cut")
        try:
            return reply, Result(status="ok", output=Verdict.model_validate_json(text))
        except ValidationError as problem:
            return reply, Result(status="failed", output=text, reason=str(problem))

    start = [{"role": "user", "content": handoff.as_text()}]
    reply, result = await ask(start)
    if result.status == "failed":
        blocks = [dict(vars(block)) for block in reply.content]
        more = [{"role": "assistant", "content": blocks}, {"role": "user", "content": result.reason}]
        reply, result = await ask(start + more)
    return result
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
