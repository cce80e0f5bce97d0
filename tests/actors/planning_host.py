"""A caller of the planner in a process of its own, as an EpisodeHost is: it can be killed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.remote import AgentProxy
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.requests import Brief, Plan, PlanRequest
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot

IMAGE = ModelImage("0" * 32, b"not looked at by this server")
REQUEST = PlanRequest(
    brief=Brief(goal="Wait"),
    previous=None,
    progress="",
    notes="",
    failures=(),
    screenshot=Screenshot(
        content_id="0" * 32, size=Size(width=1080, height=2400), serial="phone", taken_at=0, capture_ms=0
    ),
)


class PlanningHost:
    """A caller in a process of its own, as an EpisodeHost is."""

    def __init__(self, planner: AgentProxy[PlanRequest, Plan]) -> None:
        self._planner = planner

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def run_episode(self, order: CallContext) -> object:
        return await self._planner.answer(REQUEST, order, IMAGE)

    async def progress(self) -> Sequence[int]:
        return [os.getpid()]
