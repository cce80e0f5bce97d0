"""Pixels: versions, laziness, transitions, loading, toasts, the clock, sizes."""

from __future__ import annotations

import numpy as np
import pytest

from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.simulator.phone.hand import LATIN, Clock, Hand


def test_an_unchanged_screen_is_the_same_array_and_version() -> None:
    hand = Hand()
    first = hand.phone.frame()
    hand.wait(0.5)
    second = hand.phone.frame()
    assert second.version == first.version
    assert np.shares_memory(first.rgb, second.rgb)
    assert first.rgb.shape == (2400, 1080, 3)
    assert first.rgb.dtype == np.uint8
    assert not first.rgb.flags.writeable


def test_a_tap_on_nothing_changes_nothing() -> None:
    hand = Hand()
    version = hand.phone.frame().version
    hand.phone.tap(540, 1500)
    assert hand.phone.frame().version == version


def test_equal_versions_mean_equal_pixels() -> None:
    hand = Hand()
    seen: dict[int, bytes] = {}
    for label in ("Settings", "Display", "Dark mode", "Adaptive brightness"):
        box = hand.box(label)
        hand.phone.tap(box.x, box.y)
        for _ in range(4):
            frame = hand.phone.frame()
            pixels = frame.rgb.tobytes()
            assert seen.setdefault(frame.version, pixels) == pixels
            hand.wait(0.07)
    assert len(set(seen.values())) >= 6


def test_partial_repaint_paints_what_a_fresh_phone_paints() -> None:
    """Painting only what changed gives the same pixels as painting everything."""
    hand = Hand()
    hand.phone.frame()
    hand.tap("Notes")
    hand.phone.frame()
    hand.tap("Shopping list")
    hand.tap("Milk")
    for letter in "abc\n":
        hand.phone.ime_commit(letter)
        hand.phone.frame()
    fresh = Hand()
    fresh.tap("Notes")
    fresh.tap("Shopping list")
    fresh.tap("Milk")
    fresh.phone.ime_commit("abc\n")
    assert np.array_equal(hand.phone.frame().rgb, fresh.phone.frame().rgb)


def test_opening_an_app_shows_a_transition_of_a_quarter_second() -> None:
    hand = Hand()
    home = hand.phone.frame().rgb.copy()
    hand.phone.launch("com.android.settings")
    hand.wait(0.1)
    middle = hand.phone.frame().rgb.copy()
    hand.wait(0.1)
    later = hand.phone.frame().rgb.copy()
    hand.wait(0.2)
    end = hand.phone.frame()
    assert not np.array_equal(home, middle)
    assert not np.array_equal(middle, later)
    assert not np.array_equal(later, end.rgb)
    hand.wait(0.2)
    assert hand.phone.frame().version == end.version


def test_a_page_loads_for_a_while_with_a_turning_spinner() -> None:
    hand = Hand()
    hand.tap("Browser")
    hand.tap("Search or type web address")
    hand.type("weather")
    hand.phone.key(66)
    hand.wait(0.26)
    first = hand.phone.frame()
    assert not hand.sees("Weather today and tomorrow")
    loading = first.rgb.copy()
    hand.wait(0.09)
    assert not np.array_equal(hand.phone.frame().rgb, loading)
    hand.wait(0.9)
    assert hand.sees("Weather today and tomorrow")
    done = hand.phone.frame().version
    hand.wait(5)
    assert hand.phone.frame().version == done


def test_a_toast_lasts_two_seconds() -> None:
    hand = Hand()
    hand.open("Notes")
    hand.phone.tap(950, 2130)
    hand.wait()
    hand.tap("Title")
    hand.type("x")
    box = hand.box("Save")
    hand.phone.tap(box.x + 5, box.y + 5)
    hand.wait(1.9)
    assert hand.sees("Note saved")
    hand.wait(0.2)
    assert not hand.sees("Note saved")


def test_the_clock_changes_each_minute_and_only_then() -> None:
    hand = Hand()
    hand.tap("Settings")
    version = hand.phone.frame().version
    assert "09:41" in hand.texts()
    hand.wait(48)
    assert hand.phone.frame().version == version
    hand.wait(2)
    assert hand.phone.frame().version == version + 1
    assert "09:42" in hand.texts()


@pytest.mark.parametrize(("width", "height", "density"), [(360, 800, 160), (720, 1600, 320), (1440, 3120, 560)])
def test_any_size_of_phone_lays_out_and_reacts(width: int, height: int, density: int) -> None:
    hand = Hand(0, width, height, density)
    assert hand.phone.frame().rgb.shape == (height, width, 3)
    for label in ("Settings", "Notes", "Messages", "Browser", "Shop"):
        hand.open(label)
        assert hand.state("foreground.app") == label
        frame = hand.phone.frame()
        assert frame.rgb.std() > 3
        for _, box in hand.phone.layout():
            assert box.x >= 0
            assert box.right <= width
            assert box.bottom <= height


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="upright"):
        VirtualPhone(width=800, height=600)


def test_a_phone_holds_one_frame_when_it_rests() -> None:
    """Two more during a transition; all below 40 MB."""
    import tracemalloc

    Hand().phone.frame()  # fills the shared caches
    tracemalloc.start()
    clock = Clock()
    phone = VirtualPhone(seed=1, clock=clock, wall=clock.wall)
    phone.frame()
    phone.launch("com.android.messaging")
    clock.now += 0.1
    phone.frame()
    moving = tracemalloc.get_traced_memory()[0]
    clock.now += 1
    phone.frame()
    resting = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    frame = 1080 * 2400 * 3
    assert resting < 1.5 * frame
    assert moving < 3.5 * frame
    assert moving < 40e6


def test_dark_mode_darkens_every_app_and_its_twin_setting_agrees() -> None:
    hand = Hand()
    for label in ("Settings", "Notes", "Messages", "Browser"):
        hand.open(label)
        hand.phone.put_setting("secure", "ui_night_mode", "1")
        light = hand.phone.frame().rgb.mean()
        hand.phone.put_setting("secure", "ui_night_mode", "2")
        assert hand.phone.frame().rgb.mean() < light / 3
        assert hand.state("settings.dark_mode") is True


def test_the_keyboard_that_is_set_is_the_one_shown() -> None:
    hand = Hand()
    hand.open("Notes")
    hand.tap("Search notes")
    assert hand.phone.keyboard_shown()
    assert hand.sees("ADB Keyboard {ON}")
    hand.phone.set_ime(LATIN)
    assert not hand.sees("ADB Keyboard {ON}")
    for letter in "gym":
        hand.tap(letter)
    assert hand.sees("Gym plan")
    assert not hand.sees("Shopping list")
    hand.back()
    assert not hand.phone.keyboard_shown()
