"""Pictures in chunks: whatever order they come in and however often, it is the same picture, or a typed error."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.edge.pictures import Assembly, chunks_of, picture_of
from manyhands.protocol.errors import CaptureFailed


@given(st.binary(min_size=1, max_size=100), st.integers(1, 40), st.randoms(use_true_random=False))
def test_a_picture_is_put_together_from_chunks_in_any_order(data: bytes, size: int, chance: random.Random) -> None:
    picture = picture_of("jpeg", data, size)
    chunks = list(chunks_of(picture, data, size))
    assert [len(part) for _, part in chunks[:-1]] == [size] * (len(chunks) - 1)
    arriving = chunks + chance.sample(chunks, len(chunks) // 2)
    chance.shuffle(arriving)
    assembly = Assembly()
    for chunk, part in arriving:
        assembly.add(chunk, part)
    assert assembly.missing(picture) == ()
    assert assembly.whole(picture) == data


def test_what_is_missing_is_told_and_asked_for_again() -> None:
    data = bytes(range(100))
    picture = picture_of("png", data, 30)
    chunks = list(chunks_of(picture, data, 30))
    assembly = Assembly()
    assembly.add(*chunks[1])
    assert assembly.missing(picture) == (0, 2, 3)
    with pytest.raises(CaptureFailed, match="do not make its 100 bytes"):
        assembly.whole(picture)
    for index in assembly.missing(picture):
        assembly.add(*chunks[index])
    assert assembly.whole(picture) == data


def test_other_bytes_than_those_of_its_name_are_no_picture() -> None:
    picture = picture_of("jpeg", b"0123456789", 4)
    assembly = Assembly()
    for chunk, part in chunks_of(picture, b"01234X6789", 4):
        assembly.add(chunk, part)
    with pytest.raises(CaptureFailed, match="do not make"):
        assembly.whole(picture)
