"""The pages of each phone that were read last."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field

from manyhands.actors.perception.incremental.matching import Page

ELEMENT_BYTES = 1000
"""About what a text takes in memory."""


@dataclass(slots=True)
class _Phone:
    pages: deque[Page] = field(default_factory=deque)
    """The pages from the newest."""
    in_part: int = 0


class PageMemory:
    """Keeps the newest pages of each phone, within a limit for all; the phone unused for longest goes first.

    Belongs to one thread: workers are given a phone's pages and give back a page.
    """

    def __init__(self, per_phone: int, limit_mb: float) -> None:
        self._per_phone = per_phone
        self._limit = limit_mb * 1e6
        self._phones: OrderedDict[str, _Phone] = OrderedDict()
        self._bytes = 0

    def of(self, serial: str) -> tuple[Page, ...]:
        """Return a phone's pages from the newest; none for an unknown phone."""
        phone = self._phones.get(serial)
        return () if phone is None else tuple(phone.pages)

    def in_part(self, serial: str) -> int:
        """Return how many pages of this phone were read in part since one was read in full."""
        phone = self._phones.get(serial)
        return 0 if phone is None else phone.in_part

    def read(self, serial: str, page: Page, *, in_full: bool) -> None:
        """Add a page that was read for ``serial``."""
        phone = self._show(serial, page)
        phone.in_part = 0 if in_full else phone.in_part + 1
        self._forget()

    def show(self, serial: str, page: Page) -> None:
        """Make ``page``, which was read before on any phone, the newest of ``serial``."""
        self._show(serial, page)
        self._forget()

    def _show(self, serial: str, page: Page) -> _Phone:
        phone = self._phones.setdefault(serial, _Phone())
        self._phones.move_to_end(serial)
        if page in phone.pages:
            phone.pages.remove(page)
            self._bytes -= size_of(page)
        phone.pages.appendleft(page)
        self._bytes += size_of(page)
        while len(phone.pages) > self._per_phone:
            self._bytes -= size_of(phone.pages.pop())
        return phone

    def _forget(self) -> None:
        while self._bytes > self._limit and self._phones:
            serial, oldest = next(iter(self._phones.items()))
            self._bytes -= size_of(oldest.pages.pop())
            if not oldest.pages:
                del self._phones[serial]


def size_of(page: Page) -> int:
    """Estimate the bytes of ``page``."""
    return page.rows.hashes.nbytes + page.rows.blank.nbytes + ELEMENT_BYTES * len(page.texts)
