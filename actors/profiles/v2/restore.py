"""restore(t): the page of before O(t), where that was erroneous, by Back (Mobile-Agent-v2, section 3.5)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from manyhands.actors.episode.pictures import CapturedScreen
from manyhands.actors.episode.profile import CAPTURE
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import ActionProgress, send
from manyhands.actors.episode.stages.capture import capture_now, strip_phone_facts
from manyhands.actors.episode.stages.perceive import PERCEIVE_STAGE, captioned
from manyhands.actors.episode.state import StepState
from manyhands.protocol.actions import Back
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import CallError, PerceptionError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.records import Record, Restored
from manyhands.protocol.screens import Screen, Screenshot

MOST_BACKS = 3
PAPER_BACKS = 1
"""As the authors' code does, which does not look what it led to."""
SHARE = 0.9
"""Of the texts of two pages, how many must be the same for them to count as one."""
STATUS_BAR = 0.045
"""The share of the height at whose texts nobody looks: time and signals change by themselves."""


async def restore(context: StageContext) -> tuple[Record, ...]:
    """Press Back until the page of before is shown again, a few times at most; nothing unless the verdict is B.

    A Back is an action: journalled before it is sent, with a key of its own. Where nobody judged, the page stays, and
    so does one on which nothing has changed (with ``paper_exact`` as in the authors' code, which does not look). Where
    an interruption came between, the Backs of before count, and what the phone shows now is looked at first.
    Raises PhoneLost, LeaseLost, StoreError, PerceptionError, CallError.
    """
    state, step, runtime = context.state, context.step, context.runtime
    verdict, before, after = state.step(step).reflection, state.step(step), state.step(step + 1)
    if verdict is None or verdict.outcome is not Outcome.B or verdict.made_by != "model":
        return ()
    assert before.screenshot is not None
    assert before.screen is not None
    assert after.screenshot is not None
    assert after.screen is not None
    start, progress = runtime.clock.now(), ActionProgress()
    target, shown = _Page(before.screenshot, before.screen), _Page(after.screenshot, after.screen)
    pressed = _pressed(before)
    backs, most = pressed, PAPER_BACKS if runtime.settings.paper_exact else MOST_BACKS
    restored = pressed > 0 and shown.shows(target)
    if not pressed and shown.screenshot.shows_as(target.screenshot) and not runtime.settings.paper_exact:
        return ()
    while not restored and backs < most and not _perhaps_pressed(before):
        receipt = await send(context, len(before.sent) + backs - pressed, Back(), progress)
        backs += 1
        taken = progress.shown or await capture_now(StageContext(runtime, CAPTURE, step))
        was, shown = shown, await _page(context, taken)
        restored = shown.shows(target)
        if restored or shown.screenshot.shows_as(was.screenshot) or receipt is None or receipt.status != "done":
            break
    span = context.span(start, progress.queue_ms)
    return (
        Restored(
            step=step, span=span, backs=backs, restored=restored, screenshot=shown.screenshot, screen=shown.screen
        ),
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """Hold what the phone shows, and what was read of it."""

    screenshot: Screenshot
    screen: Screen

    def shows(self, other: _Page) -> bool:
        """Return whether this is the other page: by its pixels, else by its texts."""
        if self.screenshot.shows_as(other.screenshot):
            return True
        if None not in (self.screenshot.app, other.screenshot.app) and self.screenshot.app != other.screenshot.app:
            return False
        ours, theirs = _texts(self.screen), _texts(other.screen)
        most = max(ours.total(), theirs.total())
        return most > 0 and (ours & theirs).total() >= SHARE * most


def _pressed(at: StepState) -> int:
    """Count the Backs that an interrupted restoring may have pressed."""
    refused = {receipt.key for receipt in at.receipts if receipt.status == "refused"}
    return sum(sent.key not in refused for sent in at.sent_since)


def _perhaps_pressed(at: StepState) -> bool:
    """Return whether nobody knows of one of them if the phone got it: no other follows then."""
    known = {receipt.key for receipt in at.receipts if receipt.status != "unknown"}
    return any(sent.key not in known for sent in at.sent_since)


def _texts(screen: Screen) -> Counter[str]:
    top = screen.size.height * STATUS_BAR
    return Counter(one.content for one in screen.elements if one.content and one.centre[1] > top)


async def _page(context: StageContext, taken: CapturedScreen) -> _Page:
    """Keep what is shown now as S(t+1), and return it with its elements."""
    runtime, screenshot = context.runtime, strip_phone_facts(context.runtime, taken.screenshot)
    runtime.pictures.keep(context.step + 1, taken.picture)
    await runtime.screens.keep(screenshot.content_id, taken.picture.frame)
    frame = taken.picture.frame

    async def ask(call: CallContext) -> Screen:
        screen = await runtime.collaborators.perception.perceive(screenshot, frame, call)
        return await captioned(runtime, screen, frame, screenshot.serial, call)

    try:
        read = await StageContext(runtime, PERCEIVE_STAGE.name, context.step).call(ask)
    except CallError as error:  # no failure of the phone
        raise PerceptionError(f"reading the page again: {error}") from error
    return _Page(screenshot, read.value)
