"""Batteries are read off phones side by side; a phone that does not tell costs the others nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pydantic import JsonValue

from manyhands.protocol.errors import CallError, PhoneLost, StateUnavailable
from manyhands.service.phone_readings import BATTERIES_AT_ONCE, BATTERY, Battery, read_batteries

TOLD: Mapping[str, JsonValue] = {"battery": {"percent": 55.0, "charging": True, "celsius": None}}


class Phones:
    """Phones that answer by their names."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.now = self.most = 0

    async def look(self, serial: str, source: str) -> Mapping[str, JsonValue]:
        self.asked.append(source)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0)
            match serial:
                case "lost":
                    raise PhoneLost("lost")
                case "away":
                    raise CallError("nobody answers")
                case "dumb":
                    raise StateUnavailable("the phone does not tell battery")
                case "strange":
                    return {"battery": {"percent": "many"}}
                case "other":
                    return {"apps": []}
                case "silent":
                    await asyncio.Event().wait()
            return TOLD
        finally:
            self.now -= 1


async def test_phones_that_tell_nothing_are_left_out() -> None:
    silent = ("lost", "away", "dumb", "strange", "other")
    found = await read_batteries(Phones(), ("a", *silent, "b"))
    assert found == {serial: Battery(percent=55.0) for serial in ("a", "b")}


async def test_a_phone_that_is_silent_has_so_many_seconds() -> None:
    assert await read_batteries(Phones(), ["silent"], limit_s=0.05) == {}


async def test_many_phones_are_asked_side_by_side_within_a_bound() -> None:
    phones = Phones()
    serials = [f"p{number}" for number in range(10 * BATTERIES_AT_ONCE)]
    assert set(await read_batteries(phones, serials)) == set(serials)
    assert phones.most == BATTERIES_AT_ONCE
    assert phones.asked == [BATTERY] * len(serials)
