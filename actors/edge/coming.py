"""Hold what has come of pictures that are on their way, and pictures that need not be sent again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from manyhands.actors.edge.pictures import Assembly
from manyhands.actors.frames import Frame, ModelImage, content_id, encode_jpeg
from manyhands.protocol.edge.messages import Picture, PictureChunk
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.geometry import Size

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

NAMED = 8
"""How many pictures of a phone are named to its gateway as not to be sent again: pages that an episode goes back to."""
_IDS = 20_000
"""Content ids of sites whose pixels' id here is kept."""


class Recent(Generic[K, V]):
    """Hold values up to a weight in all; those not used for longest go first. The newest stays, whatever it weighs."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.weight = 0

    def __contains__(self, key: K) -> bool:
        return key in self._held

    def __iter__(self) -> Iterator[K]:
        """Give the keys, that of what was used last at the end."""
        return iter(self._held)

    def get(self, key: K) -> V | None:
        """Return a value, which counts as used now."""
        if key not in self._held:
            return None
        self._held.move_to_end(key)
        return self._held[key][0]

    def put(self, key: K, value: V, weight: int = 1) -> None:
        """Hold a value, in the place of an older one of that key."""
        self.drop(key)
        self._held[key] = (value, weight)
        self.weight += weight
        while self.weight > self._most and len(self._held) > 1:
            self.drop(next(iter(self._held)))

    def drop(self, key: K) -> None:
        """Hold it no more, if it was held."""
        if key in self._held:
            self.weight -= self._held.pop(key)[1]


class ComingPictures:
    """Collect chunks, also of pictures that nobody has been told of yet, and tell those who wait for one."""

    def __init__(self, most_bytes: int) -> None:
        self._coming = Recent[str, Assembly](most_bytes)
        self._waiting: dict[str, list[asyncio.Event]] = {}

    def add(self, chunk: PictureChunk, data: bytes) -> None:
        """Keep a chunk."""
        assembly = self._of(chunk.picture)
        assembly.add(chunk, data)
        self._coming.put(chunk.picture, assembly, assembly.weight)
        for event in self._waiting.get(chunk.picture, ()):
            event.set()

    def missing(self, picture: Picture) -> tuple[int, ...]:
        """Return the numbers of the chunks that have not come."""
        return self._of(picture.name).missing(picture)

    def whole(self, picture: Picture) -> bytes:
        """Return the bytes of a picture of which nothing is missing; others may ask for them, too, until it is dropped.

        Raises CaptureFailed, and then holds no more of it.
        """
        try:
            return self._of(picture.name).whole(picture)
        except CaptureFailed:
            self.drop(picture)
            raise

    def drop(self, picture: Picture) -> None:
        """Hold no more of a picture."""
        self._coming.drop(picture.name)

    async def more(self, name: str, within_s: float) -> bool:
        """Return whether another chunk of a picture has come within that time."""
        event = asyncio.Event()
        waiting = self._waiting.setdefault(name, [])
        waiting.append(event)
        try:
            async with asyncio.timeout(within_s):
                await event.wait()
        except TimeoutError:
            return False
        finally:
            waiting.remove(event)
            if not waiting:
                self._waiting.pop(name, None)
        return True

    def _of(self, name: str) -> Assembly:
        return self._coming.get(name) or Assembly()


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """Hold a picture as it is handed out."""

    image: ModelImage
    frame: Frame
    size: Size

    @property
    def weight(self) -> int:
        """Return its bytes in memory."""
        return len(self.image.jpeg) + (0 if self.frame.data is self.image.jpeg else len(self.frame.data))


def decoded(form: Literal["jpeg", "png"], data: bytes) -> KeptPicture:
    """Decode a picture, and name its pixels: takes a thread some milliseconds. Raises CaptureFailed.

    A JPEG is for the model as it is: its gateway made it as one beside us makes it, and encoding its pixels again would
    lose more of them.
    """
    frame = Frame(form, data)
    rgb = frame.rgb()
    jpeg = data if form == "jpeg" else encode_jpeg(rgb)
    return KeptPicture(ModelImage(content_id(rgb), jpeg), frame, Size(width=rgb.shape[1], height=rgb.shape[0]))


class Album:
    """Keep the pictures that phones showed last, by their names, and what their pixels are called here."""

    def __init__(self, most_bytes: int) -> None:
        self._kept = Recent[str, KeptPicture](most_bytes)
        self._by_phone: dict[str, Recent[str, None]] = {}
        self._ids = Recent[tuple[str, str], str](_IDS)

    def get(self, name: str) -> KeptPicture | None:
        """Return a picture, if it is kept."""
        return self._kept.get(name)

    def have(self, serial: str) -> tuple[str, ...]:
        """Return the names of the phone's last pictures that are kept."""
        named = self._by_phone.get(serial)
        return () if named is None else tuple(name for name in named if name in self._kept)

    def keep(self, serial: str, name: str, picture: KeptPicture) -> None:
        """Keep what a phone shows now."""
        self._kept.put(name, picture, picture.weight)
        self._by_phone.setdefault(serial, Recent[str, None](NAMED)).put(name, None)

    def call(self, site: str, theirs: str, ours: str) -> None:
        """Note by which content id a screen is known here that has another at its site, where its pixels are others."""
        self._ids.put((site, theirs), ours)

    def called(self, site: str, theirs: str) -> str | None:
        """Return that content id, if the screen was seen here."""
        return self._ids.get((site, theirs))
