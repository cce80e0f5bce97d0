"""Full-width and half-width forms."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.text.normalization import plain_forms


@pytest.mark.parametrize(
    ("read", "said"),
    [
        ("ＷＬＡＮ　５Ｇ", "WLAN 5G"),
        ("设置：ＷＬＡＮ，蓝牙（２）", "设置：WLAN，蓝牙（2）"),
        ("Total：￥ 12，000", "Total:￥ 12,000"),
        ("Done。", "Done."),
        ("完成。", "完成。"),
        ("OpenDocum..", "OpenDocum..."),
        ("白天充…", "白天充..."),
        ("v1.2.3", "v1.2.3"),
        (" ", ""),
    ],
)
def test_forms(read: str, said: str) -> None:
    assert plain_forms(read) == said


def compatible(text: str) -> str:
    """``text`` as Unicode's compatibility forms have it, without white space."""
    return "".join(unicodedata.normalize("NFKC", text).split())


@given(st.text(st.characters(exclude_characters="。、.．…。、")))
def test_what_is_plain_stays_and_means_the_same(text: str) -> None:
    plain = plain_forms(text)
    assert plain_forms(plain) == plain
    assert compatible(plain) == compatible(text)
