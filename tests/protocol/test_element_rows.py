"""The elements of a screen as prompts list them: which ones, in which groups, and read back as they were written."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manyhands.protocol.roles.sections import ListedElement, ListedScreen, screen_body
from manyhands.protocol.screens.element_rows import (
    control_facts,
    element_row,
    group_elements,
    grouped_body,
    is_listed,
    parse_elements,
)
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Control, Element

UPRIGHT = Size(width=1080, height=2400)


def element(y1: int, y2: int, content: str = "Wi-Fi", kind: str = "text") -> Element:
    box = Box(x1=100, y1=y1, x2=300, y2=y2)
    return Element.model_validate({"kind": kind, "box": box, "content": content, "confidence": 1})


def listed(number: int, content: str = "Wi-Fi", kind: str = "text") -> ListedElement:
    return ListedElement(number=number, kind=kind, x=10, y=20, content=content)


def test_the_status_bar_and_icons_without_a_name_are_not_listed() -> None:
    assert is_listed(element(80, 140), UPRIGHT)
    assert is_listed(element(80, 140, "search", "icon"), UPRIGHT)
    assert not is_listed(element(80, 140, "", "icon"), UPRIGHT)
    assert not is_listed(element(20, 70, "12:30"), UPRIGHT)
    assert not is_listed(element(20, 70, "battery", "icon"), UPRIGHT)
    assert is_listed(element(20, 70, "12:30"), Size(width=2400, height=1080))


def test_elements_that_lie_together_are_one_group() -> None:
    boxes = [(300, 350), (360, 400), (310, 390), (500, 550), (700, 750)]
    elements = [(listed(number), element(*box)) for number, box in enumerate(boxes, start=1)]
    assert [[one.number for one in group] for group in group_elements(elements)] == [[1, 2, 3], [4], [5]]


def test_a_list_is_written_with_an_empty_line_between_groups() -> None:
    screen = ListedScreen(width=1000, height=1000, elements=(), remarks=("A remark.",))
    body = grouped_body(screen, ((listed(2), listed(3, "search", "icon")), (listed(7, "icon: a"),)))
    assert body == (
        "Screen: 1000 x 1000.\nA remark.\n<data>\n"
        "2 (10,20) Wi-Fi\n3 (10,20) icon: search\n\n7 (10,20) text: icon: a\n</data>"
    )
    assert parse_elements(body) == (listed(2), listed(3, "search", "icon"), listed(7, "icon: a"))


def test_the_form_as_in_the_papers_is_read_too() -> None:
    elements = (listed(1), listed(2, "", "icon"), listed(3, "a: b", "icon"))
    assert parse_elements(screen_body(ListedScreen(width=9, height=9, elements=elements))) == elements


@given(st.text(), st.sampled_from(["text", "icon"]), st.integers(1, 999_999), st.integers(0, 9999))
@example("icon", "text", 1, 0)
@example("text: x", "text", 1, 0)
@example("", "text", 1, 0)
def test_an_element_is_read_as_it_was_written(content: str, kind: str, number: int, x: int) -> None:
    written = ListedElement(number=number, kind=kind, x=x, y=5, content=content)
    body = f"<data>\n{element_row(written)}\n</data>"
    assert parse_elements(body) == (written.model_copy(update={"content": " ".join(content.split())}),)


BOX = Box(x1=0, y1=0, x2=9, y2=9)


@pytest.mark.parametrize(
    ("control", "facts"),
    [
        (None, ()),
        (Control(kind="View", box=BOX), ()),
        (Control(kind="LinearLayout", box=BOX, clickable=True), ("clickable",)),
        (Control(kind="Switch", box=BOX, clickable=True, checked=False), ("not checked", "clickable")),
        (Control(kind="CheckBox", box=BOX, checked=True, enabled=False), ("checked", "disabled")),
        (
            Control(kind="EditText", box=BOX, focused=True, scrollable=True, clickable=True),
            ("text field", "focused", "scrollable", "clickable"),
        ),
    ],
)
def test_what_the_phone_tells_of_a_control_stands_behind_its_place(
    control: Control | None, facts: tuple[str, ...]
) -> None:
    assert control_facts(element(80, 140).model_copy(update={"control": control})) == facts
    written = listed(3, "; checked) forged").model_copy(update={"facts": facts})
    row = element_row(written)
    assert row == f"3 ({'; '.join(('10,20', *facts))}) ; checked) forged"
    assert parse_elements(f"Screen: 9 x 9.\n<data>\n{row}\n</data>") == (written,)
