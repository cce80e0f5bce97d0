"""Tell where all batches of a fleet stand together, and read a batch's results while it goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from manyhands.actors.interfaces import Dispatch
from manyhands.protocol.errors import CallError
from manyhands.protocol.runs.progress import Decisions, RunProgress, RunWait, TasksDone, latest
from manyhands.protocol.runs.results import EpisodeResult

_RESULTS_S = 0.5
"""How often a batch is asked for new results."""
_log = logging.getLogger(__name__)


class ProgressSource(Protocol):
    """Tell where a batch stands. Raises CallError if nobody answers."""

    async def progress(self) -> RunProgress: ...


class BatchProgress:
    """Tell where a batch stands. While no dispatcher carries out the batch, tell the last known state."""

    def __init__(self) -> None:
        self._teller: ProgressSource | None = None
        self._gone = asyncio.Event()
        self._last = RunProgress(total=0, waiting=0, running=(), done=TasksDone(), latest=())

    @asynccontextmanager
    async def told_by(self, teller: ProgressSource, is_gone: Callable[[], bool]) -> AsyncIterator[None]:
        """Ask ``teller`` while the context is open. At the end, ask a last time, unless ``is_gone()`` is true."""
        self._teller, self._gone = teller, asyncio.Event()
        try:
            yield
        finally:
            try:
                if not is_gone():
                    self._last = await teller.progress()
            except CallError as error:  # the results exist; only the progress display misses them
                _log.warning("a batch that has ended does not say how: %s", error)
            finally:
                self._teller = None
                self._gone.set()
                self._last = self._last.model_copy(update={"running": ()})

    async def progress(self) -> RunProgress:
        """Return where the batch stands. Raises CallError if its dispatcher does not answer."""
        if self._teller is None:
            return self._last
        answer = asyncio.create_task(self._teller.progress())
        abandoned = asyncio.create_task(self._gone.wait())
        try:
            await asyncio.wait({answer, abandoned}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                self._last = answer.result()
            return self._last
        finally:
            abandoned.cancel()
            answer.cancel()
            answer.add_done_callback(lambda task: task.cancelled() or task.exception())
            if not self._gone.is_set():
                await asyncio.wait({answer})


class FleetProgress:
    """Add up what all dispatchers tell. For dispatchers that have ended, add what they told last."""

    def __init__(self) -> None:
        self._dispatchers: list[ProgressSource] = []
        self._past: list[RunProgress] = []

    @asynccontextmanager
    async def with_those_of(self, dispatcher: ProgressSource) -> AsyncIterator[None]:
        """Count a dispatcher's tasks: its present state while the context is open, its last state afterwards."""
        self._dispatchers.append(dispatcher)
        try:
            yield
        finally:
            last: RunProgress | None = None
            try:
                last = await dispatcher.progress()
            except CallError as error:  # the results exist; only the progress display misses them
                _log.warning("a batch that has ended does not say how: %s", error)
            finally:
                # No await may stand between these lines: it could make tasks count twice or not at all.
                self._dispatchers.remove(dispatcher)
                self._past += [] if last is None else [last]

    async def now(self) -> RunProgress:
        """Return where all batches stand."""
        past = tuple(self._past)
        current = await asyncio.gather(*(dispatcher.progress() for dispatcher in self._dispatchers))
        parts = [*past, *current]
        return RunProgress(
            total=sum(part.total for part in parts),
            waiting=sum(part.waiting for part in parts),
            running=tuple(item for part in parts for item in part.running),
            done=sum((part.done for part in parts), TasksDone()),
            latest=latest(item for part in parts for item in part.latest),
            held_up=_each(wait for part in current for wait in part.held_up),
            away=_each(wait for part in current for wait in part.away),
            holds=tuple({(hold.what, hold.drained): hold for part in current for hold in part.holds}.values()),
            phones=max((part.phones for part in parts), default=0),
            losses={serial: count for part in current for serial, count in part.losses.items()},
        )


def _each(waits: Iterable[RunWait]) -> tuple[RunWait, ...]:
    """Return what several batches wait for, without duplicates."""
    return tuple({wait.what: wait for wait in waits}.values())


class BatchReader:
    """Read the results of a batch in the order of their decisions, whichever dispatcher decides them."""

    def __init__(self, most_unread: int | None = None) -> None:
        """``most_unread``: how many episodes may run or wait to be read; None for any number."""
        self.most_unread = most_unread
        self.dispatcher: Dispatch | None = None
        """The dispatcher that carries out the batch now."""

    async def decisions(self, last: Decisions) -> Decisions:
        """Return the results that follow the ``last`` answer. Raises CallError if the dispatcher does not answer."""
        dispatcher = self.dispatcher
        return last.model_copy(update={"results": ()}) if dispatcher is None else await dispatcher.decisions(last)

    async def results(self, carried: asyncio.Task[Sequence[EpisodeResult]]) -> AsyncIterator[EpisodeResult]:
        """Yield each result once, until the batch has ended. ``carried`` carries it out; raises what that raises."""
        last, yielded = Decisions(), set[str]()
        has_ended = False
        while not has_ended:
            has_ended = carried.done()
            results: Sequence[EpisodeResult] = ()
            try:
                last = last if has_ended else await self.decisions(last)
                results = carried.result() if has_ended else last.results
            except CallError:
                if has_ended:
                    raise
                _log.debug("no results for now")  # a dispatcher that is too busy to answer is asked again
            for result in results:
                if result.episode not in yielded:
                    yielded.add(result.episode)
                    yield result
            if not results:
                await asyncio.wait({carried}, timeout=_RESULTS_S)
