"""The offline model at an address: what a request by hand gets, on this machine and in a browser's tab."""

import time

import httpx
import pytest

from kernel import models
from workshop import plain
from workshop.plain import answered_here, local_server, streamed_here

HEADERS = {"x-api-key": "none", "anthropic-version": "2023-06-01"}
BODY = {
    "model": models.worker,
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Hello! Who are you?"}],
}


@pytest.mark.parametrize("post", [httpx.post, answered_here()], ids=["server", "tab"])
def test_a_request_by_hand_gets_a_reply_and_a_wrong_one_the_apis_error(post):
    url = f"{local_server()}/v1/messages"
    reply = post(url, headers=HEADERS, json=BODY, timeout=60)
    assert reply.status_code == 200 and reply.json()["content"][-1]["type"] == "text"
    refused = post(url, headers=HEADERS, json={**BODY, "messages": []}, timeout=60)
    assert refused.status_code == 400 and refused.json()["type"] == "error"


def test_both_ways_give_the_same_words():
    url = f"{local_server()}/v1/messages"
    ways = (httpx.post, answered_here())
    words = [post(url, headers=HEADERS, json=BODY).json()["content"][-1] for post in ways]
    assert words[0] == words[1]


def test_both_ways_stream_the_same_lines():
    url = f"{local_server()}/v1/messages"
    streams = []
    for stream in (httpx.stream, streamed_here()):
        with stream("POST", url, headers=HEADERS, json={**BODY, "stream": True}) as response:
            streams.append([*response.iter_lines()])
    assert streams[0] == streams[1] and "event: message_stop" in streams[0]


@pytest.mark.parametrize("watched", [True, False])
def test_a_stream_can_be_read_along_by_a_person_and_delays_nobody_else(monkeypatch, watched):
    monkeypatch.setattr(plain, "interactive", lambda: watched)
    url = f"{local_server()}/v1/messages"
    for stream in (httpx.stream, streamed_here()):
        with stream("POST", url, headers=HEADERS, json={**BODY, "stream": True}) as response:
            began = time.monotonic()
            parts = sum(line.startswith("data:") for line in response.iter_lines())
        paced_s = (parts - 1) * plain.PACE_MS / 1000
        assert (time.monotonic() - began >= paced_s) == watched
