"""Cache what was read: the content of pictures by id, and the newest pages of each phone."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from cachetools import LRUCache
from pydantic import Field

from manyhands.actors.perception.page_matching import Page
from manyhands.actors.perception.reading import Content, PageHistory
from manyhands.actors.perception.rows import RowHasher
from manyhands.protocol.base import Input

ELEMENT_BYTES = 1000
"""The approximate memory of one text, in bytes."""


@dataclass(slots=True)
class _Phone:
    pages: deque[Page] = field(default_factory=deque)
    """The pages, the newest first."""
    in_part: int = 0


class PageCache:
    """Keep the newest pages of each phone, within a limit for all.

    The pages of the phone that was unused for longest are dropped first. Belongs to one thread: workers get a phone's
    pages and return a page.
    """

    def __init__(self, per_phone: int, limit_mb: float) -> None:
        self._per_phone = per_phone
        self._limit = limit_mb * 1e6
        self._phones: OrderedDict[str, _Phone] = OrderedDict()
        self._bytes = 0

    def of(self, serial: str) -> tuple[Page, ...]:
        """Return a phone's pages, the newest first. Return none for an unknown phone."""
        phone = self._phones.get(serial)
        return () if phone is None else tuple(phone.pages)

    def in_part(self, serial: str) -> int:
        """Return how many pages of this phone were read in part since the last page that was read in full."""
        phone = self._phones.get(serial)
        return 0 if phone is None else phone.in_part

    def read(self, serial: str, page: Page, *, in_full: bool) -> None:
        """Add a page that was read for ``serial``."""
        phone = self._show(serial, page)
        phone.in_part = 0 if in_full else phone.in_part + 1
        self._forget()

    def show(self, serial: str, page: Page) -> None:
        """Make ``page``, which was read before on any phone, the newest page of ``serial``."""
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


class IncrementalSettings(Input):
    """Configure the reading of new rows alone. The defaults were measured (docs/perception.md)."""

    on: bool = True
    pages: int = Field(default=64, ge=1, le=256)
    """The number of pages of each phone to compare with, the newest."""
    memory_mb: float = Field(default=128, gt=0)
    """The limit for the pages of all phones. A page of 2400 rows takes 22 kB, and 1 kB for each text."""
    most_open: float = Field(default=0.6, gt=0, le=1)
    """From this share of open rows on, a picture is read in full."""
    deepest: int = Field(default=16, ge=1)
    """After so many readings in part of a phone, one is in full, so that texts misread earlier disappear.

    Answers from the cache do not count as readings.
    """


class ContentCache:
    """Cache the content of pictures that were read. Not thread-safe: belongs to the event loop of one service."""

    def __init__(self, incremental: IncrementalSettings, most: int) -> None:
        """``most``: how many pictures' content is kept. The content that was unused for longest is dropped first."""
        self._incremental = incremental
        self._contents: LRUCache[str, Content] = LRUCache(most)
        self._hasher = RowHasher()
        self._pages = PageCache(incremental.pages, incremental.memory_mb)

    def known(self, content_id: str, serial: str) -> Content | None:
        """Return the content of a picture that was read before and that ``serial`` now shows.

        Return None if it is unknown.
        """
        content = self._contents.get(content_id)
        if content is not None and content.page is not None:
            self._pages.show(serial, content.page)
        return content

    def past(self, serial: str) -> PageHistory | None:
        """Return the pages to compare a new picture of this phone with; no pages if it is to be read in full.

        Return None if every picture is read in full, so that no rows have to be kept.
        """
        settings = self._incremental
        if not settings.on:
            return None
        pages = self._pages.of(serial) if self._pages.in_part(serial) < settings.deepest else ()
        return PageHistory(self._hasher, pages, settings.most_open)

    def add(self, content_id: str, serials: Iterable[str], content: Content) -> None:
        """Keep the content of a picture. ``serials``: the phones that show it."""
        if self._contents.maxsize:
            self._contents[content_id] = content
        if content.page is not None:
            for serial in sorted(serials):
                self._pages.read(serial, content.page, in_full=content.kind == "full")
