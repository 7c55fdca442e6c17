"""The wire without the kernel: a plain `httpx.Client` for the model that a lesson uses, and the
offline model at an address, for those who write request and loop themselves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import httpx

from kernel import Client, Usage, connect
from kernel.client import Mode, proxy_for
from kernel.models import demand_of, spent_on
from kernel.wire import RequestSize, cache_writes, most_tokens


def local_server() -> str:
    """Starts the offline model as a server on this machine; returns its address.

    A thread serves it until Python ends, for any library that speaks HTTP. In a browser tab, where
    nothing can listen, `httpx.post` is answered by the offline model itself.
    """
    from offline_model import Server

    if sys.platform == "emscripten":
        httpx.post = answered_here()
        return "http://127.0.0.1:8765"
    return Server().__enter__()


def answered_here() -> Callable[..., httpx.Response]:
    """`httpx.post`, whatever the address, with answers of the offline model."""
    from offline_model import OfflineTransport

    transport = OfflineTransport()

    def post(url: str, **given: Any) -> httpx.Response:
        with httpx.Client(transport=transport) as client:
            return client.post(url, **given)

    return post


def plain_http(
    mode: Mode | None = None,
    *,
    max_usd: Decimal | str | float | None = None,
    **offline: Any,
) -> httpx.Client:
    """A plain `httpx.Client` for the model that `kernel.connect` would choose, with the same
    arguments.

    Address, version and key are set: `client.post("/v1/messages", json={...})`. The limit of the
    process holds here too: raises Exhausted before a request that could pass it. No retries.
    """
    chosen = connect(mode, max_usd=max_usd, **offline)

    def reserve(request: httpx.Request) -> None:
        body = json.loads(request.content)
        model, max_tokens = str(body.get("model")), int(body.get("max_tokens") or 1)
        input_tokens = most_tokens(request.content)
        size = RequestSize(model, input_tokens, max_tokens, cache_writes(request.content))
        hold = chosen.billed.hold(demand_of(size), least=max_tokens)
        hold.begin()
        request.extensions["hold"] = model, hold

    def settle(response: httpx.Response) -> None:
        model, hold = response.request.extensions["hold"]
        with hold:
            response.read()
            usage = response.json().get("usage", {}) if response.is_success else {}
            hold.settle(spent_on(model, Usage.model_validate(usage)))

    return httpx.Client(
        base_url=chosen.base_url,
        headers=chosen.public_headers,
        timeout=httpx.Timeout(600, connect=10),
        transport=chosen.transport if chosen.mode == "offline" else _Keyed(chosen),
        event_hooks={"request": [reserve], "response": [settle]},
    )


class _Keyed(httpx.HTTPTransport):
    """Adds the key to a copy of each request, on its way out: the request that a caller or an
    exception holds has none.
    """

    def __init__(self, client: Client) -> None:
        super().__init__(proxy=proxy_for(httpx.URL(client.base_url)))
        self._client = client

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return super().handle_request(
                httpx.Request(
                    request.method,
                    request.url,
                    headers={**request.headers, **self._client.headers()},
                    stream=request.stream,
                    extensions=request.extensions,
                )
            )
        except httpx.TransportError as error:
            lost = type(error), str(error)
        raise lost[0](
            lost[1], request=request
        )  # out here: nothing leads back to the request with the key
