"""Perception on the screens of a virtual phone, against what the phone drew."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from manyhands.actors.frames import Frame
from manyhands.actors.perception.arrangement import contains
from manyhands.actors.perception.service import PerceptionService
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Screen
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.perception.pictures import screenshot_of, within

LATIN_IME = "com.android.inputmethod.latin/.LatinIME"
ADB_IME = "com.android.adbkeyboard/.AdbIME"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def phone(seed: int, clock: Clock) -> VirtualPhone:
    return VirtualPhone(seed, 720, 1600, 280, clock=clock, wall=lambda: datetime(2026, 3, 5, 14, 7))


async def look(service: PerceptionService, device: VirtualPhone, clock: Clock) -> Screen:
    """The screen once every transition has ended."""
    for _ in range(2):
        clock.now += 10
        rgb = np.array(device.frame().rgb)
    return await service.perceive(screenshot_of(rgb), Frame("rgb", rgb), within(60))


@pytest.mark.parametrize(("seed", "label"), [(1, "Settings"), (1001, "设置")])
async def test_labels_of_the_launcher_are_read_and_lie_under_their_icons(
    service: PerceptionService, seed: int, label: str
) -> None:
    clock = Clock()
    device = phone(seed, clock)
    screen = await look(service, device, clock)
    drawn = [(content, box) for content, box in device.layout() if content.strip()]
    texts = [element for element in screen.elements if element.kind == "text"]
    for content, box in drawn:
        place = Box(x1=box.x, y1=box.y, x2=box.x + box.w, y2=box.y + box.h)
        assert content in [text.content for text in texts if contains(place, text.centre)]
    name = next(text for text in texts if text.content == label)
    icons = [element for element in screen.elements if element.kind == "icon"]
    assert any(icon.box.x1 <= name.centre[0] < icon.box.x2 and 0 < name.box.y1 - icon.centre[1] < 160 for icon in icons)
    assert not any(contains(text.box, icon.centre) for icon in icons for text in texts)


@pytest.mark.parametrize("ime", [ADB_IME, LATIN_IME])
async def test_the_keyboard_is_seen_on_the_pixels(service: PerceptionService, ime: str) -> None:
    clock = Clock()
    device = phone(1, clock)
    device.set_ime(ime)
    screen = await look(service, device, clock)
    assert screen.keyboard == "hidden"
    field = next(element for element in screen.elements if element.content == "Search the web")
    device.tap(*field.centre)
    assert (await look(service, device, clock)).keyboard == "shown"
    assert device.keyboard_shown()
