"""A learner's whole list, applied to what stands by the time when it is done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.memory.tip_diff import NEARLY, TipState, are_equivalent, diff_tips, similarity

TEXTS = st.lists(
    st.sampled_from(
        [
            "Close pop-ups first.",
            "Search by the glass.",
            "Scroll for prices.",
            "先关闭弹窗",
            "Notes save alone.",
            "Use dark mode.",
        ]
    ),
    unique=True,
)


def standing(texts: list[str], version: int = 1) -> dict[str, TipState]:
    return {text: TipState(text, version, text) for text in texts}


def applied(shown: list[str], answered: list[str], now: dict[str, TipState]) -> list[str]:
    found, _ = diff_tips([TipState(text, 1, text) for text in shown], answered, now)
    after = {id: tip.text for id, tip in now.items()}
    for change in found:
        if not change.text:
            del after[change.id]
        else:
            after[change.id or f"new {change.text}"] = change.text
    return list(after.values())


@given(TEXTS, TEXTS)
def test_alone_it_takes_the_place_of_what_was_shown(shown: list[str], answered: list[str]) -> None:
    assert set(applied(shown, answered, standing(shown))) == set(answered)


@given(TEXTS, TEXTS, TEXTS)
def test_what_others_taught_meanwhile_stays(shown: list[str], answered: list[str], taught: list[str]) -> None:
    after = applied(shown, answered, standing([*shown, *taught]))
    assert {*answered, *(set(taught) - set(shown))} == set(after)


@given(TEXTS, TEXTS)
def test_what_was_worded_anew_meanwhile_is_not_removed(shown: list[str], answered: list[str]) -> None:
    now = {text: TipState(text, 2, f"{text} Mind the keyboard, which hides what is below it.") for text in shown}
    after = applied(shown, answered, now)
    assert {tip.text for tip in now.values()} <= set(after)
    assert len(after) == len(now) + len(set(answered) - set(shown))


@given(st.text(max_size=60), st.text(max_size=60))
def test_alike_is_a_measure(one: str, other: str) -> None:
    assert similarity(one, one) == 1.0
    assert 0.0 <= similarity(one, other) <= 1.0


def test_nearly_the_same_says_the_same() -> None:
    assert similarity("Close the sale pop-up before you search.", "close the sale pop-up before you search") == 1.0
    assert (
        similarity("Close the big sale pop-up before you search.", "Close the sale pop-up before you search.") >= NEARLY
    )
    assert similarity("Close the sale pop-up before you search.", "Never buy anything on sale.") < NEARLY
    assert similarity("搜索之前先关闭弹窗", "搜索之前请先关闭弹窗") >= NEARLY


@given(st.text(max_size=60), st.text(max_size=60))
def test_whether_two_say_the_same_does_not_depend_on_their_order(one: str, other: str) -> None:
    assert are_equivalent(one, one)
    assert are_equivalent(one, other) == are_equivalent(other, one)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Close the big sale pop-up before you search.", "Close the sale pop-up before you search.", True),
        ("Tap the search button twice to open its page.", "Tap a search button twice to open its page.", True),
        ("Close the banner before searching for things.", "Close the banners before searching for things.", True),
        ("搜索之前先关闭弹窗", "搜索之前请先关闭弹窗", True),
        ("Always tap the search icon in the shop first.", "Never tap the search icon in the shop first.", False),
        ("Do tap the red button at the end of a page.", "Do not tap the red button at the end of a page.", False),
        ("The button of the Shop is at the end of it.", "The button of the Maps is at the end of it.", False),
        ("Wait 5 seconds for the list of the shop to load.", "Wait 9 seconds for the list of the shop to load.", False),
        ("搜索之前先关闭那个弹窗", "搜索之前不先关闭那个弹窗", False),
        ("在购物里点搜索按钮就可以了", "在地图里点搜索按钮就可以了", False),
    ],
)
def test_one_word_may_make_another_tip(one: str, other: str, same: bool) -> None:
    assert are_equivalent(one, other) == same


def test_a_list_that_says_the_same_twice_adds_it_once() -> None:
    found, same = diff_tips([], ["Search by the glass.", "search by the glass"], {})
    assert [change.text for change in found] == ["Search by the glass."]
    assert [one.id for one in same] == [""]
