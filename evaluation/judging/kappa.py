"""Measure how far two judges of a run agree beyond chance: Cohen's kappa (1960), for each kind of judgement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from manyhands.evaluation.judging.judgements import KINDS, EpisodeJudgement, JudgementKind, Judgements, JudgeSource
from manyhands.protocol.base import Message

T = TypeVar("T")
Pair = tuple[bool, bool]


class JudgesAgreement(Message):
    """Hold how far two judges agree about things that both judged."""

    compared: int
    """How many things both judged."""
    same: int
    kappa: float | None
    """(observed - by chance) / (1 - by chance). None if nothing was compared, or chance alone explains everything."""
    reason: str = ""
    """Why there is no kappa."""


class JudgePair(Message):
    """Hold how far two judges agree. Each is a person or a model."""

    judges: tuple[str, str]
    sources: tuple[JudgeSource, JudgeSource]
    kinds: dict[JudgementKind, JudgesAgreement]


def compare_judges(judges: Sequence[Judgements]) -> tuple[JudgePair, ...]:
    """Return the agreement of every pair of judges, in order."""
    return tuple(
        JudgePair(
            judges=(first.judge, second.judge),
            sources=(first.source, second.source),
            kinds={kind: agreement(_pairs(kind, first, second)) for kind in KINDS},
        )
        for place, first in enumerate(judges)
        for second in judges[place + 1 :]
    )


def agreement(pairs: Sequence[Pair]) -> JudgesAgreement:
    """Return the agreement of two judges from their judgements of each thing."""
    same = sum(first == second for first, second in pairs)
    if not pairs:
        return JudgesAgreement(compared=0, same=0, kappa=None, reason="the two judged nothing in common")
    kappa = cohens_kappa(pairs)
    reason = "both said the same of everything, as chance alone would have it" if kappa is None else ""
    return JudgesAgreement(compared=len(pairs), same=same, kappa=kappa, reason=reason)


def cohens_kappa(pairs: Sequence[tuple[T, T]]) -> float | None:
    """Return (p_o - p_e) / (1 - p_e). None if p_e is 1, because both judges always gave one and the same judgement.

    p_o is the share of equal judgements. p_e is the share that is expected by chance: as if both judges guessed
    independently, and each gave every judgement as often as it really did.
    """
    count = len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    by_chance = sum(first[verdict] * second[verdict] for verdict in first)
    if by_chance == count * count:
        return None
    observed = sum(one == other for one, other in pairs)
    return (observed * count - by_chance) / (count * count - by_chance)


def _pairs(kind: JudgementKind, first: Judgements, second: Judgements) -> list[Pair]:
    """Return a pair of judgements for each thing that both judged. Of a rubric, compare whether it was fulfilled."""
    return [
        pair
        for episode, one in first.episodes.items()
        if (other := second.episodes.get(episode)) is not None
        for pair in _shared(_verdicts(kind, one), _verdicts(kind, other))
    ]


def _shared(one: Mapping[Any, bool], other: Mapping[Any, bool]) -> Iterator[Pair]:
    return ((verdict, other[what]) for what, verdict in one.items() if what in other)


def _verdicts(kind: JudgementKind, one: EpisodeJudgement) -> dict[Any, bool]:
    match kind:
        case "success":
            return {} if one.success is None else {"success": one.success}
        case "rubrics":
            return {name: step is not None for name, step in one.rubrics.items()}
        case "actions":
            return dict(one.actions)
        case "effects":
            return dict(one.effects)
        case "reflections":
            return dict(one.reflections)
        case "operations":
            return dict(one.operations)
        case "statements":
            return dict(one.statements)
