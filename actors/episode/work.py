"""What the nodes of an episode's graph do: run a stage, write down what it found, decide whether the episode ends."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.endings import End, defect, end_of_failure, end_of_lost_store
from manyhands.actors.episode.profile import Loop, Profile
from manyhands.actors.episode.schedule import Node, Stop
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import fold
from manyhands.protocol.errors import ErrorWithCalls, ManyhandsError, SpeculationRefused, StoreError
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.records import Dropped, Record, Span, StageFailed, StageRecord

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """Hold what a stage gave: its records, or its error."""

    start: float
    """Unix seconds."""
    records: Sequence[Record] = ()
    error: Exception | None = None

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        return tuple(call for record in self.records if isinstance(record, StageRecord) for call in record.calls)


class StageWork:
    """Implement ``actors.episode.schedule.Work`` for one episode."""

    def __init__(self, context: EpisodeContext, profile: Profile, loop: Loop) -> None:
        self._context = context
        self._profile = profile
        self._loop = loop
        self._asked_at: dict[str, float] = {}
        """When each stage began last."""

    async def execute(self, node: Node, assumed: frozenset[Node]) -> Found | None:
        """Run the stage; None if it cannot be asked ahead of time: nothing to assume, no room for it, or it failed."""
        start = self._asked_at[node.stage] = self._context.clock.now()
        ahead = None
        try:
            if assumed:
                records = self._loop.assumed(self._context.journal.state, assumed)
                if records is None:
                    return None
                ahead = functools.reduce(fold, records, self._context.journal.state)
            context = StageContext(self._context, node.stage, node.step, ahead)
            return Found(start, await self._loop.by_name[node.stage].run(context))
        except ManyhandsError as error:
            if not assumed:
                return Found(start, error=error)
            if isinstance(error, SpeculationRefused) and not error.calls:
                return None
            # It may have failed for having gone last. Once nothing is assumed any more, its failure will count.
            lost = await self._write(self._dropped(node, assumed, node, _calls_of(error)))
            return None if lost is None else Found(start, error=lost)
        except Exception as error:
            logger.exception("%s: a defect", self._context.order.episode)
            return Found(start, error=error)

    async def commit(self, node: Node, result: Found, assumed: frozenset[Node]) -> Stop[End] | None:
        """Write the records, or the failure. The episode may end by either."""
        if isinstance(result.error, ManyhandsError):
            return await self._failed(node, result.start, result.error)
        if result.error is not None:
            return Stop(defect(f"{node.stage} of step {node.step}", result.error))
        records = [_marked(record, node, assumed) for record in result.records]
        lost = await self._write(*records)
        if lost is not None:
            return Stop(end_of_lost_store(lost))
        state, order = self._context.journal.state, self._context.order
        stops = (self._profile.stop_after(record, state, order) for record in records)
        return next((stop for stop in stops if stop is not None), None)

    def as_assumed(self, node: Node) -> bool:
        return self._loop.as_assumed(self._context.journal.state, node)

    async def drop(
        self, node: Node, result: Found | None, assumed: frozenset[Node], wrong: Node | None
    ) -> Stop[End] | None:
        """Write down that the stage was asked in vain."""
        lost = await self._write(self._dropped(node, assumed, wrong, result.calls if result is not None else ()))
        return None if lost is None else Stop(end_of_lost_store(lost))

    async def _failed(self, node: Node, start: float, error: ManyhandsError) -> Stop[End] | None:
        end = end_of_failure(node.stage, error, self._loop.by_name[node.stage].failures)
        if not isinstance(error, StoreError):
            record = StageFailed(
                step=node.step,
                span=StageContext(self._context, node.stage, node.step).span(start),
                stage=node.stage,
                code=error.code,
                error=str(error),
                calls=_calls_of(error),
            )
            lost = await self._write(record)
            if lost is not None:
                return Stop(end_of_lost_store(lost))
        return None if end is None else Stop(end)

    def _dropped(
        self, node: Node, assumed: frozenset[Node], wrong: Node | None, calls: tuple[ModelCall, ...]
    ) -> Dropped:
        return Dropped(
            step=node.step,
            span=Span(start=self._asked_at[node.stage], end=self._context.clock.now()),
            stage=node.stage,
            assumed=_names(assumed),
            wrong=None if wrong is None else wrong.stage,
            calls=calls,
        )

    async def _write(self, *records: Record) -> StoreError | None:
        """Write the records. Return the error if they cannot be written."""
        try:
            for record in records:
                await self._context.journal.write(record)
        except StoreError as error:
            return error
        return None


def _calls_of(error: ManyhandsError) -> tuple[ModelCall, ...]:
    return error.calls if isinstance(error, ErrorWithCalls) else ()


def _marked(record: Record, node: Node, assumed: frozenset[Node]) -> Record:
    """Return the record with the name of its stage and of those that it did not wait for."""
    if not isinstance(record, StageRecord) or (record.stage == node.stage and not assumed):
        return record
    return record.model_copy(update={"stage": node.stage, "assumed": _names(assumed)})


def _names(nodes: frozenset[Node]) -> tuple[str, ...]:
    return tuple(sorted(node.stage for node in nodes))
