"""Cache decoded pictures, so that sites do not send them again, and map content ids of sites to ours."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Literal

from cachetools import LRUCache

from manyhands.actors.frames import Frame, ModelImage, content_id, encode_jpeg
from manyhands.protocol.screens.geometry import Size

NAMES_PER_PHONE = 8
"""How many cached pictures of a phone a request names. Several, because an episode may return to an earlier page."""
_MAX_CONTENT_IDS = 20_000
"""How many content ids of sites are mapped to ours."""


@dataclass(frozen=True, slots=True)
class CachedPicture:
    """Hold a decoded picture: the JPEG for the model, the frame for perception, the size in pixels."""

    image: ModelImage
    frame: Frame
    size: Size

    @property
    def memory_bytes(self) -> int:
        """Return how many bytes of memory the picture takes."""
        return len(self.image.jpeg) + (0 if self.frame.data is self.image.jpeg else len(self.frame.data))


def decode_picture(form: Literal["jpeg", "png"], data: bytes) -> CachedPicture:
    """Decode a picture and hash its pixels, which takes some milliseconds of CPU.

    A JPEG goes to the model unchanged: the site encoded it as a local gateway does, and a second encoding would lose
    quality. Raises CaptureFailed.
    """
    frame = Frame(form, data)
    rgb = frame.rgb()
    jpeg = data if form == "jpeg" else encode_jpeg(rgb)
    return CachedPicture(ModelImage(content_id(rgb), jpeg), frame, Size(width=rgb.shape[1], height=rgb.shape[0]))


class PictureCache:
    """Cache the last pictures of all phones by name, in ``max_bytes`` of memory. The newest picture always stays."""

    def __init__(self, max_bytes: int) -> None:
        self._pictures: MutableMapping[str, CachedPicture] = LRUCache(
            max_bytes, lambda picture: min(picture.memory_bytes, max_bytes)
        )
        self._names: dict[str, MutableMapping[str, None]] = {}
        self._content_ids: MutableMapping[tuple[str, str], str] = LRUCache(_MAX_CONTENT_IDS)

    def get(self, name: str) -> CachedPicture | None:
        """Return a picture; None if it is not cached."""
        return self._pictures.get(name)

    def names_of(self, serial: str) -> tuple[str, ...]:
        """Return the names of a phone's last pictures that are cached, the newest last."""
        return tuple(name for name in self._names.get(serial, ()) if name in self._pictures)

    def put(self, serial: str, name: str, picture: CachedPicture) -> None:
        """Cache the picture that a phone shows now."""
        self._pictures.pop(name, None)
        self._pictures[name] = picture
        names = self._names.setdefault(serial, LRUCache(NAMES_PER_PHONE))
        names.pop(name, None)  # so that the name goes to the end of the order
        names[name] = None

    def map_content_id(self, site: str, theirs: str, ours: str) -> None:
        """Map ``theirs``, a screen's content id at its site, to ``ours``. They differ because a JPEG changes pixels."""
        self._content_ids[site, theirs] = ours

    def local_content_id(self, site: str, theirs: str) -> str | None:
        """Return the content id here of a site's screen; None if it is unknown."""
        return self._content_ids.get((site, theirs))
