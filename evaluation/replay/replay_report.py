"""Compute the figures of ``manyhands replay`` by role, from recorded and new replies. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import SerializeAsAny

from manyhands.evaluation.replay.agreement import (
    DecisionAgreement,
    NotesAgreement,
    PlanAgreement,
    ReflectionAgreement,
    compare_decisions,
    compare_notes,
    compare_plans,
    compare_reflections,
)
from manyhands.evaluation.replay.recorded_calls import RecordedCall
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.messages import Usage
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection, ReplyContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.usage import Percentiles

Agreement = PlanAgreement | DecisionAgreement | ReflectionAgreement | NotesAgreement


class ReadAnswer(Message):
    """Hold an answer to a request, and its meaning. Either ``reading`` is set, or ``code`` and ``error`` are."""

    text: str | None
    """None if there was no answer."""
    reading: SerializeAsAny[Message] | None
    """The meaning of the reply, with coordinates in pixels."""
    code: str | None = None
    """The code of the error, if there was no answer or the reply is invalid."""
    error: str | None = None
    latency_ms: float
    """Time from sending to the answer, including retries, without the client's own queues."""
    usage: Usage


class Replayed(Message):
    """Hold a recorded request, its recorded answer, and a new answer for each time that it was sent again."""

    number: int
    """The index of the call in the run."""
    episode: str
    step: int
    turn: int
    role: Role
    recorded: ReadAnswer
    now: tuple[ReadAnswer, ...]


class Tokens(Message):
    input: int
    cached: int
    output: int


class RoleReport(Message):
    """Hold one role's figures. The agreement compares the recorded reply with the first new one."""

    requests: int
    answered: int
    """Requests with a new answer."""
    recorded_parsed: int
    parsed: int
    failures: dict[str, int]
    """Requests without a new answer or with an invalid one, by the code of the error."""
    answered_twice: int
    """Requests with a recorded and a new answer. The figures below are of these requests."""
    identical: int
    """Replies with the same text."""
    repeats: int
    """Answers beyond the first, for requests that were sent more than once."""
    repeats_identical: int
    """Answers beyond the first that have the same text as the first new answer."""
    recorded_latency_ms: Percentiles | None
    latency_ms: Percentiles | None
    recorded_tokens: Tokens
    tokens: Tokens
    agreement: Agreement | None
    """None for a role whose readings are not compared."""


class ReplayReport(Message):
    run: str
    recorded_model: str
    recorded_source: str
    """What answered as the model when the run was recorded, such as the rehearsed model."""
    server: str
    model: str
    source: str
    """The mark of the rehearsed model; empty for any other model."""
    dialect: str
    requests: int
    """Requests that the replay was to send."""
    replayed: int
    """Requests that were sent: fewer if the replay was stopped."""
    roles: dict[str, RoleReport]


def role_reports(calls: Sequence[RecordedCall], results: Sequence[Replayed]) -> dict[str, RoleReport]:
    """Return a report for each role with results. ``number`` of a result is an index of ``calls``."""
    by_role = {role: [result for result in results if result.role is role] for role in Role}
    return {role.value: _report(role, calls, role_results) for role, role_results in by_role.items() if role_results}


def _report(role: Role, calls: Sequence[RecordedCall], results: Sequence[Replayed]) -> RoleReport:
    firsts = [result.now[0] for result in results]
    twice = [result for result in results if result.recorded.text is not None and result.now[0].text is not None]
    repeats = [(result.now[0], later) for result in results for later in result.now[1:]]
    return RoleReport(
        requests=len(results),
        answered=sum(answer.text is not None for answer in firsts),
        recorded_parsed=sum(result.recorded.reading is not None for result in results),
        parsed=sum(answer.reading is not None for answer in firsts),
        failures=dict(sorted(Counter(answer.code for answer in firsts if answer.code is not None).items())),
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


def _tokens(answers: Sequence[ReadAnswer]) -> Tokens:
    return Tokens(
        input=sum(answer.usage.input_tokens for answer in answers),
        cached=sum(answer.usage.cached_tokens for answer in answers),
        output=sum(answer.usage.output_tokens for answer in answers),
    )


_COMPARED: Mapping[Role, tuple[type[Message], Callable[[Sequence[tuple[Any, Any, ReplyContext]]], Agreement]]] = {
    Role.PLAN: (Plan, compare_plans),
    Role.DECIDE: (Decision, compare_decisions),
    Role.REFLECT: (Reflection, compare_reflections),
    Role.NOTE: (Notes, compare_notes),
}
"""The roles whose readings are compared, with the type of the readings and the function that compares."""


def _agreement(role: Role, calls: Sequence[RecordedCall], results: Sequence[Replayed]) -> Agreement | None:
    if role not in _COMPARED:
        return None
    kind, compare = _COMPARED[role]
    read = [(result.recorded.reading, result.now[0].reading, calls[result.number].known) for result in results]
    return compare([one for one in read if isinstance(one[0], kind) and isinstance(one[1], kind)])
