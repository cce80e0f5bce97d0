"""perceive(t): W_V(t) = A_P(s(t)) (Mobile-Agent-E, equations 3 and 5)."""

from __future__ import annotations

import logging

from actors.episode.scene import Scene
from actors.episode.state import StepState
from actors.seams import Handle
from protocol.errors import CallError
from protocol.messages import CallContext
from protocol.records import Perceived, Record
from protocol.screens import Screen

_log = logging.getLogger(__name__)


async def perceive(scene: Scene, step: int) -> tuple[Record, ...]:
    """The elements of s(step); those of s(step - 1) again if the screenshot is the same.

    Where captions are wanted, icons without a name have those that are known by now.

    Raises PerceptionError, CallError.
    """
    screenshot = scene.state.step(step).screenshot
    assert screenshot is not None
    before = scene.state.step(step - 1)
    if before.screen is not None and _same(before, scene.state.step(step)):
        screen = before.screen.model_copy(update={"cached": True, "timings_ms": {}})
        return (Perceived(step=step, span=scene.now(), screen=screen),)
    frame = scene.picture(step).frame

    async def ask(context: CallContext) -> Screen:
        read = await scene.collaborators.perception.perceive(screenshot, frame, context)
        return await _captioned(scene, read, frame, screenshot.serial, context)

    timed = await scene.call("perceive", step, ask)
    screen = timed.value
    return (Perceived(step=step, span=timed.span(screen.timings_ms.get("queue", 0.0)), screen=screen),)


async def _captioned(scene: Scene, screen: Screen, frame: Handle, serial: str, context: CallContext) -> Screen:
    """With captions, where they are wanted and somebody has them; a captioner that fails costs a step nothing else."""
    captioner = scene.collaborators.captioner
    if captioner is None or not scene.settings.captions:
        return screen
    try:
        return await captioner.caption(screen, frame, serial, context)
    except CallError as error:
        _log.warning("no captions in %s step %d: %s", context.episode, context.step, error)
        return screen


def _same(before: StepState, now: StepState) -> bool:
    if before.screenshot is None or now.screenshot is None:
        return False
    seen = (before.screenshot.content_id, before.screenshot.keyboard)
    return seen == (now.screenshot.content_id, now.screenshot.keyboard)
