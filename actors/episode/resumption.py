"""Resume an interrupted episode: read its journal, settle its last action, restore pictures, capture the screen.

What the journal says is read by pure functions: the step to resume after, the finished stages, what prevents resuming.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from manyhands.actors.episode.checks.check import RUBRICS
from manyhands.actors.episode.endings import End
from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.lifecycle import prepare_phone, set_up_again
from manyhands.actors.episode.paused_time import measure_s
from manyhands.actors.episode.profile import ACT, CAPTURE, Loop, Profile
from manyhands.actors.episode.recent_pictures import Picture
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.schedule import GraphStop
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import recall
from manyhands.actors.episode.stages.perceive import capture_now, strip_phone_facts
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import Frame, ModelImage, encode_jpeg
from manyhands.protocol.errors import CaptureFailed, ManyhandsError
from manyhands.protocol.journals.effective_records import (
    effective_records,
    holds,
    interruptions,
    is_open,
    kept_until,
    last_failure,
)
from manyhands.protocol.journals.records import (
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodePaused,
    Record,
    Resumed,
    RubricsChecked,
    StageDropped,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.phones import reset_key
from manyhands.protocol.runs.results import MOST_RESUMES, EpisodeOrder


class ResumeError(ManyhandsError):
    """Signal that an episode cannot be resumed in place. Its task then starts again."""

    code = "cannot_go_on"


@dataclass(frozen=True, slots=True)
class InterruptedEpisode:
    """Hold an interrupted episode as its journal records it."""

    records: Sequence[Record]
    state: EpisodeState

    @classmethod
    def of(cls, records: Sequence[Record]) -> InterruptedEpisode:
        """Return the episode of a journal."""
        state = EpisodeState()
        for record in records:
            state = fold(state, record)
        return cls(records, state)

    @property
    def step(self) -> int:
        """Return the step to resume after: the last step whose action was begun or has ended.

        If a later step's action was never begun, that step is decided again, from the present screen. It does not count
        as failed.
        """
        last = self.state.last_touched
        return last - 1 if self.state.step(last).never_begun else last

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Return the keys of the last action that have no receipt."""
        return self.state.step(self.state.last_touched).unanswered

    @property
    def recorded_end(self) -> EpisodeEnded | None:
        """Return the recorded end if the task caused it. Then only the answer to the dispatcher was lost."""
        ended = self.state.ended
        return None if ended is None or is_open(ended.ending, last_failure(self.records)) else ended

    def obstacle(self, order: EpisodeOrder) -> str | None:
        """Return why the episode cannot be resumed on the order's phone; None if it can."""
        started = self.state.started
        if started is None:
            return "the beginning of its journal cannot be read"
        if (started.episode, started.task.id) != (order.episode, order.task.id):
            return f"its journal is of {started.episode}, of the task {started.task.id}"
        if started.serial != order.lease.serial:
            return f"it began on the phone {started.serial}, and this is {order.lease.serial}"
        if self.state.in_vain >= MOST_RESUMES and not order.run_cut_off:
            return f"gone on {self.state.in_vain} times without a finished step; now: {order.resume}"
        for step in range(self.state.last_touched + 1):
            at = self.state.step(step)
            if at.screenshot is None or (at.decision is None and not at.person):
                return f"its journal has a hole in step {step}"
        return None

    def app_in_front(self) -> str | None:
        """Return the app that was in front last, if it was seen after the last action; None if nobody knows.

        An action may bring another app to the front, so a screen from before the action proves nothing.
        """
        screenshot = self.state.step(self.step + 1).screenshot
        if screenshot is not None:
            return screenshot.app
        last = next((record for record in reversed(self.records) if isinstance(record, Resumed)), None)
        return None if last is None or last.step != self.step else last.app


def finished_stages(loop: Loop, records: Iterable[Record]) -> dict[str, int]:
    """Return how many steps each stage has finished. The last of ``records`` that discards steps tells the last step.

    A stage that left a record has finished, and so have all stages that it needed. A stage that found nothing left no
    record. It runs again on the same state and finds nothing again. A screen after the last action never counts as
    captured. All stages of a person's step have finished, and so have those of earlier steps: nobody judges what the
    person did, nor the agent's action right before it.
    """
    stands = effective_records(records)
    last = next((step for record in reversed(stands) if (step := kept_until(record)) is not None), -1)
    counts = dict.fromkeys(loop.by_name, 0)

    def finished(stage: str, step: int) -> None:
        if stage in counts and step <= last:
            counts[stage] = max(counts[stage], step + 1)

    for record in stands:
        if isinstance(record, RubricsChecked):
            finished(RUBRICS.name, record.step)
        elif isinstance(record, ActionSent) and record.by:
            for name in loop.by_name:
                finished(name, record.step)
        elif isinstance(record, ActionSent | EpisodePaused) and record.step is not None:
            is_of_action = isinstance(record, ActionSent) or record.is_of_action
            for need in loop.by_name[ACT].needs if is_of_action else ():
                finished(need.stage, record.step + need.offset)
        elif isinstance(record, StageRecord) and not isinstance(record, StageFailed | StageDropped):
            finished(record.stage, record.step)
    earlier: dict[str, int] = {}
    while earlier != counts:
        earlier = dict(counts)
        for stage in loop.stages:
            for need in stage.needs if counts[stage.name] else ():
                finished(need.stage, counts[stage.name] - 1 + need.offset)
    return counts


def find_stops(
    profile: Profile, resumed: InterruptedEpisode, state: EpisodeState, order: EpisodeOrder
) -> tuple[GraphStop[End], ...]:
    """Return the stops that records of the step to resume after cause.

    Without the interruption they would have caused the same stops.
    """
    step = resumed.step
    records = (one for one in resumed.records if getattr(one, "step", None) == step and not isinstance(one, Resumed))
    stops = (profile.stop_after(record, state, order) for record in records)
    return tuple(stop for stop in stops if stop is not None)


def _measure_stopped_s(records: Sequence[Record]) -> float:
    """Return the seconds that no limit counts: no host ran the episode, no model answered, or people held it."""
    away = (interval for record in records if isinstance(record, StageRecord) for interval in record.span.away)
    return measure_s([*interruptions(records), *holds(records), *away])


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
        before = await _resolve_last_action(runtime, before)
    records = await _write_resumed(runtime, before)
    if obstacle is not None:
        raise ResumeError(obstacle)
    assert before.state.started is not None
    runtime.time.count_from(before.state.started.at, _measure_stopped_s(records))
    if runtime.journal.state.prepared:
        if order.task.build is not None and order.task.build.uninstall_after:
            raise ResumeError("the app under test may have been uninstalled when the phone was given back")
        await set_up_again(runtime, reset_key(order.episode, order.lease.epoch))
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


async def _resolve_last_action(runtime: EpisodeRuntime, before: InterruptedEpisode) -> InterruptedEpisode:
    """Ask the gateway what became of an unanswered last action. Return the episode with the receipts.

    The receipts decide after which step to resume: a step whose action was never begun is decided again.
    """
    if not before.unanswered:
        return before
    step = before.state.last_touched
    receipts = await recall(StageContext(runtime, ACT, step), before.unanswered)
    received = (ActionReceived(step=step, receipt=receipt) for receipt in receipts)
    return InterruptedEpisode((*before.records, *received), runtime.journal.state)


async def _write_resumed(runtime: EpisodeRuntime, before: InterruptedEpisode) -> tuple[Record, ...]:
    """Journal that the episode is resumed. Return the effective records of its journal."""
    unseen = await _restore_pictures(runtime, before.state, before.step)
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


async def _restore_pictures(runtime: EpisodeRuntime, state: EpisodeState, step: int) -> tuple[int, ...]:
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
