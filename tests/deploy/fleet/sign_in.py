"""A run whose agent signs in to a virtual phone's bank with a secret, and shows the password before it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from manyhands.protocol.roles.sections import Section
from manyhands.protocol.screens.element_rows import parse_elements
from tests.simulator.bank_phone import BankPhone

VALUE = "tr0ub4dor&3 s'il"
NAME = "{{secret:bank}}"
PROVIDER = "content://manyhands.simulator"
ACTIONS = (
    ("Open_App", "Bank"),
    ("tap", "password field"),
    ("Type", NAME),
    ("tap", "Show password"),
    ("tap", "User"),
    ("tap", "Sign in"),
)


class Customer:
    """Answers each request of an agent that signs in."""

    def __call__(self, reply: str, sections: Mapping[Section, str]) -> dict[str, Any]:
        step = sections.get(Section.HISTORY, "").count("outcome:")
        past = sections.get(Section.PROGRESS, "").rpartition("step ")[2]
        number = int(past) if past.isdigit() else 0
        if reply == "PlanReply":
            status = "finished" if number == len(ACTIONS) else "continue"
            return {"thought": "", "plan": "Sign in", "change": "keep", "subgoal": "Sign in", "status": status}
        if reply == "ReflectChangeReply":
            return {"change": "", "outcome": "A", "error": "", "progress": f"step {number + 1}"}
        if reply == "AddedNotesReply":
            return {"notes": ""}
        kind, value = ACTIONS[min(step, len(ACTIONS) - 1)]
        if kind == "tap":
            (target, *_) = [one for one in parse_elements(sections[Section.SCREEN]) if value in one.content]
            action: dict[str, Any] = {"name": "Tap", "x": target.x, "y": target.y}
        else:
            action = {"name": kind, **({"app": value} if kind == "Open_App" else {"text": value})}
        return {"thought": "", "action": action, "expectation": ""}


def make_phone(index: int) -> BankPhone:
    return BankPhone(index, 540, 1200, 210)


def write_settings(folder: Path, secret: Path, elements: str = "accessibility", **more: Any) -> Path:
    """The file of settings. ``secret``: the file with the value, which is made here."""
    secret.touch(0o600)
    secret.write_text(f"{VALUE}\n")
    settings = {
        "secrets": {"bank": {"file": str(secret), "apps": ["Bank"]}},
        "label_providers": [f"{PROVIDER}/apps"],
        "reset_provider": PROVIDER,
        "state_dir": str(folder / "state"),
        "episode": {"elements": elements, "logcat": True},
        **more,
    }
    (folder / "settings.yaml").write_text(yaml.safe_dump(settings))
    return folder / "settings.yaml"


def write_tasks(folder: Path, count: int = 1, name: str = NAME) -> Path:
    tasks: Sequence[Mapping[str, Any]] = [
        {
            "id": f"sign-in-{number}",
            "goal": f"Sign in to Bank with the password {name}.",
            "reset_seed": 0,
            "check": {
                "source": f"{PROVIDER}/state",
                "holds": {"path": "bank.entered.password", "equals": NAME},
            },
        }
        for number in range(count)
    ]
    (folder / "tasks.yaml").write_text(yaml.safe_dump(list(tasks)))
    return folder / "tasks.yaml"
