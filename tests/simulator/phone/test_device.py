"""The phone as its operating system: keys, tasks, lifecycles, keyboards, settings, seeds."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.simulator.phone.device import PhoneDevice, UnknownComponent
from tests.examples import examples
from tests.simulator.phone.hand import LATIN, Hand

NOTES = "com.manyhands.notes"


def test_it_is_a_phone_device() -> None:
    phone: PhoneDevice = Hand().phone
    assert {app.label for app in phone.apps()} >= {"Settings", "Notes", "Messages", "Browser", "Shop"}
    assert phone.focus() == "com.manyhands.launcher/com.manyhands.launcher.HomeActivity"


class TestApps:
    def test_launch_by_package_and_by_component(self) -> None:
        hand = Hand()
        hand.phone.launch(NOTES)
        assert hand.phone.focus() == f"{NOTES}/{NOTES}.MainActivity"
        hand.phone.launch("com.android.settings/.Settings")
        assert hand.phone.focus() == "com.android.settings/com.android.settings.Settings"
        hand.phone.launch(f"{NOTES}/{NOTES}.MainActivity")
        assert hand.state("visited") == ["Notes", "Settings"]

    @pytest.mark.parametrize("component", ["com.example.none", f"{NOTES}/.Nothing", "", "/"])
    def test_what_is_not_installed_is_refused(self, component: str) -> None:
        phone = Hand().phone
        with pytest.raises(UnknownComponent):
            phone.launch(component)
        assert phone.state()["foreground"]["page"] == "home"

    def test_force_stop_keeps_data_and_drops_pages(self) -> None:
        hand = Hand()
        hand.open("Notes")
        hand.tap("Gym plan")
        hand.type("lost draft")
        hand.phone.force_stop(NOTES)
        assert hand.state("foreground.app") == "Launcher"
        hand.phone.launch(NOTES)
        assert hand.state("foreground.page") == "list"
        assert "lost draft" not in json.dumps(hand.state("notes"))
        assert hand.state("notes.opened") == ["Gym plan"]

    def test_home_and_icon_return_to_the_same_page(self) -> None:
        hand = Hand()
        hand.open("Settings")
        hand.tap("Display")
        hand.home()
        hand.tap("Settings")
        assert hand.sees("Dark mode")

    def test_clear_data_resets_one_app(self) -> None:
        hand = Hand()
        original = hand.state("notes")
        hand.open("Notes")
        hand.hold("Gym plan")
        hand.tap("Delete")
        hand.tap("Delete")
        hand.phone.put_setting("global", "zen_mode", "1")
        hand.phone.clear_data(NOTES)
        assert hand.state("notes") == original
        assert hand.state("settings.do_not_disturb") is True
        with pytest.raises(UnknownComponent):
            hand.phone.clear_data("com.example.none")

    def test_reset_gives_what_a_new_phone_of_that_seed_has(self) -> None:
        hand = Hand(3)
        hand.open("Shop")
        hand.tap("No thanks")
        hand.phone.put_setting("secure", "ui_night_mode", "2")
        hand.phone.reset(7)
        hand.wait()
        new = Hand(7)
        assert hand.phone.state() == new.phone.state()
        assert np.array_equal(hand.phone.frame().rgb, new.phone.frame().rgb)


class TestKeys:
    def test_back_closes_keyboard_then_dialog_then_page_then_app(self) -> None:
        hand = Hand()
        hand.open("Notes")
        hand.tap("Gym plan")
        hand.tap("Gym plan")
        hand.type("!")
        assert hand.phone.keyboard_shown()
        hand.back()
        assert not hand.phone.keyboard_shown()
        assert hand.state("foreground.page") == "edit"
        hand.back()
        assert hand.state("foreground.page") == "dialog"
        hand.back()
        assert hand.state("foreground.page") == "edit"
        hand.back()
        hand.tap("Discard")
        hand.back()
        assert hand.state("foreground.page") == "home"
        hand.back()
        assert hand.state("foreground.page") == "home"

    def test_back_from_the_advertisement_closes_it_and_from_the_permission_asks_again(self) -> None:
        hand = Hand()
        hand.open("Shop")
        hand.back()
        assert hand.state("shop.ad_closed") is True
        assert hand.state("foreground.page") == "permission"
        hand.back()
        assert hand.state("shop.notifications") is None

    def test_recents_switches_closes_and_clears(self) -> None:
        hand = Hand()
        for label in ("Notes", "Settings", "Clock"):
            hand.open(label)
        hand.key(187)
        assert hand.state("foreground.page") == "recents"
        card = hand.box("Clock")
        hand.phone.swipe(card.x, 1300, card.x - 700, 1300, 300)
        hand.tap("Settings")
        assert hand.state("foreground.app") == "Settings"
        hand.key(187)
        hand.phone.swipe(540, 1500, 540, 500, 200)
        assert not hand.sees("Settings"), "swiped away"
        hand.tap("Clear all")
        hand.key(187)
        assert hand.sees("No recent items")
        hand.back()
        assert hand.state("foreground.page") == "home"

    def test_the_navigation_bar_can_be_tapped(self) -> None:
        hand = Hand()
        y = hand.phone.height - 60
        hand.open("Settings")
        hand.tap("Display")
        hand.phone.tap(180, y)
        assert hand.state("foreground.page") == "settings"
        hand.phone.tap(900, y)
        assert hand.state("foreground.page") == "recents"
        hand.phone.tap(540, y)
        assert hand.state("foreground.page") == "home"

    def test_editing_keys(self) -> None:
        hand = Hand()
        hand.open("Notes")
        hand.tap("Search notes")
        for code in (35, 53, 41, 62, 8, 67):
            hand.phone.key(code)
        assert hand.sees("gym")
        assert not hand.sees("gym 1")
        hand.phone.key(224)
        assert hand.sees("gym")


class TestText:
    def test_input_text_takes_printable_ascii_or_nothing(self) -> None:
        hand = Hand()
        hand.open("Notes")
        hand.tap("Search notes")
        ascii_text = "".join(chr(code) for code in range(32, 127))
        hand.phone.input_text("gone")
        hand.phone.ime_clear()
        assert hand.sees("Search notes")
        hand.phone.input_text(ascii_text)
        with pytest.raises(ValueError, match="é"):
            hand.phone.input_text("aé")
        hand.enter()
        assert hand.state("notes.searches") == [ascii_text.strip()]

    def test_text_without_a_field_goes_nowhere(self) -> None:
        hand = Hand()
        before = hand.phone.state()
        hand.phone.input_text("hello")
        hand.phone.ime_commit("hello")
        hand.phone.ime_clear()
        assert hand.phone.state() == before

    def test_adb_keyboard_types_only_when_it_is_the_default(self) -> None:
        hand = Hand()
        hand.open("Notes")
        hand.tap("Search notes")
        hand.phone.set_ime(LATIN)
        hand.phone.ime_commit("gym")
        assert hand.sees("Search notes")
        assert hand.phone.default_ime() == LATIN
        with pytest.raises(UnknownComponent):
            hand.phone.set_ime("com.example/.Ime")


class TestSwipes:
    def test_content_follows_the_finger_and_stops_at_the_ends(self) -> None:
        hand = Hand()
        hand.open("Shop")
        hand.tap("No thanks")
        hand.tap("Allow")
        before = hand.box("Basso One Wired Headphones").y
        hand.phone.swipe(540, 1500, 540, 1200, 300)
        assert before - hand.box("Basso One Wired Headphones").y == 300
        hand.phone.swipe(540, 500, 540, 2000, 300)
        assert hand.box("Basso One Wired Headphones").y == before
        for _ in range(30):
            hand.scroll()
        end = hand.phone.frame().version
        hand.scroll()
        assert hand.phone.frame().version == end

    def test_a_swipe_that_stays_is_a_tap_or_a_long_press(self) -> None:
        hand = Hand()
        hand.open("Notes")
        box = hand.box("Gym plan")
        hand.phone.swipe(box.x, box.y + 5, box.x + 2, box.y + 6, 900)
        assert hand.state("foreground.page") == "menu"
        hand.back()
        hand.phone.swipe(box.x, box.y + 5, box.x, box.y + 5, 50)
        assert hand.state("foreground.page") == "edit"


class TestSettings:
    @pytest.mark.parametrize(
        ("namespace", "name", "value", "key"),
        [
            ("global", "airplane_mode_on", "1", "airplane_mode"),
            ("global", "zen_mode", "1", "do_not_disturb"),
            ("secure", "ui_night_mode", "2", "dark_mode"),
            ("system", "status_bar_show_network_speed", "1", "network_speed_display"),
            ("global", "mode_ringer", "1", "vibration_mode"),
        ],
    )
    def test_androids_names_are_the_same_switches(self, namespace: str, name: str, value: str, key: str) -> None:
        phone = Hand().phone
        assert phone.state()["settings"][key] is False
        phone.put_setting(namespace, name, value)
        assert phone.state()["settings"][key] is True
        assert phone.setting(namespace, name) == value

    @pytest.mark.parametrize(("value", "vibrates"), [("0", False), ("1", True), ("2", False)])
    def test_a_ringer_is_silent_vibrates_or_rings(self, value: str, vibrates: bool) -> None:
        phone = Hand().phone
        phone.put_setting("global", "mode_ringer", value)
        assert phone.state()["settings"]["vibration_mode"] is vibrates

    def test_other_settings_are_kept_as_they_are(self) -> None:
        phone = Hand().phone
        assert phone.setting("global", "multi_press_timeout") is None
        phone.put_setting("global", "multi_press_timeout", "0.5")
        assert phone.setting("global", "multi_press_timeout") == "0.5"


class TestSeeds:
    @pytest.mark.parametrize("seed", [0, 5, 1000, 1005, -3])
    def test_the_same_seed_is_the_same_phone(self, seed: int) -> None:
        one, two = Hand(seed), Hand(seed)
        assert one.phone.state() == two.phone.state()
        assert json.loads(json.dumps(one.phone.state())) == one.phone.state()
        assert np.array_equal(one.phone.frame().rgb, two.phone.frame().rgb)

    @pytest.mark.parametrize("seed", [21, 1021])
    def test_switches_are_at_first_as_the_seed_has_them(self, seed: int) -> None:
        hand = Hand(seed)
        assert hand.state("settings.network_speed_display") is True
        assert hand.state("settings.battery_percentage") is True
        assert hand.state("settings.wifi") is True
        assert hand.sees("2.4 KB/s")
        assert hand.sees("87%")
        hand.phone.put_setting("system", "status_bar_show_network_speed", "0")
        hand.phone.reset(seed)
        assert hand.state("settings.network_speed_display") is True

    def test_other_seeds_differ(self) -> None:
        prices, scores = set(), set()
        for seed in range(4):
            hand = Hand(seed)
            hand.open("Shop")
            hand.back()
            hand.back()
            prices.add(tuple(text for text in hand.texts() if text.startswith("$")))
            hand.visit("http://scoreboard.example/lakers")
            hand.wait()
            scores.add(next(text for text in hand.texts() if text.startswith("Final score")))
        assert len(prices) == 4
        assert len(scores) >= 3

    def test_delays_are_those_of_the_seed(self) -> None:
        def loads(seed: int) -> list[bool]:
            hand = Hand(seed)
            hand.visit("http://peaks.example/list")
            shown = []
            for _ in range(12):
                hand.wait(0.08)
                shown.append(hand.sees("K2"))
            return shown

        assert loads(2) == loads(2)
        assert loads(2)[2] is False
        assert loads(2)[-1] is True


POINT = st.tuples(st.integers(-50, 1130), st.integers(-50, 2450))
ACTS = st.one_of(
    st.tuples(st.just("tap"), POINT),
    st.tuples(st.just("press"), POINT),
    st.tuples(st.just("swipe"), POINT, POINT),
    st.tuples(st.just("key"), st.sampled_from([3, 4, 8, 62, 66, 67, 92, 93, 187, 224, 999, -1])),
    st.tuples(st.just("type"), st.text(max_size=20)),
    st.tuples(st.just("launch"), st.integers(0, 10)),
    st.tuples(st.just("wait"), st.floats(0.01, 2)),
    st.tuples(st.just("text"), st.integers(0, 60)),
)


def perform(hand: Hand, kind: str, rest: list[Any]) -> None:
    phone = hand.phone
    if kind == "tap":
        phone.tap(*rest[0])
    elif kind == "press":
        x, y = rest[0]
        phone.long_press(x, y, 700)
    elif kind == "swipe":
        (x1, y1), (x2, y2) = rest
        phone.swipe(x1, y1, x2, y2, 300)
    elif kind == "key":
        phone.key(rest[0])
    elif kind == "type":
        phone.ime_commit(rest[0])
    elif kind == "launch":
        phone.launch(phone.apps()[rest[0] % len(phone.apps())].package)
    elif kind == "wait":
        hand.wait(rest[0])
    else:  # a person aims at what is there
        layout = phone.layout()
        box = layout[rest[0] % len(layout)][1]
        phone.tap(box.x, box.y)


@given(seed=st.sampled_from([0, 1, 1000]), acts=st.lists(ACTS, max_size=40))
@settings(max_examples=examples(60), deadline=None)
def test_no_input_whatever_breaks_a_phone(seed: int, acts: list[Any]) -> None:
    """And one that was watched all the time, painting what changed, shows the same as one painted at the end."""
    watched, unseen = Hand(seed), Hand(seed)
    for kind, *rest in acts:
        for hand in (watched, unseen):
            perform(hand, kind, rest)
        watched.phone.frame()
    for hand in (watched, unseen):
        hand.wait(5)
    state = watched.phone.state()
    assert json.loads(json.dumps(state)) == state
    assert state == unseen.phone.state()
    assert np.array_equal(watched.phone.frame().rgb, unseen.phone.frame().rgb)
    watched.phone.key(3)
    assert watched.phone.state()["foreground"]["page"] == "home"


class TestReached:
    def test_two_places_of_one_view_reach_the_same_and_the_next_part_of_a_list_another(self) -> None:
        hand = Hand(height=1100)
        hand.phone.launch("com.android.settings")
        hand.wait()
        hand.phone.take_reached()
        box = hand.box("Connected devices")
        reached = []
        for shift in (0, box.w // 3):
            hand.phone.tap(box.x + shift, box.y + box.h // 2)
            reached.append(hand.phone.take_reached())
            hand.wait()
            hand.phone.key(4)
            hand.wait()
            hand.phone.take_reached()
        assert reached[0] == reached[1]
        assert "Connected devices" in reached[0][0]
        for _ in range(2):
            hand.phone.swipe(500, 800, 500, 700, 300)
            hand.wait()
        first, second = hand.phone.take_reached()
        assert first != second

    def test_what_reaches_nothing_is_not_told(self) -> None:
        hand = Hand()
        hand.phone.swipe(540, 300, 540, 1200, 300)
        hand.phone.tap(1, 1)
        assert list(hand.phone.take_reached()) == []
