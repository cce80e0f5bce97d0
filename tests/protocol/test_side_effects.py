"""What changed between two states, and what of it a task may change."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from manyhands.protocol.tasks.side_effects import AllowedChange, part_of, source_of, unexpected_changes
from manyhands.protocol.tasks.task import TaskSpec
from tests.protocol.model_strategies import json_values

BEFORE: dict[str, Any] = {
    "settings": {"global": {"wifi_on": "1", "zen": "0"}},
    "sms": [{"contact": "Emma", "body": "Hi"}, {"contact": "Ben", "body": "Hi"}],
    "apps": [{"package": "a.b", "version": 1, "front": True, "running": True}],
}


def changed(**parts: Any) -> dict[str, Any]:
    return {**copy.deepcopy(BEFORE), **parts}


@pytest.mark.parametrize(
    ("after", "allowed", "told"),
    [
        (BEFORE, [], []),
        (
            changed(settings={"global": {"wifi_on": "0", "zen": "0", "new": "1"}}),
            [],
            ['settings.global.wifi_on: "1" became "0"', 'settings.global.new: added "1"'],
        ),
        (changed(settings={"global": {"wifi_on": "0", "zen": "0"}}), [{"changed": "settings.global.wifi_on"}], []),
        (changed(settings={"global": {"wifi_on": "0", "zen": "0"}}), [{"changed": "settings.global.wifi"}], [...]),
        (changed(settings={"global": {"wifi_on": "0"}}), [{"changed": "settings"}], []),
        (changed(sms=BEFORE["sms"][:1]), [], ['sms: removed {"body": "Hi", "contact": "Ben"}']),
        (changed(sms=BEFORE["sms"][:1]), [{"removed": "sms", "item": {"contact": "Ben"}}], []),
        (changed(sms=BEFORE["sms"][:1]), [{"added": "sms"}], [...]),
        (changed(sms=[*BEFORE["sms"], BEFORE["sms"][0]]), [{"added": "sms", "item": {"contact": "Emma"}}], []),
        (changed(sms=[*BEFORE["sms"], *BEFORE["sms"][:1] * 2]), [{"added": "sms"}], [...]),
        (changed(sms=[*BEFORE["sms"], *BEFORE["sms"][:1] * 2]), [{"added": "sms", "most": 2}], []),
        (changed(sms=BEFORE["sms"][::-1]), [], []),
        (changed(apps=[{"package": "a.b", "version": 1, "front": False, "running": False}]), [], []),
        (changed(apps=[{"package": "a.b", "version": 2, "front": True, "running": True}]), [], [..., ...]),
    ],
)
def test_what_is_not_allowed_is_told(after: Any, allowed: list[Any], told: list[Any]) -> None:
    found = unexpected_changes(BEFORE, after, [AllowedChange.model_validate(one) for one in allowed])
    assert len(found) == len(told)
    assert all(one is ... or str(change) == one for change, one in zip(found, told, strict=True))


@given(json_values, json_values)
def test_any_two_states_are_compared(before: Any, after: Any) -> None:
    assert unexpected_changes(before, before, ()) == ()
    for change in unexpected_changes(before, after, ()):
        assert change.before != change.after


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ({"unchanged": ["mood"]}, "'mood' is no part of a phone's state: settings, apps, sms"),
        ({"unchanged": ["settings.secur"]}, "did you mean 'settings.secure'"),
        ({"changes": [{"added": "sms"}]}, "names nothing there"),
        ({"changes": [{"added": "sms", "removed": "sms"}]}, "exactly one of changed, added, removed"),
        ({"changes": [{"changed": "sms", "item": {"body": "x"}}]}, "'item' belongs to"),
    ],
)
def test_a_task_that_names_no_state_is_refused(written: Any, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        TaskSpec.model_validate({"id": "t", "goal": "g", **written})


def test_a_part_is_asked_of_the_phone_and_what_stands_below_it_is_compared_alone() -> None:
    assert source_of("settings.global") == "phone://state/settings"
    assert source_of("content://a/b") == "content://a/b"
    assert part_of("settings.global.zen", BEFORE) == {"settings": {"global": {"zen": "0"}}}
    assert part_of("content://a/b", BEFORE) is BEFORE
