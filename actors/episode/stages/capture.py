"""capture(t): s(t), once the screen is at rest."""

from __future__ import annotations

from actors.episode.scene import Picture, Scene
from actors.seams import Handle
from protocol.errors import CaptureFailed
from protocol.messages import CallContext
from protocol.records import Captured, Record
from protocol.screens import Screenshot

TRIES = 3
PAUSE_S = 0.5


async def capture(scene: Scene, step: int) -> tuple[Record, ...]:
    """A new screenshot, also after a step that sent nothing: a page may have loaded or a dialogue opened meanwhile.

    Raises PhoneLost, LeaseLost, CaptureFailed, CallError.
    """
    timed = await scene.call("capture", step, lambda context: take_picture(scene, context))
    screenshot, image, frame = timed.value
    scene.show(step, Picture(image, frame))
    await scene.screens.keep(screenshot.content_id, frame)
    return (Captured(step=step, span=timed.span(screenshot.queue_ms), screenshot=_pixels_only(scene, screenshot)),)


async def take_picture(scene: Scene, context: CallContext) -> tuple[Screenshot, Handle, Handle]:
    """The screen at rest. One damaged picture says little about a phone, so it is asked a few times."""
    for _ in range(TRIES - 1):
        try:
            return await scene.collaborators.gateway.capture(scene.lease, scene.settings.settle, context)
        except CaptureFailed:
            await scene.clock.sleep(PAUSE_S)
    return await scene.collaborators.gateway.capture(scene.lease, scene.settings.settle, context)


def _pixels_only(scene: Scene, screenshot: Screenshot) -> Screenshot:
    """To the letter, only pixels are used: what the phone itself says is left out."""
    if not scene.settings.letter:
        return screenshot
    return screenshot.model_copy(update={"keyboard": "unknown", "app": None, "caret": None})
