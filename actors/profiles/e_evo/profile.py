"""Mobile-Agent-E + Evo: graph and prompts of ``e``; what a shortcut that was learned may do is asked and watched.

What is recalled before a task and learned after it is no stage of a step: whoever hands out tasks sees to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from manyhands.actors.episode.profile import Stage
from manyhands.actors.episode.stages.watching import watched
from manyhands.actors.profiles.e import PROFILE as E
from manyhands.actors.profiles.e.stages.permitting import asks_permit
from manyhands.actors.roles import StepRole
from manyhands.actors.roles.verifier import Verifier
from manyhands.protocol.runs import EpisodeSettings

PARTS: Mapping[str, str] = {
    **E.parts,
    "learn-tips": "no tips are learned",
    "learn-shortcuts": "no shortcuts are learned",
    "recall": "nobody chooses from what is known: all of it is shown",
    "preconditions": "shortcuts are used where the operator says so",
    "checks": "shortcuts are carried out blind",
    "future-tasks": "learners are not told what is still to come",
}


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agents of ``e``, and the verifier where preconditions are checked."""
    asks = settings.has("shortcuts") and settings.has("preconditions") and not settings.paper_exact
    return (*E.agents(settings), *((Verifier,) if asks else ()))


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of ``e``, with those around the use of a shortcut."""
    return watched(E.stages(settings), settings, asks_permit)


PROFILE = replace(E, name="e+evo", agents=agents, stages=stages, parts=PARTS)
