"""Pictures put together of chunks that come in any order, twice, late or not at all; those that are kept."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.edge.coming import NAMED, Album, ComingPictures, Recent, decoded
from manyhands.actors.edge.pictures import chunks_of, picture_of
from manyhands.actors.frames import content_id, decode_jpeg, encode_jpeg, encode_png
from manyhands.protocol.edge.messages import MOST_PICTURE_BYTES, Picture, PictureChunk
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.geometry import Size
from tests.virtual_clock import run_virtual

PICTURE = st.binary(min_size=1, max_size=2000)


@given(st.lists(PICTURE, min_size=1, max_size=4, unique=True), st.integers(1, 300), st.data())
def test_pictures_are_whole_once_every_chunk_has_come_in_whatever_order(
    datas: list[bytes], chunk_bytes: int, draw: st.DataObject
) -> None:
    """Chunks of several pictures come mixed, some of them twice; what is missing is told exactly, and then fetched."""
    coming = ComingPictures(10**6)
    pictures = [picture_of("jpeg", data, chunk_bytes) for data in datas]
    sent = [
        chunk for picture, data in zip(pictures, datas, strict=True) for chunk in chunks_of(picture, data, chunk_bytes)
    ]
    lost = draw.draw(st.sets(st.integers(0, len(sent) - 1)))
    arriving = [chunk for number, chunk in enumerate(sent) if number not in lost]
    twice = draw.draw(st.lists(st.sampled_from(arriving), max_size=5)) if arriving else []
    for chunk, data in draw.draw(st.permutations([*arriving, *twice])):
        coming.add(chunk, data)
    gone = [sent[number] for number in sorted(lost)]
    for picture in pictures:
        expected = tuple(chunk.index for chunk, _ in gone if chunk.picture == picture.name)
        assert coming.missing(picture) == expected
    for chunk, data in gone:
        coming.add(chunk, data)
    assert [coming.whole(picture) for picture in pictures] == datas
    assert [coming.whole(picture) for picture in pictures] == datas  # of two phones that show the same
    for picture in pictures:
        coming.drop(picture)
    assert [len(coming.missing(picture)) for picture in pictures] == [picture.count for picture in pictures]


@given(PICTURE, st.integers(1, 300), st.data())
def test_chunks_of_another_picture_under_its_name_never_make_one(
    data: bytes, chunk_bytes: int, draw: st.DataObject
) -> None:
    coming, picture = ComingPictures(10**6), picture_of("jpeg", data, chunk_bytes)
    chunks = list(chunks_of(picture, data, chunk_bytes))
    wrong = draw.draw(st.integers(0, len(chunks) - 1))
    other = draw.draw(st.binary(max_size=400).filter(lambda other: other != chunks[wrong][1]))
    for number, (chunk, part) in enumerate(chunks):
        coming.add(chunk, other if number == wrong else part)
    with pytest.raises(CaptureFailed, match=picture.name):
        coming.whole(picture)
    assert len(coming.missing(picture)) == picture.count  # so all of it is fetched
    for chunk, part in chunks:
        coming.add(chunk, part)
    assert coming.whole(picture) == data


@given(st.lists(PICTURE, min_size=1, max_size=30, unique=True), st.integers(1, 4000))
def test_what_has_come_of_pictures_that_nobody_takes_is_bounded(datas: list[bytes], most: int) -> None:
    coming = ComingPictures(most)
    pictures = [picture_of("png", data, 500) for data in datas]
    for picture, data in zip(pictures, datas, strict=True):
        for chunk, part in chunks_of(picture, data, 500):
            coming.add(chunk, part)
    whole = [data for picture, data in zip(pictures, datas, strict=True) if not coming.missing(picture)]
    assert datas[-1] in whole
    assert sum(map(len, whole)) <= max(most, len(datas[-1]))


def test_chunks_without_bytes_are_bounded_too_and_no_picture_is_larger_than_any_can_be() -> None:
    """Whoever may send pictures could else fill the memory of those who ask."""
    empty = ComingPictures(64 * 1024)
    names = [f"{number:032x}" for number in range(1000)]
    for name in names:
        empty.add(PictureChunk(picture=name, index=0, count=1), b"")
    pictures = [Picture(name=name, form="jpeg", size=1, count=1) for name in names]
    assert 0 < sum(not empty.missing(picture) for picture in pictures) <= 64

    large, part = ComingPictures(1024), bytes(MOST_PICTURE_BYTES // 4)
    for index in range(6):
        large.add(PictureChunk(picture=names[0], index=index, count=6), part)
    assert large.missing(Picture(name=names[0], form="png", size=1, count=6)) == (4, 5)


def test_a_chunk_that_comes_again_takes_no_room() -> None:
    coming, chunk = ComingPictures(3000), PictureChunk(picture="0" * 32, index=0, count=1)
    other = Picture(name="1" * 32, form="jpeg", size=100, count=1)
    coming.add(PictureChunk(picture=other.name, index=0, count=1), bytes(100))
    for _ in range(10):
        coming.add(chunk, bytes(100))
    assert not coming.missing(other)


def test_whoever_waits_for_a_picture_hears_of_each_chunk_and_of_silence() -> None:
    async def main() -> None:
        coming, data = ComingPictures(10**6), bytes(250)
        picture = picture_of("jpeg", data, 100)
        loop = asyncio.get_running_loop()
        chunks = list(chunks_of(picture, data, 100))
        waiting = [asyncio.create_task(coming.more(picture.name, 5)) for _ in range(2)]
        loop.call_later(2, coming.add, *chunks[0])
        assert await asyncio.gather(*waiting) == [True, True]
        assert loop.time() == pytest.approx(2)
        assert not await coming.more(picture.name, 5)
        assert loop.time() == pytest.approx(7)

    run_virtual(main())


def test_what_was_used_last_stays() -> None:
    recent = Recent[str, int](most=3)
    for key in "abc":
        recent.put(key, ord(key))
    assert recent.get("a") == ord("a")
    recent.put("d", ord("d"))
    assert list(recent) == ["c", "a", "d"]
    recent.put("a", 0, 3)
    assert list(recent) == ["a"]
    assert recent.weight == 3


# ---------------------------------------------------------------------------- pictures as they are handed out
RGB = np.random.default_rng(1).integers(0, 255, (60, 40, 3), dtype=np.uint8)


def test_a_jpeg_is_handed_out_as_it_came_and_named_by_the_pixels_that_it_has_here() -> None:
    jpeg = encode_jpeg(RGB)
    picture = decoded("jpeg", jpeg)
    assert picture.image.jpeg is jpeg
    assert picture.frame.data is jpeg
    assert picture.image.content_id == content_id(decode_jpeg(jpeg)) == content_id(picture.frame.rgb())
    assert picture.image.content_id != content_id(RGB)
    assert picture.size == Size(width=40, height=60)
    assert picture.weight == len(jpeg)


def test_a_lossless_picture_has_the_pixels_of_the_phone() -> None:
    png = encode_png(RGB)
    picture = decoded("png", png)
    assert picture.image.content_id == content_id(RGB)
    assert picture.image.jpeg == encode_jpeg(RGB)
    assert picture.frame.png() == png
    assert picture.weight == len(png) + len(picture.image.jpeg)


@pytest.mark.parametrize("form", ["jpeg", "png"])
@given(st.binary(max_size=300))
def test_what_is_no_picture_is_an_error(form: str, data: bytes) -> None:
    with pytest.raises(CaptureFailed):
        decoded(form, data)  # type: ignore[arg-type]


def test_an_album_names_the_last_pictures_of_a_phone_that_it_still_has() -> None:
    jpegs = [encode_jpeg(np.full((4, 4, 3), grey, np.uint8)) for grey in range(0, 250, 10)]
    album = Album(10**6)
    for number, jpeg in enumerate(jpegs):
        album.keep("lab/a", f"p{number}", decoded("jpeg", jpeg))
    album.keep("lab/b", "p0", decoded("jpeg", jpegs[0]))
    assert album.have("lab/a") == tuple(f"p{number}" for number in range(len(jpegs) - NAMED, len(jpegs)))
    assert album.have("lab/b") == ("p0",)
    assert album.have("lab/c") == ()
    full = Album(len(jpegs[0]))
    for name in ("p1", "p2"):
        full.keep("lab/a", name, decoded("jpeg", jpegs[1]))
    assert full.have("lab/a") == ("p2",)
    assert full.get("p1") is None
