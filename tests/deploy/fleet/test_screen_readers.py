"""Readers that a run is given instead of our own."""

from __future__ import annotations

import asyncio
import pickle
import time

import numpy as np
import pytest

from manyhands.actors.frames import Frame, content_id
from manyhands.actors.perception.service import PerceptionService
from manyhands.benchmarks.modelled_perception import MODELLED_THREADS, modelled_readers, readers_named
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot


def test_perception_is_real_or_modelled_and_nothing_else() -> None:
    assert readers_named("real") is None
    modelled = readers_named("modelled:0.3")
    assert modelled is not None
    assert modelled.settings(None).workers == MODELLED_THREADS
    seconds = ("", "x", "-1", "nan", "inf", "61")
    threads = ("0.3:", "0.3:x", "0.3:0", "0.3:65", "0.3:1.5", "0.3:2:2")
    for wrong in ("", "modelled", "fast:1", *(f"modelled:{given}" for given in (*seconds, *threads))):
        with pytest.raises(BadInput, match="--perception"):
            readers_named(wrong)


def test_as_many_pictures_at_a_time_as_asked_for_and_the_source_says_how_many() -> None:
    two = readers_named("modelled:0.3:2")
    assert two is not None
    for overridden, at_once in ((None, 2), (5, 5)):
        assert two.settings(overridden).workers == at_once
        source = two.source(overridden)
        assert source.startswith("modelled perception")
        assert f"0.3 s for a picture, {at_once} at a time" in source


def test_pictures_are_compared_with_those_before_only_where_reading_takes_time() -> None:
    assert modelled_readers(0.3).settings(None).incremental.on
    off = modelled_readers(0.0).settings(3)
    assert (off.incremental.on, off.workers) == (False, 3)


async def test_modelled_readers_take_their_time_side_by_side_and_find_nothing() -> None:
    """They reach an actor as bytes, like all that it is made of."""
    readers = pickle.loads(pickle.dumps(modelled_readers(0.05)))
    service = PerceptionService(readers.settings(None), readers.make)
    await service.start()
    context = CallContext(episode="e", step=0, deadline=time.time() + 30)
    try:
        screens = await asyncio.gather(*(service.perceive(*_shot(number), context) for number in range(8)))
    finally:
        await service.stop()
    assert len(screens) <= MODELLED_THREADS
    for screen in screens:
        assert screen.elements == ()
        assert screen.timings_ms["text"] >= 50


def _shot(number: int) -> tuple[Screenshot, Frame]:
    pixels = np.full((40, 20, 3), number, np.uint8)
    size = Size(width=20, height=40)
    shot = Screenshot(content_id=content_id(pixels), size=size, serial="s", taken_at=0.0, capture_ms=1.0)
    return shot, Frame("rgb", pixels)
