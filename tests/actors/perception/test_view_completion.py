"""Views completed by what was read: canvases, unnamed controls, bars; and nothing twice."""

from __future__ import annotations

import pytest

from manyhands.actors.perception.view_tree import complete, read_tree
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, ViewInfo
from tests.actors.perception.test_view_elements import ROW, ROW_OF_A_SWITCH, SIZE, SWITCH, TITLE, Bounds, sides, view


def read(content: str, bounds: Bounds, kind: str = "text") -> Element:
    left, top, right, bottom = bounds
    box = Box(x1=left, y1=top, x2=right, y2=bottom)
    return Element.model_validate({"kind": kind, "content": content, "box": box, "confidence": 0.9})


def completed(views: tuple[ViewInfo, ...], *found: Element) -> list[tuple[str, str, str]]:
    elements = complete(read_tree(views, SIZE), found)
    return [(one.source, one.kind, one.content) for one in elements]


TOLD = [("accessibility", "text", "Dark mode"), ("accessibility", "icon", "switch on")]


@pytest.mark.parametrize(
    "found",
    [
        read("Dark mode", (62, 120, 200, 160)),
        read("D@rk m0de", (50, 100, 200, 160)),
        read("Dark mode.On", (62, 120, 760, 170)),
        read("", (810, 125, 930, 175), "icon"),
        read("toggle", (860, 125, 930, 175), "icon"),
        read("O", (870, 125, 925, 175)),
    ],
)
def test_what_the_views_tell_is_not_added(found: Element) -> None:
    assert completed(ROW_OF_A_SWITCH, found) == TOLD


def test_what_the_views_lack_is_added_with_the_control_around_it() -> None:
    avatar = read("person", (705, 120, 765, 180), "icon")
    elements = complete(read_tree(ROW_OF_A_SWITCH, SIZE), [avatar, read("12:30", (20, 5, 100, 40))])
    assert [(one.source, one.content) for one in elements] == [
        ("vision", "12:30"),
        ("accessibility", "Dark mode"),
        ("vision", "person"),
        ("accessibility", "switch on"),
    ]
    assert elements[0].control is None
    assert elements[2].control is not None
    assert sides(elements[2].control.box) == ROW
    assert elements[2].box == avatar.box


def test_a_canvas_is_filled() -> None:
    canvas = (view("FrameLayout"), view("View", (0, 200, 1000, 1800), 1, description="Game board"))
    found = [read("Score 12", (40, 220, 300, 280)), read("", (400, 900, 480, 980), "icon"), read("Play", TITLE)]
    assert sorted(completed(canvas, *found)) == [
        ("accessibility", "text", "Game board"),
        ("vision", "icon", ""),
        ("vision", "text", "Play"),
        ("vision", "text", "Score 12"),
    ]


def test_a_control_without_a_name_takes_what_was_read_in_it() -> None:
    button = (view("FrameLayout"), view("ImageButton", SWITCH, 1, clickable=True))
    assert completed(button) == [("accessibility", "icon", "")]
    (element,) = complete(read_tree(button, SIZE), [read("search", (850, 130, 890, 170), "icon")])
    assert (element.source, element.content) == ("vision", "search")
    assert element.control is not None
    assert sides(element.control.box) == SWITCH


def test_a_web_view_may_show_more_than_its_title() -> None:
    page = (view("WebView", (0, 200, 1000, 1800), text="Example"),)
    assert sorted(completed(page, read("Example", (40, 220, 300, 280)), read("Sign in", (40, 400, 300, 440)))) == [
        ("accessibility", "text", "Example"),
        ("vision", "text", "Sign in"),
    ]


def test_what_is_read_in_a_password_field_is_left_out() -> None:
    field = (view("EditText", ROW, password=True, text="hunter2"),)
    eye = read("eye", (900, 120, 940, 150), "icon")
    assert completed(field, read("hunter2", (60, 120, 300, 180)), eye) == [
        ("vision", "icon", "eye"),
        ("accessibility", "icon", "password field"),
    ]
