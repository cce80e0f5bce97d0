"""Download the pictures of screenshots from sites: assemble their chunks, request missing ones, decode and cache them.

Sites do not send cached pictures again. Content ids of sites are mapped to ours.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from cachetools import LRUCache

from manyhands.actors.edge.picture_chunks import PictureAssembler
from manyhands.actors.edge.remote_site import RemoteSite, RequestFields
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.actors.frames import Frame, ModelImage, content_id, encode_jpeg
from manyhands.protocol.edge.messages import EmptyReply, FetchRequest, PictureChunk, PictureInfo
from manyhands.protocol.errors import CaptureFailed, DeadlinePassed
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import VIEWS, Screenshot
from manyhands.protocol.utilities.backoff import Backoff

_MB = 1024 * 1024
MIN_BYTES = 16 * _MB
"""The least memory for the chunks of one site, however many sites there are."""

NAMES_PER_PHONE = 8
"""How many cached pictures of a phone a request names. Several, because an episode may return to an earlier page."""
_MAX_CONTENT_IDS = 20_000
"""How many content ids of sites are mapped to ours."""


@dataclass(frozen=True, slots=True)
class _CachedPicture:
    """Hold a decoded picture: the JPEG for the model, the frame for perception, the size in pixels."""

    image: ModelImage
    frame: Frame
    size: Size

    @property
    def memory_bytes(self) -> int:
        """Return how many bytes of memory the picture takes."""
        return len(self.image.jpeg) + (0 if self.frame.data is self.image.jpeg else len(self.frame.data))


def decode_picture(form: Literal["jpeg", "png"], data: bytes) -> _CachedPicture:
    """Decode a picture and hash its pixels, which takes some milliseconds of CPU.

    A JPEG goes to the model unchanged: the site encoded it as a local gateway does, and a second encoding would lose
    quality. Raises CaptureFailed.
    """
    frame = Frame(form, data)
    rgb = frame.rgb()
    jpeg = data if form == "jpeg" else encode_jpeg(rgb)
    return _CachedPicture(ModelImage(content_id(rgb), jpeg), frame, Size(width=rgb.shape[1], height=rgb.shape[0]))


class PictureCache:
    """Cache the last pictures of all phones by name, in ``max_bytes`` of memory. The newest picture always stays."""

    def __init__(self, max_bytes: int) -> None:
        self._pictures: MutableMapping[str, _CachedPicture] = LRUCache(
            max_bytes, lambda picture: min(picture.memory_bytes, max_bytes)
        )
        self._names: dict[str, MutableMapping[str, None]] = {}
        self._content_ids: MutableMapping[tuple[str, str], str] = LRUCache(_MAX_CONTENT_IDS)

    def get(self, name: str) -> _CachedPicture | None:
        """Return a picture; None if it is not cached."""
        return self._pictures.get(name)

    def names_of(self, serial: str) -> tuple[str, ...]:
        """Return the names of a phone's last pictures that are cached, the newest last."""
        return tuple(name for name in self._names.get(serial, ()) if name in self._pictures)

    def put(self, serial: str, name: str, picture: _CachedPicture) -> None:
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


class PictureDownloader:
    """Assemble pictures from chunks, request missing chunks again, and decode pictures in threads.

    Each site has chunks and memory of its own: a chunk from one site never completes a picture of another site.
    """

    def __init__(self, settings: MqttGatewaySettings, decoders: Executor, now: Callable[[], float]) -> None:
        """``now`` returns Unix seconds."""
        self._settings = settings
        self._decoders = decoders
        self._now = now
        most_bytes = max(MIN_BYTES, settings.pictures_mb * _MB // len(settings.sites))
        self._assemblers = {name: PictureAssembler(most_bytes) for name in settings.sites}
        self._cache = PictureCache(settings.pictures_mb * _MB)

    def add_chunk(self, site: str, chunk: PictureChunk, data: bytes) -> None:
        """Store a chunk of a site, unless its picture is cached already."""
        if self._cache.get(chunk.picture) is None:
            self._assemblers[site].add(chunk, data)

    def cached_names(self, serial: str) -> tuple[str, ...]:
        """Return the names of the phone's cached pictures. Its site need not send these again."""
        return self._cache.names_of(serial)

    async def complete(
        self, site: RemoteSite, serial: str, screenshot: Screenshot, picture: PictureInfo, deadline: float
    ) -> tuple[Screenshot, ModelImage, Frame]:
        """Return a site's screenshot with our names and times, and its picture; ``serial`` is the phone's name here.

        Raises CallError for a screenshot of another phone, CaptureFailed if the picture differs from its announcement
        or was dropped at the site, and DeadlinePassed at ``deadline`` (Unix seconds).
        """
        site.check_equal("screen of", f"{site.name}/{screenshot.serial}", serial)
        cached = await self._download(site, serial, picture, deadline)
        if cached.size != screenshot.size:
            raise CaptureFailed(f"phone {serial}: its screen of {screenshot.size} came as a picture of {cached.size}")
        self._cache.put(serial, picture.name, cached)
        content_id = cached.image.content_id
        alike = None if screenshot.alike is None else self._cache.local_content_id(site.name, screenshot.alike)
        self._cache.map_content_id(site.name, screenshot.content_id, content_id)
        changes = {
            "content_id": content_id,
            "alike": alike,
            "serial": serial,
            "taken_at": site.offset.to_local(screenshot.taken_at),
        }
        return screenshot.model_copy(update=changes), cached.image, cached.frame

    def localize(self, site: str, source: str, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the state of a phone. Views name their screenshot by its content id here, not by that at the site."""
        if source != VIEWS or not isinstance(state.get("shown"), str):
            return state
        return {**state, "shown": self._cache.local_content_id(site, state["shown"])}

    async def _download(self, site: RemoteSite, serial: str, picture: PictureInfo, deadline: float) -> _CachedPicture:
        """Return a picture once all its chunks have arrived.

        They may have been sent for another phone with the same picture. If no chunk arrives for ``silent_s``, the
        missing chunks are requested. That time doubles with each request, because chunks may queue at a site with a
        slow uplink.
        """
        what, assembler = f"the picture of {serial}", self._assemblers[site.name]
        silences = Backoff(first_s=self._settings.silent_s, longest_s=math.inf).pauses()
        silent_s = next(silences)
        while (cached := self._cache.get(picture.name)) is None:
            missing = assembler.missing(picture)
            if not missing:
                return await self._decode(assembler, picture)
            left_s = deadline - self._now()
            if left_s <= 0:
                raise DeadlinePassed(f"{what}: {len(missing)} of its {picture.count} chunks have not come")
            if not await assembler.wait_for_chunk(picture.name, min(silent_s, left_s)):
                silent_s = next(silences)
                missing = assembler.missing(picture)
                if missing and self._cache.get(picture.name) is None and self._now() < deadline:
                    await _request_chunks(site, picture, missing, deadline, what)
        return cached

    async def _decode(self, assembler: PictureAssembler, picture: PictureInfo) -> _CachedPicture:
        data, loop = assembler.join(picture), asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._decoders, partial(decode_picture, picture.form, data))
        finally:
            assembler.drop(picture)


async def _request_chunks(
    site: RemoteSite, picture: PictureInfo, missing: Sequence[int], deadline: float, what: str
) -> None:
    """Ask the site to send chunks again. Raises CaptureFailed if it has dropped the picture."""

    def create(fields: RequestFields) -> FetchRequest:
        return FetchRequest(picture=picture.name, indices=tuple(missing), **fields)

    await site.call(site.specify(create, EmptyReply, what), deadline)
