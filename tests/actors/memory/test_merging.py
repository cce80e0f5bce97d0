"""A learner's whole list, applied to what stands by the time when it is done."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.memory.merging import NEARLY, Stands, alike, changes

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


def standing(texts: list[str], version: int = 1) -> dict[str, Stands]:
    return {text: Stands(text, version, text) for text in texts}


def applied(shown: list[str], answered: list[str], now: dict[str, Stands]) -> list[str]:
    found, _ = changes([Stands(text, 1, text) for text in shown], answered, now)
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
    now = {text: Stands(text, 2, f"{text} Mind the keyboard, which hides what is below it.") for text in shown}
    after = applied(shown, answered, now)
    assert {tip.text for tip in now.values()} <= set(after)
    assert len(after) == len(now) + len(set(answered) - set(shown))


@given(st.text(max_size=60), st.text(max_size=60))
def test_alike_is_a_measure(one: str, other: str) -> None:
    assert alike(one, one) == 1.0
    assert 0.0 <= alike(one, other) <= 1.0


def test_nearly_the_same_says_the_same() -> None:
    assert alike("Close the sale pop-up before you search.", "close the sale pop-up before you search") == 1.0
    assert alike("Close the big sale pop-up before you search.", "Close the sale pop-up before you search.") >= NEARLY
    assert alike("Close the sale pop-up before you search.", "Never buy anything on sale.") < NEARLY
    assert alike("搜索之前先关闭弹窗", "搜索之前请先关闭弹窗") >= NEARLY
