"""capture(t): s(t), once the screen is at rest."""

from __future__ import annotations

from manyhands.actors.episode.context import EpisodeContext, Picture, Taken
from manyhands.actors.seams import Handle
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.messages import CallContext
from manyhands.protocol.records import Captured, Record
from manyhands.protocol.screens import Screenshot

TRIES = 3
PAUSE_S = 0.5


async def capture(scene: EpisodeContext, step: int) -> tuple[Record, ...]:
    """The screenshot that came with the action; a new one where none did, also after a step that sent nothing: a page
    may have loaded or a dialogue opened meanwhile.

    Raises PhoneLost, LeaseLost, CaptureFailed, CallError.
    """
    taken = scene.taken.pop(step, None) or await _take(scene, step)
    scene.show(step, taken.picture)
    await scene.screens.keep(taken.screenshot.content_id, taken.picture.frame)
    return (Captured(step=step, span=taken.span, screenshot=_pixels_only(scene, taken.screenshot)),)


async def _take(scene: EpisodeContext, step: int) -> Taken:
    timed = await scene.call("capture", step, lambda context: take_picture(scene, context))
    screenshot, image, frame = timed.value
    return Taken(screenshot, Picture(image, frame), timed.span(screenshot.queue_ms))


async def take_picture(scene: EpisodeContext, context: CallContext) -> tuple[Screenshot, Handle, Handle]:
    """The screen at rest. One damaged picture says little about a phone, so it is asked a few times."""
    for _ in range(TRIES - 1):
        try:
            return await scene.collaborators.gateway.capture(scene.lease, scene.settings.settle, context)
        except CaptureFailed:
            await scene.clock.sleep(PAUSE_S)
    return await scene.collaborators.gateway.capture(scene.lease, scene.settings.settle, context)


def _pixels_only(scene: EpisodeContext, screenshot: Screenshot) -> Screenshot:
    """With ``paper_exact``, only pixels are used: what the phone itself says is left out."""
    if not scene.settings.paper_exact:
        return screenshot
    return screenshot.model_copy(update={"keyboard": "unknown", "app": None, "caret": None})
