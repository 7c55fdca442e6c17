"""`connect()`: a client for the offline model, the service or a local server.

Offline is the default even when a key is in the environment: money is spent only by explicit
choice, and under one hard cap for the whole process (`kernel.plumbing.spending`).
"""

from __future__ import annotations

import os
from decimal import Decimal
from typing import Any

import httpx

from . import models, spending
from .client import Client, Mode, SetupError
from .network import address_of, pool_for, way_to

AT_ONCE = 16
"""The default number of concurrent requests to a real server."""

SERVICE = "https://api.anthropic.com"

PACE_MS = 20
"""Milliseconds between the events of a stream from the offline model, for people who read along."""

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
"""The names of this machine."""


def connect(
    mode: Mode | None = None,
    *,
    max_usd: Decimal | str | float | None = None,
    concurrency: int | None = None,
    **offline: Any,  # Any: OfflineTransport says what it takes
) -> Client:
    """A client for a mode: the argument, else WORKSHOP_MODEL, else offline.

    offline: the deterministic model; `offline` takes its settings: latency_ms, pace_ms, seed,
             faults, temperament.
    live:    the real service, with ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN; or whatever server
             ANTHROPIC_BASE_URL names.
    local:   a server on this machine or network, at ANTHROPIC_BASE_URL. It gets
             ANTHROPIC_AUTH_TOKEN when that is set, and never ANTHROPIC_API_KEY.
    max_usd: a tighter cap for this connection; has no effect offline. All connections that are
             live or have a key share one limit in this process, 0.50 dollars, which
             `kernel.spending.allow` changes.
    concurrency: the most concurrent requests; None for 16, offline for any number.

    Raises SetupError, in one line, when something is missing.
    """
    chosen = mode or os.environ.get("WORKSHOP_MODEL") or "offline"
    cap = _cap(max_usd, chosen)
    if chosen == "offline":
        from offline_model import OfflineTransport

        paced = offline if "api" in offline else {"pace_ms": PACE_MS, **offline}
        return Client(OfflineTransport(**paced), concurrency=concurrency)
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
    """The cap of one connection. Raises SetupError if the process does not allow it."""
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
    return _checked(address or SERVICE)


def check_named() -> None:
    """Raises SetupError if requests would go to a server on this machine under the name of a
    Claude model, which it does not know."""
    address = os.environ.get("ANTHROPIC_BASE_URL")
    if address and _checked(address).host in LOCAL_HOSTS and not models.named():
        raise SetupError(
            "the server at ANTHROPIC_BASE_URL is on this machine, and no model of it is named; set"
            " WORKSHOP_WORKER_MODEL and WORKSHOP_SUPERVISOR_MODEL to a name that it knows"
        )


def check_network() -> None:
    """Checks the network settings of `connect`. Raises its SetupError."""
    way_to(_checked(os.environ.get("ANTHROPIC_BASE_URL") or SERVICE))


def _checked(address: str) -> httpx.URL:
    """The base URL of requests. Messages do not show it, since it may hold a secret."""
    if any(sign in address for sign in "@?#"):
        raise SetupError(
            "ANTHROPIC_BASE_URL holds a name, a password, a query or a fragment; put the secret"
            " into ANTHROPIC_AUTH_TOKEN"
        )
    url = address_of(address)
    if url is None:
        raise SetupError(
            "ANTHROPIC_BASE_URL is no address of a server; expected an address such as"
            " http://127.0.0.1:11434"
        )
    if url.path.rstrip("/").endswith(("/v1", "/messages", "/completions")):
        raise SetupError(
            "ANTHROPIC_BASE_URL ends as the address of a request does; leave out /v1 and what"
            " follows, which is added to it"
        )
    return url
