"""perceive(t): W_V(t) = A_P(s(t)) (Mobile-Agent-E, equations 3 and 5)."""

from __future__ import annotations

from actors.episode.scene import Scene
from actors.episode.state import StepState
from protocol.records import Perceived, Record


async def perceive(scene: Scene, step: int) -> tuple[Record, ...]:
    """The elements of s(step); those of s(step - 1) again if the screenshot is the same.

    Raises PerceptionError, CallError.
    """
    screenshot = scene.state.step(step).screenshot
    assert screenshot is not None
    before = scene.state.step(step - 1)
    if before.screen is not None and _same(before, scene.state.step(step)):
        screen = before.screen.model_copy(update={"cached": True, "timings_ms": {}})
        return (Perceived(step=step, span=scene.now(), screen=screen),)
    frame = scene.picture(step).frame
    timed = await scene.call(
        "perceive", step, lambda context: scene.collaborators.perception.perceive(screenshot, frame, context)
    )
    screen = timed.value
    return (Perceived(step=step, span=timed.span(screen.timings_ms.get("queue", 0.0)), screen=screen),)


def _same(before: StepState, now: StepState) -> bool:
    if before.screenshot is None or now.screenshot is None:
        return False
    seen = (before.screenshot.content_id, before.screenshot.keyboard)
    return seen == (now.screenshot.content_id, now.screenshot.keyboard)
