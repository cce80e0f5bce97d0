"""Results that the dispatcher makes itself, because no host could, and the journals of tasks that never ran."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Sequence

from manyhands.actors.clock import LoopClock
from manyhands.actors.dispatch.queue import Turn
from manyhands.actors.episode.patience import Patience
from manyhands.actors.seams import Store
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.records import EpisodeEnded, EpisodeStarted
from manyhands.protocol.runs import EpisodeResult, EpisodeSettings

_JOURNAL_S = 60.0
"""How long journalling all tasks that never ran may take."""
logger = logging.getLogger(__name__)


class EpisodeIds:
    """Names episodes uniquely over all runs: action keys begin with their ids, and gateways remember keys.

    A dispatcher that was started again gives a turn the same id, so it gets at once what its predecessor had leased.
    """

    def __init__(self, nonce: str) -> None:
        self._key = nonce.encode()

    def of(self, batch: str, turn: Turn) -> str:
        """Return the id of a turn's episode."""
        said = f"{batch}:{turn.index}:{turn.attempt}:{turn.restarts}"
        digest = hashlib.blake2b(said.encode(), digest_size=6, key=self._key).hexdigest()
        return f"{turn.task.id}-{turn.attempt}-{digest}"

    def never_ran(self, turn: Turn) -> str:
        """Return the id under which a journal tells that a turn never ran."""
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
    store: Store, run: str, batch: str, settings: EpisodeSettings, never_ran: Sequence[tuple[Turn, EpisodeResult]]
) -> None:
    """Write journals for tasks that never ran, so that the journals hold the end of every task."""
    patience = Patience(LoopClock(), _JOURNAL_S)
    try:
        async with asyncio.timeout(_JOURNAL_S):
            for turn, result in never_ran:
                await _journal(store, patience, run, batch, settings, turn, result)
    except TimeoutError:
        logger.warning("not every task that never ran is in a journal: the store took over %g s", _JOURNAL_S)


async def _journal(
    store: Store, patience: Patience, run: str, batch: str, settings: EpisodeSettings, turn: Turn, result: EpisodeResult
) -> None:
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
        batch=batch,
        place=turn.index,
        restarts=turn.restarts,
    )
    ended = EpisodeEnded(
        at=result.ended_at, ending=result.ending, reason=result.reason, steps=0, verified=None, rubrics={}
    )
    try:
        await patience.until_done(
            f"the journal of {result.episode}", lambda: store.append(result.episode, [started, ended], 0, started.epoch)
        )
    except ManyhandsError as error:
        logger.warning("the end of %s is not in its journal: %s", result.episode, error)
