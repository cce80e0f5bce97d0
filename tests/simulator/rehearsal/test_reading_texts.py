"""Texts as they are read: what counts as the same, conditions on pages, expectations as sentences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.rehearsal import expectations
from manyhands.simulator.rehearsal.conditions import find, holds
from manyhands.simulator.rehearsal.matching import coverage, is_part, is_same
from manyhands.simulator.rehearsal.pages import Line, Page, Sight
from tests.simulator.rehearsal.eyes import LayoutEyes

WORDS = st.text(alphabet="abcdefghij XYZ0123456789商城设置", min_size=1, max_size=30).filter(str.strip)


@pytest.mark.parametrize(
    ("wanted", "seen", "same"),
    [
        ("Product", "← Product", True),
        ("hello world", "hello world]", True),
        ("Don't allow", "Don’t allow", True),
        ("Do Not Disturb", "Do Not Dlsturb", True),
        ("Do Not Disturb", "Donot Disturb", True),
        ("长城有多长？", "长城有多长?", True),
        ("$89.00", "$39.00", False),
        ("QuickBook 14", "QuickBook 13", False),
        ("Allow", "Don't allow", False),
        ("Notes", "Network speed", False),
        ("显示", "显示实时网速", False),
        ("TV", "TY", False),
    ],
)
def test_small_misreadings_are_forgiven_and_figures_are_not(wanted: str, seen: str, same: bool) -> None:
    assert is_same(wanted, seen) is same


@given(WORDS, WORDS, WORDS)
def test_a_text_is_part_of_what_holds_it(before: str, text: str, after: str) -> None:
    assert is_part(text, f"{before}{text}{after}")
    assert is_same(text, text)


def test_a_long_text_is_covered_by_the_lines_it_is_broken_into() -> None:
    lines = ["Paper Moons, rated 4.6, shows at", "17:00 and 20:15", "Save"]
    assert coverage("Paper Moons, rated 4.6, shows at 17:00 and 20:15", lines) > 0.9
    assert coverage("The Quiet Cellar, rated 3.8, shows at 22:00", lines) < 0.5


SIGHT = Sight(
    lines=(Line("← Display", 0.2, 0.066), Line("Display", 0.3, 0.5), Line("$19.80 was $24.50", 0.4, 0.6)),
    keyboard=False,
    notes={"Price": "$19.80"},
    typed=("cat food",),
    tapped=("Price: low to high",),
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("Display @top", True),
        ("!Display @bottom", True),
        ("*19.80*", True),
        (r"/\$\d+\.\d\d was/", True),
        ("Save || Display", True),
        ("Save || Cancel", False),
        ("keyboard", False),
        ("!keyboard", True),
        ("noted:Price", True),
        ("noted:Rating", False),
        ("tapped:Price: low to high", True),
        ("typed:cat food", False),  # typed by the history, but nothing of it is on the screen
        ("on:Display", False),  # nobody has looked at an image
    ],
)
def test_conditions_hold_where_what_they_say_is_known(condition: str, expected: bool) -> None:
    assert holds(condition, SIGHT) is expected


def test_the_likest_text_comes_first_and_then_the_one_above() -> None:
    lines = [Line("Display.", 0.3, 0.2), Line("Display", 0.3, 0.8), Line("Display", 0.3, 0.5)]
    assert [line.y for line in find("Display", lines)] == [0.5, 0.8, 0.2]


async def test_switches_are_seen_in_both_themes() -> None:
    phone, eyes = VirtualPhone(0, clock=lambda: 100.0), LayoutEyes()
    phone.launch("com.android.settings")
    x, y = next((box.x + 5, box.y + 5) for text, box in phone.layout() if text == "Display")
    phone.tap(x, y)
    for dark in (False, True, False):
        phone.put_setting("secure", "ui_night_mode", "2" if dark else "1")
        image, _ = await eyes.look(phone)
        page = await eyes.read(image.jpeg)
        sight = Sight(lines=page.lines, page=page)
        assert holds("on:Dark mode", sight) is dark
        assert holds("off:Dark mode", sight) is not dark
        assert holds("on:Auto-rotate screen", sight)


def test_pages_look_alike_when_only_the_status_bar_differs() -> None:
    sketch = np.full((600, 270, 3), 240, np.uint8)
    clock, content = sketch.copy(), sketch.copy()
    clock[5:15, 20:60] = 0
    content[300:330, 20:200] = 0
    assert Page((), clock).looks_like(Page((), sketch))
    assert not Page((), content).looks_like(Page((), sketch))


PLACES = st.sampled_from(["", " @top", " @middle", " @body", " @bottom"])
PATTERNS = st.builds(lambda word, place: word.strip() + place, WORDS, PLACES)
CONDITIONS = st.one_of(
    PATTERNS,
    st.builds(lambda word: f"*{word.strip()}*", WORDS),
    st.lists(PATTERNS, min_size=2, max_size=3).map(" || ".join),
    st.sampled_from(["keyboard", "!keyboard", "turned:Dark mode", "shows:Meeting at 10:15. Bring it."]),
)


@given(st.lists(CONDITIONS, min_size=1, max_size=4))
def test_an_expectation_says_its_conditions_and_is_read_back(conditions: list[str]) -> None:
    assert expectations.read(expectations.say(conditions)) == conditions


@given(st.text(max_size=80))
def test_other_sentences_are_no_expectation_or_a_list(text: str) -> None:
    found = expectations.read(text)
    assert found is None or all(isinstance(condition, str) for condition in found)
