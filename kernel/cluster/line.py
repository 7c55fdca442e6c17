"""Lines between a run and those who work for it: messages over TLS, for whoever knows a token.

A message is newline-terminated: verb, space, JSON. The run unpickles nothing that arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .._extras import Extra
from ..private_files import private_file

if TYPE_CHECKING:
    import ssl

EXTRA = Extra("cluster", "A cluster")
INSTALL = EXTRA.install
optional = EXTRA.module

MAX_LINE = 1 << 26
"""Bytes of one message. A longer one ends the line."""
HELLO_S = 30.0
"""Seconds until a line is open, and until a caller has said its token."""
TOKEN_BYTES = 32
NAME = "bank"
"""The name in the certificate. It names no address, since addresses change."""

Serve = Callable[["Line"], Awaitable[None]]
"""A function that serves the line of one caller."""


class LineLost(OSError):
    """A line ended in the middle of something; the message says how."""


class TooLong(LineLost):
    """A message is longer than `MAX_LINE`; sending it again would not help."""


class Line:
    """Messages to and from one other process."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        # with 0 the TLS transport never resumes writing
        writer.transport.set_write_buffer_limits(high=1)

    def send(self, verb: str, body: str = "{}") -> None:
        """Sends a message. On a line that has ended it is dropped: the receiver notices the end.
        One that is too long ends the line at the other side."""
        if not self._writer.is_closing():
            self._writer.write(f"{verb} {body}\n".encode("utf-8", "replace"))

    async def sent(self) -> None:
        """Waits until this process holds nothing back. Raises LineLost when the line has ended."""
        if self._writer.is_closing():
            raise LineLost("the line has ended")
        try:
            await self._writer.drain()
        except OSError as problem:
            raise LineLost(str(problem) or "the line broke") from None

    async def receive(self) -> tuple[str, bytes] | None:
        """The next message: its verb and its JSON; None when the other side has ended the line.
        Raises LineLost when the line broke."""
        try:
            line = await self._reader.readline()
        except ValueError:
            raise TooLong(f"a message is longer than {MAX_LINE:,} bytes") from None
        except OSError as problem:
            raise LineLost(str(problem) or "the line broke") from None
        if not line:
            return None
        if not line.endswith(b"\n"):
            raise LineLost("the line broke in the middle of a message")
        verb, _, body = line.partition(b" ")
        return verb.decode("utf-8", "replace"), body

    async def close(self) -> None:
        """Ends the line, once what was sent is on its way."""
        self._writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(self._writer.wait_closed(), HELLO_S)

    def cut(self) -> None:
        """Ends the line at once."""
        self._writer.transport.abort()


@dataclass(frozen=True)
class Ticket:
    """All that somebody needs to call: where, whom to trust there, and the token for one call."""

    host: str
    port: int
    certificate: str = field(repr=False)
    token: str = field(repr=False)


async def dial(ticket: Ticket) -> Line:
    """Opens a line with a ticket. Raises OSError when nobody answers that can prove to have made
    the ticket."""
    import ssl  # a browser's tab has none, and opens no line

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_verify_locations(cadata=ticket.certificate)
    async with asyncio.timeout(HELLO_S):
        reader, writer = await asyncio.open_connection(ticket.host, ticket.port, limit=MAX_LINE)
        writer.transport.set_write_buffer_limits(high=0)  # what is sent is out of this process
        try:
            await writer.start_tls(context, server_hostname=NAME)
        except BaseException:
            writer.transport.abort()
            raise
    writer.write(f"{ticket.token}\n".encode())
    return Line(reader, writer)


class Listener:
    """The run's own port. It accepts each token that it expects once, and closes every other
    connection without an answer."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.port = 0
        self._certificate, self._key = certificate()
        self._expected: dict[str, Serve] = {}
        self._lines: set[Line] = set()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Listener]:
        """Listens within the block."""
        server = await asyncio.start_server(
            self._answer,
            self.host,
            self.port,
            ssl=server_side(self._certificate, self._key),
            ssl_handshake_timeout=HELLO_S,
            limit=MAX_LINE,
        )
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for line in self._lines:
                line.cut()

    def expect(self, serve: Serve) -> Ticket:
        """The ticket for one call, which `serve` then answers."""
        token = secrets.token_hex(TOKEN_BYTES)
        self._expected[token] = serve
        return Ticket(self.host, self.port, self._certificate, token)

    def forget(self, ticket: Ticket) -> None:
        """Revokes a ticket."""
        self._expected.pop(ticket.token, None)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer)
        self._lines.add(line)
        try:
            token = await asyncio.wait_for(reader.readexactly(2 * TOKEN_BYTES + 1), HELLO_S)
            serve = self._expected.pop(token[:-1].decode("ascii", "replace"), None)
            if serve is not None:
                await serve(line)
        except (OSError, EOFError):  # a caller that went away, or never said who it is
            pass
        finally:
            self._lines.discard(line)
            line.cut()


def certificate() -> tuple[str, str]:
    """A certificate that signs itself, and its key, both as PEM. Raises ModuleNotFoundError that
    says what to install."""
    optional("cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)  # for machines whose clocks differ
        .not_valid_after(now + 365 * day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return made.public_bytes(serialization.Encoding.PEM).decode(), private.decode()


def server_side(certificate: str, key: str) -> ssl.SSLContext:
    """Returns the TLS context of a server, with its certificate. `ssl` reads a key from a file
    only, so it is in one for that moment.
    """
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    with tempfile.TemporaryDirectory() as folder:  # only its owner can look into it
        file = Path(folder) / "bank.pem"
        with private_file(file, "xb") as pem:
            pem.write((certificate + key).encode("ascii"))
        context.load_cert_chain(file)
    return context


def installed() -> None:
    """Raises ModuleNotFoundError with the line that installs it when a part of the extra is
    missing."""
    EXTRA.check("distributed", "cloudpickle", "cryptography")
