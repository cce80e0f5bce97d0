"""Read the screens and batteries of phones for people, also of phones that have no task."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from cachetools import LRUCache
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from manyhands.protocol.errors import CallError, ManyhandsError, PhoneError, PhoneLost
from manyhands.protocol.phones import PICTURE, PhonePicture

BATTERY = "phone://state/battery"
EVERY_S = 60.0
"""Seconds between two readings of a phone. A reading costs it one short shell command."""
BATTERY_S = 5.0
"""How long a phone may take to answer."""
BATTERIES_AT_ONCE = 32
"""The most phones that are asked at a time: tasks need the gateways, too."""
_log = logging.getLogger(__name__)


class PhoneStates(Protocol):
    """List what the readings need of a fleet. ``Fleet`` provides it."""

    async def look(self, serial: str, source: str) -> Mapping[str, JsonValue]: ...


class Battery(BaseModel):
    """Hold what a phone tells of its battery."""

    model_config = ConfigDict(frozen=True)
    percent: float
    celsius: float | None = None


async def read_batteries(
    fleet: PhoneStates, serials: Iterable[str], limit_s: float = BATTERY_S
) -> Mapping[str, Battery]:
    """Return the batteries of phones, by serial. Each phone has ``limit_s`` seconds; one that is silent is left out."""
    batteries: dict[str, Battery] = {}
    room = asyncio.Semaphore(BATTERIES_AT_ONCE)

    async def read(serial: str) -> None:
        try:
            async with room, asyncio.timeout(limit_s):
                batteries[serial] = Battery.model_validate((await fleet.look(serial, BATTERY))["battery"])
        except (PhoneError, CallError, TimeoutError, KeyError, ValidationError) as error:
            _log.debug("%s does not tell its battery: %r", serial, error)

    async with asyncio.TaskGroup() as group:
        for serial in serials:
            group.create_task(read(serial))
    return batteries


FRESH_S = 1.0
"""How long a picture, or a failure, is the answer to whoever asks next: many viewers cost a phone what one costs."""
ANSWER_S = 10.0
"""How long a viewer waits, also while other phones are asked."""
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
        self._latest: LRUCache[str, tuple[float, bytes | ManyhandsError]] = LRUCache(MOST_KEPT)
        """When each phone was asked last, and its picture or why it has none."""

    async def take(self, serial: str) -> bytes:
        """Return the screen of a phone as a JPEG, in ``ANSWER_S`` at most. Raises PhoneError and CallError."""
        try:
            async with asyncio.timeout(ANSWER_S), self._turns.setdefault(serial, asyncio.Lock()):
                asked_at, latest = self._latest.get(serial, (-math.inf, b""))
                if self._now() - asked_at >= FRESH_S:
                    latest = await self._ask(serial)
                    self._latest[serial] = self._now(), latest
        except TimeoutError:
            latest = PhoneLost(f"phone {serial} has shown no screen for {ANSWER_S:g} s")
            self._latest[serial] = self._now(), latest
        if isinstance(latest, ManyhandsError):
            raise latest
        return latest

    async def _ask(self, serial: str) -> bytes | ManyhandsError:
        async with self._room:
            try:
                state = await self._fleet.look(serial, PICTURE)
            except ManyhandsError as error:
                return error
        return PhonePicture.model_validate(state).jpeg
