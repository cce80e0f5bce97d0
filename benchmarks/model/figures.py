"""Collect what phones saw of a server; compute the figures of one load, and what a profile's loads say. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from manyhands.benchmarks.model.server_metrics import MetricsPage
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.messages import Usage
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.run_summary import Percentiles
from manyhands.protocol.utilities.terminal_text import count_noun

CallFate = Literal["valid", "invalid", "cut_off", "failed"]
"""What became of a call: a valid reply, one that cannot be read, one that was cut off at max_tokens, or no reply."""


@dataclass(frozen=True, slots=True)
class CallSample:
    """Hold one call that ended. Times are seconds of a clock that only goes forward."""

    role: Role
    began: float
    ended: float
    fate: CallFate
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    """Why there is no valid reply, in one line."""

    @property
    def latency_s(self) -> float:
        """Return how long the call took."""
        return self.ended - self.began


@dataclass(frozen=True, slots=True)
class StepSample:
    """Hold one step that a phone finished: from its first call to the first call of the next step."""

    began: float
    ended: float


@dataclass(slots=True)
class SampleLog:
    """Collect samples in the order in which calls and steps end."""

    calls: list[CallSample] = field(default_factory=list)
    steps: list[StepSample] = field(default_factory=list)

    def calls_between(self, begin: float, end: float) -> Sequence[CallSample]:
        """Return the calls that ended in this time."""
        return [call for call in self.calls if begin <= call.ended < end]

    def steps_between(self, begin: float, end: float) -> Sequence[StepSample]:
        """Return the steps that ended in this time."""
        return [step for step in self.steps if begin <= step.ended < end]


SHOWN_ERRORS = 5
"""The most different errors that a report shows for one load."""
LOAD_SHARE = 0.7
"""The share of the most steps a second at which a server is loaded by the phones that it carries."""
LEAST_VALID = 0.5
"""The least share of valid replies of a profile whose figures say something about a real run."""
LEAST_CALLS = 30
"""With fewer calls in the load with the most steps a second, nothing is said about how many phones a server carries."""
USUAL_VALID = 0.9
"""The share of valid replies below which a reader is warned: each invalid reply is asked for once more in a run."""


class QueueFigures(Message):
    """Hold what the servers told about themselves while a load was measured. None: they do not tell it."""

    running: float | None
    """The mean number of requests that ran."""
    waiting: float | None
    """The mean number of requests that waited."""
    cache_usage: float | None
    """The largest share of the KV cache in use, 0 to 1."""
    input_tokens_s: float | None
    output_tokens_s: float | None
    prefix_hit_share: float | None
    """The share of tokens that were found in the prefix cache, of those that were looked up."""
    preemptions: float | None
    first_token_s: float | None
    """The mean time to the first token."""
    queue_s: float | None
    """The mean time of a request in the server's queue."""


class FateFigures(Message):
    """Count what became of the calls of a role, or of all."""

    calls: int
    valid: int
    invalid: int
    cut_off: int
    failed: int

    @property
    def valid_share(self) -> float | None:
        """Return the share of valid replies in all replies; None without replies."""
        replies = self.calls - self.failed
        return self.valid / replies if replies else None


class LoadFigures(Message):
    """Hold the figures of one load: so many phones that ask without a pause."""

    phones: int
    seconds: float
    calls: int
    """Calls that ended in this time."""
    steps_s: float
    """Answered calls a second, divided by the calls of a mean step of the recording."""
    step_s: Percentiles | None
    """Seconds from a step's first call to the next step's; None if no step ended in this time."""
    call_s: Percentiles | None
    """Seconds of an answered call."""
    role_call_s: dict[str, Percentiles]
    input_tokens_s: float
    output_tokens_s: float
    input_tokens_step: float | None
    """Input tokens of a step."""
    uncached_tokens_step: float | None
    """Those of them that were in no cache of the server."""
    output_tokens_step: float | None
    cached_share: float | None
    """The share of cached tokens in all input tokens, by the answers."""
    fates: FateFigures
    role_fates: dict[str, FateFigures]
    errors: dict[str, int]
    """The most frequent errors of failed calls, and how often each came."""
    invalid_replies: dict[str, int]
    """The most frequent reasons why a reply was invalid."""
    queue: QueueFigures | None
    """None if a server publishes no metrics."""
    sender_cores: float = 0.0
    """How many cores the process that sent the calls used."""

    @property
    def failed_share(self) -> float:
        """Return the share of calls without a reply."""
        return self.fates.failed / self.calls if self.calls else 0.0


class CarriedPhones(Message):
    """Hold how many phones a server carries with a profile."""

    most_steps_s: float
    """The most steps a second of any load without failed calls."""
    steps_s: float
    """The steps a second at ``LOAD_SHARE``."""
    asking: float
    """How many phones ask at a time at that load, interpolated between two measured loads."""
    step_model_s: float
    """The part of a step in which its phone waits for the model, at that load."""
    phone_s: float
    """The rest of a step: the phone's own time. It is given, not measured."""
    phones: int
    """Steps a second times the time of a step."""
    calls: int = 0
    """The calls of the load with the most steps a second."""
    measured_phones: int = 0
    """The most phones of any load without failed calls. They asked without a pause."""
    is_extrapolated: bool = False
    """Whether the phones are more than were measured."""


@dataclass(frozen=True, slots=True)
class LoadWindow:
    """Hold what was seen while a load was measured."""

    phones: int
    begin: float
    end: float
    calls: Sequence[CallSample]
    steps: Sequence[StepSample]
    cpu_s: float = 0.0
    """The processor time that this process used meanwhile."""
    pages: Sequence[MetricsPage] = ()
    """Readings of the servers' metrics, oldest first; the first and the last bound the window."""

    @property
    def seconds(self) -> float:
        """Return the length of the window."""
        return self.end - self.begin


def load_figures(window: LoadWindow, calls_per_step: float) -> LoadFigures:
    """Return the figures of a window. ``calls_per_step``: of the recording."""
    answered = [call for call in window.calls if call.fate != "failed"]
    counted = [call for call in answered if call.usage.input_tokens]
    steps = len(counted) / calls_per_step
    inputs = sum(call.usage.input_tokens for call in counted)
    cached = sum(call.usage.cached_tokens for call in counted)
    outputs = sum(call.usage.output_tokens for call in counted)
    roles = sorted({call.role for call in window.calls})
    return LoadFigures(
        phones=window.phones,
        seconds=window.seconds,
        calls=len(window.calls),
        steps_s=len(answered) / calls_per_step / window.seconds,
        step_s=percentiles([step.ended - step.began for step in window.steps]),
        call_s=percentiles([call.latency_s for call in answered]),
        role_call_s={
            role.value: latencies
            for role in roles
            if (latencies := percentiles([call.latency_s for call in answered if call.role is role])) is not None
        },
        input_tokens_s=inputs / window.seconds,
        output_tokens_s=outputs / window.seconds,
        input_tokens_step=inputs / steps if steps else None,
        uncached_tokens_step=(inputs - cached) / steps if steps else None,
        output_tokens_step=outputs / steps if steps else None,
        cached_share=cached / inputs if inputs else None,
        fates=_fates(window.calls),
        role_fates={role.value: _fates([call for call in window.calls if call.role is role]) for role in roles},
        errors=_reasons(window.calls, "failed"),
        invalid_replies=_reasons(window.calls, "invalid"),
        queue=_queue(window),
        sender_cores=window.cpu_s / window.seconds,
    )


def _fates(calls: Sequence[CallSample]) -> FateFigures:
    counts = Counter(call.fate for call in calls)
    return FateFigures(
        calls=len(calls),
        valid=counts["valid"],
        invalid=counts["invalid"],
        cut_off=counts["cut_off"],
        failed=counts["failed"],
    )


def sum_fates(parts: Sequence[FateFigures]) -> FateFigures:
    """Return the sums of several counts."""
    return FateFigures(**{name: sum(getattr(part, name) for part in parts) for name in FateFigures.model_fields})


def _reasons(calls: Sequence[CallSample], fate: CallFate) -> dict[str, int]:
    return dict(Counter(call.error for call in calls if call.fate == fate).most_common(SHOWN_ERRORS))


def _queue(window: LoadWindow) -> QueueFigures | None:
    if len(window.pages) < 2:
        return None
    first, last = window.pages[0], window.pages[-1]
    looked_up = last.grown_since(first, "prefix_cache_queries_total")
    hits = last.grown_since(first, "prefix_cache_hits_total")
    read = last.grown_since(first, "prompt_tokens_total")
    wrote = last.grown_since(first, "generation_tokens_total")
    return QueueFigures(
        running=_mean(window.pages, "num_requests_running"),
        waiting=_mean(window.pages, "num_requests_waiting"),
        cache_usage=max((page.values.get("kv_cache_usage_perc", -1.0) for page in window.pages), default=-1.0)
        if "kv_cache_usage_perc" in last.values
        else None,
        input_tokens_s=None if read is None else read / window.seconds,
        output_tokens_s=None if wrote is None else wrote / window.seconds,
        prefix_hit_share=hits / looked_up if looked_up and hits is not None else None,
        preemptions=last.grown_since(first, "num_preemptions_total"),
        first_token_s=last.mean_since(first, "time_to_first_token_seconds"),
        queue_s=last.mean_since(first, "request_queue_time_seconds"),
    )


def _mean(pages: Sequence[MetricsPage], name: str) -> float | None:
    figures_of_pages = [page.values[name] for page in pages if name in page.values]
    return sum(figures_of_pages) / len(figures_of_pages) if figures_of_pages else None


def why_unsure(loads: Sequence[LoadFigures]) -> str:
    """Return why the loads had too few calls to say how many phones a server carries; an empty text if they had not."""
    best = max(_usable(loads), key=lambda one: one.steps_s, default=None)
    if best is None or best.calls >= LEAST_CALLS:
        return ""
    return (
        "not enough calls to say how many phones the server carries: its best load had "
        f"{count_noun(best.calls, 'call')} of at least {LEAST_CALLS}. "
        "Measure one profile (--profile) for more --minutes."
    )


def _usable(loads: Sequence[LoadFigures]) -> list[LoadFigures]:
    """Return the loads without failed calls, the smallest first."""
    return sorted((load for load in loads if not load.fates.failed and load.steps_s > 0), key=lambda one: one.phones)


def carried_phones(loads: Sequence[LoadFigures], phone_s: float) -> CarriedPhones | None:
    """Return how many phones a server carries at ``LOAD_SHARE``.

    Return None if no load without failed calls was measured, if ``why_unsure`` has a reason, or if fewer than
    ``LEAST_VALID`` of the replies are valid: what a server does with other replies is no work of phones.

    ``phone_s``: the seconds of a step in which its phone does not wait for the model. The load at that share is
    interpolated between the last load below it and the first one above it.
    """
    usable = _usable(loads)
    share = sum_fates([load.fates for load in loads]).valid_share
    if not usable or share is None or share < LEAST_VALID or why_unsure(loads):
        return None
    best = max(usable, key=lambda load: load.steps_s)
    most = best.steps_s
    target = LOAD_SHARE * most
    above = next(number for number, load in enumerate(usable) if load.steps_s >= target)
    high = usable[above]
    if above == 0:
        asking = high.phones * target / high.steps_s
    else:
        low = usable[above - 1]
        asking = low.phones + (high.phones - low.phones) * (target - low.steps_s) / (high.steps_s - low.steps_s)
    step_model_s = asking / target
    phones = int(target * (step_model_s + phone_s))
    return CarriedPhones(
        most_steps_s=most,
        steps_s=target,
        asking=asking,
        step_model_s=step_model_s,
        phone_s=phone_s,
        phones=phones,
        calls=best.calls,
        measured_phones=usable[-1].phones,
        is_extrapolated=phones > usable[-1].phones,
    )
