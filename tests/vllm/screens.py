"""Screens of a virtual phone as roles are shown them: the screenshot, its JPEG, and what perception reads on it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from manyhands.actors.frames import Frame, ModelImage, Rgb, content_id, encode_jpeg
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.simulator.phone.virtual_phone import VirtualPhone

PAGES = ((1, "Settings"), (1, "Messages"), (1001, "设置"))
"""A phone's seed and the app that is open; seeds from 1000 up give a phone in Chinese."""


@dataclass(frozen=True)
class Shown:
    """One screen."""

    screenshot: Screenshot
    screen: Screen
    image: ModelImage


def image_of(rgb: Rgb) -> ModelImage:
    return ModelImage(content_id=content_id(rgb), jpeg=encode_jpeg(rgb))


def noise(seed: int, width: int = 280, height: int = 280) -> ModelImage:
    """A picture that no other seed gives: blocks of colours."""
    blocks = np.random.default_rng(seed).integers(0, 256, (height // 28, width // 28, 3), dtype=np.uint8)
    return image_of(np.ascontiguousarray(blocks.repeat(28, axis=0).repeat(28, axis=1)))


def screenshot_of(rgb: Rgb, serial: str = "tiny-1") -> Screenshot:
    size = Size(width=rgb.shape[1], height=rgb.shape[0])
    return Screenshot(
        content_id=content_id(rgb), size=size, serial=serial, taken_at=1.0, capture_ms=9.0, keyboard="unknown"
    )


def photograph() -> tuple[Shown, ...]:
    """Each of PAGES, read by the real perception."""
    return asyncio.run(_photograph())


async def _photograph() -> tuple[Shown, ...]:
    service = PerceptionService(PerceptionSettings(workers=1))
    await service.start()
    try:
        return tuple([await _one(service, seed, app) for seed, app in PAGES])
    finally:
        await service.stop()


async def _one(service: PerceptionService, seed: int, app: str) -> Shown:
    now = [0.0]
    phone = VirtualPhone(seed, clock=lambda: now[0], wall=lambda: datetime(2026, 3, 5, 14, 7))
    found = next(one for one in phone.apps() if one.label == app)
    phone.launch(f"{found.package}/{found.activity}")
    for _ in range(2):  # the page has come in, and stands
        now[0] += 10.0
        rgb = np.array(phone.frame().rgb)
    screenshot = screenshot_of(rgb)
    context = CallContext(episode="tiny", step=0, deadline=time.time() + 120)
    screen = await service.perceive(screenshot, Frame("rgb", rgb), context)
    return Shown(screenshot, screen, image_of(rgb))
