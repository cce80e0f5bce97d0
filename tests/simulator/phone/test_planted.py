"""What is planted in place of a seed's content shows where an app's next version, or another phone, would have it."""

from __future__ import annotations

from typing import Any

from manyhands.simulator.phone.content.planted import PlantedContent, PlantedLibrary
from tests.simulator.phone.hand import Hand


def planted(**content: Any) -> Hand:
    return Hand(content=lambda seed: PlantedLibrary(seed, PlantedContent(**content)))


def test_a_line_of_settings_is_elsewhere_and_another_is_gone() -> None:
    hand = planted(moved={"Dark mode": "Location"}, removed=("Bluetooth",))
    hand.open("Settings")
    hand.tap("Display")
    assert hand.sees("Adaptive brightness")
    assert not hand.sees("Dark mode")
    hand.back()
    hand.tap("Location")
    hand.tap("Dark mode")
    assert hand.state("settings.dark_mode") is True
    hand.back()
    hand.tap("Connected devices")
    assert not hand.sees("Bluetooth")


def test_words_of_apps_and_of_messages_are_others() -> None:
    hand = planted(worded={"New message": "Start chat", "I will pick her up.": "I cannot pick her up."})
    hand.open("Messages")
    assert hand.sees("Start chat")
    hand.tap("Mom")
    assert hand.sees("I cannot pick her up.")


def test_a_contact_is_gone_and_the_others_keep_their_messages() -> None:
    hand, usual = planted(removed=("Alice Carter",)), Hand()
    threads = [thread for thread in usual.state("messages.threads") if thread["contact"] != "Alice Carter"]
    assert hand.state("messages.threads") == threads
    hand.open("Messages")
    hand.tap("New message")
    assert not hand.sees("Alice Carter")


def test_the_keyboard_is_up_when_an_app_opens() -> None:
    hand = planted(keyboard=("Notes",), removed=("Old draft",))
    hand.open("Notes")
    assert hand.phone.keyboard_shown()
    assert not hand.sees("Old draft")
    hand.back()
    assert hand.sees("Gym plan")


def test_pages_load_as_long_as_is_planted() -> None:
    hand = planted(loading_s=60.0)
    hand.open("Shop")
    hand.tap("No thanks")
    hand.tap("Don't allow")
    hand.tap("Laptop")
    hand.wait(50)
    assert not hand.sees("QuickBook")
    hand.wait(20)
    assert hand.sees("QuickBook")
