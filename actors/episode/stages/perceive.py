"""perceive(t): W_V(t) = A_P(s(t)) (Mobile-Agent-E, equations 3 and 5)."""

from __future__ import annotations

import logging

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.profile import CAPTURE, Stage
from manyhands.actors.episode.schedule import Need
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import StepState
from manyhands.actors.seams import Handle
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, CaptureFailed, PhoneError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.records import Perceived, Record
from manyhands.protocol.screens import Screen

_log = logging.getLogger(__name__)


CAPTIONER_S = 1.0
"""What a captioner may take beside waiting for the model: it decodes the frame and looks up what it knows."""


async def perceive(context: StageContext) -> tuple[Record, ...]:
    """Return the elements of s(t); those of s(t-1) again if the screenshot is the same.

    Where captions are wanted, icons without a name have those that are known by now.

    Raises PerceptionError, CallError.
    """
    episode, step = context.episode, context.step
    before, now = context.state.step(step - 1), context.state.step(step)
    screenshot, known = now.screenshot, before.screen if _same(before, now) else None
    assert screenshot is not None
    if known is not None:
        known = known.model_copy(update={"cached": True, "timings_ms": {}})
        if not _lacks_captions(episode, known):
            return (Perceived(step=step, span=context.span(), screen=known),)
    frame = episode.picture(step).frame

    async def ask(call: CallContext) -> Screen:
        screen = known or await episode.collaborators.perception.perceive(screenshot, frame, call)
        return await captioned(episode, screen, frame, screenshot.serial, call)

    timed = await context.call(ask)
    screen = timed.value
    return (Perceived(step=step, span=timed.span(screen.timings_ms.get("queue", 0.0)), screen=screen),)


def _lacks_captions(episode: EpisodeContext, screen: Screen) -> bool:
    wanted = episode.settings.captions and episode.collaborators.captioner is not None
    return wanted and any(element.kind == "icon" and not element.content for element in screen.elements)


async def captioned(episode: EpisodeContext, screen: Screen, frame: Handle, serial: str, call: CallContext) -> Screen:
    """Return the screen with captions, where they are wanted. One that fails costs a step little else."""
    captioner, wait_s = episode.collaborators.captioner, episode.settings.caption_wait_s
    if captioner is None or not _lacks_captions(episode, screen):
        return screen
    deadline = min(call.deadline, episode.clock.now() + wait_s + CAPTIONER_S)
    try:
        return await captioner.caption(screen, frame, serial, wait_s, call.model_copy(update={"deadline": deadline}))
    except (CallError, CaptureFailed) as error:
        _log.warning("no captions in %s step %d: %s", call.episode, call.step, error)
        return screen


def _same(before: StepState, now: StepState) -> bool:
    if before.screenshot is None or now.screenshot is None:
        return False
    seen = (before.screenshot.content_id, before.screenshot.keyboard)
    return seen == (now.screenshot.content_id, now.screenshot.keyboard)


PERCEIVE_STAGE = Stage(
    "perceive",
    (Need(CAPTURE),),
    turn=-1,
    run=perceive,
    deadline_s=120.0,
    failures=((CallError, Ending.PERCEPTION_FAILED), (PhoneError, Ending.PERCEPTION_FAILED)),
)
