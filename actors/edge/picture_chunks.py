"""Split pictures into chunks, and reassemble them from chunks that arrive in any order, twice or late.

A site keeps the pictures that it sent last (``SentPictures``), for clients that did not receive every chunk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, MutableMapping
from typing import Literal

from blake3 import blake3
from cachetools import LRUCache

from manyhands.actors.edge.settings import SiteSettings
from manyhands.actors.frames import Frame, ModelImage
from manyhands.protocol.edge.messages import CHUNK_BYTES, MAX_PICTURE_BYTES, PictureChunk, PictureInfo
from manyhands.protocol.errors import CaptureFailed

CHUNK_OVERHEAD_BYTES = 1024
"""The memory that a chunk counts for beyond its bytes, so that empty chunks count too."""
MAX_SENT_BYTES = 32 * 1024 * 1024
"""The memory for sent pictures. Clients request missing chunks within seconds; a screen of 1080x2400 takes 0.2 MB as a
JPEG and 0.7 MB as a PNG."""
PNG_ENCODERS = 2
"""How many PNGs are encoded at a time, if pictures are sent as PNGs. Each encoding uses a core."""
Chunks = Iterator[tuple[PictureChunk, bytes]]


def picture_name(data: bytes) -> str:
    """Return the name of a picture: BLAKE3 of its bytes, 128 bits in hex."""
    return str(blake3(data).hexdigest(length=16))


def describe_picture(form: Literal["jpeg", "png"], data: bytes, chunk_bytes: int = CHUNK_BYTES) -> PictureInfo:
    """Return the name, size and number of chunks of an encoded picture."""
    return PictureInfo(name=picture_name(data), form=form, size=len(data), count=-(-len(data) // chunk_bytes))


def split_picture(
    picture: PictureInfo, data: bytes, chunk_bytes: int = CHUNK_BYTES
) -> Iterator[tuple[PictureChunk, bytes]]:
    """Yield each chunk of a picture with its bytes."""
    for index in range(picture.count):
        chunk = PictureChunk(picture=picture.name, index=index, count=picture.count)
        yield chunk, data[index * chunk_bytes : (index + 1) * chunk_bytes]


class PictureAssembly:
    """Collect the chunks of one picture; its description may arrive before, between or after them."""

    def __init__(self) -> None:
        self._parts: dict[int, bytes] = {}
        self._size = 0

    @property
    def memory_bytes(self) -> int:
        """Return the memory that the chunks take."""
        return self._size + CHUNK_OVERHEAD_BYTES * len(self._parts)

    def add(self, chunk: PictureChunk, data: bytes) -> None:
        """Store a chunk, unless it is already stored or would make the picture larger than allowed."""
        if chunk.index not in self._parts and self._size + len(data) <= MAX_PICTURE_BYTES:
            self._parts[chunk.index] = data
            self._size += len(data)

    def missing(self, picture: PictureInfo) -> tuple[int, ...]:
        """Return the indices of the chunks that have not arrived."""
        return tuple(index for index in range(picture.count) if index not in self._parts)

    def join(self, picture: PictureInfo) -> bytes:
        """Return the bytes of the picture. Raises CaptureFailed unless they have its size and its checksum."""
        data = b"".join(self._parts.get(index, b"") for index in range(picture.count))
        if len(data) != picture.size or picture_name(data) != picture.name:
            raise CaptureFailed(f"the chunks of picture {picture.name} do not make its {picture.size} bytes")
        return data


class PictureAssembler:
    """Assemble pictures from the chunks of one site, even of pictures that no reply has described yet.

    All assemblies together use at most ``max_bytes`` of memory. The one that has waited longest for a chunk is dropped
    first. A single assembly may be larger than ``max_bytes``: it stays until a chunk of another picture arrives.
    """

    def __init__(self, max_bytes: int) -> None:
        self._assemblies: MutableMapping[str, PictureAssembly] = LRUCache(
            max_bytes, lambda assembly: min(assembly.memory_bytes, max_bytes)
        )
        self._arrivals: dict[str, list[asyncio.Event]] = {}

    def add(self, chunk: PictureChunk, data: bytes) -> None:
        """Store a chunk, and wake those who wait for a chunk of its picture."""
        assembly = self._assemblies.pop(chunk.picture, None) or PictureAssembly()
        assembly.add(chunk, data)
        self._assemblies[chunk.picture] = assembly
        for event in self._arrivals.get(chunk.picture, ()):
            event.set()

    def missing(self, picture: PictureInfo) -> tuple[int, ...]:
        """Return the indices of the chunks that have not arrived."""
        return self._assembly_of(picture.name).missing(picture)

    def join(self, picture: PictureInfo) -> bytes:
        """Return the bytes of a complete picture, which stays until it is dropped.

        Raises CaptureFailed for chunks that do not make the picture, and drops them.
        """
        try:
            return self._assembly_of(picture.name).join(picture)
        except CaptureFailed:
            self.drop(picture)
            raise

    def drop(self, picture: PictureInfo) -> None:
        """Drop all chunks of a picture."""
        self._assemblies.pop(picture.name, None)

    async def wait_for_chunk(self, name: str, timeout_s: float) -> bool:
        """Return whether another chunk of the picture ``name`` arrives within ``timeout_s`` seconds."""
        event = asyncio.Event()
        waiting = self._arrivals.setdefault(name, [])
        waiting.append(event)
        try:
            async with asyncio.timeout(timeout_s):
                await event.wait()
        except TimeoutError:
            return False
        finally:
            waiting.remove(event)
            if not waiting:
                self._arrivals.pop(name, None)
        return True

    def _assembly_of(self, name: str) -> PictureAssembly:
        return self._assemblies.get(name) or PictureAssembly()


# ---------------------------------------------------------------------------- the sending side
class SentPictures:
    """Keep the pictures that a site sent last, by their names, in ``max_bytes`` of memory; the newest
    picture always stays.
    """

    def __init__(self, settings: SiteSettings, max_bytes: int = MAX_SENT_BYTES) -> None:
        self._settings = settings
        self._pictures: MutableMapping[str, tuple[PictureInfo, bytes]] = LRUCache(
            max_bytes, lambda described: min(described[0].size, max_bytes)
        )
        self._encoders = asyncio.Semaphore(PNG_ENCODERS)

    async def encode(self, image: ModelImage, frame: Frame) -> PictureInfo:
        """Keep a picture under its name and return its description: the model's JPEG, or the frame as a
        lossless PNG.
        """
        settings = self._settings
        if not settings.lossless:
            picture, data = describe_picture("jpeg", image.jpeg, settings.chunk_bytes), image.jpeg
        else:
            async with self._encoders:
                data = await asyncio.to_thread(frame.png)
            picture = describe_picture("png", data, settings.chunk_bytes)
        self._pictures.pop(picture.name, None)
        self._pictures[picture.name] = picture, data
        return picture

    def chunks(self, name: str, indices: Collection[int] | None = None) -> Chunks:
        """Return the chunks of a picture, all or those with ``indices``. Raises CaptureFailed if it was dropped."""
        if name not in self._pictures:
            raise CaptureFailed(f"picture {name} is not kept any more: take another")
        picture, data = self._pictures[name]
        chunks = split_picture(picture, data, self._settings.chunk_bytes)
        return ((chunk, part) for chunk, part in chunks if indices is None or chunk.index in indices)
