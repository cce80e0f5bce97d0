"""Keyboard state from what was read, reading order, and what merging keeps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.arrangement import merge, reading_order
from manyhands.actors.perception.keyboard import keyboard_shown
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

SIZE = Size(width=1080, height=2400)


def at(content: str, x: int, y: int, width: int = 60, height: int = 60, confidence: float = 0.99) -> Element:
    box = Box(x1=x, y1=y, x2=x + width, y2=y + height)
    return Element(kind="text", box=box, content=content, confidence=confidence)


def keys(row: str, y: int) -> list[Element]:
    return [at(letter, 20 + 100 * column, y) for column, letter in enumerate(row)]


def test_the_line_of_adbkeyboard_counts_at_the_bottom_only() -> None:
    assert keyboard_shown([at("ADB Keyboard {ON}", 300, 2250, 480)], SIZE)
    assert not keyboard_shown([at("ADB Keyboard {ON}", 300, 900, 480)], SIZE)


def test_two_rows_of_letter_keys_are_a_keyboard() -> None:
    letters = [*keys("QWERTYUIOP", 1700), *keys("asdfghjkl", 1850)]
    assert keyboard_shown(letters, SIZE)
    assert keyboard_shown([at("q w e r t y u i o p", 20, 1700, 1000), at("zxcvbnm", 150, 2000, 800)], SIZE)
    assert keyboard_shown([*keys("azertyuiop", 1700), *keys("qsdfghjklm", 1850)], SIZE)


def test_keys_that_were_misread_do_not_hide_a_keyboard() -> None:
    assert keyboard_shown([*keys("qwe1tyuiop", 1700), *keys("asd1ghjk1", 1850)], SIZE)


def test_text_and_one_row_are_no_keyboard() -> None:
    assert not keyboard_shown([], SIZE)
    assert not keyboard_shown([at("qwerty is my password", 20, 1700, 900), at("asdf", 20, 1850)], SIZE)
    assert not keyboard_shown([at("Open the browser", 20, 1700, 900), at("Power and property", 20, 1850, 900)], SIZE)
    assert not keyboard_shown([*keys("QWERTYUIOP", 300), *keys("ASDFGHJKL", 450)], SIZE)


def test_a_row_is_read_from_the_left_though_its_boxes_differ_in_height() -> None:
    elements = [at("c", 700, 96, height=70), at("d", 20, 200), at("a", 20, 104, height=50), at("b", 300, 100)]
    assert [element.content for element in reading_order(elements)] == ["a", "b", "c", "d"]


def icon_at(x: int, y: int) -> Element:
    return Element(kind="icon", box=Box(x1=x - 5, y1=y - 5, x2=x + 65, y2=y + 65), content="", confidence=0.5)


def test_a_doubtful_glyph_gives_way_to_the_icon_in_its_place() -> None:
    icon = icon_at(100, 100)
    assert merge([at("J", 100, 100, confidence=0.6)], [icon], SIZE) == (icon,)
    sure, elsewhere = at("7", 100, 100), at("J", 600, 100, confidence=0.6)
    assert merge([sure, elsewhere], [icon], SIZE) == (icon, sure, elsewhere)


def test_a_short_reading_that_covers_an_icon_gives_way_unless_it_is_certain() -> None:
    icon = icon_at(100, 100)
    place = {"x": 95, "y": 95, "width": 70, "height": 70}
    assert merge([at("CoD4", **place, confidence=0.97)], [icon], SIZE) == (icon,)
    certain, long = at("Open", **place, confidence=0.999), at("Opened", **place, confidence=0.97)
    assert certain in merge([certain], [icon], SIZE)
    assert long in merge([long], [icon], SIZE)


def test_letters_that_look_like_icons_are_letters_only_among_keys() -> None:
    assert merge([at("O", 510, 900, confidence=0.99)], [icon_at(510, 900)], SIZE) == (icon_at(510, 900),)
    row = keys("QWERTYUIOP", 1700)
    assert [element for element in merge(row, [icon_at(20, 1700)], SIZE) if element.kind == "text"] == row


def test_single_characters_in_the_systems_bars_are_symbols() -> None:
    for y in (5, 2320):
        assert merge([at("1", 160, y)], [icon_at(160, y)], SIZE) == (icon_at(160, y),)
    assert at("14:07", 160, 5, 120) in merge([at("14:07", 160, 5, 120)], [icon_at(160, 5)], SIZE)


@given(
    st.lists(
        st.tuples(st.integers(0, 1000), st.integers(0, 2300), st.integers(0, 80), st.integers(0, 100)), max_size=30
    )
)
def test_order_loses_and_invents_nothing(places: list[tuple[int, int, int, int]]) -> None:
    elements = [at(str(index), *place) for index, place in enumerate(places)]
    ordered = reading_order(elements)
    assert sorted(ordered, key=id) == sorted(elements, key=id)
