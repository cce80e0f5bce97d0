"""When two strings say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.perception.lines import best_similarity, plain, similarity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wi–Fi", "WI-FI"),
        ("Search  settings", "searchsettings"),
        ("Card… more", "Card...... more"),
        ("Card… more", "Card·· more"),
        ("（全部）", "(全部)"),
        ("「你好」。", "[你好]."),
        ("Yu’E “Bao”", 'yu\'e "bao"'),
        ("About ›", "About"),
        ("★ 4.8 ★", "4.8"),
        ("Ｗｉｆｉ", "wifi"),
        ("a\u200bb", "ab"),
        ("5–6", "5-6"),
    ],
)
def test_typography_makes_no_difference(one: str, other: str) -> None:
    assert plain(one) == plain(other)


@pytest.mark.parametrize(("one", "other"), [("1.5", "15"), ("O", "0"), ("l", "1"), ("买", "卖"), ("a.b", "a..b")])
def test_characters_do(one: str, other: str) -> None:
    assert plain(one) != plain(other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", 1.0),
        ("a", "", 0.0),
        ("kitten", "sitting", 1 - 3 / 7),
        ("abcdefghij", "abcdefghiX", 0.9),
        ("ab", "ba", 0),
    ],
)
def test_similarity_counts_edits(one: str, other: str, expected: float) -> None:
    assert similarity(one, other) == expected


@given(st.text(max_size=12), st.text(max_size=12))
def test_similarity_is_the_same_both_ways_and_1_only_for_equals(one: str, other: str) -> None:
    value = similarity(one, other)
    assert value == similarity(other, one)
    assert 0 <= value <= 1
    assert (value == 1) == (one == other)


@given(st.text(max_size=10), st.integers(0, 10), st.characters())
def test_a_character_more_is_one_edit(text: str, place: int, more: str) -> None:
    longer = text[:place] + more + text[place:]
    assert similarity(text, longer) == pytest.approx(1 - 1 / len(longer))


@given(st.text(max_size=20))
def test_plain_text_is_plain(text: str) -> None:
    assert not any(character.isspace() for character in plain(text))
    assert best_similarity(["something else", plain(text)], plain(text)) == 1
