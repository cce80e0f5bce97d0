"""Capture and perceive a screen: s(t), W_V(t) = A_P(s(t)) (Mobile-Agent-E, equations 3 and 5), and views(t).

capture(t) is s(t), once the screen is at rest. views(t) is what the phone tells of its views. It is for loops whose
action does not wait for perception. It leaves no record: perceive(t) takes the same reading from the runtime. The
action waits for views(t), so it cannot change the screen while the phone tells its views.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from manyhands.actors.episode.profile import CAPTURE, Stage, without_stages
from manyhands.actors.episode.recent_pictures import CapturedScreen, Picture
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import StepState
from manyhands.actors.episode.view_reader import ViewReading
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.interfaces import Ref
from manyhands.actors.perception.view_tree import complete
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, CaptureFailed, PhoneError
from manyhands.protocol.journals.records import Perceived, Record, ScreenCaptured
from manyhands.protocol.messages import CallContext
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen, Screenshot

_log = logging.getLogger(__name__)


CAPTIONER_S = 1.0
"""How long a captioner may take beyond its wait for the model, to decode the frame and look up known captions."""

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
    timed = await context.call(lambda call: _take_picture(context.runtime, call))
    screenshot, image, frame = timed.value
    return CapturedScreen(screenshot, Picture(image, frame), timed.span(screenshot.queue_ms))


async def _take_picture(runtime: EpisodeRuntime, call: CallContext) -> tuple[Screenshot, Ref[ModelImage], Ref[Frame]]:
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
    unknown = {
        "keyboard": "unknown",
        "app": None,
        "app_label": "",
        "app_version": None,
        "caret": None,
        "is_black": False,
        "is_secure": False,
    }
    return screenshot.model_copy(update=unknown)


async def perceive(context: StageContext) -> tuple[Record, ...]:
    """Return the elements of s(t), or those of s(t-1) if the screenshot is the same.

    Settings say whether the elements come from the pixels, from the phone's views, or from both. If captions are
    wanted, icons without a name get the captions that are known by now. Return nothing if an interruption lost the
    picture.

    Raises PerceptionError, CallError.
    """
    runtime, step = context.runtime, context.step
    now = context.state.step(step)
    if now.unseen or not runtime.pictures.holds(step):
        return ()
    perceived = await _perceive(context, now)
    runtime.pictures.mark_read(step)
    return (perceived,)


async def _perceive(context: StageContext, now: StepState) -> Perceived:
    runtime, step = context.runtime, context.step
    screenshot, recent = now.screenshot, _known_screen(context.state.step(step - 1), now)
    assert screenshot is not None
    if recent is not None:
        recent = recent.model_copy(update={"cached": True, "timings_ms": {}})
        if not _lacks_captions(runtime, recent):
            return Perceived(step=step, span=context.span(), screen=recent)
    frame = runtime.picture(step).frame

    touched = bool(now.sent)

    async def ask(call: CallContext) -> Screen:
        if recent is None:
            return await read_screen(runtime, screenshot, frame, call, touched)
        return await captioned(runtime, recent, frame, screenshot.serial, call)

    timed = await context.call(ask)
    screen = timed.value
    return Perceived(step=step, span=timed.span(screen.timings_ms.get("queue", 0.0)), screen=screen)


async def read_screen(
    runtime: EpisodeRuntime, screenshot: Screenshot, frame: Ref[Frame], call: CallContext, touched: bool = False
) -> Screen:
    """Return the elements of the phone's last screenshot, with captions if they are wanted.

    ``touched``: an action has been sent since. Raises PerceptionError, CallError.
    """
    screen = await _read_elements(runtime, screenshot, frame, call, touched)
    return await captioned(runtime, screen, frame, screenshot.serial, call)


async def _read_elements(
    runtime: EpisodeRuntime, screenshot: Screenshot, frame: Ref[Frame], call: CallContext, touched: bool
) -> Screen:
    """Return the elements by the phone's views, by perception, or by both side by side.

    If the views cannot be used, perception alone reads the screen. A model without pictures gets no elements then. Of a
    page that is black in its picture, the views are used in any case.
    """
    perception, source = runtime.collaborators.perception, runtime.settings.elements
    match "both" if screenshot.is_black and source == "vision" else source:
        case "vision":
            return await perception.perceive(screenshot, frame, call)
        case "accessibility":
            view_reading = await runtime.views.read(runtime.lease, screenshot, call, touched)
            if view_reading.tree is not None or not runtime.settings.shows_pictures:
                return _screen_of_views(screenshot, view_reading)
            screen = await perception.perceive(screenshot, frame, call)
        case "both":
            reading, views = await asyncio.gather(
                perception.perceive(screenshot, frame, call),
                runtime.views.read(runtime.lease, screenshot, call, touched),
                return_exceptions=True,
            )
            if isinstance(views, BaseException):
                raise views
            if isinstance(reading, BaseException):
                raise reading
            screen, view_reading = reading, views
    elements = screen.elements if view_reading.tree is None else complete(view_reading.tree, screen.elements)
    timings = {**screen.timings_ms, "tree": view_reading.ms}
    return screen.model_copy(update={"elements": elements, "timings_ms": timings, "tree": view_reading.outcome})


def _screen_of_views(screenshot: Screenshot, reading: ViewReading) -> Screen:
    width, height = screenshot.size.width, screenshot.size.height
    return Screen(
        content_id=screenshot.content_id,
        size=screenshot.size,
        elements=() if reading.tree is None else reading.tree.elements,
        keyboard=screenshot.keyboard,
        timings_ms={"tree": reading.ms},
        read_share=0,
        black=Box(x1=0, y1=0, x2=width, y2=height) if screenshot.is_black else None,
        tree=reading.outcome,
    )


def _lacks_captions(runtime: EpisodeRuntime, screen: Screen) -> bool:
    has_captioner = runtime.settings.captions and runtime.collaborators.captioner is not None
    icons = [element for element in screen.elements if element.kind == "icon"]
    every = runtime.settings.caption_all and bool(icons) and not screen.captioned
    return has_captioner and (every or any(not icon.content for icon in icons))


async def captioned(
    runtime: EpisodeRuntime, screen: Screen, frame: Ref[Frame], serial: str, call: CallContext
) -> Screen:
    """Return the screen with captions, if they are wanted. If the captioner fails, the screen keeps its names.

    With ``caption_all`` only the model names icons. If the model names no icon of this screen, all names stay as they
    were.
    """
    captioner, wait_s = runtime.collaborators.captioner, runtime.settings.caption_wait_s
    if captioner is None or not _lacks_captions(runtime, screen):
        return screen
    deadline = min(call.deadline, runtime.clock.now() + wait_s + CAPTIONER_S)
    open_ones = unnamed(screen) if runtime.settings.caption_all and not screen.captioned else screen
    call = call.model_copy(update={"deadline": deadline})
    try:
        named = await captioner.caption(open_ones, frame, serial, wait_s, call)
    except (CallError, CaptureFailed) as error:
        _log.warning("no captions in %s step %d: %s", call.episode, call.step, error)
        return screen
    pairs = zip(open_ones.elements, named.elements, strict=True)
    count = sum(before.content != after.content for before, after in pairs)
    return named.model_copy(update={"captioned": screen.captioned + count}) if count else screen


def unnamed(screen: Screen) -> Screen:
    """Return the same screen without the names of icons that perception gave. Those that the phone tells stay."""

    def open_one(element: Element) -> Element:
        named = element.kind == "icon" and element.source == "vision"
        return element.model_copy(update={"content": ""}) if named else element

    return screen.model_copy(update={"elements": tuple(map(open_one, screen.elements))})


def _known_screen(before: StepState, now: StepState) -> Screen | None:
    """Return what was read off the screen before if the screenshot is still the same; None if it is to be read."""
    if before.screenshot is None or now.screenshot is None or before.screen is None:
        return None
    if now.screenshot.is_black:  # other pages have the same picture
        return None
    earlier = (before.screenshot.content_id, before.screenshot.keyboard)
    if earlier != (now.screenshot.content_id, now.screenshot.keyboard):
        return None
    return None if before.screen.tree == "changed" else before.screen  # after "changed", now its views can be read


PERCEIVE_STAGE = Stage(
    "perceive",
    (StageNeed(CAPTURE),),
    turn=-1,
    run=perceive,
    deadline_s=120.0,
    failures=((CallError, Ending.PERCEPTION_FAILED), (PhoneError, Ending.PERCEPTION_FAILED)),
)


async def read_views(context: StageContext) -> tuple[Record, ...]:
    """Ask the phone for its views, for ``elements_wait_s`` at most. Leave no record.

    If perceive(t) can take over what was read off s(t-1) by now, the phone is not asked.
    """
    runtime, now = context.runtime, context.state.step(context.step)
    screenshot = now.screenshot
    assert screenshot is not None
    if _known_screen(context.state.step(context.step - 1), now) is None:
        await context.call(lambda call: runtime.views.read(runtime.lease, screenshot, call, touched=bool(now.sent)))
    return ()


VIEWS_STAGE = Stage(
    "views",
    (StageNeed(CAPTURE),),
    turn=-1,
    run=read_views,
    deadline_s=PERCEIVE_STAGE.deadline_s,
)
"""The stage ``views``. A profile adds it among the needs of ``act``, where elements come from the phone's views."""


def without_views(stages: Iterable[Stage], settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return stages without ``views`` if no elements come from the phone's views."""
    return without_stages(stages, (VIEWS_STAGE.name,) if settings.elements == "vision" else ())
