"""Roles and clients of a test's servers, and requests about screens that were really seen."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar

from manyhands.actors.mllm import ModelClient, ModelSettings
from manyhands.actors.roles import RoleSettings
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.requests import DecideRequest, NoteRequest, PlanRequest, ReflectRequest
from manyhands.protocol.roles.role import Role
from tests.actors.roles import examples
from tests.vllm.screens import Shown
from tests.vllm.server import MAX_PIXELS, VllmServer

LONGEST_S = 300.0


class Startable(Protocol):
    async def start(self) -> None: ...
    async def stop(self) -> None: ...


S = TypeVar("S", bound=Startable)


def settings(*servers: VllmServer, dialect: str = "qwen3-vl", **changes: Any) -> ModelSettings:
    """Return a client's settings for these servers, which serve one model."""
    urls = tuple(server.url for server in servers)
    named = {"model": servers[0].model.name, **changes}
    return ModelSettings(urls=urls, dialect=dialect, max_pixels=MAX_PIXELS, **named)


def role_settings(*servers: VllmServer, dialect: str = "qwen3-vl", **changes: Any) -> RoleSettings:
    return RoleSettings(model=settings(*servers, dialect=dialect, **changes))


@asynccontextmanager
async def started(made: S) -> AsyncIterator[S]:
    """A role or a client while it is open."""
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


@asynccontextmanager
async def client_of(*servers: VllmServer, **changes: Any) -> AsyncIterator[ModelClient]:
    async with started(ModelClient(settings(*servers, **changes))) as client:
        yield client


def within(seconds: float = LONGEST_S, step: int = 0) -> CallContext:
    return CallContext(episode="tiny", step=step, deadline=time.time() + seconds)


# ---------------------------------------------------------------------------- requests about real screens
def plan_of(now: Shown, text: str = "") -> PlanRequest:
    return examples.plan_request(text).model_copy(update={"screenshot": now.screenshot})


def decide_of(now: Shown, text: str = "") -> DecideRequest:
    seen = {"screenshot": now.screenshot, "screen": now.screen}
    return examples.decide_request(text).model_copy(update=seen)


def reflect_of(before: Shown, after: Shown, text: str = "") -> ReflectRequest:
    seen = {"before": before.screenshot, "after": after.screenshot, "screen_before": before.screen}
    return examples.reflect_request(text).model_copy(update=seen)


def note_of(now: Shown, text: str = "") -> NoteRequest:
    return examples.note_request(text).model_copy(update={"screenshot": now.screenshot, "screen": now.screen})


ROLES = (Role.PLAN, Role.DECIDE, Role.REFLECT, Role.NOTE)
