"""One request to the offline model over its wire: what goes in, what comes out, and the account."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from kernel import models
from offline_model import OfflineAPI, Temperament
from offline_model.account import HEADER, Account

HEADERS = {"anthropic-version": "2023-06-01", "content-type": "application/json"}
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}


class Reply(NamedTuple):
    """A reply: its text, its tool calls, its account, and the reason of one that is a refusal."""

    text: str
    calls: list[dict]
    account: Account
    refusal: str = ""

    @property
    def json(self):
        return json.loads(self.text)


def shape(**properties) -> dict:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties),
    }


VERDICT = shape(verdict={"enum": ["PASS", "REVISE"]}, issues=TEXTS)


def tool(name="search", description="Search the library.", **fields) -> dict:
    fields = fields or {"query": TEXT}
    schema = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "input_schema": schema}


def parts(**named) -> str:
    """A message of tagged parts, as a handoff makes it."""
    return "\n\n".join(f"<{name}>\n{text}\n</{name}>" for name, text in named.items())


def send(
    text="", system="", *, tools=(), schema=None, messages=None, temperament=None, **more
) -> Reply:
    """The reply to one request. `schema` is the answer's JSON schema."""
    request = {"model": models.worker, "max_tokens": 4000, **more}
    request["messages"] = messages or [{"role": "user", "content": text}]
    if system:
        request["system"] = system
    if tools:
        request["tools"] = list(tools)
    if schema:
        request["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    api = OfflineAPI(temperament=temperament or Temperament(), thinking=False, latency_ms=(0, 0))
    response = api.handle("POST", "/v1/messages", HEADERS, json.dumps(request).encode())
    body = json.loads(response.body)
    assert response.status == 200, body
    text = "\n".join(block["text"] for block in body["content"] if block["type"] == "text")
    calls = [block for block in body["content"] if block["type"] == "tool_use"]
    refusal = (body["stop_details"] or {}).get("explanation", "")
    assert (body["stop_reason"] == "refusal") == bool(refusal)
    return Reply(text, calls, Account.from_header(response.headers[HEADER]), refusal)


def converse(text, system="", *, tools, answers, turns=12, **options) -> tuple[Reply, list[dict]]:
    """Drive a conversation to its answer: (the last reply, all calls). answers: tool name → function."""
    messages, made = [{"role": "user", "content": text}], []
    for _ in range(turns):
        reply = send(system=system, tools=tools, messages=messages, **options)
        if not reply.calls or any(call["name"] not in answers for call in reply.calls):
            return reply, made + reply.calls
        made += reply.calls
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call["id"],
                **_result(answers[call["name"]], call["input"]),
            }
            for call in reply.calls
        ]
        messages += [
            {"role": "assistant", "content": reply.calls},
            {"role": "user", "content": results},
        ]
    messages[-1]["content"].append(
        {"type": "text", "text": "You have used all your turns. Answer now."}
    )
    return send(system=system, tools=tools, messages=messages, **options), made


def _result(answer, given) -> dict:
    try:
        return {"content": answer(given)}
    except RuntimeError as error:
        return {"content": str(error), "is_error": True}


def bullets(text: str) -> list[str]:
    return re.findall(r"^- (.*)$", text, re.M)


def cited(text: str) -> set[str]:
    return set(re.findall(r"\[([\w-]+)\]", text))
