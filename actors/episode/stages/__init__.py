"""The stages of a step. Each reads the state, asks a collaborator, and returns records; none keeps anything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.stages.act import act
from manyhands.actors.episode.stages.capture import capture
from manyhands.actors.episode.stages.perceive import perceive
from manyhands.actors.episode.stages.rubrics import rubrics
from manyhands.actors.profiles.e.graph import RUBRICS
from manyhands.actors.profiles.e.stages.decide import decide
from manyhands.actors.profiles.e.stages.note import note
from manyhands.actors.profiles.e.stages.plan import plan
from manyhands.actors.profiles.e.stages.verify import verify
from manyhands.protocol.records import Record

STAGES: Mapping[str, Callable[[EpisodeContext, int], Awaitable[tuple[Record, ...]]]] = {
    "capture": capture,
    "perceive": perceive,
    "plan": plan,
    "decide": decide,
    "act": act,
    "verify": verify,
    "note": note,
    RUBRICS: rubrics,
}
