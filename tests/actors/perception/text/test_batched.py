"""Crops of many screens in one batch: the same words as alone, and each with the screen it is from."""

from __future__ import annotations

import asyncio
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.batching import BatchSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.engines import (
    GREY,
    HEIGHT,
    BatchedRecognizer,
    RecognizedText,
    fit_crop,
    recognition_batcher,
    scaled_width,
    width_class,
)
from manyhands.actors.perception.text.rapid import RapidRecognizer, RapidTextSettings
from manyhands.protocol.screens.screen import Screen
from tests.actors.perception.pictures import Page, as_png, screenshot_of, within

STEP = 8
"""Pixels of a scaled crop for each step of the network."""
WORDS = ("Battery", "OK", "Wi-Fi", "Do not disturb", "Screen time and parental controls", "12:45", "Notes", "Off")


def line(content: str) -> Rgb:
    page = Page(20 * len(content) + 30, 44)
    _, _, right, _ = page.text(content, (6, 4), 30)
    return page.rgb[:, : right + 6]


@given(st.integers(1, 5000))
def test_a_width_class_is_little_wider_and_its_own_class(width: int) -> None:
    wide = width_class(width)
    assert width <= wide < max(width + 32, width * 4 / 3)
    assert width_class(wide) == wide
    assert int(HEIGHT * (wide / HEIGHT)) == wide  # as engines work it out again


@given(st.integers(1, 90), st.integers(1, 900))
def test_a_crop_keeps_its_pixels_at_the_left_and_has_grey_beside_it(height: int, width: int) -> None:
    crop = np.full((height, width, 3), 200, np.uint8)
    found = fit_crop(crop)
    assert found.shape == (HEIGHT, width_class(found.shape[1]), 3)
    inked = int((found[0, :, 0] == 200).sum())
    assert (found[:, :inked] == 200).all()
    assert (found[:, inked:] == GREY).all()
    assert inked == -(-width * HEIGHT // height)


def batched(size: int, crops: list[Rgb]) -> tuple[list[RecognizedText], dict[int, int]]:
    batcher = recognition_batcher(
        lambda most: RapidRecognizer(RapidTextSettings(), most), BatchSettings(size=size, patience_ms=60_000)
    )
    assert batcher is not None
    with closing(batcher):
        return BatchedRecognizer(batcher).recognize(crops), batcher.counts().sizes


def test_a_batch_reads_what_it_reads_alone() -> None:
    crops = [line(word) for word in WORDS * 3]
    together, sizes = batched(8, crops)
    alone = [batched(8, [crop])[0][0] for crop in crops[: len(WORDS)]] * 3
    assert [reading.text for reading in together] == [reading.text for reading in alone] == [*WORDS] * 3
    assert max(abs(one.confidence - other.confidence) for one, other in zip(together, alone, strict=True)) < 1e-3
    assert sum(sizes.values()) < len(crops) / 2, "there were batches"
    plain = RapidRecognizer(RapidTextSettings()).recognize(crops)
    for crop, one, other in zip(crops, together, plain, strict=True):
        steps = scaled_width(crop) / STEP
        assert one.places == pytest.approx(other.places, abs=2 / steps), "a step beside, for padding is seen too"


def test_one_at_a_time_means_no_batcher() -> None:
    made: list[int] = []

    def make(most: int) -> RapidRecognizer:
        made.append(most)
        return RapidRecognizer(RapidTextSettings(), most)

    assert recognition_batcher(make, BatchSettings(size=1)) is None
    assert made == []


# ---------------------------------------------------------------------------- many screens at once
def lines_of(number: int) -> list[str]:
    """Of a phone's page, no two of one width class; no other page has one of them."""
    return [f"P{number + 100}", f"Order {1000 + 37 * number}", f"Total {number * 7 + 300} items in the basket"]


def page_of(number: int) -> Rgb:
    page = Page(540, 300)
    for row, content in enumerate(lines_of(number)):
        page.text(content, (30, 30 + 90 * row), 30)
    return page.rgb


@pytest.mark.parametrize("size", [1, 16])
async def test_screens_of_many_phones_at_once_are_not_mixed_up(size: int) -> None:
    """Through readers of their own, and through one network that reads crops of several screens in each batch."""
    settings = PerceptionSettings(workers=4, recognition=BatchSettings(size=size, patience_ms=50))
    service = PerceptionService(settings)
    await service.start()
    try:
        pages = [page_of(number) for number in range(32)]
        shots = [
            screenshot_of(rgb).model_copy(update={"serial": f"phone-{number}"}) for number, rgb in enumerate(pages)
        ]
        screens: list[Screen] = await asyncio.gather(
            *(service.perceive(shot, as_png(rgb), within(100)) for shot, rgb in zip(shots, pages, strict=True))
        )
        counts = await service.counts()
    finally:
        await service.stop()
    for number, (shot, screen) in enumerate(zip(shots, screens, strict=True)):
        assert screen.content_id == shot.content_id
        texts = [element.content for element in screen.elements if element.kind == "text"]
        assert " ".join(texts) == " ".join(lines_of(number))
    if size == 1:
        assert counts.batches == ()
        return
    (batches,) = counts.batches
    assert sum(size * count for size, count in batches.sizes.items()) >= 3 * len(pages)
    assert sum(batches.sizes.values()) < 3 * len(pages), "batches had crops of several screens"
