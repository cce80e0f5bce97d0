"""Run ``native`` with tips and shortcuts that earlier tasks taught, as ``e+evo`` does it for ``e``.

Recall before a task and learning after the task are no stages of a step. The dispatcher starts both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from manyhands.actors.episode.profile import Stage
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.shortcuts import with_shortcut_stages
from manyhands.actors.profiles.e_evo import LEARNING_PARTS, learning_agents
from manyhands.actors.profiles.native import PROFILE as NATIVE
from manyhands.actors.profiles.native.requests import brief_of
from manyhands.actors.roles import StepRole
from manyhands.protocol.profiles.native import EVO_DECLARATION
from manyhands.protocol.roles.memory import OfferedShortcut
from manyhands.protocol.roles.requests import PermitRequest
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import RunShortcut

PARTS: Mapping[str, str] = {**NATIVE.parts, **LEARNING_PARTS}


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agents of ``native``, and those that verify, recall and learn."""
    return (*NATIVE.agents(settings), *learning_agents(settings))


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of ``native``, and the stages around the use of a shortcut."""
    return with_shortcut_stages(NATIVE.stages(settings), settings, asks_permit)


def asks_permit(context: StageContext, action: RunShortcut, offered: OfferedShortcut) -> PermitRequest:
    """Return the question to the verifier whether the precondition of a shortcut holds on s(t)."""
    at = context.state.step(context.step)
    assert at.screenshot is not None
    return PermitRequest(
        brief=brief_of(context),
        screenshot=at.screenshot,
        screen=at.screen,
        shortcut=offered.shortcut,
        arguments=dict(action.arguments),
    )


PROFILE = replace(
    NATIVE,
    declaration=EVO_DECLARATION,
    agents=agents,
    stages=stages,
    parts=PARTS,
    actions_per_call=lambda settings: 1,  # lessons are made of one action a step
    learns=True,
)
