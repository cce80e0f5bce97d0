"""Results that the dispatcher makes itself, because no host could, and the journals of tasks that never ran."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence

from manyhands.actors.dispatch.queue import Turn
from manyhands.actors.seams import Store
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.records import EpisodeEnded, EpisodeStarted
from manyhands.protocol.runs import EpisodeResult, EpisodeSettings

_JOURNAL_S = 60.0
"""How long journalling all tasks that never ran may take."""
logger = logging.getLogger(__name__)


def new_episode_id(turn: Turn) -> str:
    """Return an id that is unique over all runs: action keys begin with it, and gateways remember keys."""
    return f"{turn.task.id}-{turn.attempt}-{secrets.token_hex(6)}"


def unfinished(
    turn: Turn, episode: str, serial: str, ending: Ending, reason: str, started_at: float, ended_at: float
) -> EpisodeResult:
    """Return the result of an episode of which no host reported an end. A serial of '' stands for no phone."""
    return EpisodeResult(
        episode=episode,
        task=turn.task.id,
        serial=serial,
        attempt=turn.attempt,
        ending=ending,
        reason=reason,
        steps=0,
        verified=None,
        rubrics={},
        started_at=started_at,
        ended_at=ended_at,
    )


async def journal_never_ran(
    store: Store, run: str, settings: EpisodeSettings, never_ran: Sequence[tuple[Turn, EpisodeResult]]
) -> None:
    """Write journals for tasks that never ran, so that the journals hold the end of every task."""
    try:
        async with asyncio.timeout(_JOURNAL_S):
            for turn, result in never_ran:
                await _journal(store, run, settings, turn, result)
    except TimeoutError:
        logger.warning("not every task that never ran is in a journal: the store took over %g s", _JOURNAL_S)


async def _journal(store: Store, run: str, settings: EpisodeSettings, turn: Turn, result: EpisodeResult) -> None:
    started = EpisodeStarted(
        at=result.started_at,
        run=run,
        episode=result.episode,
        attempt=turn.attempt,
        task=turn.task,
        serial=result.serial,
        epoch=0,
        profile=settings.profile,
        schedule=settings.schedule,
        memory=LongTermMemory(),
    )
    ended = EpisodeEnded(
        at=result.ended_at, ending=result.ending, reason=result.reason, steps=0, verified=None, rubrics={}
    )
    try:
        await store.append(result.episode, [started, ended])
    except ManyhandsError as error:
        logger.warning("the end of %s is not in its journal: %s", result.episode, error)
