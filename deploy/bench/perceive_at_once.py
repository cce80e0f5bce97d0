"""Many different screens through one perception service: one at a time, and all at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from actors.frames import Frame, content_id
from actors.perception.service import PerceptionService
from actors.perception.settings import PerceptionSettings
from deploy.bench.perceive import Say, pages_of
from evaluation.bench.at_once import AtOnceFigures, Pass, as_pass, differing, ratio
from protocol.errors import Overloaded
from protocol.geometry import Size
from protocol.messages import CallContext
from protocol.screens import Element, Screen, Screenshot

SIZES = ((1080, 2400), (720, 1600), (1170, 2532), (828, 1792), (1080, 1920), (1440, 3120), (1080, 2340), (750, 1334))
"""Of the phones, in the order in which they are used up."""
MOST = 64
"""Screens that can be had from them."""
PATIENCE_S = 1800.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A phone's screen as it is sent."""

    shot: Screenshot
    frame: Frame


def different_screens(count: int) -> list[Asked]:
    """What virtual phones of several sizes show, each from a phone of its own; from 1 to MOST."""
    found: dict[str, Asked] = {}
    for frame, rgb_size, picture in _pages():
        if picture not in found:
            shot = Screenshot(content_id=picture, size=rgb_size, serial=f"phone-{len(found)}", taken_at=0, capture_ms=0)
            found[picture] = Asked(shot, frame)
            if len(found) == count:
                return list(found.values())
    raise RuntimeError(f"the virtual phones show {len(found)} different pages, {count} were wanted")


def _pages() -> Iterator[tuple[Frame, Size, str]]:
    for width, height in SIZES:
        size = Size(width=width, height=height)
        for frame in pages_of(size):
            yield frame, size, content_id(frame.rgb())


async def measure_at_once(screens: Sequence[Asked], settings: PerceptionSettings, say: Say) -> AtOnceFigures:
    """Both ways, each by a service of its own, so that neither remembers what the other read."""
    say(f"reading {len(screens)} screens one at a time")
    one_by_one, alone, _ = await _read(screens, settings, at_once=False)
    say(f"reading {len(screens)} screens at once")
    at_once, together, batches = await _read(screens, settings, at_once=True)
    return AtOnceFigures(
        screens=len(screens),
        workers=settings.readers(),
        one_by_one=one_by_one,
        at_once=at_once,
        ratio=ratio(one_by_one, at_once),
        longest_wait_s=settings.longest_wait_s,
        differing=differing(alone, together),
        batches=batches,
    )


async def _read(
    screens: Sequence[Asked], settings: PerceptionSettings, *, at_once: bool
) -> tuple[Pass, list[tuple[Element, ...] | None], dict[str, dict[int, int]]]:
    service = PerceptionService(settings)
    await service.start()
    try:
        begin, cpu = time.perf_counter(), time.process_time()
        if at_once:
            timed = await asyncio.gather(*(_asked(service, asked) for asked in screens))
        else:
            timed = [await _asked(service, asked) for asked in screens]
        seconds, cpu_seconds = time.perf_counter() - begin, time.process_time() - cpu
        counts = await service.counts()
    finally:
        await service.stop()
    read = [(screen, took) for screen, took in timed if screen is not None]
    waits = [screen.timings_ms["queue"] / 1000 for screen, _ in read]
    figures = as_pass(seconds, cpu_seconds, waits, [took for _, took in read], counts.refused)
    elements = [None if screen is None else screen.elements for screen, _ in timed]
    return figures, elements, {one.network: dict(one.sizes) for one in counts.batches}


async def _asked(service: PerceptionService, asked: Asked) -> tuple[Screen | None, float]:
    """None if it waited for too long: a run would then ask another actor."""
    begin = time.perf_counter()
    context = CallContext(episode=asked.shot.serial, step=0, deadline=time.time() + PATIENCE_S)
    try:
        screen = await service.perceive(asked.shot, asked.frame, context)
    except Overloaded:
        screen = None
    return screen, time.perf_counter() - begin
