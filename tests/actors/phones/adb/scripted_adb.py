"""An adb server for what a healthy one never does: answers that break off, hang, or come from an old phone.

It speaks the protocol between adb's client and server (four hexadecimal digits of length, then the request).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

HANG = b"\0hang"
"""At the end of an answer: keep the connection open and say no more."""
TRANSPORT = b"OKAY\1\0\0\0\0\0\0\0"


def block(text: str) -> bytes:
    data = text.encode()
    return b"%04x" % len(data) + data


def packet(number: int, data: bytes) -> bytes:
    """Of the ``shell,v2`` service."""
    return bytes([number]) + len(data).to_bytes(4, "little") + data


@dataclass
class ScriptedAdb:
    """Answers by the start of the request. ``requests`` are all that came."""

    answers: Mapping[str, bytes]
    port: int = 0
    requests: list[str] = field(default_factory=list)
    open: int = 0
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            while header := await reader.read(4):
                request = (await reader.readexactly(int(header, 16))).decode()
                self.requests.append(request)
                answer = next((a for start, a in self.answers.items() if request.startswith(start)), None)
                assert answer is not None, f"no answer for {request!r}"
                writer.write(answer.removesuffix(HANG))
                await writer.drain()
                if answer.endswith(HANG):
                    await reader.read()
                if not request.startswith("host:tport"):
                    break
        except ConnectionError:
            pass
        finally:
            self.open -= 1
            self.closed.set()
            writer.close()


@asynccontextmanager
async def scripted_adb(answers: Mapping[str, bytes]) -> AsyncIterator[ScriptedAdb]:
    script = ScriptedAdb({"host:tport": TRANSPORT, **answers})
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    script.port = server.sockets[0].getsockname()[1]
    async with server:
        yield script
