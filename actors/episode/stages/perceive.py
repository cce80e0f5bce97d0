"""perceive(t): W_V(t) = A_P(s(t)) (Mobile-Agent-E, equations 3 and 5)."""

from __future__ import annotations

import logging

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.state import StepState
from manyhands.actors.seams import Handle
from manyhands.protocol.errors import CallError, CaptureFailed
from manyhands.protocol.messages import CallContext
from manyhands.protocol.records import Perceived, Record
from manyhands.protocol.screens import Screen

_log = logging.getLogger(__name__)


CAPTIONER_S = 1.0
"""What a captioner may take beside waiting for the model: it decodes the frame and looks up what it knows."""


async def perceive(scene: EpisodeContext, step: int) -> tuple[Record, ...]:
    """The elements of s(step); those of s(step - 1) again if the screenshot is the same.

    Where captions are wanted, icons without a name have those that are known by now.

    Raises PerceptionError, CallError.
    """
    before, now = scene.state.step(step - 1), scene.state.step(step)
    screenshot, known = now.screenshot, before.screen if _same(before, now) else None
    assert screenshot is not None
    if known is not None:
        known = known.model_copy(update={"cached": True, "timings_ms": {}})
        if not _lacks_captions(scene, known):
            return (Perceived(step=step, span=scene.now(), screen=known),)
    frame = scene.picture(step).frame

    async def ask(context: CallContext) -> Screen:
        screen = known or await scene.collaborators.perception.perceive(screenshot, frame, context)
        return await _captioned(scene, screen, frame, screenshot.serial, context)

    timed = await scene.call("perceive", step, ask)
    screen = timed.value
    return (Perceived(step=step, span=timed.span(screen.timings_ms.get("queue", 0.0)), screen=screen),)


def _lacks_captions(scene: EpisodeContext, screen: Screen) -> bool:
    wanted = scene.settings.captions and scene.collaborators.captioner is not None
    return wanted and any(element.kind == "icon" and not element.content for element in screen.elements)


async def _captioned(scene: EpisodeContext, screen: Screen, frame: Handle, serial: str, context: CallContext) -> Screen:
    """With captions, where they are wanted; a captioner that fails or does not answer costs a step little else."""
    captioner, wait_s = scene.collaborators.captioner, scene.settings.caption_wait_s
    if captioner is None or not _lacks_captions(scene, screen):
        return screen
    deadline = min(context.deadline, scene.clock.now() + wait_s + CAPTIONER_S)
    try:
        return await captioner.caption(screen, frame, serial, wait_s, context.model_copy(update={"deadline": deadline}))
    except (CallError, CaptureFailed) as error:
        _log.warning("no captions in %s step %d: %s", context.episode, context.step, error)
        return screen


def _same(before: StepState, now: StepState) -> bool:
    if before.screenshot is None or now.screenshot is None:
        return False
    seen = (before.screenshot.content_id, before.screenshot.keyboard)
    return seen == (now.screenshot.content_id, now.screenshot.keyboard)
