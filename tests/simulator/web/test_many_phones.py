"""Eight web phones of one browser for minutes: none crashes, and memory does not grow.

For an hour, with figures: ``MH_WEB_MINUTES=60 pytest -m slow --log-cli-level=INFO``.
"""

from __future__ import annotations

import asyncio
import logging
import os
import statistics
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest

from manyhands.simulator.phone.device import DeviceLost
from tests.simulator.web.conftest import PAGES

if TYPE_CHECKING:
    from manyhands.simulator.web.browser import WebBrowser
    from manyhands.simulator.web.screen import WebScreen

log = logging.getLogger(__name__)

PHONES = 8
MINUTES = float(os.environ.get("MH_WEB_MINUTES", "3"))
MOST_MB = 400
INDEX = (PAGES / "index.html").as_uri()


def memory_mb() -> float:
    """What the browser and this process hold alone."""
    used = 0
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            used += process.memory_full_info().uss
    return used / 2**20


async def play(screen: WebScreen, end: float, resets: list[float], waits: list[str]) -> None:
    """Reset, look and touch, as episodes do. If a busy machine gives no answer in time, start again, as fleets do."""
    while time.monotonic() < end:
        try:
            began = time.monotonic()
            await screen.start(INDEX)
            resets.append(time.monotonic() - began)
            for _ in range(5):
                await screen.screenshot()
                await screen.views()
                await screen.tap(300, 300)
                await screen.swipe(500, 1800, 500, 900, 200)
        except DeviceLost as error:
            if "gave no answer" not in str(error):  # it has crashed
                raise
            waits.append(str(error))


@pytest.mark.slow
@pytest.mark.timeout(60 * MINUTES + 600)
async def test_eight_phones_do_not_grow(browser: WebBrowser) -> None:
    from manyhands.simulator.web.screen import WebScreen

    screens = [WebScreen(browser, 1080, 2400, 420) for _ in range(PHONES)]
    end, resets, waits, memory = time.monotonic() + 60 * MINUTES, list[float](), list[str](), list[float]()
    async with asyncio.TaskGroup() as players:
        for screen in screens:
            players.create_task(play(screen, end, resets, waits))
        while time.monotonic() < end:
            await asyncio.sleep(5)
            memory.append(memory_mb())
    third = max(1, len(memory) // 3)
    first, last = statistics.median(memory[:third]), statistics.median(memory[-third:])
    figures = (PHONES, first, last, max(memory), len(resets), statistics.median(resets), len(waits))
    log.info("%d phones: %.0f MB, then %.0f, at most %.0f; %d resets, %.2f s each; %d without an answer", *figures)
    assert max(memory) < PHONES * MOST_MB
    assert last < 1.25 * first
    assert browser.starts == 1
    for screen in screens:
        await screen.stop()
