"""python -m training.demo.goals OUT: write the tasks to learn from and those to be scored on, and the scripts for them.

Goals name what is to be done: a switch of Settings, a conversation, a note. No name, no goal and no seed is in both
parts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import yaml

Part = Literal["learn", "score"]
SWITCHES: Mapping[Part, Mapping[str, tuple[str, str]]] = {
    "learn": {
        "wifi": ("Network & internet", "Wi-Fi"),
        "mobile_data": ("Network & internet", "Mobile data"),
        "network_speed_display": ("Notifications & status bar", "Network speed display"),
        "do_not_disturb": ("Sound & vibration", "Do Not Disturb"),
        "vibration_mode": ("Sound & vibration", "Vibration mode"),
        "dark_mode": ("Display", "Dark mode"),
        "adaptive_brightness": ("Display", "Adaptive brightness"),
        "location": ("Location", "Use location"),
    },
    "score": {
        "bluetooth": ("Connected devices", "Bluetooth"),
        "battery_percentage": ("Notifications & status bar", "Battery percentage"),
        "vibrate_on_ring": ("Sound & vibration", "Vibrate for calls"),
        "auto_rotate": ("Display", "Auto-rotate screen"),
    },
}
"""By the key of a switch in the phone's state: its page and its title."""
PEOPLE: Mapping[Part, tuple[str, ...]] = {
    "learn": ("Ben Howard", "Clara Mendes", "David Okafor", "Grace Kim"),
    "score": ("Alice Carter", "Mom"),
}
NOTES: Mapping[Part, tuple[str, ...]] = {
    "learn": ("Shopping list", "Books to read", "Old draft", "Gym plan"),
    "score": ("Meeting with Ben", "Wi-Fi at the cottage"),
}
SEEDS: Mapping[Part, tuple[int, ...]] = {"learn": (1, 2, 3), "score": (11, 12, 13)}
STATE = "content://manyhands.simulator/state"
_NAMED = (("conversation with", "Messages", PEOPLE), ("note", "Notes", NOTES))
"""What is opened by its name: its kind, its app, the names."""
_DO = {True: "Turn on", False: "Turn off"}


@dataclass(frozen=True, slots=True)
class Goal:
    """Hold a goal, the app that it is in, and what the phone's state holds once it is reached."""

    id: str
    text: str
    app: str
    path: str
    value: Any

    def task(self, seed: int) -> dict[str, Any]:
        """Return the task of a goal on the phone's content of this seed."""
        return {
            "id": f"{self.id}_{seed}",
            "goal": self.text,
            "apps": [self.app],
            "reset_seed": seed,
            "limits": {"max_steps": 8},
            "check": {"source": STATE, "holds": {"path": self.path, "equals": self.value}},
        }


def goals(part: Part) -> Iterator[Goal]:
    """Yield the goals of a part."""
    for (key, (page, title)), on in product(SWITCHES[part].items(), (True, False)):
        text = f"{_DO[on]} {title} on the page {page} of Settings."
        yield Goal(f"{key}_{'on' if on else 'off'}", text, "Settings", f"settings.{key}", on)
    for kind, app, names in _NAMED:
        for name in names[part]:
            key = f"{app.lower()}_{'_'.join(name.lower().replace('-', ' ').split())}"
            yield Goal(key, f"Open the {kind} {name} in {app}.", app, f"{app.lower()}.opened.*", name)


def tasks(part: Part) -> list[dict[str, Any]]:
    """Return the tasks of a part: each goal on each of its seeds."""
    return [goal.task(seed) for seed in SEEDS[part] for goal in goals(part)]


def scripts() -> list[dict[str, Any]]:
    """Return what the rehearsed model does for such goals. It needs no memory, so neither do the rows."""
    at_top = "/Search settings/"
    to_page = [
        {"when": [at_top, "{page}"], "do": "tap {page}", "expect": ["{page} @top"]},
        {"when": ["{page} @top", "{row}"], "do": "tap {row}", "expect": ["turned:{row}"]},
    ]
    switch = [
        {
            "goal": rf"Turn {word} (?P<row>[\w -]+) on the page (?P<page>[\w& ]+) of Settings\.",
            "subgoals": [_subgoal("Settings", ["{page} @top", f"{word}:{{row}}"], to_page)],
        }
        for word in ("on", "off")
    ]
    opened = [
        {
            "goal": rf"Open the {kind} (?P<name>[\w -]+) in {app}\.",
            "subgoals": [
                _subgoal(app, [f"!{app} @top", "{name}"], [{"when": [f"{app} @top", "{name}"], "do": "tap {name}"}])
            ],
        }
        for kind, app, _ in _NAMED
    ]
    return [*switch, *opened]


def _subgoal(app: str, done: list[str], rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"say": ["Reach the goal", "Do it"], "did": "", "done": done, "app": app, "rules": rules}


def main() -> None:
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for part in ("learn", "score"):
        (out / f"{part}.yaml").write_text(yaml.safe_dump({"tasks": tasks(part)}, sort_keys=False))
    (out / "scripts.yaml").write_text(yaml.safe_dump(scripts(), sort_keys=False))


if __name__ == "__main__":
    main()
