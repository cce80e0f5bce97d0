"""What a phone really received: one line for each shell line that carried input.

A client marks its lines with the assignment ``MH_KEY='...'``, which a shell ignores. The ledger
takes the key from there, so that what arrived can be compared with the client's journals.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

KEY_VARIABLE = "MH_KEY"


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """seq counts from 0; at is in unix seconds; key is None where the line named none; line is the text.

    ``before`` and ``after`` are what was true when the line began to act and when it had ended, as far as the phone
    tells (``PhoneDevice.moment``); ``after`` is None while it runs. What a line sets going may show later: in
    ``before`` of the next line.
    """

    seq: int
    at: float
    key: str | None
    line: str
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] | None = None


class Ledger:
    """Append-only, in memory, for the life of the phone; a reset of the phone leaves it."""

    def __init__(self, now: Callable[[], float] = time.time, look: Callable[[], Mapping[str, Any]] = dict) -> None:
        """``look`` tells what is true on the phone now."""
        self._now = now
        self._look = look
        self._lines: list[LedgerLine] = []
        self._grown = asyncio.Event()

    @property
    def lines(self) -> tuple[LedgerLine, ...]:
        return tuple(self._lines)

    def append(self, key: str | None, line: str) -> LedgerLine:
        entry = LedgerLine(len(self._lines), self._now(), key, line, self._look())
        self._lines.append(entry)
        self._grown.set()
        self._grown = asyncio.Event()
        return entry

    async def has(self, count: int) -> None:
        """Return once there are so many lines."""
        while len(self._lines) < count:
            await self._grown.wait()

    def ended(self, seq: int) -> None:
        """The line with this number has run."""
        self._lines[seq] = replace(self._lines[seq], after=self._look())

    def rows(self) -> list[dict[str, Any]]:
        """The lines as JSON values."""
        return [asdict(line) for line in self._lines]
