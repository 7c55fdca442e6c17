"""The choice of a model: `connect()` makes a client for the offline model, the service or a local
server.

Offline is the default even when a key is in the environment: money is spent only by explicit
choice, and under one hard cap for the whole process (`kernel.spending`).
"""

from __future__ import annotations

import contextlib
import os
from decimal import Decimal
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx

from . import spending
from .client import Client, Mode, SetupError

AT_ONCE = 16
"""The requests that may be under way at once at a real server, unless the caller says otherwise."""

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
"""The names of this machine."""


def pool_for(url: httpx.URL) -> httpx.AsyncHTTPTransport:
    """Connections to one server, as many as a fan-out asks for.

    Few are kept afterwards: httpx looks through all that it keeps at every request, which with
    hundreds costs more than opening new ones.
    """
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx.AsyncHTTPTransport(limits=limits, proxy=proxy_for(url.scheme, url.host))


def proxy_for(scheme: str, host: str) -> str | None:
    """The proxy that the environment names for the addresses of a host, if any."""
    return None if proxy_bypass(host) else getproxies().get(scheme)


def connect(
    mode: Mode | None = None,
    *,
    max_usd: Decimal | str | float | None = None,
    concurrency: int | None = None,
    **offline: Any,  # Any: OfflineTransport says what it takes
) -> Client:
    """A client for the mode that was asked for: the argument, else WORKSHOP_MODEL, else offline.

    offline: the deterministic model; `offline` takes its settings: latency_ms, seed, faults,
             temperament.
    live:    the real service, with ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN; or whatever server
             ANTHROPIC_BASE_URL names.
    local:   a server on this machine or network, at ANTHROPIC_BASE_URL. It gets
             ANTHROPIC_AUTH_TOKEN when that is set, and never ANTHROPIC_API_KEY.
    max_usd: a tighter cap for this connection; offline nothing is paid, and it caps nothing. All
             that are live or have a key share one limit in this process, 0.50 dollars, which
             `kernel.spending.allow` changes.
    concurrency: how many requests may be under way at once; None for 16, offline for any number.

    Raises SetupError, in one line, when something is missing.
    """
    chosen = mode or os.environ.get("WORKSHOP_MODEL") or "offline"
    cap = _cap(max_usd, chosen)
    if chosen == "offline":
        from offline_model import OfflineTransport

        return Client(OfflineTransport(**offline), concurrency=concurrency)
    if chosen not in ("live", "local"):
        raise SetupError(
            f"the model is {chosen!r}; expected offline, live or local (argument or WORKSHOP_MODEL)"
        )
    if offline:
        raise SetupError(
            f"{', '.join(offline)}: only the offline model takes these settings; the mode is"
            f" {chosen}"
        )
    local = chosen == "local"
    url = _base_url(local)
    return Client(
        pool_for(url),
        mode="local" if local else "live",
        base_url=str(url),
        api_key=None if local else os.environ.get("ANTHROPIC_API_KEY"),
        auth_token=os.environ.get("ANTHROPIC_AUTH_TOKEN"),
        concurrency=AT_ONCE if concurrency is None else concurrency,
        max_usd=cap,
        unknown_price_ok=local or url.host in LOCAL_HOSTS,
    )


def _cap(max_usd: Decimal | str | float | None, mode: str) -> Decimal | None:
    """The cap of one connection. Raises SetupError for one that the process does not allow."""
    try:
        cap = spending.parse_dollars(max_usd, "max_usd (--max-usd)")
        limit = None if mode == "offline" else spending.limit()
    except ValueError as problem:
        raise SetupError(str(problem)) from None
    if cap is not None and limit is not None and cap > limit:
        raise SetupError(
            f"max_usd is {cap}, but this process may spend {limit} dollars in all; call "
            f'kernel.spending.allow("{cap}") first'
        )
    return cap


def _base_url(local: bool) -> httpx.URL:
    """Returns the checked base URL of requests."""
    address = os.environ.get("ANTHROPIC_BASE_URL")
    if local and not address:
        raise SetupError(
            "the model is local, but ANTHROPIC_BASE_URL is not set; set it to your server's"
            " address, for example http://127.0.0.1:11434 for Ollama"
        )
    keys = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
    has_key = any(bool(os.environ.get(name)) for name in keys)
    if not address and not has_key:
        raise SetupError(
            "the model is live, but ANTHROPIC_API_KEY is not set; set it (or ANTHROPIC_BASE_URL for"
            " a server of your own), or stay offline"
        )
    address = address or "https://api.anthropic.com"
    url = httpx.URL()
    with contextlib.suppress(httpx.InvalidURL):
        url = httpx.URL(address)
    if "@" in address or url.query:  # not shown, since it may be a secret
        raise SetupError(
            "ANTHROPIC_BASE_URL holds a name, a password or a query; put the secret into"
            " ANTHROPIC_AUTH_TOKEN"
        )
    if url.scheme not in ("http", "https") or not url.host or not 0 < (url.port or 80) < 65536:
        raise SetupError(
            "ANTHROPIC_BASE_URL is no address of a server; expected an address such as"
            " http://127.0.0.1:11434"
        )
    return url
