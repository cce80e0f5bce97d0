"""Show the screens of phones to people, also of those that have no task."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from cachetools import LRUCache

from manyhands.deploy.service.battery_readings import PhoneStates
from manyhands.protocol.errors import PhoneLost
from manyhands.protocol.phone_picture import PICTURE, PhonePicture

FRESH_S = 1.0
"""How long a picture is shown to whoever asks next, so that many viewers cost a phone what one costs."""
ANSWER_S = 10.0
"""How long a phone may take."""
AT_ONCE = 4
"""How many phones are asked at a time: tasks need the gateways, too."""
MOST_KEPT = 64


class PhonePictures:
    """Take pictures of phones, at most one a second of each."""

    def __init__(self, fleet: PhoneStates, now: Callable[[], float] = time.monotonic) -> None:
        """``now``: seconds of a clock that only goes forward."""
        self._fleet = fleet
        self._now = now
        self._room = asyncio.Semaphore(AT_ONCE)
        self._turns: LRUCache[str, asyncio.Lock] = LRUCache(MOST_KEPT)
        self._latest: LRUCache[str, tuple[float, bytes]] = LRUCache(MOST_KEPT)

    async def take(self, serial: str) -> bytes:
        """Return the screen of a phone as a JPEG. Raises PhoneError and CallError."""
        async with self._turns.setdefault(serial, asyncio.Lock()):
            taken_at, jpeg = self._latest.get(serial, (0.0, b""))
            if jpeg and self._now() - taken_at < FRESH_S:
                return jpeg
            try:
                async with self._room, asyncio.timeout(ANSWER_S):
                    state = await self._fleet.look(serial, PICTURE)
            except TimeoutError as error:
                raise PhoneLost(f"phone {serial} has shown no screen for {ANSWER_S:g} s") from error
            picture = PhonePicture.model_validate(state)
            self._latest[serial] = self._now(), picture.jpeg
            return picture.jpeg
