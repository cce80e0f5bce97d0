"""Read the batteries of a fleet's phones, so that people see which of them run down or run hot."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from typing import Protocol

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from manyhands.protocol.errors import CallError, PhoneError

SOURCE = "phone://state/battery"
EVERY_S = 60.0
"""Seconds between two readings of a phone. A reading costs it one short shell command."""
ANSWER_S = 5.0
"""How long a phone may take to answer."""
AT_ONCE = 32
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
    fleet: PhoneStates, serials: Iterable[str], limit_s: float = ANSWER_S
) -> Mapping[str, Battery]:
    """Return the batteries of phones, by serial. Each phone has ``limit_s`` seconds; one that is silent is left out."""
    batteries: dict[str, Battery] = {}
    room = asyncio.Semaphore(AT_ONCE)

    async def read(serial: str) -> None:
        try:
            async with room, asyncio.timeout(limit_s):
                batteries[serial] = Battery.model_validate((await fleet.look(serial, SOURCE))["battery"])
        except (PhoneError, CallError, TimeoutError, KeyError, ValidationError) as error:
            _log.debug("%s does not tell its battery: %r", serial, error)

    async with asyncio.TaskGroup() as group:
        for serial in serials:
            group.create_task(read(serial))
    return batteries
