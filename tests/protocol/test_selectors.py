"""Phones are chosen by their labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.tasks.selectors import compare_versions, is_label_name, parse_selector, selects
from manyhands.protocol.tasks.task import TaskSpec

PIXEL = {"地图": "", "app:地图": "11.2", "model": "Pixel 8", "android": "14", "app:Maps": "11.120.3", "lab": "north"}


@pytest.mark.parametrize(
    ("text", "chooses"),
    [
        ("", True),
        ("model=pixel 8", True),
        ("model=pixel", False),
        ("model!=pixel", True),
        ("colour!=red", True),
        ("colour=red", False),
        ("app:Maps>=11", True),
        ("app:Maps>=11.120.3", True),
        ("app:Maps>11.120.3", False),
        ("app:Maps < 11.121", True),
        ("app:Mail>=1", False),
        ("app:Mail<9", False),
        ("android>=9", True),
        ("android<=13", False),
        ("app:地图>=11", True),
        ("!地图", False),
        ("lab", True),
        ("!lab", False),
        ("!colour", True),
        ("model=Pixel 8, app:Maps>=11, lab=north", True),
        ("model=Pixel 8, lab=south", False),
    ],
)
def test_which_phone_is_chosen(text: str, chooses: bool) -> None:
    assert selects(text, PIXEL) is chooses


@pytest.mark.parametrize("text", ["=x", "a=", "a==b", "!a=b", "a,,b", "a>=", "@", "a=b=c", ","])
def test_what_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="chooses no phones"):
        parse_selector(text)


def test_a_task_names_the_mistake_in_its_selector() -> None:
    with pytest.raises(ValueError, match=r"phones.*chooses no phones"):
        TaskSpec(id="t", goal="g", phones="a==b")


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tests = parse_selector(text)
    except ValueError:
        return
    assert all(test.name and test.test for test in tests)


@given(*[st.lists(st.integers(0, 30), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))] * 2)
def test_versions_are_ordered(one: str, other: str) -> None:
    order = compare_versions(one, other)
    assert order == -compare_versions(other, one)
    assert compare_versions(one, f"{one}.0") == 0
    assert compare_versions(f"{one}.1", one) == 1


@pytest.mark.parametrize(
    ("name", "can_be_written"),
    [
        ("app:com.google.android.apps.maps", True),
        ("app:Google Maps", True),
        ("app:微信", True),
        ("app:Yahoo!", False),
        ("app:Mail, old", False),
        ("app:a=b", False),
        ("app:Maps ", False),
        ("", False),
    ],
)
def test_only_names_that_a_selector_can_hold_are_labels(name: str, can_be_written: bool) -> None:
    assert is_label_name(name) is can_be_written
    if can_be_written:
        assert selects(f"{name}>=2, {name}", {name: "2.1"})
