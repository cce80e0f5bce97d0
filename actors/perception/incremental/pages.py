"""The pages of each phone that were read last."""

from __future__ import annotations

from collections import OrderedDict, deque

from actors.perception.incremental.matching import Page

ELEMENT_BYTES = 1000
"""About what a text takes in memory."""


class PageMemory:
    """The newest pages by phone, within a limit for all; the phone unheard of for longest goes first.

    Belongs to one thread: workers are given a phone's pages and give back a page.
    """

    def __init__(self, per_phone: int, limit_mb: float) -> None:
        self._per_phone = per_phone
        self._limit = limit_mb * 1e6
        self._phones: OrderedDict[str, deque[Page]] = OrderedDict()
        self._bytes = 0

    def of(self, serial: str) -> tuple[Page, ...]:
        """From the newest; empty for a phone that is not known."""
        return tuple(self._phones.get(serial, ()))

    def add(self, serial: str, page: Page) -> None:
        """``page`` is what ``serial`` shows now; one that it showed before becomes its newest."""
        pages = self._phones.setdefault(serial, deque())
        self._phones.move_to_end(serial)
        if page in pages:
            pages.remove(page)
            self._bytes -= size_of(page)
        pages.appendleft(page)
        self._bytes += size_of(page)
        while len(pages) > self._per_phone:
            self._bytes -= size_of(pages.pop())
        while self._bytes > self._limit and self._phones:
            oldest, forgotten = next(iter(self._phones.items()))
            self._bytes -= size_of(forgotten.pop())
            if not forgotten:
                del self._phones[oldest]

    @property
    def megabytes(self) -> float:
        return self._bytes / 1e6


def size_of(page: Page) -> int:
    """About the bytes that ``page`` takes."""
    return page.rows.hashes.nbytes + page.rows.blank.nbytes + ELEMENT_BYTES * len(page.texts)
