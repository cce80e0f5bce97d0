"""Keys that edit a field: the caret moves, what is selected is replaced, and all that can be seen and asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.simulator.phone.ui.editing import Clipboard, edit
from manyhands.simulator.phone.ui.field import Field
from tests.examples import examples
from tests.simulator.phone.conftest import Commanded
from tests.simulator.phone.hand import Hand

TOGETHER = "input keycombination"
DEL, FORWARD_DEL, LEFT, RIGHT, UP, DOWN, HOME, END = 67, 112, 21, 22, 19, 20, 122, 123


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
        ("MOVE_HOME DEL DPAD_UP", "|abcdef"),
        ("DPAD_LEFT DPAD_DOWN DEL", "abcde|"),
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
    await commanded.out("input keycombination CTRL_LEFT A")
    assert await commanded.out(ask) == "mCursorSelStart=0\nmCursorSelEnd=6\n"


@pytest.mark.parametrize(
    ("lines", "held"),
    [
        (["input keycombination 113 29", "input keyevent 67"], "Search notes"),
        (["input keycombination CTRL_LEFT A", "input text new"], "new"),
        (["input keycombination SHIFT_LEFT A"], "one two threeA"),
        (["input keycombination SHIFT_LEFT 8"], "one two three!"),
        (["input keycombination -t 1 CTRL_LEFT DPAD_LEFT", "input text 'a '"], "one two a three"),
        (["input keycombination CTRL_LEFT DEL"], "one two "),
        (
            [f"{TOGETHER} SHIFT_LEFT DPAD_LEFT", f"{TOGETHER} SHIFT_LEFT 21", "input text Y"],
            "one two thrY",
        ),
        (
            [f"{TOGETHER} CTRL_LEFT SHIFT_LEFT MOVE_HOME", "input keyevent CUT PASTE PASTE"],
            "one two three" * 2,
        ),
        (
            [f"{TOGETHER} CTRL_LEFT A", f"{TOGETHER} CTRL_LEFT C", "input keyevent 22 279"],
            "one two three" * 2,
        ),
    ],
)
async def test_combinations(commanded: Commanded, lines: list[str], held: str) -> None:
    await search(commanded, "one two three")
    for line in lines:
        await commanded.out(line)
    assert await search(commanded) == held


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("input keycombination 113", "at least 2"),
        ("input keycombination 113 NO_KEY", "Unknown keycode: NO_KEY"),
        ("input keycombination POWER VOLUME_DOWN", "takes no screenshots by keys"),
        ("input motionevent JUMP 1 1", "Unknown action: JUMP"),
        ("input motionevent UP 1 1", "no finger is down"),
        ("input motionevent MOVE 1 1", "no finger is down"),
        ("input motionevent CANCEL", "no finger is down"),
        ("input motionevent DOWN 1", "2 numbers"),
    ],
)
async def test_what_cannot_be_done_is_said(commanded: Commanded, line: str, said: str) -> None:
    answer = await commanded.run(line)
    assert answer.status == 255
    assert said in answer.err


async def test_lines_of_a_note(commanded: Commanded) -> None:
    """Up and down go by the lines that are drawn, those that were wrapped too."""
    hand = commanded.hand
    hand.open("Notes")
    hand.tap("Gym plan")
    hand.tap("Gym plan")
    hand.enter()  # to the body
    hand.phone.ime_clear()
    hand.type("first line\nsecond\n" + "long " * 30)
    await commanded.out("input keycombination CTRL_LEFT MOVE_HOME")
    for keys, mark in (("22 22", "1"), ("20", "2"), ("20 MOVE_END", "3"), ("19 MOVE_END", "4"), ("19 MOVE_HOME", "5")):
        await commanded.out(f"input keyevent {keys}; input text {mark}")
    lines = hand.field().split("\n")
    assert lines[:2] == ["5fi1rst line", "sec2ond4"]
    shown = lines[2].partition("3")[0]
    assert hand.sees(shown + "3"), "the end of what is drawn on the third line"
    assert shown != lines[2]
    await commanded.out("input keycombination CTRL_LEFT MOVE_END; input text END")
    assert hand.field().endswith("long END")
    assert hand.sees("END")


async def test_a_long_line_shows_where_the_caret_is(commanded: Commanded) -> None:
    await search(commanded, "begin " + "x" * 300 + " finish")
    assert commanded.hand.sees("finish")
    assert not commanded.hand.sees("begin")
    await commanded.out("input keyevent MOVE_HOME")
    assert commanded.hand.sees("begin")
    assert not commanded.hand.sees("finish")


async def test_a_finger_in_pieces(commanded: Commanded) -> None:
    hand = commanded.hand
    box = hand.box("Notes")
    await commanded.out(f"input motionevent DOWN {box.x} {box.y}; input motionevent UP {box.x} {box.y}")
    assert hand.state("foreground.app") == "Notes"
    hand.wait()
    first = hand.box("Gym plan")
    finger = "input motionevent"
    await commanded.out(f"{finger} DOWN 540 1800; {finger} move 540 1750; {finger} UP 540 1720")
    assert first.y - hand.box("Gym plan").y == 80
    card = hand.box("Gym plan")
    await commanded.out(f"input motionevent DOWN {card.x} {card.y}; sleep 0.6; input motionevent UP {card.x} {card.y}")
    assert hand.state("foreground.page") == "menu"
    await commanded.out("input motionevent DOWN 540 2000; input motionevent CANCEL")
    assert hand.state("foreground.page") == "menu"


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("one two", 4, 7),
        ("one\ntwo", 4, 7),
        ("one two, ", 4, 9),
        ("see a.b (c)", 9, 11),
        ("?!", 0, 2),
        ("好 吗", 2, 3),
    ],
)
def test_words_end_where_letters_and_digits_do(text: str, left: int, right: int) -> None:
    """A line break parts words, too, and punctuation is none: so it is on Android."""
    field = Field(text, "newline")
    field.move("word left")
    assert field.caret == left
    field.move("word right")
    field.move("word right")
    assert field.caret == right
    assert Field("a" * 30_000).caret == 20_000, "a field is as long as any, whatever it begins with"


KEYS = st.sampled_from([DEL, FORWARD_DEL, LEFT, RIGHT, UP, DOWN, HOME, END, 29, 30, 62, 66, 277, 278, 279])
HELD = st.sampled_from([frozenset[int](), frozenset({59}), frozenset({113}), frozenset({59, 113})])


@settings(max_examples=examples(300))
@given(
    st.text("ab \n", max_size=12), st.lists(st.tuples(KEYS, HELD), max_size=12), st.sampled_from(["search", "newline"])
)
def test_the_caret_stays_in_the_text(text: str, pressed: list[tuple[int, frozenset[int]]], purpose: str) -> None:
    field, clipboard = Field(text, "newline" if purpose == "newline" else "search"), Clipboard()
    for code, held in pressed:
        before = field.text
        edit(field, code, held, clipboard)
        start, end = field.selection
        assert 0 <= start <= end <= len(field.text)
        if code in (LEFT, RIGHT, UP, DOWN, HOME, END, 278):
            assert field.text == before
        if code == DEL and not held:
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
        hand.phone.key(data.draw(st.sampled_from([UP, DOWN, LEFT, RIGHT, HOME, END])))
    lines = field.text[: field.caret].count("\n")
    assert field.line >= lines
    hand.phone.frame()
