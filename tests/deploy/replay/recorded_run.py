"""A short recorded run for tests, written through the store as an episode writes it, and a server to replay it to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from aiohttp import web

from manyhands.actors.frames import Frame, content_id
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import (
    ActionDecided,
    EpisodeEnded,
    EpisodeStarted,
    NotesTaken,
    Perceived,
    Planned,
    Record,
    Reflected,
    ScreenCaptured,
    Span,
)
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, heading
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.tasks.task import TaskSpec

EPISODE = "one-1-0123"
SIZE = Size(width=200, height=400)
ELEMENTS = (
    Element(kind="text", box=Box(x1=0, y1=0, x2=100, y2=40), content="Wi-Fi", confidence=0.9),
    Element(kind="icon", box=Box(x1=100, y1=200, x2=200, y2=240), content="", confidence=0.9),
)
TEXT_TOKENS = 100
PICTURE_TOKENS = 72
"""Of a picture of SIZE for Qwen3-VL: 6 x 12 squares of 32 pixels."""
SPAN = Span(start=1, end=2)
PLAN = {"thought": "t", "plan": "1. Look", "change": "next", "subgoal": "Look", "status": "continue"}
DECISION = {"thought": "t", "action": {"name": "Tap", "x": 250, "y": 50}, "expectation": "e"}
"""The tap is at pixel (50, 20), on the first element."""
VERDICT = {"outcome": "A", "error": "", "progress": "Looked"}
NOTE = {"notes": "The price is 12 EUR"}
REPLIES = {Role.PLAN: PLAN, Role.DECIDE: DECISION, Role.REFLECT: VERDICT, Role.NOTE: NOTE}
NAMES = {Role.PLAN: "PlanReply", Role.DECIDE: "DecideReply", Role.REFLECT: "ReflectReply", Role.NOTE: "NoteReply"}
ROLES = {name: role for role, name in NAMES.items()}


def frame(step: int) -> Frame:
    """Pixels that differ from step to step."""
    rgb = np.random.default_rng(step).integers(0, 255, (SIZE.height, SIZE.width, 3), dtype=np.uint8)
    return Frame("rgb", rgb)


def shot(step: int) -> Screenshot:
    return Screenshot(content_id=content_id(frame(step).rgb()), size=SIZE, serial="p", taken_at=step, capture_ms=1)


def call(role: Role, *shown: int, cached: int = 0) -> ModelCall:
    """A call that shows the screenshots of some steps."""
    pictures = [{"type": "image_url", "image_url": {"url": f"manyhands:{shot(step).content_id}"}} for step in shown]
    text = f"{heading(Section.GOAL)}\nLook at the price\n\n{heading(Section.TASK)}\nYou are the {role.value}."
    request = {
        "model": "recorded",
        "messages": [
            {"role": "system", "content": f"You are one of several roles.\n\n{heading(Section.ACTIONS)}\nTap(x, y)"},
            {"role": "user", "content": [*pictures, {"type": "text", "text": text}]},
        ],
        "temperature": 0.0,
        "priority": 5,
        "response_format": {"type": "json_schema", "json_schema": {"name": NAMES[role], "schema": {}}},
    }
    tokens = TEXT_TOKENS + PICTURE_TOKENS * len(shown)
    return ModelCall(
        role=role,
        server="http://then",
        request=request,
        reply=json.dumps(REPLIES[role]),
        usage=Usage(input_tokens=tokens, output_tokens=20, cached_tokens=cached),
        started_at=1,
        latency_ms=1000,
        reply_type=NAMES[role],
    )


def step_records(step: int, cached: int) -> Sequence[Record]:
    screen = Screen(content_id=shot(step).content_id, size=SIZE, elements=ELEMENTS, keyboard="hidden")
    plan = Plan(thought="", text="1. Look", subgoal=Subgoal(id=1, text="Look"), change="next", status="continue")
    verdict = Reflection(outcome=Outcome.A, error="", progress="Looked", made_by="model")
    return (
        Perceived(step=step, span=SPAN, screen=screen),
        Planned(step=step, span=SPAN, plan=plan, calls=(call(Role.PLAN, step, cached=cached),)),
        ActionDecided(
            step=step,
            span=SPAN,
            decision=Decision(thought="t", action=Tap(x=50, y=20), expectation="e"),
            calls=(call(Role.DECIDE, step, cached=cached),),
        ),
        ScreenCaptured(step=step + 1, span=SPAN, screenshot=shot(step + 1)),
        Reflected(step=step, span=SPAN, reflection=verdict, calls=(call(Role.REFLECT, step, step + 1, cached=cached),)),
        NotesTaken(step=step, span=SPAN, notes=Notes(text="12 EUR"), calls=(call(Role.NOTE, step + 1, cached=cached),)),
    )


async def record_run(folder: Path, steps: int = 2, cached: int = 0, dialect: str = "qwen3-vl") -> Path:
    """A run of one episode in which each role was asked once a step, and the planner once more at the end."""
    asked = {"run_id": "the run", "model_source": "a model of a test", "settings": {"dialect": dialect}}
    folder.mkdir(exist_ok=True)
    (folder / "run.yaml").write_text(yaml.safe_dump(asked))
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    for step in range(steps + 1):
        await store.put_screens([shot(step).content_id], frame(step))
    started = EpisodeStarted(
        at=1,
        run="the run",
        episode=EPISODE,
        attempt=1,
        task=TaskSpec(id="one", goal="Look at the price"),
        serial="p",
        epoch=1,
        profile="e",
        schedule="overlap",
        memory=LongTermMemory(),
    )
    last = Plan(thought="", text="1. Look", subgoal=Subgoal(id=1, text="Look"), change="keep", status="finished")
    records: list[Record] = [started, ScreenCaptured(step=0, span=SPAN, screenshot=shot(0))]
    for step in range(steps):
        records += step_records(step, cached)
    records += [
        Planned(step=steps, span=SPAN, plan=last, calls=(call(Role.PLAN, steps, cached=cached),)),
        EpisodeEnded(at=9, ending=Ending.FINISHED, reason="", steps=steps, verified=None, rubrics={}),
    ]
    await store.append(EPISODE, records, 0, 1)
    await store.stop()
    return folder


# ---------------------------------------------------------------------------- the server
Answer = Callable[[Role], Awaitable[str | int | None]]
"""A role's request to the text of a reply, a status to fail with, or None to drop the connection."""


@dataclass
class Answering:
    """A model server that remembers what came."""

    answer: Answer
    url: str = ""
    finish_reason: str = "stop"
    bodies: list[bytes] = field(default_factory=list)
    tokenized: list[dict[str, Any]] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    running: int = 0
    most_running: int = 0

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "another", "object": "model"}]})

    async def complete(self, http: web.Request) -> web.StreamResponse:
        raw = await http.read()
        self.bodies.append(raw)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            said = await self.answer(ROLES[json.loads(raw)["response_format"]["json_schema"]["name"]])
        except asyncio.CancelledError:
            self.hung_up.set()
            raise
        finally:
            self.running -= 1
        if said is None:
            assert http.transport is not None
            http.transport.abort()
            return web.Response()
        if isinstance(said, int):
            return web.json_response({"error": {"message": "no", "code": said}}, status=said)
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": {"role": "assistant", "content": said}}
        usage = {"prompt_tokens": 50, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 40}}
        return web.json_response({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})

    async def tokenize(self, http: web.Request) -> web.Response:
        body = await http.json()
        self.tokenized.append(body)
        return web.json_response({"count": len(body["prompt"].split()), "max_model_len": 1000, "tokens": []})


@asynccontextmanager
async def answering(answer: Answer, tokenizer: bool = True) -> AsyncIterator[Answering]:
    """The server on a free port of 127.0.0.1 while the context is open; not every server offers its tokenizer."""
    server = Answering(answer)
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_get("/v1/models", server.models)
    app.router.add_post("/v1/chat/completions", server.complete)
    if tokenizer:
        app.router.add_post("/tokenize", server.tokenize)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


async def as_recorded(role: Role) -> str:
    return json.dumps(REPLIES[role])
