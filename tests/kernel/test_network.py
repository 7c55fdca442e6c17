"""Facts about the machine's network settings: each problem is one line that names its variable."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from unittest.mock import patch

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import Client, Handoff, Run, connect, models
from kernel.parts.elsewhere.remote import RemoteSpecialist
from kernel.plumbing.client import SetupError
from kernel.plumbing.network import CROWD, KEEPALIVE, LoopPools
from offline_model import Server
from tests.on_each import on_each
from workshop.launcher.findings import network

SECRET = "hunter2-secret"
SETTINGS = (
    *("HTTPS_PROXY", "https_proxy", "ALL_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE", "ANTHROPIC_BASE_URL"),
)
KEY = {"ANTHROPIC_API_KEY": "sk-ant-x1234567890"}
BODY = {"model": models.worker, "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}


def machine(**variables):
    """A machine on which these variables are set, and no other of their kind."""
    known = {"http_proxy", "no_proxy", *(name.lower() for name in SETTINGS)}
    kept = {name: value for name, value in os.environ.items() if name.lower() not in known}
    return patch.dict(os.environ, {**kept, **KEY, **variables}, clear=True)


def problem():
    """The line in which `connect` says what is wrong; empty when it connects."""
    try:
        assert isinstance(connect("live"), Client)
    except SetupError as error:
        return str(error)
    return ""


PARTS = (
    "http",
    "https",
    "socks5",
    "://",
    ":",
    "@",
    "#",
    "?",
    " ",
    "[",
    "h",
    "é",
    "/v1",
    "8080",
    "99999",
    "\n",
)
values = st.one_of(
    st.lists(st.sampled_from((*PARTS, SECRET)), min_size=1, max_size=6).map("".join),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SETTINGS), values)
def test_any_setting_connects_or_is_one_line_that_names_it_and_the_doctor_agrees(name, value):
    if name == "SSLKEYLOGFILE":
        value = f"/no such folder/{value}"
    with machine(**{name: value}):
        line, found = problem(), network()
    assert found.ok == (not line)
    if line:
        assert name in line and "\n" not in line and name in found.said
        assert SECRET not in line or name.startswith("SSL")


@on_each(
    ("name", "value", "words"),
    [
        ("HTTPS_PROXY", "proxy.corp:8080", ""),
        ("HTTPS_PROXY", f"me:{SECRET}@proxy.corp:8080", ""),
        ("https_proxy", "http://proxy:99999", "https_proxy is no address of a proxy"),
        ("ALL_PROXY", "socks5://127.0.0.1:9", "ALL_PROXY names a SOCKS proxy"),
        ("ALL_PROXY", f"socks://me:{SECRET}@h", "ALL_PROXY is no address of a proxy"),
        ("SSL_CERT_FILE", "/nonexistent.pem", "SSL_CERT_FILE is '/nonexistent.pem'"),
        ("SSL_CERT_FILE", __file__, "cannot be read as certificates"),
        ("SSL_CERT_DIR", "/nonexistent", "SSL_CERT_DIR is '/nonexistent', which is no folder"),
        ("SSLKEYLOGFILE", "/nonexistent/keys", "SSLKEYLOGFILE is '/nonexistent/keys'"),
        ("ANTHROPIC_BASE_URL", f"https://h/#{SECRET}", "ANTHROPIC_BASE_URL holds"),
        ("ANTHROPIC_BASE_URL", "https://h h/", "ANTHROPIC_BASE_URL is no address"),
        ("ANTHROPIC_BASE_URL", "https://h:0/", "ANTHROPIC_BASE_URL is no address"),
        ("ANTHROPIC_BASE_URL", "https://h/v1/", "leave out /v1"),
    ],
)
def test_usual_settings_are_taken_and_unusable_ones_named(name, value, words):
    with machine(**{name: value}):
        line = problem()
    assert words in line and bool(words) == bool(line)
    assert SECRET not in line


def test_an_address_without_tls_needs_no_certificates_and_no_proxy_a_no_proxy():
    broken = {"SSL_CERT_FILE": "/nonexistent.pem", "ALL_PROXY": "socks://h"}
    at_home = {"ANTHROPIC_BASE_URL": "http://[::1]:11434", "NO_PROXY": "[::1]"}
    with machine(**broken, **at_home):
        assert problem() == ""


async def test_a_far_side_behind_such_a_setting_is_a_failure_that_names_it():
    far = RemoteSpecialist("worker", "Works elsewhere.", "https://far.example/", "x" * 16)
    with machine(ALL_PROXY="socks://h"):
        result = await Run(connect("offline")).dispatch(far, Handoff(intent="x"))
    assert result.status == "failed" and not result.transient
    assert "ALL_PROXY is no address of a proxy" in result.reason


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # asyncio's, of loops that ended before
def test_a_client_works_in_several_event_loops_one_after_the_other_and_at_once():
    with Server() as url, machine(ANTHROPIC_BASE_URL=url):
        client = connect("local", concurrency=2)
        replies = []

        async def ask():
            async with client.slots:
                replies.append(await client.send(BODY))

        async def many():
            await asyncio.gather(*(ask() for _ in range(6)))

        for _ in range(3):
            asyncio.run(many())
        threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        asyncio.run(client.aclose())
    gc.collect()
    assert len(replies) == 36


async def test_a_wide_fan_out_is_spread_over_pools_and_only_the_first_keeps_connections():
    under_way, peaks, kept = {}, {}, []
    release = asyncio.Event()

    class Pool(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            under_way[self] = under_way.get(self, 0) + 1
            peaks[self] = max(peaks.get(self, 0), under_way[self])
            await release.wait()
            under_way[self] -= 1
            return httpx.Response(200)

    def pool(connections):
        kept.append(connections)
        return Pool()

    pools = LoopPools(pool)
    request = httpx.Request("POST", "http://127.0.0.1")
    width = 3 * CROWD + 1
    branches = [asyncio.ensure_future(pools.handle_async_request(request)) for _ in range(width)]
    await asyncio.sleep(0)
    release.set()
    await asyncio.gather(*branches)
    assert kept == [KEEPALIVE, 0, 0, 0]
    assert sorted(peaks.values()) == [1, CROWD, CROWD, CROWD]
    await pools.handle_async_request(request)
    assert len(kept) == 4, "a request alone takes the first pool"
