"""The memory of pictures that were read: their content by id, and each phone's newest pages."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from pydantic import Field

from manyhands.actors.perception.incremental.pages import PageMemory
from manyhands.actors.perception.incremental.rows import RowHasher
from manyhands.actors.perception.reading import Content, Past
from manyhands.protocol.base import Input


class IncrementalSettings(Input):
    """Configure reading only rows that are new, by measurement (docs/perception.md)."""

    on: bool = True
    pages: int = Field(default=64, ge=1, le=256)
    """Pages of each phone to compare with: its newest."""
    memory_mb: float = Field(default=128, gt=0)
    """For the pages of all phones; a page of 2400 rows takes 22 kB and 1 kB for each text."""
    most_open: float = Field(default=0.6, gt=0, le=1)
    """Share of a picture's rows from which it is read in full."""
    deepest: int = Field(default=16, ge=1)
    """Readings in part of a phone, after which one is in full, so that what was misread goes. Pictures that are
    remembered as they are count for neither."""


class ReadPictures:
    """Remembers pictures that were read. Not thread-safe: belongs to the loop of one service."""

    def __init__(self, incremental: IncrementalSettings, most: int) -> None:
        """``most``: pictures whose content is kept; the one unused for longest goes first."""
        self._incremental = incremental
        self._most = most
        self._contents: OrderedDict[str, Content] = OrderedDict()
        self._hasher = RowHasher()
        self._pages = PageMemory(incremental.pages, incremental.memory_mb)

    def known(self, content_id: str, serial: str) -> Content | None:
        """Return the content of a picture that was read before and that ``serial`` now shows; None if unknown."""
        content = self._contents.get(content_id)
        if content is not None:
            self._contents.move_to_end(content_id)
            if content.page is not None:
                self._pages.show(serial, content.page)
        return content

    def past(self, serial: str) -> Past | None:
        """Return the pages to compare a new picture of this phone with, none if it is to be read in full.

        None if every picture is read in full, so that no rows need be kept.
        """
        settings = self._incremental
        if not settings.on:
            return None
        pages = self._pages.of(serial) if self._pages.in_part(serial) < settings.deepest else ()
        return Past(self._hasher, pages, settings.most_open)

    def add(self, content_id: str, serials: Iterable[str], content: Content) -> None:
        """Remember the content of a picture. ``serials``: the phones that show it."""
        self._contents[content_id] = content
        if content.page is not None:
            for serial in sorted(serials):
                self._pages.read(serial, content.page, in_full=content.kind == "full")
        while len(self._contents) > self._most:
            self._contents.popitem(last=False)
