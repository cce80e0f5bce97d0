"""Define the figures of ``manyhands bench chaos``, and which of them mean failure."""

from __future__ import annotations

from pydantic import Field

from manyhands.benchmarks.chaos.growth import ProcessGrowth
from manyhands.protocol.base import Message


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
