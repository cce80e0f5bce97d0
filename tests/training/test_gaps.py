"""What a blank is, by the labels of a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.gaps.examples import Span, separates

TEXTS = [Span(10, 60), Span(80, 120)]


@pytest.mark.parametrize(
    ("blank", "answer"),
    [
        ((30, 36), False),  # between two words of a label
        ((60, 80), True),
        ((62, 78), True),
        ((120, 130), None),  # nothing follows
        ((0, 9), None),  # nothing is before
    ],
)
def test_a_blank_parts_two_labels_or_is_within_one_or_nothing_is_known(
    blank: tuple[int, int], answer: bool | None
) -> None:
    assert separates(TEXTS, [], *blank, reach=20) is answer


def test_an_icon_beside_a_label_is_another_label() -> None:
    assert separates([Span(40, 90)], [Span(10, 30)], 30, 40, reach=20) is True
    assert separates([Span(140, 190)], [Span(10, 30)], 30, 40, reach=20) is None


@given(st.lists(st.tuples(st.floats(0, 500), st.floats(1, 90)), max_size=6), st.floats(0, 500), st.floats(1, 40))
def test_what_is_within_a_label_parts_nothing(spans: list[tuple[float, float]], left: float, width: float) -> None:
    texts = [Span(start, start + length) for start, length in spans]
    inside = any(text.left < left + width / 2 < text.right for text in texts)
    assert (separates(texts, [], left, left + width, reach=30) is False) is inside
