"""What came of sending a run's recorded requests again, by role. Pure; the figures of ``manyhands replay``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import SerializeAsAny

from manyhands.evaluation.agreement import (
    DecisionAgreement,
    DecisionPair,
    NotesAgreement,
    Pair,
    PlanAgreement,
    ReflectionAgreement,
    compare_decisions,
    compare_notes,
    compare_plans,
    compare_reflections,
)
from manyhands.evaluation.intervals import percentiles
from manyhands.evaluation.recorded_calls import RecordedCall
from manyhands.protocol.base import Message
from manyhands.protocol.messages import Usage
from manyhands.protocol.roles import Known, Role
from manyhands.protocol.runs import Percentiles

Agreement = PlanAgreement | DecisionAgreement | ReflectionAgreement | NotesAgreement
_Pairs = Sequence[tuple[Any, Any, Known]]
"""What replies meant then and now, and what they were read with."""


class Said(Message):
    """One answer to a request, and what it means: either ``reading`` or ``code`` and ``error`` are set."""

    text: str | None
    """None if no answer came."""
    reading: SerializeAsAny[Message] | None
    """What the reply means, in our own terms and in pixels."""
    code: str | None = None
    """Of the typed error: why no answer came, or why it is no reply of the role."""
    error: str | None = None
    latency_ms: float
    """From sending to the answer, retries included, queues of our own not."""
    usage: Usage


class Replayed(Message):
    """A recorded request, the reply of then and those of now (one for each time that it was sent)."""

    number: int
    """Its place in the run."""
    episode: str
    step: int
    turn: int
    role: Role
    recorded: Said
    now: tuple[Said, ...]


class Tokens(Message):
    input: int
    cached: int
    output: int


class RoleReport(Message):
    """One role's figures. Agreement is between the recorded reply and the first one of now."""

    requests: int
    answered: int
    """Requests to which an answer came now."""
    recorded_parsed: int
    parsed: int
    failures: dict[str, int]
    """Requests without an answer now, or with an unusable one, by the error's code."""
    answered_twice: int
    """Requests answered both times; the figures below are of these."""
    identical: int
    """Letter by letter."""
    repeats: int
    """Answers to requests that were sent more than once, without the first."""
    repeats_identical: int
    """Those that equal the first one of now letter by letter."""
    recorded_latency_ms: Percentiles | None
    latency_ms: Percentiles | None
    recorded_tokens: Tokens
    tokens: Tokens
    agreement: Agreement | None
    """None for a role whose readings nothing compares."""


class ReplayReport(Message):
    run: str
    recorded_model: str
    recorded_source: str
    """What answered when the run was recorded; says so if it was the rehearsed model."""
    server: str
    model: str
    source: str
    """Says so if it is the rehearsed model; otherwise empty."""
    dialect: str
    requests: int
    """Requests that were to be sent."""
    replayed: int
    """Fewer if the replay was stopped."""
    roles: dict[str, RoleReport]


def role_reports(calls: Sequence[RecordedCall], results: Sequence[Replayed]) -> dict[str, RoleReport]:
    """A report for each role that was asked. ``results`` name their calls by number."""
    by_role = {role: [result for result in results if result.role is role] for role in Role}
    return {role.value: _report(role, calls, found) for role, found in by_role.items() if found}


def _report(role: Role, calls: Sequence[RecordedCall], results: Sequence[Replayed]) -> RoleReport:
    firsts = [result.now[0] for result in results]
    twice = [result for result in results if result.recorded.text is not None and result.now[0].text is not None]
    repeats = [(result.now[0], later) for result in results for later in result.now[1:]]
    return RoleReport(
        requests=len(results),
        answered=sum(said.text is not None for said in firsts),
        recorded_parsed=sum(result.recorded.reading is not None for result in results),
        parsed=sum(said.reading is not None for said in firsts),
        failures=dict(sorted(Counter(said.code for said in firsts if said.code is not None).items())),
        answered_twice=len(twice),
        identical=sum(result.recorded.text == result.now[0].text for result in twice),
        repeats=len(repeats),
        repeats_identical=sum(first.text is not None and first.text == later.text for first, later in repeats),
        recorded_latency_ms=percentiles([result.recorded.latency_ms for result in twice]),
        latency_ms=percentiles([result.now[0].latency_ms for result in twice]),
        recorded_tokens=_tokens([result.recorded for result in twice]),
        tokens=_tokens([result.now[0] for result in twice]),
        agreement=_agreement(role, calls, results),
    )


def _tokens(answers: Sequence[Said]) -> Tokens:
    return Tokens(
        input=sum(said.usage.input_tokens for said in answers),
        cached=sum(said.usage.cached_tokens for said in answers),
        output=sum(said.usage.output_tokens for said in answers),
    )


_COMPARED: Mapping[Role, Callable[[_Pairs], Agreement]] = {
    Role.PLAN: lambda pairs: compare_plans(Pair(then, now) for then, now, _ in pairs),
    Role.DECIDE: lambda pairs: compare_decisions(
        DecisionPair(then, now, known.size, known.elements) for then, now, known in pairs
    ),
    Role.REFLECT: lambda pairs: compare_reflections(Pair(then, now) for then, now, _ in pairs),
    Role.NOTE: lambda pairs: compare_notes(Pair(then, now) for then, now, _ in pairs),
}
"""Roles whose readings are compared, beside the text of their replies."""


def _agreement(role: Role, calls: Sequence[RecordedCall], results: Sequence[Replayed]) -> Agreement | None:
    if role not in _COMPARED:
        return None
    read = [(result.recorded.reading, result.now[0].reading, calls[result.number].known) for result in results]
    return _COMPARED[role]([(then, now, known) for then, now, known in read if then is not None and now is not None])
