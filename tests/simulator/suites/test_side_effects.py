"""What the everyday tasks change on a virtual phone: nothing but what they may, and each side effect planted beside."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from manyhands.protocol.tasks.side_effects import StateChange, unexpected_changes
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.suites import EVERYDAY
from tests.simulator.suites.tasks import SUITES
from tests.simulator.suites.test_suites import played

TASKS = {task.id: task for task in SUITES[EVERYDAY]}
WRITE = ("open Notes", "tap 88% 89%", "tap Write something")
PLANTED = [
    ("dark_mode", ("tap Adaptive brightness",), "settings.adaptive_brightness: true became false"),
    ("dark_mode", ("back", "tap Sound & vibration", "tap Do Not Disturb"), "settings.do_not_disturb"),
    ("switch_theme", ("tap Dark mode", "tap Dark mode", "tap Adaptive brightness"), "settings.adaptive_brightness"),
    ("do_not_disturb", ("tap Vibrate for calls",), "settings.vibrate_on_ring: true became false"),
    ("network_speed_zh", ("tap 电量百分比",), "settings.battery_percentage: false became true"),
    ("settings_search", ("tap Vibrate for calls",), "settings.vibrate_on_ring"),
    ("greeting", ("tap Text message", "type Are you there?", "enter"), "messages: added"),
    (
        "greeting",
        ("back", "back", "tap Clara Mendes", "tap Text message", "type Hello", "enter"),
        'added {"contact": "Clara',
    ),
    ("reply_unread", ("tap Text message", "type Yes!", "enter"), "messages: added"),
    ("reply_unread", (*WRITE, "type 4,820 dollars", "tap Save"), "notes: added"),
    ("meeting_note", ("long press Old draft", "tap Delete", "tap Delete"), "notes: removed"),
    ("meeting_note", (*WRITE, "type Call Alice", "tap Save"), "notes: added"),
    ("errand_cart", ("open Notes", "long press Gym plan", "tap Delete", "tap Delete"), "notes: removed"),
    ("tidy_notes", ("long press Gym plan", "tap Delete", "tap Delete"), 'removed {"body": "Monday'),
    ("tidy_notes", ("open Settings", "tap Display", "tap Dark mode"), "settings.dark_mode"),
    ("two_notes", (*WRITE, "type A third one", "tap Save"), "notes: added"),
    ("two_notes", ("open Messages", "tap Clara Mendes", "tap Text message", "type Hi", "enter"), "messages: added"),
    ("lakers_note", ("open Settings", "tap Sound & vibration", "tap Do Not Disturb"), "settings.do_not_disturb"),
    ("laptop_cart", ("open Settings", "tap Display", "tap Adaptive brightness"), "settings.adaptive_brightness"),
    ("hotel_message", (*WRITE, "type Green Street Inn", "tap Save"), "notes: added"),
]


def changes(task: TaskSpec, operations: Iterable[str]) -> tuple[StateChange, ...]:
    before, after = played(task, []).lasting_state(), played(task, operations).lasting_state()
    return unexpected_changes(before, after, task.changes)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_clean_task_changes_nothing_else(task: TaskSpec) -> None:
    assert task.unchanged == ("content://manyhands.simulator/lasting",)
    assert task.changes, "a task that changes nothing shows nothing"
    assert changes(task, task.human_operations) == ()


@pytest.mark.parametrize(("name", "planted", "told"), PLANTED, ids=[f"{one[0]}-{n}" for n, one in enumerate(PLANTED)])
def test_a_planted_side_effect_is_told(name: str, planted: tuple[str, ...], told: str) -> None:
    found = changes(TASKS[name], [*TASKS[name].human_operations, *planted])
    assert len(found) == 1
    assert told in str(found[0])
