"""Pictures of any shape, as a detector sees them, and the way back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.icons.yolo import PADDING, Letterbox
from manyhands.protocol.screens.geometry import Size


@given(st.integers(1, 3200), st.integers(1, 3200), st.sampled_from([320, 640, 960]))
def test_sides_fit_the_strides_and_the_picture_fits_in(width: int, height: int, side: int) -> None:
    fit = Letterbox.of(Size(width=width, height=height), side)
    assert fit.seen.width % 32 == fit.seen.height % 32 == 0
    assert max(fit.seen.width, fit.seen.height) <= max(side, 32)
    assert fit.seen.width - 2 * fit.left < round(width * fit.scale) + 32


@given(st.integers(40, 1500), st.integers(40, 3200), st.data())
def test_boxes_come_back_within_a_pixel_of_what_is_seen(width: int, height: int, data: st.DataObject) -> None:
    fit = Letterbox.of(Size(width=width, height=height), 640)
    x1, x2 = sorted(data.draw(st.lists(st.integers(0, width), min_size=2, max_size=2)))
    y1, y2 = sorted(data.draw(st.lists(st.integers(0, height), min_size=2, max_size=2)))
    seen = np.array([[x1, y1, x2, y2]], np.float32) * np.float32(fit.scale) + np.float32([fit.left, fit.top] * 2)
    (found,) = fit.boxes(seen)
    assert np.abs(np.array([found.x1, found.y1, found.x2, found.y2]) - [x1, y1, x2, y2]).max() <= 1


@pytest.mark.parametrize(
    ("size", "seen"),
    [((1080, 2400), (288, 640)), ((2400, 1080), (640, 288)), ((1170, 2532), (320, 640)), ((320, 96), (320, 96))],
)
def test_a_phone_is_seen_at_its_own_aspect_ratio(size: tuple[int, int], seen: tuple[int, int]) -> None:
    fit = Letterbox.of(Size(width=size[0], height=size[1]), 640)
    assert (fit.seen.width, fit.seen.height) == seen


def test_the_picture_lies_in_the_middle_of_grey() -> None:
    picture = np.zeros((2532, 1170, 3), np.uint8)
    fit = Letterbox.of(Size(width=1170, height=2532), 640)
    out = fit.apply(picture)
    assert out.shape == (640, 320, 3)
    assert (out[:, : fit.left] == PADDING).all()
    assert (out[:, fit.left : 320 - fit.left - 1] == 0).all()


@given(st.lists(st.tuples(*[st.floats(-1e4, 1e4)] * 4), max_size=8))
def test_boxes_outside_are_clipped(corners: list[tuple[float, float, float, float]]) -> None:
    fit = Letterbox.of(Size(width=1080, height=2400), 640)
    for box in fit.boxes(np.array(corners, np.float32).reshape(-1, 4)):
        assert 0 <= box.x1 <= box.x2 <= 1080
        assert 0 <= box.y1 <= box.y2 <= 2400
