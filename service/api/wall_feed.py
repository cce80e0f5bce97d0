"""Look at all phones once a second while somebody watches, and give each stream what changed since its last update.

The text of a phone is made once for all streams. A stream that is read slowly gets fewer updates, each with all that
changed since its last one; so nothing piles up for it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from cachetools import LRUCache

from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.service.fleet import PhoneStatus, WallPhone
from manyhands.protocol.service.instants import to_iso
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.event_stream import HEARTBEAT
from manyhands.service.api.run_files import RunFiles
from manyhands.service.database.batches.batch_repository import BatchRepository, TaskOrigin
from manyhands.service.fleet_control import FleetControl

FIRST_S = 5.0
"""How long a stream waits for the first look. A fleet that opens does not answer."""
MOST_TASKS = 20_000
"""Of how many tasks the goals are kept in memory."""
_NO_TASK = TaskOrigin("", "", "")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WallTile:
    """Hold what streams send of a phone."""

    phone: PhoneStatus
    version: int
    """The number of the look at which the phone was last different."""
    text: bytes
    """The phone as JSON, without the end and without its picture."""
    picture: bytes = b"null"
    """The picture of its screen as JSON."""
    picture_of: str | None = None
    """The content id of the screen that the picture shows."""
    picture_version: int = 0
    """The number of the look at which the picture was last different."""


class WallFeed:
    """Give the state of all phones to streams. ``run`` must run as long as there are streams."""

    def __init__(self, fleet: FleetControl, batches: BatchRepository, files: RunFiles, every_s: float) -> None:
        """``every_s``: seconds between two looks at the phones of ``fleet``."""
        self._fleet = fleet
        self._batches = batches
        self._files = files
        self._every_s = every_s
        self._tiles: dict[str, WallTile] = {}
        self._gone: dict[str, int] = {}
        """The serials of phones that are gone, each with the number of the look that missed it."""
        self._origins: LRUCache[str, TaskOrigin] = LRUCache(MOST_TASKS)
        self._watchers: set[WallSubscription] = set()
        self._is_watched = asyncio.Event()
        self._is_over = False
        self.version = 0
        """The number of the last look."""
        self.at = 0.0
        """When that was, in Unix seconds."""

    async def run(self) -> None:
        """Look at the phones until this is cancelled. Then all streams end."""
        try:
            while True:
                await self._is_watched.wait()
                try:
                    await self._look()
                except ManyhandsError as error:
                    _log.warning("the wall: the phones cannot be looked at: %s", error)
                except Exception:  # noqa: BLE001 (a defect ends no stream)
                    _log.exception("the wall: a defect")
                await asyncio.sleep(self._every_s)
        finally:
            self.close()

    def close(self) -> None:
        """End all streams."""
        self._is_over = True
        for watcher in self._watchers:
            watcher.end()

    @property
    def is_fresh(self) -> bool:
        """Return whether the last look is the newest that a stream can have."""
        return HOST_CLOCK.now() - self.at < 2 * self._every_s

    def subscribe(self) -> WallSubscription:
        """Return the updates of one stream."""
        return WallSubscription(self)

    def attach(self, watcher: WallSubscription) -> None:
        """Tell a stream of each look from now on."""
        self._watchers.add(watcher)
        self._is_watched.set()
        if self._is_over:
            watcher.end()

    def detach(self, watcher: WallSubscription) -> None:
        """Tell a stream no more. Without streams, nobody looks at phones."""
        self._watchers.discard(watcher)
        if not self._watchers:
            self._is_watched.clear()

    def update(self, after: int) -> bytes:
        """Return what changed after a look, as a server-sent event; all phones for 0. Empty if nothing changed."""
        changed_tiles = [tile for tile in self._tiles.values() if tile.version > after or tile.picture_version > after]
        removed_serials = [serial for serial, version in self._gone.items() if version > after and after]
        if after and not changed_tiles and not removed_serials:
            return b""
        phones = b",".join(
            b"%b%b}" % (tile.text, tile.picture if tile.picture_version > after else b"null") for tile in changed_tiles
        )
        named = ",".join(map(_quote, removed_serials)).encode()
        is_whole = b"false" if after else b"true"
        moment = to_iso(self.at).encode()
        head = b'data: {"at":%.3f,"at_iso":"%b","is_whole":%b,"phones":[' % (self.at, moment, is_whole)
        return b'%b%b],"gone":[%b]}\n\n' % (head, phones, named)

    async def _look(self) -> None:
        phones = await self._fleet.phones()
        await self._learn_origins({phone.task for phone in phones if phone.task is not None})
        version = self.version + 1
        tiles = {phone.serial: self._tile(phone, version) for phone in phones}
        for serial, picture in (await self._pictures(tiles)).items():
            screen = tiles[serial].phone.screen
            tiles[serial] = replace(tiles[serial], picture=picture, picture_of=screen, picture_version=version)
        for serial in self._tiles.keys() - tiles.keys():
            self._gone[serial] = version
        for serial in tiles:
            self._gone.pop(serial, None)
        self._tiles, self.version, self.at = tiles, version, HOST_CLOCK.now()
        for watcher in self._watchers:
            watcher.wake()

    def _tile(self, phone: PhoneStatus, version: int) -> WallTile:
        previous = self._tiles.get(phone.serial)
        if previous is not None and previous.phone == phone:
            return previous
        text = self._text(phone)
        return (
            WallTile(phone, version, text)
            if previous is None
            else replace(previous, phone=phone, version=version, text=text)
        )

    def _text(self, phone: PhoneStatus) -> bytes:
        origin = _NO_TASK if phone.task is None else self._origins.get(phone.task, _NO_TASK)
        details = WallPhone(**dict(phone), goal=origin.goal, batch=origin.batch, owner=origin.owner)
        return details.model_dump_json(exclude={"thumbnail"}).encode()[:-1] + b',"thumbnail":'

    async def _learn_origins(self, tasks: Collection[str]) -> None:
        if unknown := [task for task in tasks if task not in self._origins]:
            self._origins.update(await self._batches.task_origins(unknown))

    async def _pictures(self, tiles: Mapping[str, WallTile]) -> Mapping[str, bytes]:
        """Return the pictures that are new, by the phone's serial. A picture that is not written yet comes later."""
        new = {serial: tile.phone.screen for serial, tile in tiles.items() if tile.phone.screen != tile.picture_of}
        thumbnails = await self._files.thumbnails({screen for screen in new.values() if screen is not None})
        encoded = {screen: b'"%b"' % base64.b64encode(jpeg) for screen, jpeg in thumbnails.items()}
        return {serial: encoded[screen] for serial, screen in new.items() if screen in encoded}


class WallSubscription:
    """Give one stream its updates."""

    def __init__(self, feed: WallFeed) -> None:
        self._feed = feed
        self._changed = asyncio.Event()
        self._is_over = False
        self.is_cut = asyncio.Event()

    async def begin(self) -> None:
        """Do nothing: a stream shows by itself that a fleet does not answer."""

    async def frames(self, quiet_s: float) -> AsyncIterator[bytes]:
        """Yield all phones, and then what changed, at most once for each look."""
        self._feed.attach(self)
        try:
            if not self._feed.is_fresh:
                await self._wait(FIRST_S)
            version = self._feed.version
            yield self._feed.update(0)
            while not self._is_over:
                await self._wait(quiet_s)
                update = self._feed.update(version)
                version = self._feed.version
                yield update or HEARTBEAT
        finally:
            self._feed.detach(self)

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        self._changed.clear()

    def wake(self) -> None:
        """Note that there was another look."""
        self._changed.set()

    def cut(self) -> None:
        """End the stream at once."""
        self.is_cut.set()
        self.end()

    def end(self) -> None:
        """End the stream."""
        self._is_over = True
        self._changed.set()


def _quote(text: str) -> str:
    return json.dumps(text)
