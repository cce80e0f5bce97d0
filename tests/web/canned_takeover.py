"""Play an episode that a person has taken over: each action shows another screen, and an old screen is refused."""

from __future__ import annotations

import json
import time
from typing import Any

from manyhands.protocol.episode_report import EpisodeReport, ReportedStep
from manyhands.protocol.service.episodes import EpisodeStatus

EPISODE = "b1.t1-1-000000000001"
REFUSED = "refuse me"
"""A text that the phone does not type."""


class CannedTakeover:
    """Answer for one taken episode, and keep what a person does."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._phase = "taken_over"
        self._screen = 1

    def get(self, place: str) -> dict[str, Any]:
        """Answer a GET of the episode's ``control`` or ``report``."""
        return self._control() if place == "control" else _report().model_dump(mode="json")

    def post(self, path: str, body: str) -> tuple[int, Any]:
        """Answer an action, or a change of who controls the episode."""
        if not path.endswith("/actions"):
            self._phase = {"hand-back": "running", "take-over": "taken_over"}.get(path.rpartition(":")[2], self._phase)
            return 200, self._control()
        asked = json.loads(body)
        if asked["screen"] != self._id():
            return refuse(f"the phone shows another screen now: {self._id()}; look at it first")
        is_refused = asked["action"].get("text") == REFUSED
        self._screen += not is_refused
        status, detail = ("refused", "no field has the focus") if is_refused else ("done", "")
        return 200, {"key": "k", "status": status, "detail": detail, "control": self._control()}

    def _id(self) -> str:
        return f"{self._screen:032x}"

    def _control(self) -> dict[str, Any]:
        return {
            "episode": EPISODE,
            "phase": self._phase,
            "by": self._owner if self._phase == "taken_over" else None,
            "since": time.time() - 5,
            "ends_at": time.time() + 600,
            "screen": self._id(),
            "width": 1080,
            "height": 2400,
            "keyboard": "shown",
            "is_by_hand": False,
            "human_actions": self._screen - 1,
            "ending": None,
        }


def refuse(detail: str) -> tuple[int, Any]:
    """Return the answer to a change that the present state does not allow."""
    return 409, {
        "type": "urn:manyhands:problem:conflict",
        "title": "The present state does not allow this",
        "status": 409,
        "detail": detail,
        "mistakes": [],
    }


def _report() -> EpisodeReport:
    status = EpisodeStatus(
        id=EPISODE,
        task="b1.t1",
        goal="Greet Ben.",
        attempt=1,
        phone="10.0.0.1:5555",
        profile="e",
        started_at=time.time() - 60,
        steps=1,
    )
    step = ReportedStep(step=0, screen=f"{1:032x}", width=1080, height=2400)
    return EpisodeReport(episode=status, batch="b1", steps=(step,), sizes={step.screen: (1080, 2400)})
