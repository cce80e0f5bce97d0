"""Boxes are drawn close around what is in them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.icons.parts import tight
from manyhands.protocol.screens.geometry import Box

edges = st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(1, 60), st.integers(1, 60))


@given(st.integers(20, 70), st.integers(20, 70), st.integers(4, 25), st.integers(4, 25), st.integers(0, 2))
def test_a_loose_box_becomes_that_of_the_ink(x: int, y: int, width: int, height: int, rim: int) -> None:
    picture = np.full((100, 100, 3), 240, np.uint8)
    picture[y : y + height, x : x + width] = (30, 90, 200)
    loose = Box(x1=x - rim, y1=y - rim, x2=x + width + rim, y2=y + height + rim)
    found = tight(picture, loose)
    exact = Box(x1=x, y1=y, x2=x + width, y2=y + height)
    assert found == (exact if exact.area >= 0.35 * loose.area else loose)


@given(edges, st.integers(0, 1000))
def test_a_box_stays_on_the_picture_and_near_where_it_was(place: tuple[int, int, int, int], seed: int) -> None:
    x, y, width, height = place
    box = Box(x1=x, y1=y, x2=min(x + width, 100), y2=min(y + height, 100))
    picture = np.random.default_rng(seed).integers(0, 2, (100, 100, 3)).astype(np.uint8) * 200
    found = tight(picture, box)
    assert 0 <= found.x1 <= found.x2 <= 100
    assert 0 <= found.y1 <= found.y2 <= 100
    assert found.x1 >= box.x1 - 2
    assert found.y2 <= box.y2 + 2


def test_a_box_on_a_photograph_or_with_nothing_in_it_stays() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (100, 100, 3)).astype(np.uint8)
    box = Box(x1=20, y1=20, x2=60, y2=60)
    assert tight(noise, box) == box
    assert tight(np.full((100, 100, 3), 90, np.uint8), box) == box
