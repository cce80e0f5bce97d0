"""Tell what phones a transport reaches and what they are like, without a lease."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manyhands.actors.seams import PhoneTransport
from manyhands.protocol.geometry import Size
from manyhands.protocol.phones import PhoneInfo


class TransportDirectory:
    """Implements ``actors.seams.PhoneDirectory`` for the phones of a transport that somebody else starts and stops."""

    def __init__(self, transport: PhoneTransport) -> None:
        self._transport = transport

    async def phones(self) -> Sequence[PhoneInfo]:
        return await self._transport.phones()

    async def connect(self, serial: str) -> None:
        await self._transport.connect(serial)

    async def size(self, serial: str) -> Size:
        return await self._transport.phone(serial).size()

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        """Return what a content provider answers; a phone that was away and is back is connected first."""
        await self._transport.connect(serial)
        return await self._transport.phone(serial).state(source)
