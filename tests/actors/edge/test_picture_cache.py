"""Pictures that are decoded and cached."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.edge.picture_download import NAMES_PER_PHONE, PictureCache, decode_picture
from manyhands.actors.frames import content_id, decode_jpeg, encode_jpeg, encode_png
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.screens.geometry import Size

# ---------------------------------------------------------------------------- pictures as they are handed out
RGB = np.random.default_rng(1).integers(0, 255, (60, 40, 3), dtype=np.uint8)


def test_a_jpeg_is_handed_out_as_it_came_and_named_by_the_pixels_that_it_has_here() -> None:
    jpeg = encode_jpeg(RGB)
    picture = decode_picture("jpeg", jpeg)
    assert picture.image.jpeg is jpeg
    assert picture.frame.data is jpeg
    assert picture.image.content_id == content_id(decode_jpeg(jpeg)) == content_id(picture.frame.rgb())
    assert picture.image.content_id != content_id(RGB)
    assert picture.size == Size(width=40, height=60)
    assert picture.memory_bytes == len(jpeg)


def test_a_lossless_picture_has_the_pixels_of_the_phone() -> None:
    png = encode_png(RGB)
    picture = decode_picture("png", png)
    assert picture.image.content_id == content_id(RGB)
    assert picture.image.jpeg == encode_jpeg(RGB)
    assert picture.frame.png() == png
    assert picture.memory_bytes == len(png) + len(picture.image.jpeg)


@pytest.mark.parametrize("form", ["jpeg", "png"])
@given(st.binary(max_size=300))
def test_what_is_no_picture_is_an_error(form: str, data: bytes) -> None:
    with pytest.raises(CaptureFailed):
        decode_picture(form, data)  # type: ignore[arg-type]


def test_an_album_names_the_last_pictures_of_a_phone_that_it_still_has() -> None:
    jpegs = [encode_jpeg(np.full((4, 4, 3), grey, np.uint8)) for grey in range(0, 250, 10)]
    album = PictureCache(10**6)
    for number, jpeg in enumerate(jpegs):
        album.put("lab/a", f"p{number}", decode_picture("jpeg", jpeg))
    album.put("lab/b", "p0", decode_picture("jpeg", jpegs[0]))
    assert album.names_of("lab/a") == tuple(f"p{number}" for number in range(len(jpegs) - NAMES_PER_PHONE, len(jpegs)))
    assert album.names_of("lab/b") == ("p0",)
    assert album.names_of("lab/c") == ()
    full = PictureCache(len(jpegs[0]))
    for name in ("p1", "p2"):
        full.put("lab/a", name, decode_picture("jpeg", jpegs[1]))
    assert full.names_of("lab/a") == ("p2",)
    assert full.get("p1") is None


def test_the_picture_that_was_not_used_for_longest_is_dropped_first() -> None:
    jpegs = [encode_jpeg(np.full((4, 4, 3), grey, np.uint8)) for grey in (10, 20, 30, 40)]
    cache = PictureCache(3 * max(map(len, jpegs)))
    for name, jpeg in zip("abc", jpegs, strict=False):
        cache.put("lab/a", name, decode_picture("jpeg", jpeg))
    assert cache.get("a") is not None
    cache.put("lab/a", "d", decode_picture("jpeg", jpegs[3]))
    assert cache.names_of("lab/a") == ("a", "c", "d")
    assert cache.get("b") is None
