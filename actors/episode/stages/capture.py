"""capture(t): s(t), once the screen is at rest."""

from __future__ import annotations

from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.recording.recent_pictures import CapturedScreen, Picture
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.interfaces import Ref
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.journals.records import Record, ScreenCaptured
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.screen import Screenshot

TRIES = 3
PAUSE_S = 0.5


async def capture(context: StageContext) -> tuple[Record, ...]:
    """Return the screenshot that arrived with the action. If none arrived, take one.

    After a step that sent nothing, take one too: a page may have loaded or a dialogue opened meanwhile. Raises
    PhoneLost, LeaseLost, CaptureFailed, CallError.
    """
    runtime, step = context.runtime, context.step
    captured = runtime.pictures.captured.pop(step, None) or await capture_now(context)
    runtime.pictures.keep(step, captured.picture)
    await runtime.screens.keep(captured.screenshot.content_id, captured.picture.frame)
    return (ScreenCaptured(step=step, span=captured.span, screenshot=strip_phone_facts(runtime, captured.screenshot)),)


async def capture_now(context: StageContext) -> CapturedScreen:
    """Return the screen at rest now."""
    timed = await context.call(lambda call: take_picture(context.runtime, call))
    screenshot, image, frame = timed.value
    return CapturedScreen(screenshot, Picture(image, frame), timed.span(screenshot.queue_ms))


async def take_picture(runtime: EpisodeRuntime, call: CallContext) -> tuple[Screenshot, Ref[ModelImage], Ref[Frame]]:
    """Take a picture of the screen at rest. Retry a few times: one damaged picture does not mean a broken phone."""
    gateway, settle = runtime.collaborators.gateway, runtime.settings.settle
    for _ in range(TRIES - 1):
        try:
            return await gateway.capture(runtime.lease, settle, call)
        except CaptureFailed:
            await runtime.clock.sleep(PAUSE_S)
    return await gateway.capture(runtime.lease, settle, call)


def strip_phone_facts(runtime: EpisodeRuntime, screenshot: Screenshot) -> Screenshot:
    """Remove, with ``paper_exact``, what the phone itself reports, so that only pixels are used."""
    if not runtime.settings.paper_exact:
        return screenshot
    unknown = {"keyboard": "unknown", "app": None, "app_label": "", "app_version": None, "caret": None}
    return screenshot.model_copy(update=unknown)


CAPTURE_STAGE = Stage(CAPTURE, (StageNeed(ACT, -1),), turn=-1, run=capture, deadline_s=30.0)
