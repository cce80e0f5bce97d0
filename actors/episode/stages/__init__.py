"""The stages of a step. Each reads the state, asks a collaborator, and returns records; none keeps anything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from actors.episode.profiles import RUBRICS
from actors.episode.scene import Scene
from actors.episode.stages.act import act
from actors.episode.stages.capture import capture
from actors.episode.stages.decide import decide
from actors.episode.stages.note import note
from actors.episode.stages.perceive import perceive
from actors.episode.stages.plan import plan
from actors.episode.stages.rubrics import rubrics
from actors.episode.stages.verify import verify
from protocol.records import Record

STAGES: Mapping[str, Callable[[Scene, int], Awaitable[tuple[Record, ...]]]] = {
    "capture": capture,
    "perceive": perceive,
    "plan": plan,
    "decide": decide,
    "act": act,
    "verify": verify,
    "note": note,
    RUBRICS: rubrics,
}
