"""Name a run's episodes, read where they stopped, and journal results that no host could journal."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Sequence

from manyhands.actors.clock import LoopClock
from manyhands.actors.dispatch.deadlines import await_answer, retry
from manyhands.actors.dispatch.task_queue import Attempt
from manyhands.actors.episode.paused_time import WaitBudget
from manyhands.actors.interfaces import Store
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeIndex, EpisodeResult

_JOURNAL_S = 60.0
"""The time limit for journalling all tasks that never ran."""
logger = logging.getLogger(__name__)


class EpisodeIds:
    """Names episodes uniquely over all runs, because action keys begin with their ids and gateways remember keys.

    A restarted dispatcher gives an attempt the same id as before. So it gets the phone at once that the earlier
    dispatcher had leased for the attempt.
    """

    def __init__(self, nonce: str) -> None:
        self._key = nonce.encode()

    def of(self, batch: str, attempt: Attempt) -> str:
        """Return the id of an attempt's episode."""
        identity = f"{batch}:{attempt.index}:{attempt.number}:{attempt.restarts}"
        digest = hashlib.blake2b(identity.encode(), digest_size=6, key=self._key).hexdigest()
        return f"{attempt.task.id}-{attempt.number}-{digest}"

    def never_ran(self, attempt: Attempt) -> str:
        """Return the id under which a journal records that an attempt never ran."""
        return f"{attempt.task.id}-{attempt.number}-{secrets.token_hex(6)}"


class RunJournals:
    """Reads the progress of episodes from a run's journals."""

    def __init__(self, store: Store, patience_s: float) -> None:
        """``patience_s``: how long the run folder may be unreadable."""
        self._store = store
        self._patience_s = patience_s

    async def index(self) -> Sequence[EpisodeIndex]:
        """Return the index of the run's episodes. If the store fails for too long, raises its error."""
        limit_s, what = self._patience_s, "reading the run folder"
        return await retry(lambda: await_answer(self._store.index(), limit_s, what), limit_s, what)

    async def finished_steps(self, episode: str) -> int:
        """Return how many steps an episode has finished. Raises the errors of ``index``."""
        return sum(entry.steps for entry in await self.index() if entry.started.episode == episode)


def unfinished(
    attempt: Attempt, episode: str, serial: str, ending: Ending, reason: str, started_at: float, ended_at: float
) -> EpisodeResult:
    """Return the result of an episode whose end no host reported.

    An empty ``serial`` means that the episode had no phone.
    """
    return EpisodeResult(
        episode=episode,
        task=attempt.task.id,
        has_check=attempt.task.check is not None,
        serial=serial,
        attempt=attempt.number,
        ending=ending,
        reason=reason,
        steps=0,
        verified=None,
        rubrics={},
        started_at=started_at,
        ended_at=ended_at,
    )


async def find_without_end(
    store: Store, without_host: Sequence[tuple[Attempt, EpisodeResult]], ids: EpisodeIds
) -> Sequence[tuple[Attempt, EpisodeResult]]:
    """Return those attempts of ``without_host`` whose journals have no end, for ``write_never_ran``.

    A host that died, or could not write, recorded no end. A journal must still hold the dispatcher's decision.
    Otherwise the run's figures would differ from its results.
    """
    if not without_host:
        return ()
    try:
        async with asyncio.timeout(_JOURNAL_S):
            ended = {entry.started.episode for entry in await store.index() if entry.ended is not None}
    except (ManyhandsError, TimeoutError) as error:
        logger.warning("whether %d episodes have ended is not known: %s", len(without_host), error)
        return ()
    return [
        (attempt, result.model_copy(update={"episode": ids.never_ran(attempt), "serial": ""}))
        for attempt, result in without_host
        if result.episode not in ended
    ]


async def write_never_ran(
    store: Store, run: str, batch: str, settings: EpisodeSettings, never_ran: Sequence[tuple[Attempt, EpisodeResult]]
) -> None:
    """Write journals for tasks that never ran, so that the journals contain the end of every task."""
    wait_budget = WaitBudget(LoopClock(), _JOURNAL_S)
    try:
        async with asyncio.timeout(_JOURNAL_S):
            for attempt, result in never_ran:
                await _journal(store, wait_budget, run, batch, settings, attempt, result)
    except TimeoutError:
        logger.warning("not every task that never ran is in a journal: the store took over %g s", _JOURNAL_S)


async def _journal(
    store: Store,
    wait_budget: WaitBudget,
    run: str,
    batch: str,
    settings: EpisodeSettings,
    attempt: Attempt,
    result: EpisodeResult,
) -> None:
    started = EpisodeStarted(
        at=result.started_at,
        run=run,
        episode=result.episode,
        attempt=attempt.number,
        task=attempt.task,
        serial=result.serial,
        epoch=0,
        profile=settings.profile,
        schedule=settings.schedule,
        memory=LongTermMemory(),
        batch=batch,
        place=attempt.index,
        restarts=attempt.restarts,
    )
    ended = EpisodeEnded(
        at=result.ended_at, ending=result.ending, reason=result.reason, steps=0, verified=None, rubrics={}
    )
    try:
        await wait_budget.until_done(
            f"the journal of {result.episode}", lambda: store.append(result.episode, [started, ended], 0, started.epoch)
        )
    except ManyhandsError as error:
        logger.warning("the end of %s is not in its journal: %s", result.episode, error)
