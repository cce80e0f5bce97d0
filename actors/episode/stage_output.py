"""A stage's output, its records or its error, and how the journal records it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.episode.profile import Stage
from manyhands.actors.episode.schedule import Node
from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.errors import ErrorWithCalls, ManyhandsError, SpeculationRefused
from manyhands.protocol.journals.records import Record, Span, StageDropped, StageFailed, StageRecord
from manyhands.protocol.messages import ModelCall

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StageOutput:
    """Hold a stage's output: its records, or its error."""

    start: float
    """When the stage began, in Unix seconds."""
    records: Sequence[Record] = ()
    error: Exception | None = None

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """Return all model calls of the stage."""
        if self.error is not None:
            return self.error.calls if isinstance(self.error, ErrorWithCalls) else ()
        return tuple(call for record in self.records if isinstance(record, StageRecord) for call in record.calls)

    @property
    def refused(self) -> bool:
        """Return whether models had no room for a speculative question, so that nothing was asked."""
        return isinstance(self.error, SpeculationRefused) and not self.calls


async def run_stage(stage: Stage, context: StageContext, start: float) -> StageOutput:
    """Run a stage of a step. The stage began at ``start``. This raises nothing: an error becomes part of the output."""
    try:
        records = await stage.run(context)
        stage.check(records)
        return StageOutput(start, records)
    except ManyhandsError as error:
        return StageOutput(start, error=error)
    except Exception as error:
        logger.exception("%s: a defect", context.runtime.order.episode)
        return StageOutput(start, error=error)


def marked_records(output: StageOutput, node: Node, assumed: frozenset[Node]) -> list[Record]:
    """Return the records, marked with the stage and with those stages whose results it assumed."""
    return [_marked(record, node, assumed) for record in output.records]


def failure_record(output: StageOutput, error: ManyhandsError, context: StageContext) -> StageFailed:
    """Return the record of a stage that failed."""
    return StageFailed(
        step=context.step,
        span=context.span(output.start),
        stage=context.stage,
        code=error.code,
        error=str(error),
        calls=output.calls,
    )


def dropped_record(
    node: Node, span: Span, assumed: frozenset[Node], wrong: Node | None, output: StageOutput | None
) -> StageDropped:
    """Return the record of a stage that was run in vain, because the stage ``wrong`` did not end as assumed."""
    return StageDropped(
        step=node.step,
        span=span,
        stage=node.stage,
        assumed=_stage_names(assumed),
        wrong=None if wrong is None else wrong.stage,
        calls=() if output is None else output.calls,
    )


def _marked(record: Record, node: Node, assumed: frozenset[Node]) -> Record:
    if not isinstance(record, StageRecord) or (record.stage == node.stage and not assumed):
        return record
    return record.model_copy(update={"stage": node.stage, "assumed": _stage_names(assumed)})


def _stage_names(nodes: frozenset[Node]) -> tuple[str, ...]:
    return tuple(sorted(node.stage for node in nodes))
