"""Show the model calls of a step: summaries for its page, and what each call sent and received."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from manyhands.evaluation.episode_view import EpisodeView, StepView
from manyhands.protocol.journals.records import Learned, Recalled, StageDropped, StatementJudged
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.reports.episode_report import CallContent, CallSummary, StepCalls

RECALL, LEARN, JUDGE = "recall", "learn", "judge"
"""What stands in place of a stage for calls before the first step, and after the last one."""


@dataclass(frozen=True, slots=True)
class StepCall:
    """Hold a model call with its place in a step."""

    number: int
    stage: str
    call: ModelCall
    is_dropped: bool


def calls_in_step(view: EpisodeView, step: StepView) -> tuple[StepCall, ...]:
    """Return the calls of a step in the order of their starts.

    Calls that chose the episode's tips and shortcuts are in the first step. Those that judged its check, and those that
    learned from it, are in the last step.
    """
    calls = [(record.stage, call, isinstance(record, StageDropped)) for record in step.stages for call in record.calls]
    calls += ((stage, call, False) for stage, call in _calls_beside(view, step))
    calls.sort(key=lambda one: one[1].started_at)
    return tuple(StepCall(number, *one) for number, one in enumerate(calls))


def summarise_calls(view: EpisodeView, step: StepView) -> tuple[CallSummary, ...]:
    """Return the calls of a step without their texts."""
    return tuple(_summary(one) for one in calls_in_step(view, step))


def step_calls(view: EpisodeView, step: StepView) -> StepCalls:
    """Return what the calls of a step sent and received."""
    contents = (
        CallContent(number=one.number, request=one.call.request, reply=one.call.reply)
        for one in calls_in_step(view, step)
    )
    return StepCalls(step=step.number, calls=tuple(contents))


def _summary(one: StepCall) -> CallSummary:
    call = one.call
    return CallSummary(
        number=one.number,
        stage=one.stage,
        role=call.role,
        server=call.server,
        model=str(call.request.get("model") or ""),
        started_at=call.started_at,
        latency_ms=call.latency_ms,
        queue_ms=call.queue_ms,
        input_tokens=call.usage.input_tokens,
        output_tokens=call.usage.output_tokens,
        cached_tokens=call.usage.cached_tokens,
        attempts=call.attempts,
        is_repair=call.repair,
        is_dropped=one.is_dropped,
        error=call.error,
    )


def _calls_beside(view: EpisodeView, step: StepView) -> Iterator[tuple[str, ModelCall]]:
    """Yield the calls that no stage of a step made."""
    first, last = step is view.steps[0], step is view.steps[-1]
    for record in view.episode.records:
        match record:
            case Recalled() if first:
                yield from ((RECALL, call) for call in record.calls)
            case StatementJudged() if last:
                yield from ((JUDGE, call) for call in record.calls)
            case Learned() if last:
                yield from ((LEARN, call) for call in record.calls)
