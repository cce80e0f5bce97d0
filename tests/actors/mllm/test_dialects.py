"""Coordinates between a model and the screenshot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.mllm.dialects import DIALECTS, Dialect, OutsideScreen, Resized, dialect_named, to_model, to_pixel
from protocol.errors import BadInput
from protocol.geometry import Size

PHONE = Size(width=1080, height=2400)
QWEN3 = dialect_named("qwen3-vl")
QWEN25 = dialect_named("qwen2.5-vl")

sizes = st.builds(Size, width=st.integers(60, 4000), height=st.integers(60, 4000))
dialects = st.sampled_from(list(DIALECTS.values()))


@st.composite
def pixels(draw: st.DrawFn) -> tuple[Size, int, int]:
    size = draw(sizes)
    return size, draw(st.integers(0, size.width - 1)), draw(st.integers(0, size.height - 1))


@given(dialects, pixels())
def test_a_pixel_survives_within_the_rounding_of_one_model_unit(dialect: Dialect, place: tuple[Size, int, int]) -> None:
    size, x, y = place
    extent = dialect.extent(size)
    back = to_pixel(dialect, *to_model(dialect, x, y, size), size)
    for was, now, side, full in ((x, back[0], size.width, extent.width), (y, back[1], size.height, extent.height)):
        assert abs(was - now) <= side / full / 2 + 1


@given(dialects, sizes, st.floats(0, 1), st.floats(0, 1))
def test_a_model_point_survives_within_the_rounding_of_one_pixel(
    dialect: Dialect, size: Size, right: float, down: float
) -> None:
    extent = dialect.extent(size)
    x, y = round(right * extent.width), round(down * extent.height)
    pixel = to_pixel(dialect, x, y, size)
    assert size.contains(*pixel)
    back = to_model(dialect, *pixel, size)
    # The far edge lands on the last pixel, which is up to a whole pixel away from it.
    assert abs(x - back[0]) <= extent.width / size.width + 1
    assert abs(y - back[1]) <= extent.height / size.height + 1


@given(dialects, sizes)
def test_corners_land_on_corners(dialect: Dialect, size: Size) -> None:
    extent = dialect.extent(size)
    assert to_pixel(dialect, 0, 0, size) == (0, 0)
    assert to_pixel(dialect, extent.width, extent.height, size) == (size.width - 1, size.height - 1)


@given(dialects, sizes, st.integers(-5000, 20000), st.integers(-5000, 20000))
def test_what_is_outside_is_refused_and_never_clamped(dialect: Dialect, size: Size, x: int, y: int) -> None:
    extent = dialect.extent(size)
    if 0 <= x <= extent.width and 0 <= y <= extent.height:
        assert size.contains(*to_pixel(dialect, x, y, size))
    else:
        with pytest.raises(OutsideScreen, match="outside the screen"):
            to_pixel(dialect, x, y, size)


def test_known_places() -> None:
    assert to_pixel(QWEN3, 500, 500, PHONE) == (540, 1200)
    assert to_pixel(QWEN3, 1, 1, PHONE) == (1, 2)
    assert to_model(QWEN3, 1079, 2399, PHONE) == (999, 1000)
    assert to_model(QWEN3, 5000, -3, PHONE) == (1000, 0)
    assert QWEN25.extent(PHONE) == Size(width=1092, height=2408)
    assert to_pixel(QWEN25, 546, 1204, PHONE) == (540, 1200)
    assert to_model(QWEN25, 540, 1200, PHONE) == (546, 1204)


@given(sizes, st.integers(4, 400), st.integers(500, 4000))
def test_a_resized_picture_keeps_to_its_factor_and_its_area(size: Size, least: int, most: int) -> None:
    dialect = Resized("test", factor=28, min_pixels=least * 28 * 28, max_pixels=most * 28 * 28)
    extent = dialect.extent(size)
    assert extent.width % 28 == extent.height % 28 == 0
    # A side is never under one factor, so a very long and thin picture may stay above the limit.
    assert extent.width * extent.height <= dialect.max_pixels or 28 in (extent.width, extent.height)
    assert extent.width * extent.height >= dialect.min_pixels


def test_an_unknown_dialect_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"qwen3-vl, qwen2\.5-vl"):
        dialect_named("gpt")
