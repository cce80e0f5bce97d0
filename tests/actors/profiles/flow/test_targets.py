"""A target is told from what looks like it on a page whose content is another one, and is never guessed."""

from __future__ import annotations

import pytest

from manyhands.actors.perception.view_tree import read_tree
from manyhands.actors.profiles.flow.targets import describe_target, match_target, neighbour
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Screen, ViewInfo
from manyhands.protocol.tasks.flow import Target

SIZE = Size(width=540, height=1200)
PAGE = ViewInfo(kind="android.webkit.WebView", text="Trip planner", bounds=(0, 0, 540, 1200), depth=0)
"""A web page, whose title fills the screen."""


def view(kind: str, text: str, left: int, top: int, right: int, bottom: int, depth: int = 1) -> ViewInfo:
    name = "android.view.View" if kind == "View" else f"android.widget.{kind}"
    return ViewInfo(kind=name, text=text, bounds=(left, top, right, bottom), depth=depth, clickable=kind != "TextView")


def screen(*views: ViewInfo) -> Screen:
    elements = read_tree((PAGE, *views), SIZE).elements
    return Screen(content_id="0" * 32, size=SIZE, elements=elements, keyboard="hidden")


def find(text: str, shown: Screen) -> Element:
    (element,) = [one for one in shown.elements if one.content == text]
    return element


def test_a_view_in_a_view_of_the_same_text_is_one_target() -> None:
    tabs = screen(view("View", "Tab #2", 169, 192, 311, 273), view("View", "Tab #2", 172, 196, 307, 273, depth=2))
    inner = match_target(Target(text="Tab #2"), tabs).element
    assert inner is not None
    assert inner.box.x1 == 172


def test_of_what_has_its_text_that_of_its_class_is_meant() -> None:
    menu = screen(view("TextView", "Save", 300, 40, 380, 80), view("Button", "Save", 20, 300, 120, 360))
    element = match_target(Target(text="Save", control="Button"), menu).element
    assert element is not None
    assert element.box.y1 == 300
    assert describe_target(element, menu) == Target(text="Save", control="Button")


def test_letters_tell_apart_what_reads_alike() -> None:
    links = screen(view("View", "eget", 20, 100, 80, 140), view("View", "Eget", 300, 100, 380, 140))
    element = match_target(Target(text="Eget", control="View"), links).element
    assert element is not None
    assert element.box.x1 == 300
    assert match_target(Target(text="EGET", control="View"), links).problem == '"EGET" is on the screen 2 times'


def test_a_target_is_touched_where_no_other_control_lies() -> None:
    one, two = view("Button", "ONE", 34, 493, 169, 628), view("Button", "TWO", 34, 449, 169, 584)
    point = match_target(Target(text="ONE"), screen(one, two)).point
    assert point is not None
    assert (34 <= point[0] < 169, 584 <= point[1] < 628) == (True, True)
    alone = match_target(Target(text="ONE"), screen(one)).point
    assert alone == (101, 560)
    over = view("Button", "TWO", 30, 449, 175, 627)
    assert match_target(Target(text="ONE"), screen(one, over)).problem == 'something lies over "ONE"'


def test_what_is_chosen_already_may_be_chosen_again() -> None:
    radio = view("RadioButton", "Lyon", 20, 100, 200, 140).model_copy(update={"checkable": True, "checked": True})
    assert match_target(Target(text="Lyon", checked=False), screen(radio)).element is not None
    switch = radio.model_copy(update={"kind": "android.widget.Switch"})
    assert match_target(Target(text="Lyon", checked=False), screen(switch)).problem == '"Lyon" is on already'


def test_equal_ones_stay_two() -> None:
    twice = screen(view("Button", "Ok", 20, 100, 80, 140), view("Button", "Ok", 20, 300, 80, 340))
    assert match_target(Target(text="Ok", control="Button"), twice).problem == '"Ok" is on the screen 2 times'


def test_what_is_folded_up_is_no_target() -> None:
    folded = screen(view("View", "Share", 270, 436, 279, 443))
    assert match_target(Target(text="Share"), folded).is_absent
    unfolded = screen(view("View", "Share", 200, 436, 282, 453))
    assert match_target(Target(text="Share"), unfolded).element is not None


@pytest.mark.parametrize("chosen", ["Lyon", "Ghent"])
def test_a_list_of_choices_is_not_told_by_what_was_chosen(chosen: str) -> None:
    def form(value: str) -> Screen:
        return screen(view("TextView", "Where to?", 10, 100, 200, 140), view("Spinner", value, 10, 160, 500, 220))

    target = describe_target(find("Oslo", form("Oslo")), form("Oslo"))
    assert (target.text, target.control, target.near) == ("", "Spinner", "Where to?")
    element = match_target(target, form(chosen)).element
    assert element is not None
    assert element.content == chosen


def test_the_title_of_a_page_is_beside_nothing() -> None:
    form = screen(view("TextView", "Genre", 65, 300, 163, 338), view("EditText", "", 176, 284, 507, 354))
    assert neighbour(find("text field", form), form.elements) == "Genre"
