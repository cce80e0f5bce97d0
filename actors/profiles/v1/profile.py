"""Mobile-Agent's loop (section 2.2): look, ask the one agent, find the place, act.

``t`` counts steps from 0; s(t) is the screenshot before operation a(t).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from manyhands.actors.episode.endings import Failures
from manyhands.actors.episode.profile import CAPTIONS, Profile, Stage
from manyhands.actors.episode.schedule import Need
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE, PERCEIVE_STAGE
from manyhands.actors.episode.stages.act import act
from manyhands.actors.profiles.v1.agent import ChatAgent
from manyhands.actors.profiles.v1.chat import most_pictures
from manyhands.actors.profiles.v1.endings import stop_after
from manyhands.actors.profiles.v1.stages.act import operation_atoms
from manyhands.actors.profiles.v1.stages.confirm import confirm
from manyhands.actors.profiles.v1.stages.decide import decide
from manyhands.actors.profiles.v1.stages.locate import locate
from manyhands.actors.roles import StepRole
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ReplyUnusable
from manyhands.protocol.runs import EpisodeSettings

ASKING_S = 180.0
"""How long the agent may take to answer."""


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the one agent."""
    return (ChatAgent,)


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of v1's step.

    - decide(t): a(t) from the system text, s(0) to s(t) and all answers before (Self-Planning).
    - confirm(t): after Stop, whether all is done, from the same chat (Self-Reflection).
    - locate(t): the place of a text or an icon on s(t), from P(t); of a few places the agent chooses one (section 2.1).
    - act(t): the operation as atoms.
    - capture(t): s(t), once act(t-1) is done.
    - perceive(t): P(t), texts and icons of s(t), beside the question.
    """
    exact: Failures = ((ReplyUnusable, Ending.UNUSABLE_REPLY),) if settings.paper_exact else ((ReplyUnusable, None),)
    unanswered: Failures = ((CallError, Ending.MODEL_FAILED),)
    return (
        Stage("decide", (Need("capture"),), run=decide, deadline_s=ASKING_S, failures=(*exact, *unanswered)),
        Stage("confirm", (Need("decide"),), run=confirm, deadline_s=ASKING_S, failures=(*exact, *unanswered)),
        Stage(
            "locate",
            (Need("decide"), Need("perceive")),
            run=locate,
            deadline_s=ASKING_S,
            failures=(*exact, *unanswered),
        ),
        replace(
            ACT_STAGE, needs=(Need("decide"), Need("confirm"), Need("locate")), run=partial(act, atoms=operation_atoms)
        ),
        CAPTURE_STAGE,
        PERCEIVE_STAGE,
    )


PROFILE = Profile(
    name="v1",
    paper="Mobile-Agent",
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
    uses=CAPTIONS | {"chat_pictures"},
    images_kept=most_pictures,
)
