"""Make the answers of a canned service, with texts that try to break pages."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Iterator
from typing import Any

from tests.web.canned_figures import canned_figures, canned_models
from tests.web.canned_schedules import canned_schedules, foresee
from tests.web.canned_screens import LARGE, SCREENS, draw_screen, draw_thumbnail
from tests.web.canned_takeover import EPISODE, CannedTakeover, refuse

HOSTILE = (
    "<img src=x onerror=\"document.title='broken'\">",
    "\u202eright to left\u202c \u2067אבג\u2069",
    "</script><script>document.title='broken'</script>",
    "A" * 10_000,
    "\x1b[31mred\x1b[0m {{7*7}} ${7*7}",
)
GOALS = (
    "Find a laptop in Shop for under 1000 dollars that has an Nvidia GPU, and add it to the cart.",
    "Turn on dark mode.",
    "在浏览器里查看今天的天气，然后在笔记里新建一条穿衣建议，写明今天的气温。",
    "Read the unread message from Maria in Messages and reply to it, confirming the amount that it names.",
    "Create a new note in Notes that says: buy milk.",
    "Set an alarm for 6:30 on weekdays and turn off all others.",
    "Send this greeting to Tom in Messages: Happy birthday!",
)
SUBGOALS = (
    "open the page Display in Settings",
    "type the name into the search",
    "tap the first result",
    "go back to the list",
)
STAGES = ("capture", "perceive", "verify", "plan", "decide", "act", "note")
MODELS = ("Pixel 8", "Pixel 6a", "Galaxy S23", "Redmi Note 12", "Xperia 5")
OWNERS = ("anna", "ben", "nightly")
REASONS = (
    ("step_limit", "Shop", "Tap", "40 steps without reaching the goal"),
    ("impossible", "Messages", "Stop", "planner: There is no conversation with Maria on this phone."),
    ("error", "Notes", "Type", "decide: the model's reply has no action: 'I am sorry, but I cannot'"),
    ("finished", "Settings", "Stop", "its check does not hold: expected dark_theme is true; found false"),
)


NEVER_FREE = "10.9.9.8:"
"""Begins the serial of a phone that a person waits for in vain."""


class CannedAnswers:
    """Answer as a service with many phones would. ``hostile``: texts of some phones and tasks are hostile."""

    def __init__(self, phones: int, hostile: bool = False) -> None:
        self.began = time.time()
        self.hostile = hostile
        self.phones = [self._phone(number) for number in range(phones)]
        self.batches = [self._batch(number) for number in range(14, 0, -1)]
        self.dismissed: set[str] = set()
        self.is_resumed = False
        self.is_allowed = False
        """Whether the action that agents ask about was allowed."""
        self.answers: list[str | None] = []
        """What was answered to the question of an agent, None where it was declined."""
        self.owner = "anna"
        """Who is signed in."""
        self.takeover = CannedTakeover("anna")
        self.by_hand: dict[str, str] = {}
        """The phases of tasks that wait for a phone which a person takes over."""

    def _text(self, number: int, plain: str) -> str:
        return HOSTILE[number % len(HOSTILE)] if self.hostile and number % 3 == 0 else plain

    def _phone(self, number: int) -> dict[str, Any]:
        chance = random.Random(number)
        phase = chance.choices(("busy", "free", "aside", "reserved", "away"), (80, 10, 4, 3, 3))[0]
        return {
            "serial": f"10.0.{number // 200}.{number % 200 + 1}:5555",
            "phase": phase,
            "reason": {
                "aside": "the screen is cracked, a new one is ordered",
                "away": "adb: device offline since the last restart of the hub",
                "reserved": "reserved for anna",
            }.get(phase, ""),
            "labels": {
                "model": MODELS[number % len(MODELS)],
                "android": str(11 + number % 4),
                "lab": ("north", "south", "roof")[number % 3],
                "app:Maps": "11.2",
            },
            "battery": chance.randint(8, 100),
            "celsius": round(chance.uniform(24, 43), 1),
            "failures": chance.choice((0, 0, 0, 0, 1, 3)),
            "taken_over_by": "kim" if phase == "busy" and number % 41 == 7 else None,
            "reserved_for": "anna" if phase == "reserved" else None,
            "reserved_until": time.time() + 7200 if phase == "reserved" else None,
        }

    def wall_phone(self, number: int, now: float, whole: bool) -> dict[str, Any]:
        """Return a phone as it is now."""
        phone = self.phones[number]
        busy = phone["phase"] == "busy"
        age = now - self.began + number * 3.7
        step, within = divmod(age, 6.0)
        stage = min(len(STAGES) - 1, int(within))
        screen = f"{(number * 7 + int(step)) % SCREENS:032x}"
        fresh = whole or within < 1
        since = now - within % 1
        stages = [STAGES[stage], "note"] if stage in (1, 4) else [STAGES[stage]]
        return {
            **phone,
            "task": f"b{14 - number % 6}.t{number}" if busy else None,
            "episode": f"b{14 - number % 6}.t{number}-1-{number:012x}" if busy else None,
            "step": int(step) % 30 if busy else None,
            "doing": self._text(number + 1, SUBGOALS[int(step) % len(SUBGOALS)]) if busy else None,
            "subgoal": SUBGOALS[int(step) % len(SUBGOALS)] if busy else None,
            "stages": stages if busy else [],
            "stage_since": since if busy else None,
            "step_since": now - within,
            "screen": screen,
            "goal": self._text(number, GOALS[number % len(GOALS)]) if busy else None,
            "batch": f"b{14 - number % 6}" if busy else None,
            "owner": OWNERS[number % 3] if busy else None,
            "thumbnail": draw_thumbnail(int(screen, 16)) if fresh and phone["phase"] != "away" else None,
        }

    def wall(self, every_s: float) -> Iterator[str]:
        """Yield the wall's updates: all phones, and then the busy ones each second."""
        for number in itertools.count():
            now = time.time()
            chosen = [
                self.wall_phone(index, now, number == 0)
                for index, phone in enumerate(self.phones)
                if number == 0 or phone["phase"] == "busy"
            ]
            update = {"at": now, "is_whole": number == 0, "phones": chosen, "gone": []}
            yield f"data: {json.dumps(update)}\n\n"
            time.sleep(every_s)

    def events(self, every_s: float) -> Iterator[str]:
        """Yield a comment each second: nothing happens."""
        yield "id: 100\n: still here\n\n"
        while True:
            time.sleep(every_s)
            yield ": still here\n\n"

    def _batch(self, number: int) -> dict[str, Any]:
        chance = random.Random(number)
        tasks = chance.choice((4, 12, 40, 120, 1200))
        phase = "open" if number > 8 else chance.choice(("ended", "ended", "cancelled")) if number != 8 else "paused"
        ended = tasks if phase in ("ended", "cancelled") else int(tasks * chance.uniform(0.05, 0.9))
        failed = int(ended * chance.uniform(0, 0.2))
        running = 0 if phase != "open" else min(tasks - ended, 20)
        name = ("nightly regression", "shop checkout", "settings smoke", "messages zh", "")[number % 5]
        return {
            "id": f"b{number}",
            "name": self._text(number, name),
            "owner": OWNERS[number % 3],
            "priority": chance.choice((0, 0, 0, 10, -5)),
            "tags": ["nightly", "release-4.2"][: number % 3],
            "phase": phase,
            "submitted_at": time.time() - (15 - number) * 900,
            "ended_at": time.time() - (14 - number) * 900 if ended == tasks else None,
            "deadline": time.time() + 3600 if number == 13 else None,
            "deadline_warning": "At 3.1 tasks a minute 40 tasks will be left at the deadline."
            if number == 13
            else None,
            "phones": "model=Pixel 8" if number % 4 == 0 else "",
            "schedule": "s1" if number % 3 == 2 else None,
            "tasks": tasks,
            "waiting": tasks - ended - running,
            "running": running,
            "done": ended - failed,
            "failed": failed,
        }

    def task(self, batch: dict[str, Any], number: int) -> dict[str, Any]:
        """Return a task of a batch."""
        ended = batch["done"] + batch["failed"]
        phase = "ended" if number < ended else "running" if number < ended + batch["running"] else "waiting"
        is_done = phase == "ended" and (batch["failed"] == 0 or number % max(1, ended // batch["failed"]) != 1)
        ending, _, _, reason = REASONS[number % len(REASONS)]
        began = batch["submitted_at"] + number * 11
        return {
            "id": f"{batch['id']}.t{number}",
            "batch": batch["id"],
            "owner": batch["owner"],
            "goal": self._text(number, GOALS[number % len(GOALS)]),
            "phase": phase,
            "priority": batch["priority"],
            "tags": [],
            "phone": None if phase == "waiting" else self.phones[number % len(self.phones)]["serial"],
            "episode": None if phase == "waiting" else f"{batch['id']}.t{number}-1-{number:012x}",
            "step": 4 if phase == "running" else None,
            "doing": SUBGOALS[number % 4] if phase == "running" else None,
            "started_at": None if phase == "waiting" else began,
            "ended_at": began + 30 + number % 90 if phase == "ended" else None,
            "ending": None if phase != "ended" else "finished" if is_done else ending,
            "reason": None if phase != "ended" else "Everything that the goal asks for is done." if is_done else reason,
            "is_done": None if phase != "ended" else is_done,
            "verified": is_done if phase == "ended" and (number % 2 or ending == "finished") else None,
            "steps": 4 + number % 30 if phase == "ended" else None,
            "attempts": 1 if phase == "ended" else 0,
        }

    def get(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        """Answer a GET."""
        parts = path.strip("/").split("/")
        match parts:
            case ["status"]:
                return 200, self._status()
            case ["attention"]:
                return 200, self._attention()
            case ["figures"]:
                return 200, canned_figures()
            case ["models"]:
                return 200, canned_models()
            case ["schedules"]:
                return 200, {"items": canned_schedules(GOALS), "next_cursor": None}
            case ["schedules:times"]:
                return 200, foresee(query["when"])
            case ["batches"]:
                phase = query.get("phase")
                text = query.get("text", "").lower()
                batches = [one for one in self.batches if phase in (None, one["phase"])]
                items = [one for one in batches if text in f"{one['id']} {one['name']}".lower()]
                return 200, {"items": items, "next_cursor": None}
            case ["batches", id]:
                return next(((200, one) for one in self.batches if one["id"] == id), _missing(id))
            case ["tasks"]:
                return 200, self._tasks(query)
            case ["tasks", id]:
                batch = next(one for one in self.batches if one["id"] == id.split(".")[0])
                waiting = {} if id not in self.by_hand else {"phase": self.by_hand[id], "episode": None}
                return 200, self.task(batch, int(id.split(".t")[1])) | waiting
            case ["phones", serial, "tasks"]:
                mine = [self.task(self.batches[0], number) for number in range(12)]
                return 200, {"items": [{**one, "phone": serial} for one in mine], "next_cursor": None}
            case ["phones", serial, "log"]:
                return 200, {"items": self._log(serial), "next_cursor": None}
            case ["phones", serial, "picture"]:
                return 200, draw_screen(int(query["number"]) % SCREENS, LARGE)
            case ["phones", serial]:
                return next(((200, one) for one in self.phones if one["serial"] == serial), _missing(serial))
            case ["episodes", _, "control" | "report" as place]:
                return 200, self.takeover.get(place)
            case ["episodes", _, "writing"]:
                return 200, {"calls": []}
            case ["episodes", _, "screens", screen]:
                return 200, draw_screen(int(screen, 16) % SCREENS, LARGE)
        return _missing(path)

    def post(self, path: str, body: str) -> tuple[int, Any]:
        """Answer a change."""
        if path == "/session":
            return 201, self.session()
        if path.endswith(":dismiss"):
            self.dismissed.add(path.split("/")[2].removesuffix(":dismiss"))
            return 204, None
        if path == "/batches:check":
            return 200, _check(body)
        if path.startswith("/approvals/") and path.endswith(":allow"):
            self.is_allowed = True
            return 200, [{"episode": one["episode"], "serial": one["serial"]} for one in self._approval()["episodes"]]
        if path.startswith("/episodes/b13.t7") and path.endswith(":resume"):
            self.is_resumed = True
            return 200, self.takeover.get("control")
        if path.startswith("/episodes/") and path.endswith(":answer"):
            if self.answers:
                return refuse("anna has answered it already")
            self.answers.append(json.loads(body)["text"])
            return 200, self.takeover.get("control")
        if path.startswith("/episodes/"):
            return self.takeover.post(path, body)
        if path.startswith("/phones/") and path.endswith(":take-over"):
            self.takeover.phone = path.split("/")[2].removesuffix(":take-over")
            task = self.task(self.batches[0], 1) | {"episode": EPISODE, "phase": "running"}
            if self.takeover.phone.startswith(NEVER_FREE):
                self.by_hand[task["id"]] = "waiting"
                task |= {"episode": None, "phase": "waiting"}
            return 201, task
        if path.startswith("/tasks/") and path.endswith(":cancel"):
            id = path.split("/")[2].removesuffix(":cancel")
            self.by_hand[id] = "ended"
            return self.get(f"/tasks/{id}", {})
        if path == "/schedules":
            return 201, canned_schedules(GOALS)[0]
        if path.startswith("/batches/") and path.endswith(":priority"):
            id = path.split("/")[2].removesuffix(":priority")
            batch = next(one for one in self.batches if one["id"] == id)
            batch["priority"] = json.loads(body)["priority"]
            return 200, batch
        if path == "/batches:cancel":
            cancelled = [one for one in self.batches if one["phase"] in ("open", "paused")]
            for batch in cancelled:
                batch["phase"] = "cancelled"
            return 200, cancelled
        if path.startswith("/batches/"):
            return self.get(path.split(":")[0], {})
        return refuse(f"{path}: the canned service changes nothing")

    def session(self, owner: str = "") -> dict[str, Any]:
        """Return the session of an owner, or of whoever is signed in."""
        return {
            "owner": owner or self.owner,
            "role": "approve",
            "token": "t1",
            "session": "x1",
            "expires_at": time.time() + 86400,
        }

    def _status(self) -> dict[str, Any]:
        return {
            "version": "0.1.0",
            "started_at": self.began - 90_000,
            "run": "canned",
            "is_ready": True,
            "waiting_for": [],
            "phones": len(self.phones),
            "waiting": sum(one["waiting"] for one in self.batches),
            "running": sum(one["running"] for one in self.batches),
            "ended": sum(one["done"] + one["failed"] for one in self.batches),
        }

    def _tasks(self, query: dict[str, str]) -> dict[str, Any]:
        first, limit = int(query.get("cursor", 0)), int(query.get("limit", 100))
        batches = [one for one in self.batches if query.get("batch") in (None, one["id"])]
        every = [self.task(batch, number) for batch in batches for number in range(batch["tasks"])]
        for name in ("phase", "ending"):
            every = [task for task in every if query.get(name) in (None, task[name])]
        if "is_done" in query:
            every = [task for task in every if task["is_done"] is (query["is_done"] == "true")]
        if "text" in query:
            every = [task for task in every if query["text"] in f"{task['id']} {task['goal']}".lower()]
        following = str(first + limit) if first + limit < len(every) else None
        return {"items": every[first : first + limit], "next_cursor": following}

    def _attention(self) -> dict[str, Any]:
        causes = []
        for number, (ending, app, action, reason) in enumerate(REASONS):
            if str(number) in self.dismissed:
                continue
            count = (17, 6, 2, 1)[number]
            causes.append(
                {
                    "id": str(number),
                    "ending": ending,
                    "verified": False if ending == "finished" else None,
                    "app": app,
                    "action": action,
                    "pattern": reason,
                    "reason": self._text(number * 3, reason),
                    "page": "",
                    "count": count,
                    "changeable": count,
                    "first_at": time.time() - 7200,
                    "last_at": time.time() - 60 * (number + 1),
                    "tasks": [f"b14.t{number + at * 4}" for at in range(min(10, count))],
                    "episodes": [f"b14.t{number + at * 4}-1-{number + at * 4:012x}" for at in range(min(10, count))],
                }
            )
        phones = [one for one in self.phones if one["phase"] in ("aside", "away")][:5]
        aside = [
            {"serial": one["serial"], "phase": one["phase"], "reason": one["reason"], "since": time.time() - 4000}
            for one in phones
        ]
        models = [
            {
                "what": "the model of decide",
                "reason": "http://10.0.0.9:8000/v1: connection refused",
                "since": time.time() - 90,
            }
        ]
        held = [] if self.is_resumed else [self._held()]
        held += [] if self.answers else [self._asking()]
        approvals = [] if self.is_allowed else [self._approval()]
        count = len(causes) + len(aside) + len(models) + len(held) + len(approvals)
        held += [episode for one in approvals for episode in one["episodes"]]
        return {
            "causes": causes, "phones": aside, "models": models, "held": held, "approvals": approvals, "open": count
        }  # fmt: skip

    def _held(self) -> dict[str, Any]:
        return {
            "episode": "b13.t7-1-000000000007",
            "task": "b13.t7",
            "owner": "anna",
            "goal": self._text(0, GOALS[0]),
            "serial": self.phones[7 % len(self.phones)]["serial"],
            "is_paused": True,
            "by": self._text(3, "kim"),
            "since": time.time() - 9000,
        }

    def _approval(self) -> dict[str, Any]:
        question = self._text(2, "Tap 'Pay' in Shop may pay (the greatest amount shown: 20). Allow it?")
        goal = self._text(1, "Buy the ticket.")
        episodes = [
            self._asking()
            | {
                "episode": f"b15.t{number}-1-{number:012x}",
                "task": f"b15.t{number}",
                "goal": goal,
                "serial": self.phones[number % len(self.phones)]["serial"],
                "question": question,
                "consent": {"id": f"{number:016x}", "screen": f"{number:032x}", "x": 0.5, "y": 0.8},
            }
            for number in range(12)
        ]
        return {"id": "00000000000000aa", "goal": goal, "question": question, "episodes": episodes}

    def _asking(self) -> dict[str, Any]:
        return self._held() | {
            "episode": "b14.t9-1-000000000009",
            "task": "b14.t9",
            "goal": self._text(1, GOALS[1]),
            "serial": self.phones[9 % len(self.phones)]["serial"],
            "by": "the agent",
            "since": time.time() - 40,
            "question": self._text(2, "The app asks for the password of anna@example.org. Please log in."),
        }

    def _log(self, serial: str) -> list[dict[str, Any]]:
        """Return what happened to a phone, the newest first: tasks, and a time away and one aside."""
        chance = random.Random(serial)
        stories = [["began", "ended"]] * 14
        stories[4], stories[9], stories[11] = ["away", "back"], ["began", "failed", "ended"], ["aside", "released"]
        at = time.time() - 30
        events = []
        for number, story in enumerate(stories):
            for kind in reversed(story):
                is_task = kind in ("began", "ended", "failed")
                events.append(
                    {
                        "id": 900 - len(events),
                        "at": at,
                        "kind": f"{'task' if is_task else 'phone'}.{kind}",
                        "batch": "b14",
                        "task": f"b14.t{number}" if is_task else None,
                        "phone": serial,
                        "data": {"reason": self._text(number * 3, "adb: device offline")} if kind == "away" else {},
                    }
                )
                at -= chance.uniform(2, 40) if kind == story[0] else chance.uniform(60, 240)
        return events


def _missing(what: str) -> tuple[int, Any]:
    return 404, {
        "type": "urn:manyhands:problem:not-found",
        "title": "There is no such thing",
        "status": 404,
        "detail": f"{what}: not known here",
        "mistakes": [],
    }


def _check(body: str) -> dict[str, Any]:
    lines = body.splitlines()
    mistakes = [
        {"line": number, "text": f"task {sum('- id:' in one for one in lines[:number])}: id: must be a text"}
        for number, line in enumerate(lines, 1)
        if "id: no" in line
    ]
    return {"tasks": body.count("goal"), "deadline_warning": None, "mistakes": mistakes, "unmatched": []}
