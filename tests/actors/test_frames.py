"""Frames that are JPEGs, from gateways far away; PNGs and raw ones are in tests/actors/perception/test_garbage.py."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from manyhands.actors.frames import (
    PAINT,
    Frame,
    content_id,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    is_painted,
    paint_frame,
)
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.screens.geometry import LONGEST_SIDE, Box
from tests.actors.perception.pictures import sample

PICTURE = sample("A word")
JPEG = encode_jpeg(PICTURE)
FRAME_HEADER = JPEG.index(b"\xff\xc0")


def sized(width: int, height: int) -> bytes:
    """The JPEG with another size in its header."""
    at = FRAME_HEADER + 5
    return JPEG[:at] + height.to_bytes(2, "big") + width.to_bytes(2, "big") + JPEG[at + 4 :]


def test_the_pixels_of_a_jpeg_are_those_that_are_decoded_and_a_png_of_it_keeps_them() -> None:
    frame = Frame("jpeg", JPEG)
    rgb = frame.rgb()
    assert rgb.shape == PICTURE.shape
    assert int(np.abs(rgb.astype(int) - PICTURE).max()) < 60  # no other picture; it is not lossless
    assert content_id(decode_png(frame.png())) == content_id(rgb) != content_id(PICTURE)


@given(st.lists(st.tuples(*[st.integers(-20, 400)] * 4), max_size=3))
def test_only_boxes_are_painted_over_and_the_png_says_so(corners: list[tuple[int, int, int, int]]) -> None:
    boxes = [Box(x1=min(a, c), y1=min(b, d), x2=max(a, c), y2=max(b, d)) for a, b, c, d in corners]
    before = PICTURE.copy()
    png = paint_frame(Frame("rgb", PICTURE), boxes).png()
    rows, columns = np.indices(PICTURE.shape[:2])
    inside = np.zeros(PICTURE.shape[:2], bool)
    for box in boxes:
        inside |= (box.x1 <= columns) & (columns < box.x2) & (box.y1 <= rows) & (rows < box.y2)
    assert np.array_equal(decode_png(png), np.where(inside[..., None], PAINT, PICTURE))
    assert np.array_equal(PICTURE, before)
    assert is_painted(png)
    assert not is_painted(encode_png(PICTURE))
    with Image.open(io.BytesIO(png)) as picture:  # another decoder, which checks the sums of chunks
        picture.load()
        assert picture.info["Comment"] == "Manyhands painted over it"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"screencap: permission denied\n",
        JPEG[:FRAME_HEADER],
        JPEG[: len(JPEG) // 2],
        encode_png(PICTURE),
        sized(0, 96),
        sized(320, 0),
        sized(10_000, 10_000),
        sized(LONGEST_SIDE + 1, 8),
        sized(65_535, 65_535),
    ],
    ids=["empty", "a word", "cut in the tables", "cut", "a PNG", "no width", "no height", "bomb", "too wide", "words"],
)
def test_what_is_no_jpeg_is_a_typed_error(data: bytes) -> None:
    with pytest.raises(CaptureFailed):
        Frame("jpeg", data).rgb()


@pytest.mark.parametrize("mark", [b"\xff\x01", b"\xff\xd0", b"\xff"], ids=["TEM", "RST0", "fill"])
def test_a_hidden_size_is_an_error_before_it_is_decoded(mark: bytes) -> None:
    """Decoders go on right behind such a mark, and find the first frame header; by its length, it is jumped over."""
    larger, end = 2048, 2 + len(mark)
    hidden = sized(larger, larger)[2:]
    behind = int.from_bytes((JPEG[:2] + mark + hidden)[4:6], "big")  # where the length would lead
    data = (JPEG[:2] + mark + hidden).ljust(4 + behind, b"\0")[: 4 + behind] + JPEG[FRAME_HEADER:]
    assert data[end:].startswith(hidden[: behind - end])
    with pytest.raises(CaptureFailed, match="not a JPEG"):
        decode_jpeg(data)


def test_a_jpeg_is_no_png() -> None:
    with pytest.raises(CaptureFailed):
        Frame("png", JPEG).rgb()


@given(st.integers(0, len(JPEG) - 1), st.integers(1, 255))
def test_a_byte_that_is_wrong_gives_an_error_or_a_picture_within_the_limits(place: int, change: int) -> None:
    spoiled = bytearray(JPEG)
    spoiled[place] ^= change
    try:
        height, width, channels = decode_jpeg(bytes(spoiled)).shape
    except CaptureFailed:
        return
    assert channels == 3
    assert 0 < width <= LONGEST_SIDE
    assert 0 < height <= LONGEST_SIDE


@given(st.binary(max_size=300))
def test_noise_behind_a_jpegs_first_bytes_is_an_error(noise: bytes) -> None:
    with pytest.raises(CaptureFailed):
        decode_jpeg(b"\xff\xd8\xff" + noise)
