"""Judge a chaos benchmark: compare journals with what the phones themselves say, fault by fault."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from manyhands.benchmarks.chaos.growth import ProcessGrowth
from manyhands.benchmarks.chaos.injection import LEFT_OVER
from manyhands.benchmarks.chaos.judged_round import BY_THE_TASK, NO_FAULT, JudgedRound
from manyhands.benchmarks.chaos.run import PlayedRound
from manyhands.evaluation.audit import AuditReport, Ledger, LedgerRow, audit
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.tasks.predicates import holds


class FaultRow(Message):
    """Hold what faults of one kind did. A failure counts for the last fault that hit the phone before the failure."""

    fault: str
    times: int
    in_pairs: int
    """How often a fault of this kind came together with another fault.

    Such pairs count neither in ``times`` nor in the other figures of this row.
    """
    episodes: int
    """How many episodes were running on the phones that the faults hit."""
    next_p50_s: float | None
    """Seconds until the next action, without the model's work in between."""
    next_p95_s: float | None
    whole_p50_s: float | None
    """Seconds until the next action, including the model's work."""
    whole_p95_s: float | None
    redone: int
    lost: int
    repeated: int
    wrong: int
    stages: dict[str, int] = Field(default_factory=dict)
    """By stage: how many of the episodes were at it. Under `overlap`, an episode may be at several stages.

    ``after plan``: the plan had ended, and no stage was running.
    """


class WrongOutcome(Message):
    """Hold a result that the phone contradicts."""

    task: str
    episode: str
    serial: str
    said: bool
    """The run's result for the task's check. The phone's state says the opposite."""


MUST_BE_EMPTY = (
    "not_verified",
    "lost",
    "repeated",
    "wrong",
    "contradictions",
    "damaged",
    "unrecovered",
    "left_over",
    "not_json",
    "told_otherwise",
    "wrong_exits",
)
"""The figures that mean failure if they are not empty."""


class ChaosFigures(Message):
    """Hold the figures of ``bench chaos``."""

    rows: tuple[FaultRow, ...]
    faults_total: int
    rounds: int
    tasks: int
    verified: int
    not_verified: int
    """Tasks with a result that says that their check does not hold."""
    lost: int
    """Tasks without a result: no end, an end from outside the task, or a check that nobody could ask."""
    lost_tasks: dict[str, str]
    """The reason for each lost task."""
    repeated: int
    """Keys that a phone received more than once."""
    wrong: int
    wrong_results: tuple[WrongOutcome, ...]
    actions: int
    """Actions that were carried out, as far as known."""
    redone: int
    """Actions that were carried out, then discarded, and done again."""
    redone_share: float
    continuations: int
    """How often episodes were continued in place."""
    begun_anew: int
    """Episodes that followed an episode of the same task whose end was not caused by the task itself."""
    contradictions: dict[str, int]
    """Other contradictions that the audit found, by kind."""
    damaged: int
    """Places at which a journal cannot be read."""
    unrecovered: int
    """Faults after which some phone got no action for 90 s although it had work."""
    left_over: int
    """Killed drivers whose processes were still there 12 s later."""
    not_json: int
    """Commands whose standard output was not one JSON value."""
    told_otherwise: dict[str, str] = Field(default_factory=dict)
    """Tasks for which a run's last command printed another result than their journals have."""
    wrong_exits: dict[str, str] = Field(default_factory=dict)
    """Runs whose last command ended with another exit code than its results require. Each comes with both codes."""
    processes: tuple[ProcessGrowth, ...] = ()
    """Processes of the runs that lived for ten minutes or more, the one that grew most first."""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the names of all figures that mean failure.

        A benchmark without a task fails too: it has shown nothing.
        """
        return ("tasks",) * (not self.tasks) + tuple(name for name in MUST_BE_EMPTY if getattr(self, name))

    @property
    def is_clean(self) -> bool:
        """Return whether no figure means failure."""
        return not self.failures


@dataclass(frozen=True)
class _Blamed:
    """Count what went wrong, by the fault that is to blame."""

    lost: Counter[str]
    redone: Counter[str]
    repeated: Counter[str]
    wrong: Counter[str]


def judged(played: PlayedRound) -> ChaosFigures:
    """Return the figures. Raises BadInput, StoreError if a run folder cannot be read."""
    rounds = [JudgedRound(each, played.reached) for each in played.rounds]
    report = _audit(played, rounds)
    lost_tasks = {task: loss for each in rounds for task, loss in each.lost().items()}
    wrong = list(_wrong_results(played, rounds))
    blamed = _Blamed(
        lost=Counter(kind for _, kind in lost_tasks.values()),
        redone=sum((each.redone() for each in rounds), Counter()),
        repeated=Counter(
            next(filter(None, (each.repeated(violation.key) for each in rounds)), NO_FAULT)
            for violation in report.violations
            if violation.kind == "repeated"
        ),
        wrong=Counter(kind for kind, _ in wrong),
    )
    faults = [fault for each in played.rounds for fault in each.faults]
    tasks = [task for each in rounds for task in each.tasks]
    ends = [task.attempts[-1].ended for task in tasks if task.attempts]
    actions = sum(len(episode.actions_sent) for each in rounds for episode in each.episodes)
    redone = blamed.redone.total()
    return ChaosFigures(
        rows=tuple(_rows(rounds, blamed)),
        faults_total=len(faults),
        rounds=len(rounds),
        tasks=len(tasks),
        verified=sum(end is not None and end.verified is True for end in ends),
        not_verified=sum(end is not None and end.verified is False for end in ends),
        lost=len(lost_tasks),
        lost_tasks={task: why for task, (why, _) in lost_tasks.items()},
        repeated=blamed.repeated.total(),
        wrong=len(wrong),
        wrong_results=tuple(result for _, result in wrong),
        actions=actions,
        redone=redone,
        redone_share=redone / actions if actions else 0.0,
        continuations=sum(len(episode.resumed) for each in rounds for episode in each.episodes),
        begun_anew=sum(episode.ending not in BY_THE_TASK for task in tasks for episode in task.attempts[:-1]),
        contradictions=dict(Counter(violation.kind for violation in report.violations if violation.kind != "repeated")),
        damaged=report.damaged,
        unrecovered=sum(len(each.unrecovered) for each in played.rounds),
        left_over=sum(LEFT_OVER in fault.note for fault in faults),
        not_json=sum(each.not_json for each in played.rounds),
        told_otherwise={task: description for each in rounds for task, description in each.told_otherwise().items()},
        wrong_exits={
            each.played.folder.name: description for each in rounds if (description := each.wrong_exit()) is not None
        },
        processes=tuple(sorted((row for each in played.rounds for row in each.processes), key=lambda row: -row.growth)),
    )


def _rows(rounds: Sequence[JudgedRound], blamed: _Blamed) -> Iterable[FaultRow]:
    """Yield a row for each kind of fault that was carried out, or that is to blame for something."""
    times: Counter[str] = Counter()
    in_pairs: Counter[str] = Counter()
    episodes: Counter[str] = Counter()
    pauses: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    stages: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in rounds:
        for fault in each.played.faults:
            times[fault.kind] += 1
            in_pairs.update(fault.pair)
            episodes[fault.kind] += len(fault.hit)
            pauses[fault.kind] += each.next_actions(fault)
            stages[fault.kind].update(each.stages(fault))
    for kind in sorted({*times, *in_pairs, *blamed.lost, *blamed.redone, *blamed.repeated, *blamed.wrong}):
        whole, active = (percentiles([wait[index] for wait in pauses[kind]]) for index in range(2))
        yield FaultRow(
            fault=kind,
            times=times[kind],
            in_pairs=in_pairs[kind],
            episodes=episodes[kind],
            next_p50_s=active and active.p50,
            next_p95_s=active and active.p95,
            whole_p50_s=whole and whole.p50,
            whole_p95_s=whole and whole.p95,
            redone=blamed.redone[kind],
            lost=blamed.lost[kind],
            repeated=blamed.repeated[kind],
            wrong=blamed.wrong[kind],
            stages=dict(stages[kind]),
        )


def _wrong_results(played: PlayedRound, rounds: Sequence[JudgedRound]) -> Iterable[tuple[str, WrongOutcome]]:
    """Yield the results that a phone contradicts, each with the fault that is to blame."""
    lines = {serial: [str(row["key"] or "") for row in rows] for serial, rows in played.ledgers.items()}
    for each in rounds:
        for task in each.tasks:
            last = task.attempts[-1] if task.attempts else None
            if last is None or last.ended is None or last.ended.verified is None:
                continue
            state, verdict = _left_by(last, lines, played), last.ended.verified
            check, serial = last.started.task.check, last.started.serial
            if state is not None and check is not None and holds(check.holds, state) is not verdict:
                wrong = WrongOutcome(
                    task=last.started.task.id, episode=last.started.episode, serial=serial, said=verdict
                )
                yield each.blamed(last), wrong


def _left_by(
    episode: RecordedEpisode, lines: Mapping[str, Sequence[str]], played: PlayedRound
) -> dict[str, Any] | None:
    """Return the state in which an episode left its phone; None if the phone received nothing from the episode.

    If the phone was reset after the episode's last line, this is the state that the reset found. Otherwise it is the
    phone's state at the end.
    """
    serial, own = episode.started.serial, f"{episode.started.episode}:"
    last = max((line for line, key in enumerate(lines[serial]) if key.startswith(own)), default=None)
    if last is None:
        return None
    return next((row["state"] for row in played.left[serial] if row["lines"] > last), played.states[serial])


def _audit(played: PlayedRound, rounds: Sequence[JudgedRound]) -> AuditReport:
    ledgers = [
        Ledger(serial=serial, rows=tuple(LedgerRow.model_validate(row) for row in rows))
        for serial, rows in played.ledgers.items()
    ]
    scans = [scan for each in rounds for scan in each.scans]
    return audit([scan.records for scan in scans], ledgers, sum(len(scan.damage) for scan in scans))
