"""When two names of an icon mean the same."""

from __future__ import annotations

from collections import defaultdict
from importlib.resources import files

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.perception.scoring import _words, alike, concepts, right


@pytest.mark.parametrize(
    ("found", "label"),
    [
        ("search", "magnifying glass"),
        ("settings", "Gear"),
        ("back", "chevron left previous month"),
        ("arrow_left", "back"),
        ("more", "more four circles"),
        ("more", "three-dots icon"),
        ("ShoppingCart", "cart"),
        ("bell", "notifications bell"),
        ("person", "me person"),
        ("favorite", "favourite star"),
        ("chat-bubble-outline", "comment bubbles"),
        ("volume", "volume low"),
        ("wallet", "pocket wallet"),
        ("鱼", "鱼"),
        ("left", "left"),
        ("up", "arrow up duotone"),
        ("down", "arrow-down"),
        ("close", "xmark"),
        ("paste", "clipboard text duotone"),
        ("lightning", "flash solid"),
        ("wifi", "wifi high duotone"),
        ("signal", "outline signal cellular 4 bar"),
    ],
)
def test_they_mean_the_same(found: str, label: str) -> None:
    assert alike(found, label)
    assert alike(label, found)


@pytest.mark.parametrize(
    ("found", "label"),
    [
        ("back", "forward"),
        ("chevron left", "chevron right next month"),
        ("chevron down", "chevron right"),
        ("add", "close"),
        ("phone", "mobile phone"),
        ("home icon", "search icon"),
        ("circle", "heart in a circle"),
        ("play", "pause"),
        ("edit 2", "battery 2 line"),
        ("", "search"),
        ("calendar", "close"),
        ("up", "arrow down"),
        ("up", "thumb up"),
        ("up", "volume up"),
        ("flash off", "flash"),
        ("paste", "clipboard check"),
        ("unlock", "lock"),
    ],
)
def test_they_do_not(found: str, label: str) -> None:
    assert not alike(found, label)


def test_other_names_of_a_label_are_right_too() -> None:
    assert right("basket", ("didi", "cart"))
    assert not right("basket", ("didi",))


def test_a_phrase_belongs_to_one_concept() -> None:
    written = yaml.safe_load(
        files("manyhands.evaluation.perception").joinpath("icon_words.yaml").read_text(encoding="utf-8")
    )
    concepts_of = defaultdict(set)
    for concept, others in written.items():
        for phrase in (concept, *others):
            concepts_of[_words(phrase)].add(concept)
    assert [phrase for phrase, found in concepts_of.items() if len(found) > 1] == []


@given(st.text(max_size=30))
def test_any_name_has_concepts_if_it_has_words(name: str) -> None:
    assert bool(concepts(name)) == bool(_words(name))
    assert alike(name, name) == bool(_words(name))
