"""Elements of a phone's views: what is a text, an icon or a control, and what is never used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.view_tree import LONGEST, read_tree
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import MOST_DEPTH, Element, ViewInfo

SIZE = Size(width=1000, height=2000)
Bounds = tuple[int, int, int, int]


def view(kind: str, bounds: Bounds = (0, 0, 1000, 2000), depth: int = 0, **facts: object) -> ViewInfo:
    """A view of Android's own classes, named without their package."""
    known = {"kind": f"android.widget.{kind}", "bounds": bounds, "depth": depth}
    return ViewInfo.model_validate(known | facts)


def told(*views: ViewInfo) -> list[tuple[str, str, Bounds]]:
    return [(one.kind, one.content, sides(one.box)) for one in read_tree(views, SIZE).elements]


def sides(box: Box) -> Bounds:
    return box.x1, box.y1, box.x2, box.y2


def the(*views: ViewInfo) -> Element:
    (element,) = read_tree(views, SIZE).elements
    return element


ROW = (40, 100, 960, 200)
TITLE = (60, 110, 700, 190)
SWITCH = (800, 120, 940, 180)
ROW_OF_A_SWITCH = (
    view("FrameLayout"),
    view("LinearLayout", ROW, 1, clickable=True),
    view("TextView", TITLE, 2, text="Dark mode"),
    view("Switch", SWITCH, 2, checkable=True, checked=True),
)


def test_a_row_is_the_control_of_its_text_and_a_switch_is_its_own() -> None:
    title, switch = read_tree(ROW_OF_A_SWITCH, SIZE).elements
    assert (title.kind, title.content, sides(title.box), title.source) == ("text", "Dark mode", TITLE, "accessibility")
    assert title.control is not None
    assert (title.control.kind, sides(title.control.box)) == ("LinearLayout", ROW)
    assert (title.control.clickable, title.control.checked) == (True, None)
    assert (switch.kind, switch.content, sides(switch.box)) == ("icon", "switch on", SWITCH)
    assert switch.control is not None
    assert (switch.control.kind, switch.control.checked) == ("Switch", True)


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        ((view("FrameLayout"),), []),
        ((view("TextView", ROW, text="two\n lines"),), [("text", "two lines", ROW)]),
        ((view("ImageView", ROW, description="Photo of a cat"),), [("icon", "Photo of a cat", ROW)]),
        ((view("View", ROW, description="Play"),), [("text", "Play", ROW)]),
        ((view("ImageButton", ROW, clickable=True),), [("icon", "", ROW)]),
        ((view("EditText", ROW),), [("icon", "text field", ROW)]),
        ((view("EditText", ROW, text="hello", description="Name"),), [("text", "hello", ROW)]),
        ((view("CheckBox", ROW, checkable=True),), [("icon", "checkbox", ROW)]),
        ((view("CheckBox", ROW, checkable=True, checked=True, text="I agree"),), [("text", "I agree", ROW)]),
        ((view("SeekBar", ROW, clickable=True),), [("icon", "slider", ROW)]),
        ((view("TextView", (-50, 10, 50, 60), text="cut"),), [("text", "cut", (0, 10, 50, 60))]),
        ((view("TextView", (1200, 10, 1300, 60), text="beside"),), []),
        ((view("TextView", (10, 10, 10, 60), text="no width"),), []),
        ((view("ListView", ROW, scrollable=True),), []),
    ],
)
def test_one_view(views: tuple[ViewInfo, ...], expected: list[tuple[str, str, Bounds]]) -> None:
    assert told(*views) == expected


def test_a_description_gives_way_to_views_that_say_the_same() -> None:
    row = view("LinearLayout", ROW, description="Inbox 3 unread", clickable=True)
    inbox, unread = view("TextView", TITLE, 1, text="Inbox"), view("TextView", SWITCH, 1, text="3 unread")
    assert told(row, inbox, unread) == [("text", "Inbox", TITLE), ("text", "3 unread", SWITCH)]
    assert ("text", "Inbox 3 unread", ROW) in told(row, inbox)


@pytest.mark.parametrize(
    "bounds",
    [
        (-500, 10, -10, 90),
        (-500, 10, 0, 90),
        (1000, 10, 1500, 90),
        (10, 2000, 90, 2100),
        (10, 10, 10, 90),
        (0, 0, 0, 0),
    ],
)
def test_a_text_off_the_screen_is_no_element(bounds: Bounds) -> None:
    """It may hold orders to an agent."""
    assert told(view("TextView", bounds, text="Pay now"), view("TextView", TITLE, text="Anna")) == [
        ("text", "Anna", TITLE)
    ]


def test_a_long_text_is_cut() -> None:
    assert len(the(view("EditText", ROW, text="word " * 400)).content) == LONGEST


def test_what_a_password_field_holds_is_never_used() -> None:
    field = view("EditText", ROW, text="hunter2", password=True, focused=True)
    element = the(field)
    assert (element.kind, element.content) == ("icon", "password field")
    assert element.control is not None
    assert (element.control.password, element.control.focused) == (True, True)
    assert the(field.model_copy(update={"description": "Password"})).content == "Password"


def test_a_view_that_skips_a_level_is_in_the_last_one() -> None:
    texts = [view("TextView", TITLE, 9, text="deep"), view("TextView", ROW, 0, text="flat")]
    assert {one.content for one in read_tree([view("LinearLayout", clickable=True), *texts], SIZE).elements} == {
        "deep",
        "flat",
    }


OUR_NAMES = {"", "text field", "switch on", "switch off", "password field"}
SIDES = st.integers(-100, 2500)
ANY_VIEW = st.builds(
    ViewInfo,
    depth=st.integers(0, MOST_DEPTH),
    kind=st.sampled_from(["a.Switch", "a.EditText", "a.View", "a.ImageView", "", "x"]),
    text=st.text(max_size=6),
    description=st.text(max_size=6),
    bounds=st.tuples(SIDES, SIDES, SIDES, SIDES),
    clickable=st.booleans(),
    checkable=st.booleans(),
    password=st.booleans(),
)


@given(st.lists(ANY_VIEW, max_size=30))
def test_any_views_give_elements_on_the_screen(views: list[ViewInfo]) -> None:
    hidden = {one.text for one in views if one.password} - {one.description for one in views}
    hidden -= {one.text for one in views if not one.password} | OUR_NAMES
    reading = read_tree(views, SIZE)
    for element in reading.elements:
        assert element.box.area > 0
        assert SIZE.contains(*element.centre)
        assert element.content not in {" ".join(text.split()) for text in hidden}
