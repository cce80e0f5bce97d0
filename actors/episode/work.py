"""What the nodes of an episode's graph do: ask a stage, write down what it found, say whether the episode ends."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import cast

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.schedule import Node, Stop
from manyhands.actors.episode.stages import STAGES
from manyhands.actors.profiles.e import assumptions
from manyhands.actors.profiles.e.endings import End, end_of_failure, end_of_lost_store, stop_after
from manyhands.actors.profiles.e.graph import RUBRICS
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ManyhandsError, ModelError, SpeculationRefused, StoreError
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.records import Asking, Decided, Dropped, Planned, Record, StageFailed, StageName

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """What a stage gave: its records, or its error."""

    start: float
    """Unix seconds."""
    records: tuple[Record, ...] = ()
    error: Exception | None = None

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        return tuple(call for record in self.records if isinstance(record, Asking) for call in record.calls)


class StageWork:
    """Implements :class:`actors.episode.schedule.Work` for one episode."""

    def __init__(self, scene: EpisodeContext) -> None:
        self._scene = scene
        self._asked_at: dict[str, float] = {}
        """When each stage was asked last."""

    async def execute(self, node: Node, supposed: frozenset[Node]) -> Found | None:
        """None where a stage cannot be asked ahead of time: nothing to suppose, no room for it, or it failed."""
        start = self._asked_at[node.stage] = self._scene.clock.now()
        try:
            if not supposed:
                return Found(start, await STAGES[node.stage](self._scene, node.step))
            records = assumptions.suppose(self._scene.state, supposed)
            if records is None:
                return None
            return Found(start, await STAGES[node.stage](self._scene.supposing(records), node.step))
        except ManyhandsError as error:
            if not supposed:
                return Found(start, error=error)
            if isinstance(error, SpeculationRefused) and not error.calls:
                return None
            # It may have failed for having gone last. Once nothing is supposed any more, its failure will count.
            return await self._failed_early(node, start, supposed, error)
        except Exception as error:
            logger.exception("%s: a defect", self._scene.order.episode)
            return Found(start, error=error)

    async def commit(self, node: Node, result: Found, supposed: frozenset[Node]) -> Stop[End] | None:
        """Write the records, or the failure. The episode may end by either."""
        scene, order = self._scene, self._scene.order
        if isinstance(result.error, ManyhandsError):
            return await self._failed(node, result.start, result.error)
        if result.error is not None:
            return Stop(defect(f"{node.stage} of step {node.step}", result.error))
        records = tuple(_told(record, supposed) for record in result.records)
        try:
            for record in records:
                await scene.journal.write(record)
        except StoreError as lost:
            return Stop(end_of_lost_store(lost))
        stops = (stop_after(record, scene.state, order.task.limits, order.settings.paper_exact) for record in records)
        return next((stop for stop in stops if stop is not None), None)

    def as_supposed(self, node: Node) -> bool:
        return assumptions.as_supposed(self._scene.state, node)

    async def drop(
        self, node: Node, result: Found | None, supposed: frozenset[Node], wrong: Node | None
    ) -> Stop[End] | None:
        """Write down that the stage was asked in vain."""
        calls = result.calls if result is not None else ()
        try:
            await self._write_off(node, self._asked_at[node.stage], supposed, wrong, calls)
        except StoreError as lost:
            return Stop(end_of_lost_store(lost))
        return None

    async def _failed_early(
        self, node: Node, start: float, supposed: frozenset[Node], error: ManyhandsError
    ) -> Found | None:
        try:
            await self._write_off(node, start, supposed, node, _calls_of(error))
        except StoreError as lost:
            return Found(start, error=lost)
        return None

    async def _write_off(
        self, node: Node, start: float, supposed: frozenset[Node], wrong: Node | None, calls: tuple[ModelCall, ...]
    ) -> None:
        await self._scene.journal.write(
            Dropped(
                step=node.step,
                span=self._scene.now(start),
                stage=_name(node),
                supposed=_names(supposed),
                wrong=None if wrong is None else _name(wrong),
                calls=calls,
            )
        )

    async def _failed(self, node: Node, start: float, error: ManyhandsError) -> Stop[End] | None:
        end = end_of_failure(node.stage, error, self._scene.settings.paper_exact)
        if node.stage != RUBRICS and not isinstance(error, StoreError):
            record = StageFailed(
                step=node.step,
                span=self._scene.now(start, node=(_name(node), node.step)),
                stage=_name(node),
                code=error.code,
                error=str(error),
                calls=_calls_of(error),
            )
            try:
                await self._scene.journal.write(record)
            except StoreError as lost:
                return Stop(end_of_lost_store(lost))
        return None if end is None else Stop(end)


def defect(where: str, error: Exception) -> End:
    """The end of an episode by something that nobody expected."""
    return End(Ending.INTERNAL_ERROR, f"{where}: {type(error).__name__}: {error}")


def _calls_of(error: ManyhandsError) -> tuple[ModelCall, ...]:
    return error.calls if isinstance(error, ModelError | CallError) else ()


def _told(record: Record, supposed: frozenset[Node]) -> Record:
    """A plan or a decision says what it did not wait for."""
    if supposed and isinstance(record, Planned | Decided):
        return record.model_copy(update={"supposed": _names(supposed)})
    return record


def _names(nodes: frozenset[Node]) -> tuple[StageName, ...]:
    return tuple(sorted(_name(node) for node in nodes))


def _name(node: Node) -> StageName:
    return cast(StageName, node.stage)
