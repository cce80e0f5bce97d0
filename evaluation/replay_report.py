"""Compute the figures of ``manyhands replay`` by role, from recorded and new replies to the same requests.

The recorded reply is the reference. A pair holds the meaning of both replies, and what the role knew beside its
prompt. Points and boxes are in pixels of the screenshot that both models saw.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import SerializeAsAny

from manyhands.evaluation.recorded_calls import RecordedCall
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.messages import Usage
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection, ReplyContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.run_summary import Percentiles
from manyhands.protocol.screens.actions import Action, points_of
from manyhands.protocol.screens.argument_types import Point
from manyhands.protocol.screens.screen import Element

V = TypeVar("V")
Pairs = Iterable[tuple[V, V, ReplyContext]]
Matrix = dict[str, dict[str, int]]
"""Counts by the recorded value, then by the new one."""


class DecisionAgreement(Message):
    compared: int
    """Pairs in which both replies are an action."""
    same_kind: int
    same_action: int
    """Pairs of the same kind of action with equal arguments."""
    kinds: Matrix
    points: int
    """Pairs of the same kind of action that name points on the screen."""
    distance_px: Percentiles | None
    """Distance between the two replies' points; for a swipe, the larger distance of its two ends."""
    distance_share: Percentiles | None
    """The distance between the two replies' points, as a share of the screen's diagonal."""
    on_element: int
    """Pairs of actions with one point, where the recorded point lies on an element."""
    same_element: int
    """Pairs of actions with one point, where the recorded point and the new one lie on the same element."""


class ReflectionAgreement(Message):
    compared: int
    same_outcome: int
    outcomes: Matrix


class PlanAgreement(Message):
    compared: int
    same_change: int
    same_status: int
    changes: Matrix
    statuses: Matrix


class NotesAgreement(Message):
    compared: int
    same_words: int
    """Pairs with the same words, whatever their case, order and punctuation."""
    shared_words: Percentiles | None
    """The number of words that both texts have, divided by the number of words that at least one text has; 1 if both
    texts are empty."""


def compare_decisions(pairs: Pairs[Decision]) -> DecisionAgreement:
    """Return how far actions agree. Pairs with an invalid reply are left out."""
    acted = [(before.action, now.action, context) for before, now, context in pairs]
    both = [(before, now, context) for before, now, context in acted if before is not None and now is not None]
    alike = [(before, now, context) for before, now, context in both if before.name == now.name]
    apart = [(_distance(before, now), context.size) for before, now, context in alike if points_of(before)]
    touched = [
        (element, points_of(now)[0])
        for before, now, context in alike
        if len(points_of(before)) == 1 and (element := element_at(context.elements, *points_of(before)[0]))
    ]
    return DecisionAgreement(
        compared=len(both),
        same_kind=len(alike),
        same_action=sum(before == now for before, now, _ in alike),
        kinds=_matrix((before.name, now.name) for before, now, _ in both),
        points=len(apart),
        distance_px=percentiles([distance for distance, _ in apart]),
        distance_share=percentiles([distance / math.hypot(size.width, size.height) for distance, size in apart]),
        on_element=len(touched),
        same_element=sum(_inside(element, point) for element, point in touched),
    )


def compare_reflections(pairs: Pairs[Reflection]) -> ReflectionAgreement:
    """Return how far verdicts agree."""
    verdicts = [(before.outcome.value, now.outcome.value) for before, now, _ in pairs]
    return ReflectionAgreement(compared=len(verdicts), same_outcome=_equal(verdicts), outcomes=_matrix(verdicts))


def compare_plans(pairs: Pairs[Plan]) -> PlanAgreement:
    """Return how far plans agree in what they decide. Texts are not compared, as words differ."""
    plans = list(pairs)
    changes = [(before.change, now.change) for before, now, _ in plans]
    statuses = [(before.status, now.status) for before, now, _ in plans]
    return PlanAgreement(
        compared=len(plans),
        same_change=_equal(changes),
        same_status=_equal(statuses),
        changes=_matrix(changes),
        statuses=_matrix(statuses),
    )


def compare_notes(pairs: Pairs[Notes]) -> NotesAgreement:
    """Return how far the words of notes agree."""
    words = [(_words(before.text), _words(now.text)) for before, now, _ in pairs]
    shares = [len(before & now) / len(before | now) if before | now else 1.0 for before, now in words]
    return NotesAgreement(
        compared=len(words),
        same_words=sum(before == now for before, now in words),
        shared_words=percentiles(shares),
    )


def element_at(elements: Iterable[Element], x: int, y: int) -> Element | None:
    """Return the smallest element on which (x, y) lies; None if there is none."""
    around = [element for element in elements if _inside(element, (x, y))]
    return min(around, key=lambda element: element.box.area, default=None)


def _inside(element: Element, point: Point) -> bool:
    box, (x, y) = element.box, point
    return box.x1 <= x < box.x2 and box.y1 <= y < box.y2


def _distance(before: Action, now: Action) -> float:
    return max(math.dist(a, b) for a, b in zip(points_of(before), points_of(now), strict=True))


def _words(text: str) -> frozenset[str]:
    return frozenset("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


def _equal(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(before == now for before, now in pairs)


def _matrix(pairs: Iterable[tuple[str, str]]) -> Matrix:
    counts = Counter(pairs)
    rows = sorted({before for before, _ in counts})
    return {row: {now: count for (before, now), count in sorted(counts.items()) if before == row} for row in rows}


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
