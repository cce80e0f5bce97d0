"""Looks at frames that came before: the same bytes are the same screen, other bytes never are."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from manyhands.actors.frames import Rgb, content_id, encode_png
from manyhands.actors.phones.adb.frame_source import AdbCaptureLimits, AdbFrameSource
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.screenshots import CaptureResources, Foreground, Screenshots
from manyhands.actors.phones.settling.model import SettlingModel
from manyhands.protocol.phones import SettleSpec
from tests.actors.phones.adb.scripted_adb import scripted_adb

WIDTH, HEIGHT = 45, 81
"""A raw frame of them is no whole number of 8-byte words."""
PAGE: Rgb = np.random.default_rng(3).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
WARNING = b"[Warning] Multiple displays were found\n"


def with_last_pixel(red: int) -> Rgb:
    page = PAGE.copy()
    page[-1, -1] = (red, 0, 0)
    return page


def answers(page: Rgb, form: str) -> dict[str, bytes]:
    """What the ``screencap`` of a phone prints that has one form only."""
    if form == "raw":
        alpha = np.full((HEIGHT, WIDTH, 1), 255, np.uint8)
        raw = np.array([WIDTH, HEIGHT, 1, 0], "<u4").tobytes() + np.concatenate([page, alpha], axis=2).tobytes()
        return {"exec:screencap -p": b"OKAYno such option", "exec:screencap": b"OKAY" + raw}
    return {"exec:screencap -p": b"OKAY" + WARNING + encode_png(page), "exec:screencap": b"OKAYno such form"}


async def in_front() -> Foreground:
    return Foreground("app", "hidden")


@pytest.mark.parametrize("form", ["raw", "png"])
@pytest.mark.parametrize("looks", [1, 2])
async def test_a_screen_that_differs_in_its_last_pixel_is_another(form: str, looks: int) -> None:
    page, later = with_last_pixel(1), with_last_pixel(2)
    told = answers(page, form)
    async with scripted_adb(told) as script:
        with ThreadPoolExecutor(2) as pixels:
            server = AdbServer("127.0.0.1", script.port, 4)
            limits = AdbCaptureLimits(asyncio.Semaphore(2), threading.Semaphore(2))
            source = AdbFrameSource("s", server, limits, 5.0)
            screenshots = Screenshots("s", source, CaptureResources(pixels, SettlingModel()))
            for _ in range(3):  # the phone's form is known by now
                screenshot, _, frame = await screenshots.capture(None, None, in_front)
                assert screenshot.content_id == content_id(page)
            before = len(script.requests)
            settling = asyncio.create_task(screenshots.capture(SettleSpec(quiet_ms=200, limit_ms=2000), None, in_front))
            while sum(request.startswith("exec:") for request in script.requests[before:]) < looks:
                await asyncio.sleep(0.001)
            script.answers = {**script.answers, **answers(later, form)}
            screenshot, _, frame = await settling
            assert screenshot.content_id == content_id(frame.rgb()) == content_id(later)
            await screenshots.close()
            server.close()
