"""A run of one task that failed, full of what a page must not take for markup."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml

from manyhands.actors.frames import content_id, encode_png
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import (
    ActionDecided,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    Perceived,
    Planned,
    Record,
    Reflected,
    ScreenCaptured,
    Span,
)
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import Decision, Plan, Reflection, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest

HOSTILE = "</script><script>alert(1)</script>"


def write_reported_run(tmp_path: Path) -> Path:
    """Write a run of one episode of one step that failed, and return its folder."""
    rgb = np.full((240, 108, 3), 200, np.uint8)
    digest = content_id(rgb)
    size = Size(width=108, height=240)
    span = Span(start=1.0, end=2.0)
    task = TaskSpec(id="one", goal="Find & keep <it>")
    shot = Screenshot(content_id=digest, size=size, serial="phone", taken_at=1.0, capture_ms=5)
    element = Element(kind="text", box=Box(x1=1, y1=2, x2=30, y2=12), content=HOSTILE, confidence=0.9)
    plan = Plan(thought="", text="", subgoal=Subgoal(id=1, text="the subgoal"), change="next", status="continue")
    call = ModelCall(
        role=Role.PLAN,
        server="http://model-7/v1",
        request={"prompt": "the whole prompt"},
        reply="",
        error="cut <off>",
        usage=Usage(input_tokens=1234, output_tokens=56, cached_tokens=789),
        started_at=1.0,
        latency_ms=4321,
        attempts=3,
    )
    records: list[Record] = [
        EpisodeStarted(
            at=1.0,
            run="r",
            episode="one-1-a",
            attempt=1,
            task=task,
            serial="phone",
            epoch=1,
            profile="e",
            schedule="overlap",
            memory=LongTermMemory(),
            batch="b1",
        ),
        ScreenCaptured(step=0, span=span, screenshot=shot),
        Planned(step=0, span=span, plan=plan, calls=(call,)),
        Perceived(
            step=0, span=span, screen=Screen(content_id=digest, size=size, elements=(element,), keyboard="hidden")
        ),
        ActionDecided(step=0, span=span, decision=Decision(thought=HOSTILE, action=Tap(x=17, y=23), expectation="x")),
        ActionSent(at=2.0, step=0, key="one-1-a:0:1:0", action=Tap(x=17, y=23)),
        Reflected(
            step=0,
            span=span,
            reflection=Reflection(outcome=Outcome.B, error="a wrong page", progress="p", made_by="model"),
        ),
        EpisodeEnded(
            at=3.0,
            ending=Ending.FAILURE_LIMIT,
            reason="why",
            steps=1,
            verified=False,
            rubrics={"opened": True, "saved": False},
            unmet=(UnmetTest(expected="settings.dark_mode is true", found="false"),),
            rubrics_unmet={"saved": (UnmetTest(expected='notes.*.body is "<b>"', found="nothing"),)},
        ),
    ]
    folder = tmp_path / "run"
    (folder / "episodes" / "one-1-a").mkdir(parents=True)
    (folder / "screens").mkdir()
    (folder / "episodes" / "one-1-a" / "journal.mh").write_bytes(b"".join(encode(item, "one-1-a") for item in records))
    (folder / "screens" / f"{digest}.png").write_bytes(encode_png(rgb))
    asked = {"run_id": "r", "profile": "e", "schedule": "overlap", "phones": ["phone"], "started_at": 0.5}
    tasks = {"tasks": [task.model_dump(mode="json")], "batches": [{"name": "b1", "tasks": 1}]}
    (folder / "run.yaml").write_text(yaml.safe_dump({**asked, **tasks}))
    return folder
