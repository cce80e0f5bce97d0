"""Going on in place: what is asked and written before the graph of an interrupted episode runs again."""

from __future__ import annotations

from dataclasses import replace

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.patience import Patience
from manyhands.actors.episode.profile import ACT, CAPTURE
from manyhands.actors.episode.resuming import CannotGoOn, Interrupted
from manyhands.actors.episode.screens_again import show_again
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import recall
from manyhands.actors.episode.stages.capture import pixels_only, taken_now
from manyhands.protocol.records import ActionReceived, Record, Resumed
from manyhands.protocol.standing import standing


async def read_interrupted(context: EpisodeContext, patience: Patience) -> Interrupted | None:
    """Return the episode as its journal tells of it; None where nothing of it was written.

    From then on nobody can write into the journal who has an older lease.
    """
    order, store = context.order, context.collaborators.store
    journal = f"the journal of {order.episode}"
    read = await patience.until_done(journal, lambda: store.read(order.episode, order.lease.epoch))
    before = Interrupted.of(read.records)
    # An end from outside is none any more: should it be interrupted now, that is its end.
    context.journal.go_on_from(replace(before.state, ended=before.decided), read.next_seq)
    return before if read.next_seq else None


async def recall_last(context: EpisodeContext, before: Interrupted) -> Interrupted:
    """Learn what became of the last action, where nobody knows. Return the episode with that.

    Where it goes on depends on it: an action that was never begun leaves its step as if it had not been decided.
    """
    if not before.unanswered:
        return before
    step = before.state.last_touched
    receipts = await recall(StageContext(context, ACT, step), before.unanswered)
    received = (ActionReceived(step=step, receipt=receipt) for receipt in receipts)
    return Interrupted((*before.records, *received), context.journal.state)


async def write_resumed(
    context: EpisodeContext, patience: Patience, before: Interrupted, cause: str
) -> tuple[Record, ...]:
    """Write down that the episode goes on. Return the records of its journal that count from now on."""
    unseen = await show_again(context, patience, before.state, before.step)
    lease = context.order.lease
    resumed = Resumed(
        at=context.clock.now(),
        step=before.step,
        serial=lease.serial,
        epoch=lease.epoch,
        cause=cause,
        unseen=unseen,
        app=before.app_in_front(),
        run_cut_off=context.order.run_cut_off,
    )
    await context.journal.write(resumed)
    await context.journal.flush()
    return standing((*before.records, resumed))


async def look_again(context: EpisodeContext, before: Interrupted) -> None:
    """Take the screen to go on from. Raises CannotGoOn where another app is in front than when it stopped."""
    step, app = before.step + 1, before.app_in_front()
    taken = await taken_now(StageContext(context, CAPTURE, step))
    front = pixels_only(context, taken.screenshot).app
    if None not in (app, front) and app != front:
        raise CannotGoOn(f"the phone showed {app} when the episode was interrupted, and shows {front} now")
    context.taken[step] = taken
