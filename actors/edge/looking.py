"""Get the pictures that screenshots of a site came with, as they are handed out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial

from manyhands.actors.edge.coming import Album, ComingPictures, KeptPicture, decoded
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.actors.edge.site import Call, Site
from manyhands.actors.frames import Frame, ModelImage
from manyhands.protocol.edge.messages import Done, Fetch, Picture, PictureChunk
from manyhands.protocol.errors import CaptureFailed, DeadlinePassed
from manyhands.protocol.screens import Screenshot

_MB = 1024 * 1024
LEAST_BYTES = 16 * _MB
"""For the pictures that are on their way from one site, however many sites there are."""


class Looking:
    """Put pictures together as their chunks come, have what is missing sent again, and decode them in threads.

    What comes from one site never counts for another, nor takes its room.
    """

    def __init__(self, settings: MqttGatewaySettings, pixels: Executor, now: Callable[[], float]) -> None:
        """``now`` gives Unix seconds."""
        self._settings = settings
        self._pixels = pixels
        self._now = now
        most_bytes = max(LEAST_BYTES, settings.pictures_mb * _MB // len(settings.sites))
        self._coming = {name: ComingPictures(most_bytes) for name in settings.sites}
        self._album = Album(settings.pictures_mb * _MB)

    def take(self, site: str, chunk: PictureChunk, data: bytes) -> None:
        """Take a chunk that a site sent; of a picture that is kept, none is of use."""
        if self._album.get(chunk.picture) is None:
            self._coming[site].add(chunk, data)

    def have(self, serial: str) -> tuple[str, ...]:
        """Return the names of the phone's pictures that need not be sent again."""
        return self._album.have(serial)

    async def shown(
        self, site: Site, serial: str, screenshot: Screenshot, picture: Picture, deadline: float
    ) -> tuple[Screenshot, ModelImage, Frame]:
        """Return a screenshot of a site's phone, called ``serial`` here, as it is known here, with its picture.

        Raises CallError for one of another phone, CaptureFailed for a picture that is not what it should be, or that
        the site has no more, and DeadlinePassed.
        """
        site.same("screen of", f"{site.name}/{screenshot.serial}", serial)
        kept = await self._picture(site, serial, picture, deadline)
        if kept.size != screenshot.size:
            raise CaptureFailed(f"phone {serial}: its screen of {screenshot.size} came as a picture of {kept.size}")
        self._album.keep(serial, picture.name, kept)
        content_id = kept.image.content_id
        alike = None if screenshot.alike is None else self._album.called(site.name, screenshot.alike)
        self._album.call(site.name, screenshot.content_id, content_id)
        changes = {
            "content_id": content_id,
            "alike": alike,
            "serial": serial,
            "taken_at": site.offset.ours(screenshot.taken_at),
        }
        return screenshot.model_copy(update=changes), kept.image, kept.frame

    async def _picture(self, site: Site, serial: str, picture: Picture, deadline: float) -> KeptPicture:
        """Return a picture once all of it came, also for another phone that shows the same.

        After a silence, what is missing is fetched; each time a longer one is waited for, as chunks may wait their turn
        at a site whose uplink is slow.
        """
        what, coming = f"the picture of {serial}", self._coming[site.name]
        silent_s = self._settings.silent_s
        while (kept := self._album.get(picture.name)) is None:
            missing = coming.missing(picture)
            if not missing:
                return await self._decoded(coming, picture)
            left_s = deadline - self._now()
            if left_s <= 0:
                raise DeadlinePassed(f"{what}: {len(missing)} of its {picture.count} chunks have not come")
            if not await coming.more(picture.name, min(silent_s, left_s)):
                silent_s *= 2
                missing = coming.missing(picture)
                if missing and self._album.get(picture.name) is None and self._now() < deadline:
                    await _fetch(site, picture, missing, deadline, what)
        return kept

    async def _decoded(self, coming: ComingPictures, picture: Picture) -> KeptPicture:
        data, loop = coming.whole(picture), asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pixels, partial(decoded, picture.form, data))
        finally:
            coming.drop(picture)


async def _fetch(site: Site, picture: Picture, missing: Sequence[int], deadline: float, what: str) -> None:
    """Have chunks sent again. Raises CaptureFailed where the site has them no more."""

    def make(call: Call) -> Fetch:
        return Fetch(picture=picture.name, indices=tuple(missing), **call)

    await site.ask(site.question(make, Done, what), deadline)
