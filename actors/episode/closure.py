"""The closure of an episode: ask for the answer, ask the check, write the last record, wait until all is on disk."""

from __future__ import annotations

from manyhands.actors.clock import time_limit
from manyhands.actors.episode.checks.answer import answer_at_end
from manyhands.actors.episode.checks.check import check_at_end
from manyhands.actors.episode.endings import End, end_of_lost_store
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, StoreError
from manyhands.protocol.journals.records import EpisodeEnded
from manyhands.protocol.runs.results import EpisodeResult

CLOSING_S = 30.0
"""The time limit for closing the journal, beyond the wait for a lost store. A cancelled episode does not wait for a
lost store."""


async def close_episode(runtime: EpisodeRuntime, end: End) -> EpisodeResult:
    """Ask for the answer, ask the check, write the last record and wait until all is on disk.

    If the journal already has an end, that end stays.
    """
    journal, order = runtime.journal, runtime.order
    ended = journal.state.ended or await _ended(runtime, end)
    away_s = 0.0 if end.ending is Ending.CANCELLED else runtime.settings.disk_wait_s
    try:
        async with time_limit(runtime.clock, runtime.clock.now() + CLOSING_S + away_s, "closing the journal"):
            if journal.state.ended is None and journal.writable:
                await journal.write(ended)
            await journal.flush()
            await runtime.screens.flush()
    except (StoreError, CallError) as error:
        store_end = end_of_lost_store(error)
        reason = f"{store_end.reason}; the episode had ended as {end.ending}"
        ended = ended.model_copy(update={"ending": store_end.ending, "reason": reason})
    return EpisodeResult.of(
        ended,
        episode=order.episode,
        task=order.task,
        serial=order.lease.serial,
        attempt=order.attempt,
        in_vain=journal.state.in_vain,
        failure=journal.state.last_failure,
        started_at=runtime.time.began_at,
    )


async def _ended(runtime: EpisodeRuntime, end: End) -> EpisodeEnded:
    """Return the last record.

    If the phone or the lease was lost before the check, the record allows the episode to be resumed.
    """
    answer = await answer_at_end(runtime, end)
    checked = await check_at_end(runtime, answer.end)
    state = runtime.journal.state
    return EpisodeEnded(
        at=runtime.clock.now(),
        ending=checked.end.ending,
        reason=checked.end.reason,
        steps=state.steps_taken,
        verified=checked.verified,
        verified_by=checked.verified_by,
        rubrics=checked.rubrics,
        unmet=checked.unmet,
        rubrics_unmet=checked.rubrics_unmet,
        check_screen=checked.screen,
        unexpected_changes=checked.unexpected_changes,
        answer=answer.text,
        answer_data=answer.data,
        answered=answer.answered,
        afresh=checked.end.afresh,
    )
