"""Measure, by role, how far two models' replies to the same requests agree. The recorded reply is the reference.

A pair holds the meaning of the recorded reply, the meaning of the new one, and what the role knew beside its prompt.
Points and boxes are in pixels of the screenshot that both models saw.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection, ReplyContext
from manyhands.protocol.runs.usage import Percentiles
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
