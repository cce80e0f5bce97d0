"""Run folders for exports: journals, screens and run.yaml of sketched episodes, with requests as roles send them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from manyhands.actors.frames import content_id, encode_jpeg, encode_png
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import Record, ScreenCaptured
from manyhands.protocol.messages import CallTokens, ModelCall, WeightSpan
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import AtomicAction, Home, Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import (
    acted,
    call,
    decided,
    ended,
    prepared,
    receipt,
    received,
    reflected,
    sent,
    span,
    started,
    write_run,
)

SIZE = Size(width=64, height=96)
CHECK = {"source": "content://manyhands.simulator/state", "holds": {"path": "x", "exists": True}}
TOKENS = CallTokens.pack([5, 151_655, 151_655, 6], [7, 8], [-0.5, -0.25])
WEIGHTS = (WeightSpan(version="3", start=0, end=1), WeightSpan(version="4", start=1, end=2))
REPLY = '{"action": {"name": "Tap", "x": 250, "y": 50}}'


def pixels(number: int, size: Size = SIZE) -> Any:
    return np.random.default_rng(number).integers(0, 255, (size.height, size.width, 3), dtype=np.uint8)


@cache
def picture_id(number: int, size: Size = SIZE) -> str:
    return content_id(pixels(number, size))


def jpeg(number: int) -> bytes:
    """The picture of a screen as it was sent."""
    return encode_jpeg(pixels(number))


def picture_part(content: str) -> dict[str, Any]:
    return {"type": "image_url", "uuid": content, "image_url": {"url": f"manyhands:{content}"}}


def text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": f"{text}\n"}


def asked(role: Role, *content: str | dict[str, Any], reply: str | None = REPLY, **fields: Any) -> ModelCall:
    """A call whose user message has these parts."""
    parts = [text_part(part) if isinstance(part, str) else part for part in content]
    messages = [{"role": "system", "content": f"You are the {role.value}."}, {"role": "user", "content": parts}]
    request = {"model": "a-model", "messages": [*messages, *fields.pop("turns", [])], "temperature": 0.0}
    return call(role, 100, request=request, reply=reply, reply_type="DecideReply", **fields)


def captured(step: int, number: int, app: str | None = None, size: Size = SIZE) -> ScreenCaptured:
    content = picture_id(number, size)
    shot = Screenshot(content_id=content, size=size, serial="p", taken_at=step, capture_ms=1, app=app)
    return ScreenCaptured(step=step, span=span(step, step + 0.1), screenshot=shot)


@dataclass
class Sketch:
    """One episode: at each step the reflector and the operator are asked, and one action is sent."""

    episode: str
    task: str = "one"
    goal: str = "Look at the price"
    steps: int = 2
    ending: Ending | None = Ending.FINISHED
    """None if the process died that ran it."""
    verified: bool | None = True
    verified_by: str | None = "phone"
    outcomes: Sequence[Outcome] = ()
    """By step; A where there is none."""
    actions: Sequence[AtomicAction] = ()
    """By step; a tap of its own where there is none."""
    person: bool = False
    """Whether a person does all of it."""
    at: float = 0
    serial: str = "p"
    tokens: CallTokens | None = None
    """Those of each call to the operator."""
    size: Size = SIZE
    """Of the screens."""
    extra: Sequence[Record] = ()
    """Records before the end."""
    apps: Sequence[str | None] = ()
    """By screen, the package in front; None where there is none."""
    has_reset: bool = False
    """Whether the phone was set to the content of the seed."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Further fields of the end."""

    def records(self) -> list[Record]:
        task = TaskSpec.model_validate({"id": self.task, "goal": self.goal, "check": CHECK, "reset_seed": 7})
        reset = receipt(f"{self.episode}:reset").model_copy(update={"has_reset": self.has_reset})
        records: list[Record] = [started(self.episode, task, at=self.at, serial=self.serial), prepared(reset)]
        if self.serial:
            records.append(captured(0, 0, self._app(0), self.size))
        for step in range(self.steps):
            action = self.actions[step] if step < len(self.actions) else Tap(x=step, y=1)
            outcome = self.outcomes[step] if step < len(self.outcomes) else Outcome.A
            when = span(step, step + 1)
            if not self.person:
                told: dict[str, Any] = {} if self.tokens is None else {"tokens": self.tokens, "weights": WEIGHTS}
                picture = picture_part(picture_id(step, self.size))
                question = asked(Role.DECIDE, "What next?", picture, f"Step {step}.", **told)
                records.append(decided(step, when, question, action=action))
            atom = sent(step, f"{self.episode}:{step}", at=step, action=action)
            records.append(atom.model_copy(update={"by": "eve" if self.person else ""}))
            records += [received(step, f"{self.episode}:{step}"), acted(step, when)]
            records.append(captured(step + 1, step + 1, self._app(step + 1), self.size))
            if not self.person:
                pictures = [picture_part(picture_id(number, self.size)) for number in (step, step + 1)]
                verdict = asked(Role.REFLECT, "Did it work?", *pictures, reply='{"outcome": "A"}')
                records.append(reflected(step, when, outcome, verdict))
        records += self.extra
        if self.ending is not None:
            judged = {"verified": self.verified, "verified_by": self.verified_by if self.verified is not None else None}
            records.append(ended(self.at + 9, self.ending, steps=self.steps, **{**judged, **self.fields}))
        return records

    def _app(self, screen: int) -> str | None:
        return self.apps[screen] if screen < len(self.apps) else None


def sketch_run(folder: Path, *sketches: Sketch, name: str = "a run", **asked_fields: Any) -> Path:
    """Write a run folder of these episodes."""
    folder.mkdir()
    run_yaml = {
        "run_id": name,
        "phones": ["p", "q"],
        "phones_source": "virtual phones of a test",
        "model_source": "a model of a test",
        "settings": {"dialect": "qwen3-vl"},
        **asked_fields,
    }
    write_run(folder, run_yaml, {one.episode: one.records() for one in sketches})
    (folder / "screens").mkdir()
    for number, size in {(number, one.size) for one in sketches for number in range(1 + one.steps)}:
        (folder / "screens" / f"{picture_id(number, size)}.png").write_bytes(encode_png(pixels(number, size)))
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


HOME = Home()
