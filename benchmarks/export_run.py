"""Make up a run by the store that real runs write with: canned frames that all differ, prompts of a real length."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from manyhands.actors.frames import Frame, content_id
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    Planned,
    Record,
    Reflected,
    ScreenCaptured,
    Span,
)
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.phones import Receipt
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import Decision, Plan, Reflection, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.canned.frames import PAGES, Page, page, stamped

SIZE = Size(width=1080, height=2400)
_SYSTEM = "You are one of several roles that together operate an Android phone for a user. " * 75
_SCREEN = "\n".join(f"{row} ({row * 40},{row * 30}) text that a screen shows in row {row}" for row in range(1, 40))
_REPLIES = {
    Role.PLAN: {"thought": "t", "plan": "1. Look", "change": "keep", "subgoal": "Look", "status": "continue"},
    Role.DECIDE: {"thought": "t", "action": {"name": "Tap", "x": 250, "y": 50}, "expectation": "e"},
    Role.REFLECT: {"outcome": "A", "error": "", "progress": "Looked"},
}


async def make_run(folder: Path, episodes: int, steps: int, sources: Mapping[str, str]) -> None:
    """Make the folder of a run in which every screen differs. Its run.yaml is written last.

    ``sources``: what its phones and its model are.
    """
    _begin(folder)
    pages = [page(SIZE.width, SIZE.height, number) for number in range(PAGES)]
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    try:
        ahead = await asyncio.to_thread(_frames, pages, 0, steps)
        for number in range(episodes):
            frames = ahead
            making = asyncio.to_thread(_frames, pages, number + 1, steps)
            ahead, _ = await asyncio.gather(making, store.put_screens(tuple(frames), *frames.values()))
            episode = f"task{number}-1-{number:06x}"
            await store.append(episode, _records(number, episode, tuple(frames)), 0, 1)
    finally:
        await store.stop()
    made_of = {"phones_source": sources["phones"], "model_source": sources["model"]}
    asked = {"run_id": folder.name, "phones": ["canned"], **made_of, "settings": {"dialect": "qwen3-vl"}}
    (folder / "run.yaml").write_text(yaml.safe_dump(asked), encoding="utf-8")


def _frames(pages: Sequence[Page], number: int, steps: int) -> dict[str, Frame]:
    """Return the frames of an episode by content id. Blocks."""
    frames: dict[str, Frame] = {}
    for step in range(steps + 1):
        frame = stamped(pages[step % PAGES], number * (steps + 1) + step)
        frames[content_id(frame.rgb)] = Frame("png", bytes(frame.png or b""))
    return frames


def _begin(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _records(number: int, episode: str, contents: Sequence[str]) -> list[Record]:
    """Return the records of an episode. ``contents``: the content ids of its screens."""
    goal = f"Look up price number {number}"
    started = EpisodeStarted(
        at=number,
        run="bench",
        episode=episode,
        attempt=1,
        task=TaskSpec(id=f"task{number}", goal=goal),
        serial="canned",
        epoch=1,
        profile="e",
        schedule="serial",
        memory=LongTermMemory(),
    )
    records: list[Record] = [_captured(0, contents[0])]
    plan = Plan(thought="t", text="1. Look", subgoal=Subgoal(id=1, text="Look"), change="keep", status="continue")
    verdict = Reflection(outcome=Outcome.A, error="", progress="Looked", made_by="model")
    for step, (before, after) in enumerate(itertools.pairwise(contents)):
        span, key = Span(start=step, end=step + 1), f"{episode}:{step}"
        tap = Tap(x=270, y=120)
        records += [
            Planned(step=step, span=span, plan=plan, calls=(_call(Role.PLAN, goal, step, before),)),
            ActionDecided(
                step=step,
                span=span,
                decision=Decision(thought="t", action=tap, expectation="e"),
                calls=(_call(Role.DECIDE, goal, step, before),),
            ),
            ActionSent(at=step, step=step, key=key, action=tap),
            ActionReceived(step=step, receipt=Receipt(key=key, status="done", sent_at=step, ms=1)),
            Acted(step=step, span=span),
            _captured(step + 1, after),
            Reflected(
                step=step, span=span, reflection=verdict, calls=(_call(Role.REFLECT, goal, step, before, after),)
            ),
        ]
    end = EpisodeEnded(
        at=number + 1, ending=Ending.FINISHED, reason="", steps=len(contents) - 1, verified=None, rubrics={}
    )
    return [started, *records, end]


def _captured(step: int, content: str) -> ScreenCaptured:
    shot = Screenshot(content_id=content, size=SIZE, serial="canned", taken_at=step, capture_ms=1)
    return ScreenCaptured(step=step, span=Span(start=step, end=step), screenshot=shot)


def _call(role: Role, goal: str, step: int, *contents: str) -> ModelCall:
    pictures = [{"type": "image_url", "image_url": {"url": f"manyhands:{content}"}} for content in contents]
    words = {"type": "text", "text": f"{goal}\nStep {step}\n{_SCREEN}\nYou are the {role.spec.agent}."}
    messages = [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": [*pictures, words]}]
    return ModelCall(
        role=role,
        server="http://canned",
        request={"model": "canned", "messages": messages, "temperature": 0.0},
        reply=json.dumps(_REPLIES[role]),
        usage=Usage(input_tokens=6000, output_tokens=60),
        started_at=step,
        latency_ms=1,
        reply_type={Role.PLAN: "PlanReply", Role.DECIDE: "DecideReply", Role.REFLECT: "ReflectReply"}[role],
    )
