"""Check the health of local servers, and the addresses at which they will listen."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket

from manyhands.protocol.errors import BadInput

ANSWER_TIMEOUT_S = 5.0


def check_address(host: str, port: int, option: str = "--host") -> None:
    """Raise BadInput if a server cannot listen at an address: the host is not this machine, or the port is in use.

    ``option`` names the address on the command line.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BadInput(f"{option} {host}: {error.strerror or error}") from None
    family, kind, protocol, _, address = addresses[0]
    with socket.socket(family, kind, protocol) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise BadInput(f"--port {port}: something listens on {host}:{port}; give another port") from None
            raise BadInput(f"{option} {host}: {error.strerror or error}; give an address of this machine") from None


async def is_healthy(host: str, port: int) -> bool:
    """Return whether ``GET /health`` answers 200. A server that refuses, hangs or answers otherwise is not healthy."""
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            return await _status(host, port) == b"200"
    except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return False


async def _status(host: str, port: int) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET /health HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        words = (await reader.readuntil(b"\r\n")).split()
        return words[1] if len(words) > 1 else b""
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def is_listening(host: str, port: int) -> bool:
    """Return whether anything accepts connections at this address."""
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            _, writer = await asyncio.open_connection(host, port)
    except (TimeoutError, OSError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
