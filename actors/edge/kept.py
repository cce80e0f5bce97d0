"""Keep the last pictures of a site, for those who did not get all of their chunks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator
from typing import Literal

from manyhands.actors.edge.pictures import chunks_of, picture_of
from manyhands.protocol.edge.messages import Picture, PictureChunk
from manyhands.protocol.errors import CaptureFailed

MOST_BYTES = 32 * 1024 * 1024
"""A picture is asked for within seconds, and a screen of 1080x2400 has 0.2 MB as a JPEG, 0.7 MB as a PNG."""


class KeptPictures:
    """Hold pictures by their names, the oldest of too many dropped."""

    def __init__(self, chunk_bytes: int, most_bytes: int = MOST_BYTES) -> None:
        self._chunk_bytes = chunk_bytes
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[Picture, bytes]] = OrderedDict()

    def add(self, form: Literal["jpeg", "png"], data: bytes) -> Picture:
        """Keep a picture; return how it travels."""
        picture = picture_of(form, data, self._chunk_bytes)
        if picture.name not in self._kept:
            self._bytes += picture.size
        self._kept[picture.name] = picture, data
        self._kept.move_to_end(picture.name)
        while self._bytes > self._most_bytes and len(self._kept) > 1:
            _, (dropped, _) = self._kept.popitem(last=False)
            self._bytes -= dropped.size
        return picture

    def chunks(self, name: str, indices: Collection[int] | None = None) -> Iterator[tuple[PictureChunk, bytes]]:
        """Return the chunks of a picture, or those of them that are asked for. Raises CaptureFailed without it."""
        if name not in self._kept:
            raise CaptureFailed(f"picture {name} is not kept any more: take another")
        picture, data = self._kept[name]
        cut = chunks_of(picture, data, self._chunk_bytes)
        return ((chunk, part) for chunk, part in cut if indices is None or chunk.index in indices)
