"""Run Mobile-Agent-E that learns (sections 3.2, 5.3, 5.4): the loop and prompts of ``e``, and stages for shortcuts.

These stages check and watch learned shortcuts. Recall before a task and learning after the task are no stages of a
step. The dispatcher starts both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from manyhands.actors.episode.profile import Stage
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.shortcuts import with_shortcut_stages
from manyhands.actors.profiles.e import PROFILE as E
from manyhands.actors.profiles.e.stages import brief, listed
from manyhands.actors.roles import Retriever, ShortcutsLearner, StepRole, TipsLearner, Verifier
from manyhands.protocol.profiles.e import EVO_DECLARATION
from manyhands.protocol.roles.memory import OfferedShortcut
from manyhands.protocol.roles.requests import PermitRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import RunShortcut

LEARNING_PARTS: Mapping[str, str] = {
    "learn-tips": "no tips are learned",
    "learn-shortcuts": "no shortcuts are learned",
    "recall": "nobody chooses from what is known: all of it is shown",
    "preconditions": "shortcuts are used where the operator says so",
    "checks": "shortcuts are carried out blind",
    "future-tasks": "learners are not told what is still to come",
}
"""The parts that a profile has if its tasks recall and teach."""
PARTS: Mapping[str, str] = {**E.parts, **LEARNING_PARTS}


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agents of ``e``, and those that verify, recall and learn."""
    return (*E.agents(settings), *learning_agents(settings))


def learning_agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the verifier if preconditions are checked, and the agents that are asked around tasks.

    In the paper, retrievers are used in one example only (section 5.4). So with ``paper_exact`` they are asked only for
    tasks that name ``recall_scopes``. All other tasks are shown everything that is known.
    """
    tips, shortcuts, exact = settings.has("tips"), settings.has("shortcuts"), settings.paper_exact
    others: Mapping[type[StepRole[Any, Any, Any]], bool] = {
        Verifier: shortcuts and settings.has("preconditions") and not exact,
        Retriever: (tips or shortcuts) and settings.has("recall"),
        ShortcutsLearner: shortcuts and settings.has("learn-shortcuts"),
        TipsLearner: tips and settings.has("learn-tips"),
    }
    return tuple(kind for kind, is_asked in others.items() if is_asked)


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of ``e``, and the stages around the use of a shortcut."""
    return with_shortcut_stages(E.stages(settings), settings, asks_permit)


def asks_permit(context: StageContext, action: RunShortcut, offered: OfferedShortcut) -> PermitRequest:
    """Return the question to the verifier whether the precondition of a shortcut holds on s(t)."""
    at = context.state.step(context.step)
    assert at.screenshot is not None
    return PermitRequest(
        brief=brief(context, Role.PERMIT),
        screenshot=at.screenshot,
        screen=listed(context, at.screen),
        shortcut=offered.shortcut,
        arguments=dict(action.arguments),
    )


PROFILE = replace(E, declaration=EVO_DECLARATION, agents=agents, stages=stages, parts=PARTS, learns=True)
