"""Pictures of phones: phones that hang do not hold up the pictures of others, and each is asked once a second."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from manyhands.protocol.errors import PhoneLost
from manyhands.service.phone_readings import ANSWER_S, AT_ONCE, FRESH_S, PhonePictures
from tests.virtual_clock import run_virtual

HUNG = [f"hung-{number}" for number in range(AT_ONCE)]


class Phones:
    """Phones that show their names, are away, or hang, by their names."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def look(self, serial: str, source: str) -> Mapping[str, JsonValue]:
        self.asked.append(serial)
        if serial in HUNG:
            await asyncio.Event().wait()
        if serial == "away":
            raise PhoneLost("away")
        return {"jpeg": base64.b64encode(serial.encode()).decode(), "size": {"width": 1080, "height": 2400}}


def pictures(phones: Phones) -> PhonePictures:
    return PhonePictures(phones, asyncio.get_running_loop().time)


def test_nobody_waits_longer_than_the_limit_for_a_picture() -> None:
    async def main() -> None:
        phones = Phones()
        taken = pictures(phones)
        viewers = [taken.take(serial) for serial in (*HUNG, *HUNG, "p1")]
        async with asyncio.timeout(ANSWER_S + 1):
            answers = await asyncio.gather(*viewers, return_exceptions=True)
            assert all(isinstance(answer, PhoneLost) for answer in answers[: 2 * AT_ONCE])
            with pytest.raises(PhoneLost):  # the failure is still the answer
                await taken.take(HUNG[0])
        assert phones.asked[:AT_ONCE] == HUNG
        assert phones.asked.count(HUNG[0]) == 1
        await asyncio.sleep(FRESH_S)
        assert await taken.take("p1") == b"p1"

    run_virtual(main())


def test_a_phone_is_asked_once_a_second_also_if_it_fails() -> None:
    async def main() -> None:
        phones = Phones()
        taken = pictures(phones)
        for after_s in (0.0, FRESH_S / 2, FRESH_S / 2):
            await asyncio.sleep(after_s)
            assert await taken.take("p1") == b"p1"
            with pytest.raises(PhoneLost, match="away"):
                await taken.take("away")
        assert phones.asked == ["p1", "away", "p1", "away"]

    run_virtual(main())
