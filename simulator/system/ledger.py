"""Record what a phone received: one entry for each shell line that acted on it.

A client marks its lines with the assignment ``MH_KEY='...'``, which has no effect in a shell. The ledger keeps this
key, so that its entries can be compared with the client's journals.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

KEY_VARIABLE = "MH_KEY"


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """Hold one shell line: its number from 0, when it came (Unix seconds), its key if it has one, and its text."""

    seq: int
    at: float
    key: str | None
    line: str


class Ledger:
    """Keep lines in memory for the life of the phone; a reset of the phone leaves them."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.lines: list[LedgerLine] = []
        self._grown = asyncio.Event()

    def append(self, key: str | None, line: str) -> None:
        self.lines.append(LedgerLine(len(self.lines), self._now(), key, line))
        self._grown.set()
        self._grown = asyncio.Event()

    async def has(self, count: int) -> None:
        """Wait until the ledger has at least ``count`` lines."""
        while len(self.lines) < count:
            await self._grown.wait()

    def rows(self) -> list[dict[str, Any]]:
        """Return the lines as JSON values."""
        return [asdict(line) for line in self.lines]
