"""Pictures in chunks: whatever order they come in and however often, it is the same picture, or a typed error."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.edge.picture_chunks import PictureAssembler, PictureAssembly, describe_picture, split_picture
from manyhands.protocol.edge.messages import MAX_PICTURE_BYTES, PictureChunk, PictureInfo
from manyhands.protocol.errors import CaptureFailed
from tests.virtual_clock import run_virtual


@given(st.binary(min_size=1, max_size=100), st.integers(1, 40), st.randoms(use_true_random=False))
def test_a_picture_is_put_together_from_chunks_in_any_order(data: bytes, size: int, chance: random.Random) -> None:
    picture = describe_picture("jpeg", data, size)
    chunks = list(split_picture(picture, data, size))
    assert [len(part) for _, part in chunks[:-1]] == [size] * (len(chunks) - 1)
    arriving = chunks + chance.sample(chunks, len(chunks) // 2)
    chance.shuffle(arriving)
    assembly = PictureAssembly()
    for chunk, part in arriving:
        assembly.add(chunk, part)
    assert assembly.missing(picture) == ()
    assert assembly.join(picture) == data


def test_what_is_missing_is_told_and_asked_for_again() -> None:
    data = bytes(range(100))
    picture = describe_picture("png", data, 30)
    chunks = list(split_picture(picture, data, 30))
    assembly = PictureAssembly()
    assembly.add(*chunks[1])
    assert assembly.missing(picture) == (0, 2, 3)
    with pytest.raises(CaptureFailed, match="do not make its 100 bytes"):
        assembly.join(picture)
    for index in assembly.missing(picture):
        assembly.add(*chunks[index])
    assert assembly.join(picture) == data


def test_other_bytes_than_those_of_its_name_are_no_picture() -> None:
    picture = describe_picture("jpeg", b"0123456789", 4)
    assembly = PictureAssembly()
    for chunk, part in split_picture(picture, b"01234X6789", 4):
        assembly.add(chunk, part)
    with pytest.raises(CaptureFailed, match="do not make"):
        assembly.join(picture)


# ---------------------------------------------------------------------------- pictures of a site
PICTURE = st.binary(min_size=1, max_size=2000)


@given(st.lists(PICTURE, min_size=1, max_size=4, unique=True), st.integers(1, 300), st.data())
def test_pictures_are_whole_once_every_chunk_has_come_in_whatever_order(
    datas: list[bytes], chunk_bytes: int, draw: st.DataObject
) -> None:
    """Chunks of several pictures come mixed, some of them twice; what is missing is told exactly, and then fetched."""
    assembler = PictureAssembler(10**6)
    pictures = [describe_picture("jpeg", data, chunk_bytes) for data in datas]
    sent = [
        chunk
        for picture, data in zip(pictures, datas, strict=True)
        for chunk in split_picture(picture, data, chunk_bytes)
    ]
    lost = draw.draw(st.sets(st.integers(0, len(sent) - 1)))
    arriving = [chunk for number, chunk in enumerate(sent) if number not in lost]
    twice = draw.draw(st.lists(st.sampled_from(arriving), max_size=5)) if arriving else []
    for chunk, data in draw.draw(st.permutations([*arriving, *twice])):
        assembler.add(chunk, data)
    gone = [sent[number] for number in sorted(lost)]
    for picture in pictures:
        expected = tuple(chunk.index for chunk, _ in gone if chunk.picture == picture.name)
        assert assembler.missing(picture) == expected
    for chunk, data in gone:
        assembler.add(chunk, data)
    assert [assembler.join(picture) for picture in pictures] == datas
    assert [assembler.join(picture) for picture in pictures] == datas  # of two phones that show the same
    for picture in pictures:
        assembler.drop(picture)
    assert [len(assembler.missing(picture)) for picture in pictures] == [picture.count for picture in pictures]


@given(PICTURE, st.integers(1, 300), st.data())
def test_chunks_of_another_picture_under_its_name_never_make_one(
    data: bytes, chunk_bytes: int, draw: st.DataObject
) -> None:
    assembler, picture = PictureAssembler(10**6), describe_picture("jpeg", data, chunk_bytes)
    chunks = list(split_picture(picture, data, chunk_bytes))
    wrong = draw.draw(st.integers(0, len(chunks) - 1))
    other = draw.draw(st.binary(max_size=400).filter(lambda other: other != chunks[wrong][1]))
    for number, (chunk, part) in enumerate(chunks):
        assembler.add(chunk, other if number == wrong else part)
    with pytest.raises(CaptureFailed, match=picture.name):
        assembler.join(picture)
    assert len(assembler.missing(picture)) == picture.count  # so all of it is fetched
    for chunk, part in chunks:
        assembler.add(chunk, part)
    assert assembler.join(picture) == data


@given(st.lists(PICTURE, min_size=1, max_size=30, unique=True), st.integers(1, 4000))
def test_what_has_come_of_pictures_that_nobody_takes_is_bounded(datas: list[bytes], most: int) -> None:
    assembler = PictureAssembler(most)
    pictures = [describe_picture("png", data, 500) for data in datas]
    for picture, data in zip(pictures, datas, strict=True):
        for chunk, part in split_picture(picture, data, 500):
            assembler.add(chunk, part)
    whole = [data for picture, data in zip(pictures, datas, strict=True) if not assembler.missing(picture)]
    assert datas[-1] in whole
    assert sum(map(len, whole)) <= max(most, len(datas[-1]))


def test_empty_chunks_are_bounded_and_no_picture_exceeds_the_largest() -> None:
    """Whoever may send pictures could else fill the memory of those who ask."""
    empty = PictureAssembler(64 * 1024)
    names = [f"{number:032x}" for number in range(1000)]
    for name in names:
        empty.add(PictureChunk(picture=name, index=0, count=1), b"")
    pictures = [PictureInfo(name=name, form="jpeg", size=1, count=1) for name in names]
    assert 0 < sum(not empty.missing(picture) for picture in pictures) <= 64

    large, part = PictureAssembler(1024), bytes(MAX_PICTURE_BYTES // 4)
    for index in range(6):
        large.add(PictureChunk(picture=names[0], index=index, count=6), part)
    assert large.missing(PictureInfo(name=names[0], form="png", size=1, count=6)) == (4, 5)


def test_a_chunk_that_comes_again_takes_no_room() -> None:
    assembler, chunk = PictureAssembler(3000), PictureChunk(picture="0" * 32, index=0, count=1)
    other = PictureInfo(name="1" * 32, form="jpeg", size=100, count=1)
    assembler.add(PictureChunk(picture=other.name, index=0, count=1), bytes(100))
    for _ in range(10):
        assembler.add(chunk, bytes(100))
    assert not assembler.missing(other)


def test_whoever_waits_for_a_picture_hears_of_each_chunk_and_of_silence() -> None:
    async def main() -> None:
        assembler, data = PictureAssembler(10**6), bytes(250)
        picture = describe_picture("jpeg", data, 100)
        loop = asyncio.get_running_loop()
        chunks = list(split_picture(picture, data, 100))
        waiting = [asyncio.create_task(assembler.wait_for_chunk(picture.name, 5)) for _ in range(2)]
        loop.call_later(2, assembler.add, *chunks[0])
        assert await asyncio.gather(*waiting) == [True, True]
        assert loop.time() == pytest.approx(2)
        assert not await assembler.wait_for_chunk(picture.name, 5)
        assert loop.time() == pytest.approx(7)

    run_virtual(main())
