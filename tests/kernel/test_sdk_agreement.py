"""Agreement with the official SDK, the kernel's ground truth: for the same call both send the same request."""

from __future__ import annotations

import json
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal

import anthropic
import httpx
import httpx2
from anthropic.lib._parse._transform import transform_schema
from pydantic import BaseModel, Field

from kernel import Client, Conversation, Handoff, Run, Verdict
from kernel.core.wire import encode, strict_schema
from tests.on_each import on_each

from .test_agent import add

REPLY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-5-5",
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "content": [{"type": "text", "text": '{"verdict": "PASS", "issues": []}'}],
    "usage": {"input_tokens": 3, "output_tokens": 1},
}


class Colour(Enum):
    red = "red"
    blue = "blue"


class Item(BaseModel):
    """One item."""

    name: str = Field(description="what it is", max_length=20)
    price: float = Field(gt=0)
    colour: Colour | None = None


class Order(BaseModel):
    items: list[Item] = Field(min_length=2)
    kind: Literal["gift", "own"]
    status: Literal["new"] = "new"
    note: str = ""
    tags: dict[str, str] = {}
    total: Decimal | None = None
    when: Annotated[str, Field(json_schema_extra={"format": "date-time"})] = ""
    scores: list[int] = Field(default=[], min_length=1)


def sent_by_the_sdk(call):
    seen = []

    def answer(request):
        seen.append(request)
        return httpx2.Response(200, json=REPLY)

    call(
        anthropic.Anthropic(
            api_key="key",
            base_url="http://model",
            http_client=httpx2.Client(transport=httpx2.MockTransport(answer)),
        )
    )
    return seen[0]


async def sent_by_the_kernel(call):
    seen = []

    def answer(request):
        seen.append(request)
        return httpx.Response(200, json=REPLY)

    await call(Client(httpx.MockTransport(answer), base_url="http://model", api_key="key"))
    return seen[0]


async def test_an_agents_first_request_is_the_sdks(agent):
    made = agent(tools=(add,), output=Verdict)
    ours = await sent_by_the_kernel(
        lambda client: Run(client).dispatch(made, Handoff(intent="review"))
    )
    theirs = sent_by_the_sdk(
        lambda sdk: sdk.messages.parse(
            model=made.model,
            max_tokens=made.max_tokens,
            system=made.system,
            tools=[add.definition],
            output_format=Verdict,
            messages=[{"role": "user", "content": Handoff(intent="review").as_text()}],
        )
    )
    assert json.loads(ours.content) == json.loads(theirs.content)
    assert (ours.method, ours.url.path) == (theirs.method, theirs.url.path)
    for name in ("anthropic-version", "content-type", "accept", "host"):
        assert ours.headers[name] == theirs.headers[name], name


async def test_a_turn_with_tool_results_is_the_sdks():
    messages = [
        {"role": "user", "content": "add"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "", "signature": "s"},
                {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": 2}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "3"}],
        },
    ]
    request = {
        "model": "claude-haiku-5-5",
        "max_tokens": 100,
        "tools": [add.definition],
        "tool_choice": {"type": "none"},
    }
    ours = encode({**request, "messages": Conversation(messages)})
    theirs = sent_by_the_sdk(lambda sdk: sdk.messages.create(**request, messages=messages))
    assert json.loads(ours) == json.loads(theirs.content)


@on_each("model", [Verdict, Item, Order, Handoff])
def test_schemas_are_shaped_as_the_sdk_shapes_them(model):
    assert strict_schema(model.model_json_schema()) == transform_schema(model)
