"""The perception service with PaddleOCR: several screens at once through one recognition network."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.actors.perception.batching import BatchSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.paddle import PaddleTextSettings
from tests.actors.perception.pictures import as_png, sample, screenshot_of, within

WORDS = ("Battery", "Storage", "Display", "Sound", "Network", "Privacy")


@pytest.mark.parametrize("size", [None, 1, 4])
async def test_screens_at_once_are_read_each_by_itself(settings: PaddleTextSettings, size: int | None) -> None:
    chosen = PerceptionSettings(
        workers=3, text_engine="paddle", paddle=settings, recognition=BatchSettings(size=size, patience_ms=100)
    )
    service = PerceptionService(chosen)
    await service.start()
    try:
        pages = [sample(word) for word in WORDS]
        screens = await asyncio.gather(
            *(service.perceive(screenshot_of(rgb), as_png(rgb), within(100)) for rgb in pages)
        )
        counts = await service.counts()
    finally:
        await service.stop()
    assert [[element.content for element in screen.elements] for screen in screens] == [[word] for word in WORDS]
    if size == 4:
        (batches,) = counts.batches
        assert sum(size * count for size, count in batches.sizes.items()) == len(WORDS) + chosen.workers
