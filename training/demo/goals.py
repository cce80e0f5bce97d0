"""python -m training.demo.goals OUT: write the tasks to learn from and those to be scored on, and the scripts for them.

Goals name what is to be done: a switch or a page of Settings, a conversation, a note, words to search for. No name, no
goal and no seed is in both parts, and nothing to be scored on is so from the start.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import yaml

from manyhands.simulator.phone.apps.preferences import Preferences
from manyhands.simulator.phone.content.library import Library

Part = Literal["learn", "round", "score"]
"""What the rehearsed model shows; what the tuned model then tries itself; what both are scored on."""
Named = Mapping[Literal["learn", "score"], tuple[str, ...]]
SWITCHES: Mapping[Literal["learn", "score"], Mapping[str, tuple[str, str]]] = {
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
PAGES: Named = {
    "learn": ("Network & internet", "Notifications & status bar", "Sound & vibration", "Display", "Location"),
    "score": ("Connected devices", "Languages", "About phone"),
}
PEOPLE: Named = {
    "learn": ("Ben Howard", "Clara Mendes", "David Okafor", "Grace Kim"),
    "score": ("Alice Carter", "Mom"),
}
NOTES: Named = {
    "learn": ("Shopping list", "Books to read", "Old draft", "Gym plan"),
    "score": ("Meeting with Ben", "Wi-Fi at the cottage"),
}
WORDS: Named = {
    "learn": ("milk", "password", "newsletter", "friday", "brightness", "sound level", "free storage", "ringtone"),
    "score": ("budget", "tomatoes", "version", "screen timeout"),
}
SEEDS: Mapping[Part, tuple[int, ...]] = {"learn": (31, 32), "round": (51, 52), "score": (41, 42)}
"""Two contents each: in the second, all switches start in the other position (``simulator/phone/content``)."""
STATE = "content://manyhands.simulator/state"
_DO = {True: "Turn on", False: "Turn off"}
_OPENED = (("conversation with", "Messages", PEOPLE), ("note", "Notes", NOTES))
"""What is opened by its name: its kind, its app, the names."""
_SEARCHED = ("Settings", "Notes")


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
    names: Literal["learn", "score"] = "score" if part == "score" else "learn"
    for (key, (page, title)), on in product(SWITCHES[names].items(), (True, False)):
        text = f"{_DO[on]} {title} on the page {page} of Settings."
        yield Goal(f"{key}_{'on' if on else 'off'}", text, "Settings", f"settings.{key}", on)
    for page in PAGES[names]:
        yield Goal(_key("page", page), f"Open the page {page} of Settings.", "Settings", "settings.pages.*", page)
    for kind, app, named in _OPENED:
        for name in named[names]:
            yield Goal(_key(app, name), f"Open the {kind} {name} in {app}.", app, f"{app.lower()}.opened.*", name)
    for app, words in product(_SEARCHED, WORDS[names]):
        text = f"Search for {words} in {app}."
        yield Goal(_key(f"search_{app}", words), text, app, f"{app.lower()}.searches.*", words)


def holds_at_first(goal: Goal, seed: int) -> bool:
    """Return whether a goal is reached before anything was done: a switch that starts as it is to be."""
    content = Library(seed)
    preferences = Preferences(content.language, content.turned())
    key = goal.path.removeprefix("settings.")
    return isinstance(goal.value, bool) and preferences[key] is goal.value


def tasks(part: Part) -> list[dict[str, Any]]:
    """Return the tasks of a part: each goal on each of its seeds where it does not hold from the start.

    Of the goals to learn from, one is kept that does: it teaches to stop at once.
    """
    pairs = product(goals(part), SEEDS[part])
    return [goal.task(seed) for goal, seed in pairs if part == "learn" or not holds_at_first(goal, seed)]


def scripts() -> list[dict[str, Any]]:
    """Return what the rehearsed model does for such goals. It needs no memory, so neither do the rows."""
    at_top = "/Search settings/"
    to_page = {"when": [at_top, "{page}"], "do": "tap {page}", "expect": ["{page} @top"]}
    to_row = {"when": ["{page} @top", "{row}"], "do": "tap {row}", "expect": ["turned:{row}"]}
    switch = [
        _script(
            rf"Turn {word} (?P<row>[\w -]+) on the page (?P<page>[\w& ]+) of Settings\.",
            *("Settings", ["{page} @top", f"{word}:{{row}}"], [to_page, to_row]),
        )
        for word in ("on", "off")
    ]
    page = _script(r"Open the page (?P<page>[\w& ]+) of Settings\.", "Settings", ["{page} @top"], [to_page])
    opened = [
        _script(
            rf"Open the {kind} (?P<name>[\w -]+) in {app}\.",
            *(app, [f"!{app} @top", "{name}"], [{"when": [f"{app} @top", "{name}"], "do": "tap {name}"}]),
        )
        for kind, app, _ in _OPENED
    ]
    searched = [
        _script(
            rf"Search for (?P<words>[\w -]+) in {app}\.",
            app,
            ["{words} @top", "!keyboard"],
            [
                {"when": ["{words} @top", "keyboard"], "do": "enter"},
                {"when": [f"Search {app.lower()}", "keyboard"], "do": "type {words}"},
                {"when": [f"Search {app.lower()}"], "do": f"tap Search {app.lower()}"},
            ],
        )
        for app in _SEARCHED
    ]
    return [*switch, page, *opened, *searched]


def _key(kind: str, name: str) -> str:
    words = "".join(sign if sign.isalnum() else " " for sign in f"{kind} {name}".lower())
    return "_".join(words.split())


def _script(goal: str, app: str, done: list[str], rules: list[dict[str, Any]]) -> dict[str, Any]:
    say = ["Reach the goal", "Do it"]
    return {"goal": goal, "subgoals": [{"say": say, "did": "", "done": done, "app": app, "rules": rules}]}


def main() -> None:
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for part in SEEDS:
        (out / f"{part}.yaml").write_text(yaml.safe_dump({"tasks": tasks(part)}, sort_keys=False))
    (out / "scripts.yaml").write_text(yaml.safe_dump(scripts(), sort_keys=False))


if __name__ == "__main__":
    main()
