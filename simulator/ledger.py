"""What a phone really received: one line for each shell line that carried input.

A client marks its lines with the assignment ``MH_KEY='...'``, which a shell ignores. The ledger
takes the key from there, so that what arrived can be compared with the client's journals.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

KEY_VARIABLE = "MH_KEY"


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """seq counts from 0; at is in unix seconds; key is None where the line named none; line is the text."""

    seq: int
    at: float
    key: str | None
    line: str


class Ledger:
    """Append-only, in memory, for the life of the phone; a reset of the phone leaves it."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._lines: list[LedgerLine] = []

    @property
    def lines(self) -> tuple[LedgerLine, ...]:
        return tuple(self._lines)

    def append(self, key: str | None, line: str) -> LedgerLine:
        entry = LedgerLine(len(self._lines), self._now(), key, line)
        self._lines.append(entry)
        return entry

    def rows(self) -> list[dict[str, Any]]:
        """The lines as JSON values."""
        return [asdict(line) for line in self._lines]
