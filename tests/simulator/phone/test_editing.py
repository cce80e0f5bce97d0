"""Keys that edit a field: the caret moves, characters come and go, and all that can be seen and asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.simulator.phone.ui.editing import edit
from manyhands.simulator.phone.ui.field import Field
from tests.simulator.phone.conftest import Commanded
from tests.simulator.phone.hand import Hand

DEL, FORWARD_DEL, LEFT, RIGHT, HOME, END = 67, 112, 21, 22, 122, 123


async def search(commanded: Commanded, text: str = "") -> str:
    """Types into the search field of the notes; what it shows: its hint where it is empty."""
    if not commanded.hand.phone.keyboard_shown():
        commanded.hand.open("Notes")
        commanded.hand.tap("Search notes")
    if text:
        await commanded.out(f"input text '{text}'")
    return commanded.hand.field()


@pytest.mark.parametrize(
    ("keys", "held"),
    [
        ("DPAD_LEFT DPAD_LEFT DEL", "abc|ef"),
        ("21 21 21 FORWARD_DEL", "abc|ef"),
        ("MOVE_HOME FORWARD_DEL A", "a|bcdef"),
        ("MOVE_HOME 22 22 KEYCODE_3", "ab3|cdef"),
        ("MOVE_HOME MOVE_END 21 EQUALS", "abcde=|f"),
        ("MOVE_HOME DEL", "|abcdef"),
    ],
)
async def test_arrows_and_delete(commanded: Commanded, keys: str, held: str) -> None:
    await search(commanded, "abcdef")
    await commanded.out(f"input keyevent {keys}")
    await commanded.out("input text '|'")
    assert await search(commanded) == held


async def test_the_caret_is_told_and_drawn(commanded: Commanded) -> None:
    await search(commanded, "abcdef")
    ask = "dumpsys input_method | grep -o 'mCursorSel[A-Za-z]*=[0-9]*'"
    assert await commanded.out(ask) == "mCursorSelStart=6\nmCursorSelEnd=6\n"
    before = commanded.hand.phone.frame().rgb.copy()
    await commanded.out("input keyevent 21 21")
    assert await commanded.out(ask) == "mCursorSelStart=4\nmCursorSelEnd=4\n"
    changed = np.argwhere((commanded.hand.phone.frame().rgb != before).any(axis=2))
    box = commanded.hand.box("abcdef")
    assert changed.size
    assert changed[:, 1].max() - changed[:, 1].min() < box.w


async def test_a_line_of_a_note(commanded: Commanded) -> None:
    """The keys of a line's begin and end go by the lines that are drawn, those that were wrapped too."""
    hand = commanded.hand
    hand.open("Notes")
    hand.tap("Gym plan")
    hand.tap("Gym plan")
    hand.enter()  # to the body
    hand.phone.ime_clear()
    hand.type("first line\nsecond")
    await commanded.out("input keyevent MOVE_HOME; input text 1; input keyevent MOVE_END; input text 2")
    await commanded.out("input keyevent MOVE_HOME DPAD_LEFT MOVE_HOME; input text 3; input keyevent MOVE_END 21")
    await commanded.out("input keyevent FORWARD_DEL MOVE_END; input text 4")
    assert hand.field() == "3first lin4\n1second2"
    hand.phone.ime_clear()
    hand.type("long " * 30)
    await commanded.out("input keyevent MOVE_HOME; input text 5")
    drawn = hand.field().partition("5")
    assert (len(drawn[0]) > 50, drawn[1], hand.sees("5long")) == (True, "5", True)


async def test_a_long_line_shows_where_the_caret_is(commanded: Commanded) -> None:
    await search(commanded, "begin " + "x" * 300 + " finish")
    assert commanded.hand.sees("finish")
    assert not commanded.hand.sees("begin")
    await commanded.out("input keyevent MOVE_HOME")
    assert commanded.hand.sees("begin")
    assert not commanded.hand.sees("finish")


def test_a_field_is_as_long_as_any_whatever_it_begins_with() -> None:
    assert Field("a" * 30_000).caret == 20_000


KEYS = st.sampled_from([DEL, FORWARD_DEL, LEFT, RIGHT, HOME, END, 29, 30, 62, 66, 277])


@settings(max_examples=300)
@given(st.text("ab \n", max_size=12), st.lists(KEYS, max_size=12), st.sampled_from(["search", "newline"]))
def test_the_caret_stays_in_the_text(text: str, pressed: list[int], purpose: str) -> None:
    field = Field(text, "newline" if purpose == "newline" else "search")
    for code in pressed:
        before = field.text
        edit(field, code)
        field.starts = (0, *(at + 1 for at, character in enumerate(field.text) if character == "\n"))
        assert 0 <= field.caret <= len(field.text)
        if code in (LEFT, RIGHT, HOME, END, 277):
            assert field.text == before
        if code == DEL:
            assert len(field.text) <= len(before)


@settings(max_examples=30)
@given(st.text("ab c好\n", max_size=200), st.data())
def test_whatever_a_note_holds_the_lines_drawn_are_where_the_field_says(text: str, data: st.DataObject) -> None:
    hand = Hand()
    hand.open("Notes")
    hand.tap("Gym plan")
    hand.tap("Gym plan")
    hand.enter()
    hand.phone.ime_clear()
    hand.type(text)
    hand.phone.layout()
    field = hand.phone._host.field
    assert field is not None
    assert list(field.starts) == sorted(field.starts)
    for _ in range(data.draw(st.integers(0, 4))):
        hand.phone.key(data.draw(st.sampled_from([LEFT, RIGHT, HOME, END])))
    lines = field.text[: field.caret].count("\n")
    assert field.line >= lines
    hand.phone.frame()
