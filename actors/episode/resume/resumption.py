"""Resume an interrupted episode: read its journal, settle its last action, restore pictures, capture the screen."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from manyhands.actors.episode.profile import ACT, CAPTURE
from manyhands.actors.episode.recording.recent_pictures import Picture
from manyhands.actors.episode.resume.interrupted_episode import (
    InterruptedEpisode,
    ResumeError,
    measure_stopped_s,
)
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import recall
from manyhands.actors.episode.stages.capture import capture_now, strip_phone_facts
from manyhands.actors.episode.start import prepare_phone
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import Frame, ModelImage, encode_jpeg
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.journals.effective_records import effective_records
from manyhands.protocol.journals.records import ActionReceived, Record, Resumed
from manyhands.protocol.phones.messages import reset_key


async def read_interrupted(runtime: EpisodeRuntime) -> InterruptedEpisode | None:
    """Return the episode as its journal records it; None if nothing was written.

    From then on, nobody with an older lease can write into the journal.
    """
    order, store = runtime.order, runtime.collaborators.store
    journal = f"the journal of {order.episode}"
    read = await runtime.wait_budget.until_done(journal, lambda: store.read(order.episode, order.lease.epoch))
    before = InterruptedEpisode.of(read.records)
    # A recorded end that was caused from outside no longer counts. If the episode is interrupted again, the new
    # interruption is its end.
    runtime.journal.resume_from(replace(before.state, ended=before.recorded_end), read.next_seq)
    return before if read.next_seq else None


async def resume_episode(runtime: EpisodeRuntime, before: InterruptedEpisode) -> InterruptedEpisode:
    """Resume in place after the last step whose action has ended. Return the episode with its effective records.

    Raises ResumeError, StoreError, PhoneError, CallError.
    """
    order = runtime.order
    obstacle = before.obstacle(order)
    if obstacle is None:
        before = await resolve_last_action(runtime, before)
    records = await write_resumed(runtime, before)
    if obstacle is not None:
        raise ResumeError(obstacle)
    assert before.state.started is not None
    runtime.time.count_from(before.state.started.at, measure_stopped_s(records))
    if runtime.journal.state.prepared:
        await capture_screen(runtime, before)
    else:
        await prepare_phone(runtime, reset_key(order.episode, order.lease.epoch))
    return replace(before, records=records)


async def resume_after_takeover(runtime: EpisodeRuntime) -> InterruptedEpisode:
    """Capture the screen to go on from, after a person has handed the episode back.

    Return the episode with its effective records. Raises StoreError, PhoneError, CallError.
    """
    order, store = runtime.order, runtime.collaborators.store
    journal, epoch = f"the journal of {order.episode}", order.lease.epoch
    read = await runtime.wait_budget.until_done(journal, lambda: store.read(order.episode, epoch))
    step = runtime.journal.state.last_touched + 1
    runtime.pictures.captured[step] = await capture_now(StageContext(runtime, CAPTURE, step))
    return InterruptedEpisode(effective_records(read.records), runtime.journal.state)


async def resolve_last_action(runtime: EpisodeRuntime, before: InterruptedEpisode) -> InterruptedEpisode:
    """Ask the gateway what became of an unanswered last action. Return the episode with the receipts.

    The receipts decide after which step to resume: a step whose action was never begun is decided again.
    """
    if not before.unanswered:
        return before
    step = before.state.last_touched
    receipts = await recall(StageContext(runtime, ACT, step), before.unanswered)
    received = (ActionReceived(step=step, receipt=receipt) for receipt in receipts)
    return InterruptedEpisode((*before.records, *received), runtime.journal.state)


async def write_resumed(runtime: EpisodeRuntime, before: InterruptedEpisode) -> tuple[Record, ...]:
    """Journal that the episode is resumed. Return the effective records of its journal."""
    unseen = await restore_pictures(runtime, before.state, before.step)
    lease, cause = runtime.order.lease, runtime.order.resume
    assert cause is not None
    resumed = Resumed(
        at=runtime.clock.now(),
        step=before.step,
        serial=lease.serial,
        epoch=lease.epoch,
        cause=cause,
        unseen=unseen,
        app=before.app_in_front(),
        run_cut_off=runtime.order.run_cut_off,
    )
    await runtime.journal.write(resumed)
    await runtime.journal.flush()
    return effective_records((*before.records, resumed))


async def capture_screen(runtime: EpisodeRuntime, before: InterruptedEpisode) -> None:
    """Capture the screen to resume from. Raises ResumeError if another app is in front than at the interruption."""
    step, app = before.step + 1, before.app_in_front()
    captured = await capture_now(StageContext(runtime, CAPTURE, step))
    front = strip_phone_facts(runtime, captured.screenshot).app
    if None not in (app, front) and app != front:
        raise ResumeError(f"the phone showed {app} when the episode was interrupted, and shows {front} now")
    runtime.pictures.captured[step] = captured


async def restore_pictures(runtime: EpisodeRuntime, state: EpisodeState, step: int) -> tuple[int, ...]:
    """Load the pictures up to s(``step``) that stages may still show to models. Return the steps whose picture is lost.

    After a crash, the last second of an episode's screens may be missing on disk. Raises StoreError.
    """
    images_kept, missing = runtime.pictures.images_kept, []
    for number in range(0 if images_kept is None else max(0, step + 2 - images_kept), step + 1):
        shot = state.step(number).screenshot
        content_id = None if shot is None else shot.content_id
        picture = None if content_id is None else await _picture(runtime, content_id)
        if picture is None:
            missing.append(number)
        else:
            runtime.pictures.keep(number, picture)
    return tuple(missing)


async def _picture(runtime: EpisodeRuntime, content_id: str) -> Picture | None:
    store = runtime.collaborators.store
    png = await runtime.wait_budget.until_done(f"screen {content_id}", lambda: store.screen(content_id))
    if png is None:
        return None
    frame = Frame("png", png)
    try:
        jpeg = await asyncio.to_thread(lambda: encode_jpeg(frame.rgb()))
    except CaptureFailed:  # the file was being written when the machine died
        return None
    return Picture(ModelImage(content_id, jpeg), frame)
