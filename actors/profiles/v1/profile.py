"""Declare Mobile-Agent's loop (section 2.2): look, ask the one agent, find the place, act.

``t`` counts steps from 0. s(t) is the screenshot before operation a(t).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from manyhands.actors.episode.endings import End, Failures, limit_reached
from manyhands.actors.episode.profile import Profile, Stage
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE, PERCEIVE_STAGE
from manyhands.actors.episode.stages.act import act
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.v1.agent import ChatAgent
from manyhands.actors.profiles.v1.requests import CompletionAnswer, FoundPlace, MissingPlace, most_pictures
from manyhands.actors.profiles.v1.stages import confirm, decide, locate, operation_atoms
from manyhands.actors.roles import StepRole
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ReplyUnusable
from manyhands.protocol.journals.records import Acted, ActionDecided, Record, ScreenCaptured
from manyhands.protocol.profiles.v1 import DECLARATION
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder

ASKING_S = 180.0
"""How long the agent may take to answer, in seconds."""


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the one agent of this loop."""
    return (ChatAgent,)


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of v1's step.

    - decide(t): a(t) from the system text, s(0) to s(t) and all earlier answers (Self-Planning).
    - confirm(t): after Stop, whether the task is complete, from the same chat (Self-Reflection).
    - locate(t): the place of a text or an icon on s(t), from P(t). If a few places fit, the agent chooses one
      (section 2.1).
    - act(t): the operation as atoms.
    - capture(t): s(t), once act(t-1) is done.
    - perceive(t): P(t), the texts and icons of s(t). It runs beside decide(t).
    """
    exact: Failures = ((ReplyUnusable, Ending.UNUSABLE_REPLY),) if settings.paper_exact else ((ReplyUnusable, None),)
    unanswered: Failures = ((CallError, Ending.MODEL_FAILED),)
    return (
        Stage("decide", (StageNeed("capture"),), run=decide, deadline_s=ASKING_S, failures=(*exact, *unanswered)),
        Stage(
            "confirm",
            (StageNeed("decide"),),
            run=confirm,
            deadline_s=ASKING_S,
            failures=(*exact, *unanswered),
            leaves=(CompletionAnswer,),
        ),
        Stage(
            "locate",
            (StageNeed("decide"), StageNeed("perceive")),
            run=locate,
            deadline_s=ASKING_S,
            failures=(*exact, *unanswered),
            leaves=(FoundPlace, MissingPlace),
        ),
        replace(
            ACT_STAGE,
            needs=(StageNeed("decide"), StageNeed("confirm"), StageNeed("locate")),
            run=partial(act, atoms=operation_atoms),
        ),
        CAPTURE_STAGE,
        PERCEIVE_STAGE,
    )


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    """Return whether the episode ends with ``record``, and where. A limit takes effect before the next question."""
    match record:
        case ActionDecided(decision=decision) if order.settings.paper_exact and decision.action is None:
            return GraphStop(End(Ending.UNUSABLE_REPLY, f"agent: {decision.problem}"), Node("decide", record.step))
        case Acted():
            confirmed = state.step(record.step).result("confirm", CompletionAnswer)
            if confirmed is not None and confirmed.complete:
                return GraphStop(End(Ending.FINISHED, f"agent: {confirmed.thought}"), Node("act", record.step))
        case ScreenCaptured() if record.step > 0:
            exact = order.settings.paper_exact
            end = limit_reached(state, record.step - 1, order.task.limits, judged=False, paper_exact=exact)
            return None if end is None else GraphStop(end, Node("decide", record.step))
    return None


PROFILE = Profile(
    declaration=DECLARATION,
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
    images_kept=most_pictures,
)
