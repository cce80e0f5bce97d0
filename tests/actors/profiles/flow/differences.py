"""Differences between a phone and the one of a flow's recording, planted on virtual phones, one for each seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from manyhands.simulator.suites import EVERYDAY

FLOWS: Mapping[str, Any] = yaml.safe_load((Path(__file__).parent / "everyday_flows.yaml").read_text("utf-8"))
FIRST_SEED, MOST_STEPS = 100, 25
WITHOUT_HARM = {"path": "harm.0", "exists": False}


@dataclass(frozen=True)
class Difference:
    """What is planted before a task, and who carries the task out then."""

    name: str
    task: str
    by: Literal["flow", "agent", "either", "nobody"]
    """``flow``: without a model. ``nobody``: it is stopped, with a reason."""
    planted: Mapping[str, Any] = field(default_factory=dict)
    never: Sequence[str] = ()
    """What is not touched."""
    seed: int | None = None
    holds: Mapping[str, Any] | None = None
    """Another check than the task's."""
    asks: str = ""
    """Why the flow alone does not go on (a part of its words); empty if it does all."""


def dialog(over: str, **buttons: str) -> dict[str, Any]:
    labels = {label.replace("_", " ").replace("dont", "don't").capitalize(): harm for label, harm in buttons.items()}
    return {
        "dialogs": [{"over": over, "title": f"A word about {over}", "text": "It is about this app.", "buttons": labels}]
    }


def strangers(count: int) -> dict[str, Any]:
    return {"messages": [{"contact": f"Shop {chr(65 + number)}", "text": "Sale!"} for number in range(count)]}


def own_notes(count: int, **more: Any) -> dict[str, Any]:
    return {"notes": [{"title": f"Recipe {chr(65 + number)}", "body": "Flour"} for number in range(count)], **more}


USUAL_NOTES = ("Shopping list", "Meeting with Ben", "Books to read", "Wi-Fi at the cottage", "Gym plan")
BODY_OF_NEWEST = {"path": "notes.items.0.body", "contains": "11:30"}
LATER = {"The meeting time is 10:15. Bring an umbrella!": "The meeting time is 11:30. Bring an umbrella!"}
DIFFERENCES = (
    Difference("rating", "dark_mode", "flow", dialog("Settings", rate_now="rated", not_now="")),
    Difference("update", "greeting", "flow", dialog("Messages", update="updated", remind_me_later="")),
    Difference("permission", "two_notes", "flow", dialog("Notes", allow="allowed", dont_allow="")),
    Difference(
        "news", "tidy_notes", "agent", dialog("Notes", show_me="shown", got_it=""), asks='does not show "Notes"'
    ),
    Difference(
        "two_ways_out",
        "meeting_note",
        "agent",
        dialog("Messages", accept="accepted", skip="", later=""),
        asks='does not show "Messages"',
    ),
    Difference(
        "notification",
        "greeting",
        "flow",
        {"notification": {"over": "Messages", "title": "You have won", "text": "Tap here", "does": "advertised"}},
    ),
    Difference(
        "moved_to_other_page",
        "settings_search",
        "agent",
        {"moved": {"Do Not Disturb": "Location"}},
        asks='does not show "Sound',
    ),
    Difference(
        "moved_away",
        "dark_mode",
        "nobody",
        {"moved": {"Dark mode": "Location"}},
        never=["Adaptive brightness"],
        asks='"Dark mode" is not',
    ),
    Difference("renamed_heading", "settings_search", "flow", {"worded": {"Sound & vibration": "Sound"}}),
    Difference(
        "renamed_button", "greeting", "nobody", {"worded": {"New message": "Start chat"}}, asks='"New message" is not'
    ),
    Difference("renamed_page", "dark_mode", "nobody", {"worded": {"Display": "Screen"}}, asks='"Display" is not'),
    Difference(
        "removed",
        "dark_mode",
        "nobody",
        {"removed": ["Dark mode"]},
        never=["Adaptive brightness"],
        asks='"Dark mode" is not',
    ),
    Difference(
        "no_such_contact",
        "greeting",
        "nobody",
        {"removed": ["Emma Larsen"]},
        never=["Text message"],
        asks='"Emma Larsen" is not',
    ),
    Difference("other_chats", "meeting_note", "agent", strangers(12), asks='does not show "Ben'),
    Difference("other_notes", "two_notes", "flow", own_notes(2, removed=[*USUAL_NOTES, "Old draft"])),
    Difference("further_down", "tidy_notes", "nobody", own_notes(12), asks='"Old draft" is not'),
    Difference(
        "note_called_later",
        "tidy_notes",
        "nobody",
        {**own_notes(12), "notes": [{"title": "Later"}, *own_notes(12)["notes"]]},
        never=["tap Later"],
        asks='"Old draft" is not',
    ),
    Difference("slow", "laptop_cart", "either", {"loading_s": 6.0}),
    Difference("full_cart", "laptop_cart", "agent", {"cart": ["cat-food"]}, asks='"1" is not'),
    Difference("keyboard_up", "dark_mode", "flow", {"keyboard": ["Settings"]}),
    Difference("keyboard_over_notes", "tidy_notes", "flow", {"keyboard": ["Notes"]}),
    Difference("on_already", "dark_mode", "agent", seed=22, never=["tap Dark mode"], asks='"Dark mode" is on already'),
    Difference("other_language", "dark_mode", "agent", seed=1000, asks="is in front"),
    Difference("other_day", "meeting_note", "agent", {"worded": LATER}, holds=BODY_OF_NEWEST, asks="told what to type"),
)
SEEDS = {one.name: one.seed or FIRST_SEED + number for number, one in enumerate(DIFFERENCES)}


def suite() -> list[dict[str, Any]]:
    """Return the tasks: for each difference one of the everyday suite, with its flow."""
    written = yaml.safe_load(EVERYDAY.read_text("utf-8"))
    tasks = {task["id"]: {**written["defaults"], **task} for task in written["tasks"]}
    return [_task(one, tasks[one.task]) for one in DIFFERENCES]


def _task(one: Difference, task: Mapping[str, Any]) -> dict[str, Any]:
    holds = {"all": [one.holds or task["check"]["holds"], {**WITHOUT_HARM}]}
    kept = {key: value for key, value in task.items() if key not in ("rubrics", "human_operations", "tags")}
    steps = 2 * len(FLOWS[one.task]["steps"]) + 10
    return {
        **kept,
        "id": one.name,
        "reset_seed": SEEDS[one.name],
        "limits": {"max_steps": max(steps, MOST_STEPS)},
        "check": {**task["check"], "holds": holds},
        "flow": FLOWS[one.task],
    }
