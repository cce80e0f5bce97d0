"""A loop of one stage that looks at the pixels of the screen itself, and says what it saw."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.profile import CAPTURE, Profile, Stage
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.journals.records import Record, StageResult
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Receipt, Reset
from manyhands.protocol.profiles import ProfileDeclaration
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from tests.actors.remote.remote_workers import StillGateway


class ResetGateway(StillGateway):
    """A gateway whose phone has nothing to reset."""

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt:
        return Receipt(key=reset.key, status="done", sent_at=context.deadline, ms=0)


class Brightness(Message):
    mean: int


async def look(context: StageContext) -> Sequence[Record]:
    """Return the mean of the pixels."""
    start = context.runtime.clock.now()
    rgb = await asyncio.to_thread((await context.frame()).rgb)
    return [context.result(Brightness(mean=round(float(rgb.mean()))), context.span(start))]


def stages(settings: EpisodeSettings) -> Sequence[Stage]:
    looking = Stage("look", (StageNeed(CAPTURE),), run=look, leaves=(Brightness,))
    return [looking, replace(ACT_STAGE, needs=(StageNeed("look"),)), CAPTURE_STAGE]


def nobody(settings: EpisodeSettings) -> tuple[()]:
    return ()


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    if not isinstance(record, StageResult):
        return None
    return GraphStop(End(Ending.FINISHED, f"it saw {record.data['mean']}"), Node("look", record.step))


DECLARATION = ProfileDeclaration(name="looking", paper="a paper", loop=f"{__name__}:LOOKING")
LOOKING = Profile(DECLARATION, __name__, nobody, stages, stop_after)
