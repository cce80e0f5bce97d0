"""capture(t): s(t), once the screen is at rest."""

from __future__ import annotations

from manyhands.actors.episode.context import EpisodeContext, Picture, Taken
from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.schedule import Need
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.seams import Handle
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.messages import CallContext
from manyhands.protocol.records import Captured, Record
from manyhands.protocol.screens import Screenshot

TRIES = 3
PAUSE_S = 0.5


async def capture(context: StageContext) -> tuple[Record, ...]:
    """Return the screenshot that came with the action, or take one where none did.

    That is so after a step that sent nothing, too: a page may have loaded or a dialogue opened meanwhile. Raises
    PhoneLost, LeaseLost, CaptureFailed, CallError.
    """
    episode, step = context.episode, context.step
    taken = episode.taken.pop(step, None) or await taken_now(context)
    episode.show(step, taken.picture)
    await episode.screens.keep(taken.screenshot.content_id, taken.picture.frame)
    return (Captured(step=step, span=taken.span, screenshot=pixels_only(episode, taken.screenshot)),)


async def taken_now(context: StageContext) -> Taken:
    """Return the screen at rest now."""
    timed = await context.call(lambda call: take_picture(context.episode, call))
    screenshot, image, frame = timed.value
    return Taken(screenshot, Picture(image, frame), timed.span(screenshot.queue_ms))


async def take_picture(episode: EpisodeContext, call: CallContext) -> tuple[Screenshot, Handle, Handle]:
    """Take the screen at rest. One damaged picture is no sign of a broken phone, so it is asked a few times."""
    gateway, settle = episode.collaborators.gateway, episode.settings.settle
    for _ in range(TRIES - 1):
        try:
            return await gateway.capture(episode.lease, settle, call)
        except CaptureFailed:
            await episode.clock.sleep(PAUSE_S)
    return await gateway.capture(episode.lease, settle, call)


def pixels_only(episode: EpisodeContext, screenshot: Screenshot) -> Screenshot:
    """With ``paper_exact``, leave out what the phone itself reports: only pixels are used."""
    if not episode.settings.paper_exact:
        return screenshot
    return screenshot.model_copy(update={"keyboard": "unknown", "app": None, "app_version": None, "caret": None})


CAPTURE_STAGE = Stage(CAPTURE, (Need(ACT, -1),), turn=-1, run=capture, deadline_s=30.0)
