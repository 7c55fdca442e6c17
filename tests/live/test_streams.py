"""Streams of llama.cpp's own server: the words come before the reply is whole, and the reply is that without a stream."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from kernel import Client, Run
from kernel.plumbing.network import pool_for

from .conftest import MODEL

pytestmark = pytest.mark.live
BODY = {
    "model": MODEL,
    "max_tokens": 60,
    "messages": [{"role": "user", "content": "Name three colours, and say what each is like."}],
}


async def test_a_streamed_reply_is_read_while_it_comes_and_ends_as_the_whole_one(server):
    client = Client(pool_for(httpx.URL(server)), mode="local", base_url=server)
    async with client:
        whole = await Run(client).ask(**BODY)
        run = Run(client)
        heard = [""]
        with run.listen() as speeches:
            asking = asyncio.ensure_future(run.ask(**BODY))
            while not asking.done():
                await asyncio.sleep(0.01)
                heard += [each.text for each in speeches if each.text != heard[-1]]
    streamed = asking.result()
    assert streamed.text == whole.text
    assert streamed.stop_reason == whole.stop_reason
    assert streamed.usage.output_tokens == whole.usage.output_tokens == run.spent.output_tokens
    assert len(heard) > 3 and all(streamed.text.startswith(words) for words in heard)
