"""How long each step of a journal took, and how short its schedule could have made it.

A step lasts from one action sent to the next one sent, as in ``evaluation.summary``. Its bound is the longest path
through what it needs (DESIGN, "One step"; Mobile-Agent-E, section 3.1, in ``docs/profiles.md``), with the latency
that was set for each model call, and for the other stages what they take where nothing else runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from statistics import median
from typing import TypeVar

from manyhands.evaluation.intervals import away_of, union_length
from manyhands.protocol.base import Outcome
from manyhands.protocol.records import (
    Acted,
    ActionSent,
    Captured,
    Decided,
    EpisodeStarted,
    Interval,
    Noted,
    Perceived,
    Planned,
    Record,
    Reflected,
    StageFailed,
)
from manyhands.protocol.roles import Role

R = TypeVar("R")
_ASKS = {"plan": Role.PLAN, "decide": Role.DECIDE, "verify": Role.REFLECT, "note": Role.NOTE}
_ENOUGH = 3
"""Passages of an action before it has medians of its own."""
Latencies = Mapping[Role, float]
"""Seconds that a call takes, by role; 0 where a role is missing."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one step's stages that ask no model took, in milliseconds of work."""

    act: float
    settle: float
    capture: float
    perceive: float


@dataclass(frozen=True, slots=True)
class Passage:
    """From action a(t) to action a(t+1): what happened between, as far as it decides how long that must take."""

    episode: str
    step: int
    action: str
    """The name of a(t); empty where there was none."""
    sent_at: float | None
    """When the first atom of a(t) was sent, in Unix seconds; None where nothing was."""
    measured: Measured
    read: bool
    """Whether perception did any work on s(t+1)."""
    read_in_full: bool
    """Whether it read all of it."""
    calls: Mapping[str, int]
    """Model calls of verify(t), note(t), plan(t+1) and decide(t+1); what was dropped is not among them."""
    agreed: bool
    """The verdict on a(t) was A."""
    kept: bool
    """plan(t+1) kept its subgoal, or gave no plan."""
    away: tuple[Interval, ...] = ()
    """When a stage waited because no server of its model answered."""


@dataclass(frozen=True, slots=True)
class Parts:
    """How long each stage of a passage must take, in milliseconds."""

    act: float
    settle: float
    capture: float
    perceive: float
    verify: float
    note: float
    plan: float
    decide: float
    agreed: bool
    kept: bool

    @property
    def shown(self) -> float:
        """Return the time until s(t+1) is there."""
        return self.act + self.settle + self.capture


def serial_ms(parts: Parts) -> float:
    """Return the bound of one stage after another."""
    return parts.shown + parts.perceive + parts.verify + parts.note + parts.plan + parts.decide


def overlap_ms(parts: Parts) -> float:
    """Return the bound of perception beside verdict and plan, with the note beside all of the next step."""
    return parts.shown + max(parts.verify + parts.plan, parts.perceive) + parts.decide


def speculate_ms(parts: Parts) -> float:
    """Return the bound of verdict, plan and decision side by side, asked again where an assumption failed."""
    judged = parts.shown + parts.verify
    known = parts.shown if parts.agreed else judged
    planned = known + parts.plan
    start = max(parts.shown + parts.perceive, known if parts.kept else planned)
    return max(judged, planned, start + parts.decide)


BOUNDS: Mapping[str, Callable[[Parts], float]] = {
    "serial": serial_ms,
    "overlap": overlap_ms,
    "speculate": speculate_ms,
}


@dataclass(frozen=True, slots=True)
class Uncontended:
    """What acting, settling, capturing and perceiving take where nothing else runs: medians, by the action's name.

    An action that was seen too seldom for a median of its own has that of all. Perceiving depends on the screen, not
    on the action: it has one median for screens that were read in full and one for those read in part.
    """

    by_action: Mapping[str, Measured]
    overall: Measured
    perceive_full: float
    perceive_part: float

    def of(self, action: str) -> Measured:
        return self.by_action.get(action, self.overall)

    def perceive(self, passage: Passage) -> float:
        """Return the time to read a passage's screen; 0 for one that had been read before."""
        if not passage.read:
            return 0.0
        return self.perceive_full if passage.read_in_full else self.perceive_part


def uncontended(serial: Iterable[Passage]) -> Uncontended:
    """Take medians of a serial run, in which one stage runs at a time. Without passages, everything takes no time."""
    by_action: dict[str, list[Passage]] = defaultdict(list)
    for passage in serial:
        by_action[passage.action].append(passage)
    everything = [passage for found in by_action.values() for passage in found]
    own = {name: _medians(found) for name, found in by_action.items() if len(found) >= _ENOUGH}
    read = [passage for passage in everything if passage.read]
    return Uncontended(
        own,
        _medians(everything),
        perceive_full=_median([passage.measured.perceive for passage in read if passage.read_in_full]),
        perceive_part=_median([passage.measured.perceive for passage in read if not passage.read_in_full]),
    )


def _medians(passages: Sequence[Passage]) -> Measured:
    return Measured(
        **{field.name: _median([getattr(p.measured, field.name) for p in passages]) for field in fields(Measured)}
    )


def _median(values: Sequence[float]) -> float:
    return median(values) if values else 0.0


def parts_of(passage: Passage, latencies: Latencies, alone: Uncontended) -> Parts:
    """Return how long each stage of a passage must take. Screens that were read before need no perception."""
    measured = alone.of(passage.action)
    asked = {stage: passage.calls[stage] * latencies.get(role, 0.0) * 1000 for stage, role in _ASKS.items()}
    return Parts(
        act=measured.act,
        settle=measured.settle,
        capture=measured.capture,
        perceive=alone.perceive(passage),
        agreed=passage.agreed,
        kept=passage.kept,
        **asked,
    )


# ---------------------------------------------------------------------------- steps
@dataclass(frozen=True, slots=True)
class StepTime:
    """One step: how long it took, and its passages (more than one where an action between sent nothing)."""

    ms: float
    passages: tuple[Passage, ...]

    def bound_ms(self, schedule: str, latencies: Latencies, alone: Uncontended) -> float:
        """Return how short the schedule could have made it."""
        return sum(BOUNDS[schedule](parts_of(passage, latencies, alone)) for passage in self.passages)


def step_times(passages: Sequence[Passage]) -> list[StepTime]:
    """Return the steps of one episode, from its passages in order."""
    starts = [number for number, passage in enumerate(passages) if passage.sent_at is not None]
    return [_step_time(passages[start:end], _at(passages[end])) for start, end in pairwise(starts)]


def _step_time(passages: Sequence[Passage], end: float) -> StepTime:
    within = (_at(passages[0]), end)
    away_s = union_length((interval for passage in passages for interval in passage.away), within)
    return StepTime((end - within[0] - away_s) * 1000, tuple(passages))


def _at(passage: Passage) -> float:
    assert passage.sent_at is not None
    return passage.sent_at


def passages_of(records: Sequence[Record]) -> list[Passage]:
    """Return the passages of one journal in order; the last leads to the end of the episode and has no next action."""
    started = next((record for record in records if isinstance(record, EpisodeStarted)), None)
    if started is None:
        return []
    steps = sorted({record.step for record in records if isinstance(record, ActionSent | Decided)})
    by_step: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        if isinstance(step := getattr(record, "step", None), int):
            by_step[step].append(record)
    return [_passage(started.episode, step, by_step[step], by_step[step + 1]) for step in steps]


def _passage(episode: str, step: int, now: Sequence[Record], then: Sequence[Record]) -> Passage:
    """Build a passage from the records of step t (``now``) and of step t + 1 (``then``)."""
    sent, decided, acted = _first(now, ActionSent), _first(now, Decided), _first(now, Acted)
    verdict, captured, perceived = _first(now, Reflected), _first(then, Captured), _first(then, Perceived)
    planned = _first(then, Planned)
    action = decided.decision.action if decided is not None else None
    settling = captured.screenshot.settling if captured is not None else None
    settle_ms = settling.ms if settling is not None else 0.0
    return Passage(
        episode=episode,
        step=step,
        action=action.name if action is not None else "",
        sent_at=sent.at if sent is not None else None,
        measured=Measured(
            act=acted.span.ms if acted is not None else 0.0,
            settle=settle_ms,
            capture=max(0.0, captured.span.ms - settle_ms) if captured is not None else 0.0,
            perceive=perceived.span.ms if perceived is not None else 0.0,
        ),
        read=perceived is not None and not (perceived.screen.cached and not perceived.screen.timings_ms),
        read_in_full=perceived is not None and perceived.screen.read_share == 1.0,
        calls={
            "verify": _calls(now, Reflected, "verify"),
            "note": _calls(now, Noted, "note"),
            "plan": _calls(then, Planned, "plan"),
            "decide": _calls(then, Decided, "decide"),
        },
        agreed=verdict is None or verdict.reflection.outcome is Outcome.A,
        kept=planned is None or planned.plan.change == "keep",
        away=tuple(away_of((*now, *then))),
    )


def _first(records: Iterable[Record], kind: type[R]) -> R | None:
    return next((record for record in records if isinstance(record, kind)), None)


def _calls(records: Iterable[Record], kind: type[Planned | Decided | Reflected | Noted], stage: str) -> int:
    """Count the calls whose answers were waited for, also those of a stage that failed."""
    asked = (
        record
        for record in records
        if isinstance(record, kind) or (isinstance(record, StageFailed) and record.stage == stage)
    )
    return sum(len(record.calls) for record in asked)
