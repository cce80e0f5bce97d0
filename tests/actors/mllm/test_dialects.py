"""Coordinates between a model and the screenshot, and the sizes at which a model sees it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manyhands.actors.mllm.request.dialects import (
    DIALECTS,
    Dialect,
    OutsideScreen,
    dialect_named,
    dialect_of,
    to_model,
    to_pixel,
)
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Size

PHONE = Size(width=1080, height=2400)
QWEN3 = dialect_named("qwen3-vl")
QWEN25 = dialect_named("qwen2.5-vl")
SCREENS = [
    (1080, 2400),
    (1440, 3120),
    (720, 1600),
    (2400, 1080),
    (2560, 1600),
    (1, 1),
    (1079, 2399),
    (333, 777),
    (1, 77),
]

sizes = st.builds(Size, width=st.integers(60, 4000), height=st.integers(60, 4000))
capped = st.sampled_from(list(DIALECTS.values())) | st.builds(
    dialect_named, st.sampled_from(sorted(DIALECTS)), st.integers(50_000, 3_000_000)
)

SMART_RESIZE = [
    (28, None, (1080, 2400), (1092, 2408)),
    (28, None, (1440, 3120), (1428, 3108)),
    (28, None, (720, 1600), (728, 1596)),
    (28, None, (2400, 1080), (2408, 1092)),
    (28, None, (2560, 1600), (2548, 1596)),
    (28, None, (1, 1), (56, 56)),
    (28, None, (1, 199), (28, 812)),
    (28, None, (31, 17), (84, 56)),
    (28, None, (540, 1216), (532, 1204)),
    (28, None, (1080, 2340), (1092, 2352)),
    (28, None, (768, 1024), (756, 1036)),
    (28, None, (101, 4097), (112, 4088)),
    (28, None, (16384, 100), (16380, 112)),
    (28, None, (16384, 16384), (3584, 3584)),
    (28, None, (14, 70), (28, 140)),
    (28, None, (42, 42), (56, 56)),
    (28, None, (48, 80), (56, 84)),
    (28, None, (4096, 4095), (3584, 3556)),
    (28, None, (3000, 15), (2996, 28)),
    (28, 1048576, (1080, 2400), (672, 1512)),
    (28, 1048576, (1440, 3120), (672, 1484)),
    (28, 1048576, (720, 1600), (672, 1512)),
    (28, 1048576, (2400, 1080), (1512, 672)),
    (28, 1048576, (2560, 1600), (1288, 784)),
    (28, 1048576, (1, 1), (56, 56)),
    (28, 1048576, (16384, 100), (13104, 56)),
    (28, 1003520, (1080, 2400), (672, 1484)),
    (28, 1003520, (1440, 3120), (672, 1456)),
    (28, 1003520, (720, 1600), (672, 1484)),
    (28, 1003520, (2400, 1080), (1484, 672)),
    (28, 1003520, (2560, 1600), (1260, 784)),
    (28, 401408, (1080, 2400), (420, 924)),
    (28, 401408, (1440, 3120), (420, 924)),
    (28, 401408, (720, 1600), (420, 924)),
    (28, 401408, (2400, 1080), (924, 420)),
    (28, 401408, (2560, 1600), (784, 476)),
    (32, None, (1080, 2400), (1088, 2400)),
    (32, None, (1440, 3120), (1440, 3136)),
    (32, None, (720, 1600), (704, 1600)),
    (32, None, (2400, 1080), (2400, 1088)),
    (32, None, (2560, 1600), (2560, 1600)),
    (32, None, (1, 1), (256, 256)),
    (32, None, (1, 199), (32, 3616)),
    (32, None, (31, 17), (352, 192)),
    (32, None, (540, 1216), (544, 1216)),
    (32, None, (1080, 2340), (1088, 2336)),
    (32, None, (768, 1024), (768, 1024)),
    (32, None, (101, 4097), (96, 4096)),
    (32, None, (16384, 100), (16384, 96)),
    (32, None, (16384, 16384), (4096, 4096)),
    (32, None, (14, 70), (128, 576)),
    (32, None, (42, 42), (256, 256)),
    (32, None, (48, 80), (224, 352)),
    (32, None, (4096, 4095), (4096, 4096)),
    (32, None, (3000, 15), (3648, 32)),
    (32, 1048576, (1080, 2400), (672, 1504)),
    (32, 1048576, (1440, 3120), (672, 1504)),
    (32, 1048576, (720, 1600), (672, 1504)),
    (32, 1048576, (2400, 1080), (1504, 672)),
    (32, 1048576, (2560, 1600), (1280, 800)),
    (32, 1048576, (1, 1), (256, 256)),
    (32, 1048576, (16384, 100), (13088, 64)),
    (32, 1310720, (1080, 2400), (768, 1696)),
    (32, 1310720, (1440, 3120), (768, 1664)),
    (32, 1310720, (720, 1600), (704, 1600)),
    (32, 1310720, (2400, 1080), (1696, 768)),
    (32, 1310720, (2560, 1600), (1440, 896)),
    (32, 524288, (1080, 2400), (480, 1056)),
    (32, 524288, (1440, 3120), (480, 1056)),
    (32, 524288, (720, 1600), (480, 1056)),
    (32, 524288, (2400, 1080), (1056, 480)),
    (32, 524288, (2560, 1600), (896, 544)),
]
"""factor, max_pixels, a picture's size, and the size that smart_resize of transformers 5.19.0 gives, both (w, h)."""


@pytest.mark.parametrize(("factor", "max_pixels", "size", "expected"), SMART_RESIZE)
def test_pictures_are_shown_as_the_real_processor_resizes_them(
    factor: int, max_pixels: int | None, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    dialect = dialect_named("qwen2.5-vl" if factor == 28 else "qwen3-vl", max_pixels)
    shown = dialect.input_size(Size(width=size[0], height=size[1]))
    assert (shown.width, shown.height) == expected
    assert dialect.image_tokens(Size(width=size[0], height=size[1])) == shown.width * shown.height // factor**2


@pytest.mark.parametrize(
    ("name", "max_pixels", "size", "tokens"),
    [
        ("qwen2.5-vl", None, (1080, 2400), 3354),
        ("qwen3-vl", None, (1080, 2400), 2550),
        ("qwen2.5-vl", 1280 * 28 * 28, (1080, 2400), 1272),
        ("qwen3-vl", 1280 * 32 * 32, (1080, 2400), 1272),
        ("qwen3-vl", 768 * 32 * 32, (1080, 2400), 738),
        ("qwen3-vl", 512 * 32 * 32, (1080, 2400), 495),
        ("qwen2.5-vl", None, (720, 1600), 1482),
        ("qwen3-vl", None, (720, 1600), 1100),
        ("qwen2.5-vl", None, (1440, 3120), 5661),
        ("qwen3-vl", None, (1440, 3120), 4410),
        ("qwen3-vl", 1280 * 32 * 32, (1440, 3120), 1248),
        ("qwen3-vl", 1_048_576, (1080, 2400), 987),
    ],
)
def test_tokens_of_a_picture(name: str, max_pixels: int | None, size: tuple[int, int], tokens: int) -> None:
    assert dialect_named(name, max_pixels).image_tokens(Size(width=size[0], height=size[1])) == tokens


# ---------------------------------------------------------------------------- there and back
def there_and_back(dialect: Dialect, size: Size, x: int, y: int) -> tuple[int, int]:
    return to_pixel(dialect, *to_model(dialect, x, y, size), size)


def check_pixel(dialect: Dialect, size: Size, x: int, y: int) -> None:
    extent = dialect.extent(size)
    back = there_and_back(dialect, size, x, y)
    for was, now, side, full in ((x, back[0], size.width, extent.width), (y, back[1], size.height, extent.height)):
        if full >= side:
            assert was == now
        else:
            assert 2 * full * abs(was - now) <= side + full


def check_unit(dialect: Dialect, size: Size, x: int, y: int) -> None:
    extent = dialect.extent(size)
    pixel = to_pixel(dialect, x, y, size)
    assert size.contains(*pixel)
    back = to_model(dialect, *pixel, size)
    for was, now, side, full in ((x, back[0], size.width, extent.width), (y, back[1], size.height, extent.height)):
        if was == full:
            assert 2 * side * (full - now) <= 2 * full + side
            assert side < full or full - 1 <= now
        elif side >= full:
            assert was == now
        else:
            # A unit that the last pixel stands for may lie up to half a pixel further than the others.
            assert 2 * side * abs(was - now) <= 2 * full + side


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("max_pixels", [None, 1_048_576])
@pytest.mark.parametrize("name", ["qwen3-vl", "qwen2.5-vl"])
def test_every_pixel_and_every_unit_of_real_screens(name: str, max_pixels: int | None, screen: tuple[int, int]) -> None:
    dialect, size = dialect_named(name, max_pixels), Size(width=screen[0], height=screen[1])
    extent = dialect.extent(size)
    for at in range(max(screen)):
        check_pixel(dialect, size, min(at, size.width - 1), min(at, size.height - 1))
    for at in range(max(extent.width, extent.height) + 1):
        check_unit(dialect, size, min(at, extent.width), min(at, extent.height))


@st.composite
def pixels(draw: st.DrawFn) -> tuple[Size, int, int]:
    size = draw(sizes)
    return size, draw(st.integers(0, size.width - 1)), draw(st.integers(0, size.height - 1))


@given(capped, pixels())
def test_a_pixel_survives_where_the_model_is_finer_and_else_within_its_rounding(
    dialect: Dialect, place: tuple[Size, int, int]
) -> None:
    check_pixel(dialect, *place)


@given(capped, sizes, st.floats(0, 1), st.floats(0, 1))
def test_a_model_point_survives_within_the_rounding_of_pixels(
    dialect: Dialect, size: Size, right: float, down: float
) -> None:
    extent = dialect.extent(size)
    check_unit(dialect, size, round(right * extent.width), round(down * extent.height))


@given(capped, sizes)
def test_corners_land_on_corners(dialect: Dialect, size: Size) -> None:
    extent = dialect.extent(size)
    assert to_pixel(dialect, 0, 0, size) == (0, 0)
    assert to_pixel(dialect, extent.width, extent.height, size) == (size.width - 1, size.height - 1)


@given(capped, sizes, st.integers(-5000, 20000), st.integers(-5000, 20000))
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


@given(sizes, st.sampled_from([28, 32]), st.integers(4, 400), st.integers(500, 4000))
@example(Size(width=4000, height=60), 28, 4, 500)
def test_a_resized_picture_keeps_to_its_factor_and_its_area(size: Size, factor: int, least: int, most: int) -> None:
    rule = Dialect("any", factor, min_pixels=least * factor**2, max_pixels=most * factor**2)
    shown = rule.input_size(size)
    assert shown.width % factor == shown.height % factor == 0
    # A side is never under one factor, so a very long and thin picture may stay above the limit.
    assert shown.width * shown.height <= rule.max_pixels or factor in (shown.width, shown.height)
    assert shown.width * shown.height >= rule.min_pixels
    assert rule.image_tokens(size) == shown.width * shown.height // factor**2


# ---------------------------------------------------------------------------- by name
@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("qwen3_vl", "qwen3-vl"),
        ("Qwen2_5-VL", "qwen2.5-vl"),
        ("qwen3-5", "qwen3.5"),
        ("gui_owl_1.5", "gui-owl-1.5"),
        ("Qwen3_8", "qwen3.5"),
    ],
)
def test_names_are_alike_with_dots_dashes_and_underscores(name: str, known: str) -> None:
    assert dialect_named(name) is DIALECTS[known]


@pytest.mark.parametrize(
    ("model", "dialect"),
    [
        ("Qwen/Qwen3.6-27B-FP8", "qwen3.5"),
        ("qwen3.8", "qwen3.5"),
        ("MarsXL/UI-Voyager", "qwen3-vl"),
        ("lgy0404/ForgeQwen3-8B", "qwen3-vl"),
        ("ForgeOwl-8B", "gui-owl-1.5"),
        ("inclusionAI/UI-Venus-2-9B", "ui-venus-2"),
        ("UI-Venus-1.5-30B-A3B", "ui-venus-1.5"),
        ("Hcompany/Holo-3.1-9B", "holo-3.1"),
        ("Hcompany/Holo4-35B-A3B", "holo-3.1"),
        ("stepfun-ai/GELab-Zero-4B-preview", "gelab-zero"),
        ("Qwen3.60-27B", None),
        ("UI-Venus-Navi-7B", None),
    ],
)
def test_a_model_of_another_name_has_the_dialect_of_its_family(model: str, dialect: str | None) -> None:
    family = dialect_of(model)
    assert (family and family.name) == dialect


def test_a_cap_changes_pictures_and_only_resized_coordinates() -> None:
    small3, small25 = dialect_named("qwen3-vl", 1_048_576), dialect_named("qwen2.5-vl", 1_048_576)
    assert small3.extent(PHONE) == QWEN3.extent(PHONE) == Size(width=1000, height=1000)
    assert small3.input_size(PHONE) == Size(width=672, height=1504)
    assert small25.extent(PHONE) == small25.input_size(PHONE) == Size(width=672, height=1512)


def test_an_unknown_dialect_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"qwen3-vl, qwen3\.5, .*qwen2\.5-vl"):
        dialect_named("gpt")


def test_a_cap_that_leaves_no_picture_is_refused() -> None:
    with pytest.raises(BadInput, match="the least is 1024"):
        dialect_named("qwen3-vl", 1000)
