"""Cut pictures into chunks, and put them together again, whatever order the chunks come in and however often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from blake3 import blake3

from manyhands.protocol.edge.messages import CHUNK_BYTES, MOST_PICTURE_BYTES, Picture, PictureChunk
from manyhands.protocol.errors import CaptureFailed

CHUNK_WEIGHT = 1024
"""What a chunk takes in memory beside its bytes: one without any weighs something, too."""


def name_of(data: bytes) -> str:
    """Return BLAKE3, 128 bits, over the bytes of a picture, in hex."""
    return str(blake3(data).hexdigest(length=16))


def picture_of(form: Literal["jpeg", "png"], data: bytes, chunk_bytes: int = CHUNK_BYTES) -> Picture:
    """Return how a picture travels."""
    return Picture(name=name_of(data), form=form, size=len(data), count=-(-len(data) // chunk_bytes))


def chunks_of(picture: Picture, data: bytes, chunk_bytes: int = CHUNK_BYTES) -> Iterator[tuple[PictureChunk, bytes]]:
    """Give each chunk of a picture with its bytes."""
    for index in range(picture.count):
        chunk = PictureChunk(picture=picture.name, index=index, count=picture.count)
        yield chunk, data[index * chunk_bytes : (index + 1) * chunk_bytes]


class Assembly:
    """Put one picture together. Its reply may come before its chunks, between them or behind them."""

    def __init__(self) -> None:
        self._parts: dict[int, bytes] = {}
        self._size = 0

    @property
    def weight(self) -> int:
        """Return what it takes in memory."""
        return self._size + CHUNK_WEIGHT * len(self._parts)

    def add(self, chunk: PictureChunk, data: bytes) -> None:
        """Take a chunk, if it was not there before, and no picture is larger than they would be together."""
        if chunk.index not in self._parts and self._size + len(data) <= MOST_PICTURE_BYTES:
            self._parts[chunk.index] = data
            self._size += len(data)

    def missing(self, picture: Picture) -> tuple[int, ...]:
        """Return which chunks are not there."""
        return tuple(index for index in range(picture.count) if index not in self._parts)

    def whole(self, picture: Picture) -> bytes:
        """Return the picture's bytes. Raises CaptureFailed unless they are those that its name says."""
        data = b"".join(self._parts.get(index, b"") for index in range(picture.count))
        if len(data) != picture.size or name_of(data) != picture.name:
            raise CaptureFailed(f"the chunks of picture {picture.name} do not make its {picture.size} bytes")
        return data
