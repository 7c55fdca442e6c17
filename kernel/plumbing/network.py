"""The machine's network settings, read in one place: addresses, proxies, certificates.

An invalid setting raises SetupError that names the variable, and does not show a value that may
hold a password.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.request import getproxies, proxy_bypass

import httpx

from .client import SetupError

if TYPE_CHECKING:
    import ssl


class ProxySetting(NamedTuple):
    """A proxy, and the variable that names it."""

    variable: str
    value: str


class Way(NamedTuple):
    """Proxy and certificates of a connection, for a transport of httpx."""

    proxy: httpx.Proxy | None
    certificates: ssl.SSLContext


def address_of(text: str) -> httpx.URL | None:
    """A server's address with scheme, host and optional port and path; None for any other text."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, TypeError, ValueError):
        return None
    is_plain = text.isprintable() and not any(sign in text for sign in " @?#\\")
    has_host = url.scheme in ("http", "https") and bool(url.host)
    return url if is_plain and has_host and _is_port(url.port) else None


def _is_port(port: int | None) -> bool:
    return port is None or 0 < port < 65536


def proxy_for(scheme: str, host: str) -> ProxySetting | None:
    """The proxy of the environment, or of the system, for a host; None without one."""
    if proxy_bypass(host) or (":" in host and proxy_bypass(f"[{host}]")):
        return None
    proxies = getproxies()
    for kind in (scheme, "all"):
        if value := proxies.get(kind, "").strip():
            return ProxySetting(_variable(f"{kind}_proxy"), value)
    return None


def _variable(name: str) -> str:
    """The name of a variable as it is set: small letters come first, as they do for Python."""
    if os.environ.get(name):
        return name
    return name.upper() if os.environ.get(name.upper()) else f"the system's {name}"


def way_to(url: httpx.URL) -> Way:
    """Proxy and certificates for an address. Raises SetupError for an invalid setting."""
    setting = proxy_for(url.scheme, url.host)
    proxy = _proxy(setting) if setting else None
    if url.scheme == "https" or (proxy and proxy.url.scheme == "https"):
        certificates = _trusted()
    else:
        certificates = _nobody_trusted()
    if proxy and proxy.url.scheme == "https":
        proxy.ssl_context = certificates
    return Way(proxy, certificates)


def _proxy(setting: ProxySetting) -> httpx.Proxy:
    """The proxy of a setting; http is the default scheme."""
    value = setting.value if "://" in setting.value else f"http://{setting.value}"
    proxy = None
    if value.isprintable() and " " not in value:
        try:
            proxy = httpx.Proxy(value)
        except (httpx.InvalidURL, ValueError):
            pass
    if proxy is None or not proxy.url.host or not _is_port(proxy.url.port):
        raise SetupError(
            f"{setting.variable} is no address of a proxy; expected one such as"
            " http://proxy.example:8080, with http, https or socks5 as its scheme, or unset it"
        )
    if proxy.url.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        raise SetupError(
            f"{setting.variable} names a SOCKS proxy, which needs one more package: pip install"
            ' "httpx[socks]"; or unset it'
        )
    return proxy


def _trusted() -> ssl.SSLContext:
    """The trusted certificates: SSL_CERT_FILE, else SSL_CERT_DIR, else those of certifi."""
    import ssl

    import certifi

    file, folders = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if folders and not file and not any(map(os.path.isdir, folders.split(os.pathsep))):
        raise SetupError(
            f"SSL_CERT_DIR is {folders!r}, which is no folder; name one that holds certificates, or"
            " unset it"
        )
    try:
        if folders and not file:
            return ssl.create_default_context(capath=folders)
        return ssl.create_default_context(cafile=file or certifi.where())
    except (OSError, ValueError) as problem:  # ValueError: a NUL in a path
        why = getattr(problem, "strerror", None) or type(problem).__name__
    if log := _unusable_key_log():
        raise SetupError(
            f"SSLKEYLOGFILE is {log!r}, which cannot be written; name another file, or unset it"
        )
    name = "SSL_CERT_FILE" if file else "the file of the package certifi"
    raise SetupError(
        f"{name} is {file or certifi.where()!r}, which cannot be read as certificates ({why}); name"
        " a PEM file, or unset it"
    )


def _unusable_key_log() -> str:
    """The value of SSLKEYLOGFILE if that file cannot be written; else empty."""
    path = os.environ.get("SSLKEYLOGFILE", "")
    try:
        if path:
            _nobody_trusted().keylog_filename = path
    except (OSError, ValueError):
        return path
    return ""


def _nobody_trusted() -> ssl.SSLContext:
    """A context for connections without TLS, which ignores all settings of certificates."""
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


KEEPALIVE = 20
"""Idle connections that an event loop keeps open."""
CROWD = 32
"""The most requests in one pool. Each request makes httpcore scan all connections of its pool, so
with a single pool the cost of a fan-out would grow with the square of its width."""


def pool_for(url: httpx.URL) -> LoopPools:
    """Connections to one server, without a limit. Raises SetupError, as `way_to`."""
    way = way_to(url)

    def pool(kept: int) -> httpx.AsyncHTTPTransport:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=kept)
        return httpx.AsyncHTTPTransport(limits=limits, proxy=way.proxy, verify=way.certificates)

    return LoopPools(pool)


@dataclass(eq=False)
class _Pool:
    """One pool of connections, and the number of requests under way in it."""

    transport: httpx.AsyncHTTPTransport
    under_way: int = 0


class LoopPools(httpx.AsyncBaseTransport):
    """Pools of connections for each event loop, since a connection belongs to its loop.

    pool: makes a pool that keeps this number of idle connections.

    The first pool of a loop keeps idle connections. Further pools serve a wide fan-out and keep
    none.
    """

    def __init__(self, pool: Callable[[int], httpx.AsyncHTTPTransport]) -> None:
        self._new = pool
        self._pools: dict[asyncio.AbstractEventLoop, list[_Pool]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._looking = threading.Lock()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request over a pool of the running loop."""
        pool = self._pool_with_room(asyncio.get_running_loop())
        pool.under_way += 1
        try:
            return await pool.transport.handle_async_request(request)
        finally:
            pool.under_way -= 1

    def _pool_with_room(self, loop: asyncio.AbstractEventLoop) -> _Pool:
        for pool in self._pools.get(loop, ()):
            if pool.under_way < CROWD:
                return pool
        with self._looking:
            for other in [each for each in self._pools if each.is_closed()]:
                del self._pools[other]
            pools = self._pools.setdefault(loop, [])
            pools.append(_Pool(self._new(0 if pools else KEEPALIVE)))
            return pools[-1]

    async def aclose(self) -> None:
        """Closes the pools of the running loop, and asks the other loops to close theirs."""
        running = asyncio.get_running_loop()
        with self._looking:
            pools, self._pools = self._pools, {}
        for loop, of_loop in pools.items():
            for pool in of_loop:
                if loop is running:
                    await pool.transport.aclose()
                elif not loop.is_closed():
                    loop.call_soon_threadsafe(self._close_soon, pool.transport)

    def _close_soon(self, transport: httpx.AsyncHTTPTransport) -> None:
        """Closes a pool in the running loop."""
        task = asyncio.ensure_future(transport.aclose())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
