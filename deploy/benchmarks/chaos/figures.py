"""The figures of ``manyhands bench chaos``, and which of them are failures."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Message


class FaultRow(Message):
    """Hold what faults of one kind did. Counts of what went wrong are laid to the last fault that had hit the phone."""

    fault: str
    times: int
    in_pairs: int
    """How often it came together with another one; not among ``times``, nor is what it did then among the others."""
    episodes: int
    """How many ran on the phones that were hit, at that moment."""
    next_p50_s: float | None
    """Until the next action, less the model's work between."""
    next_p95_s: float | None
    whole_p50_s: float | None
    """The same with the model's work."""
    whole_p95_s: float | None
    redone: int
    lost: int
    repeated: int
    wrong: int
    stages: dict[str, int] = Field(default_factory=dict)
    """How many of the episodes were at which stage, under `overlap` at several. ``after plan``: what follows a plan."""


class WrongOutcome(Message):
    """Hold a result that the phone contradicts."""

    task: str
    episode: str
    serial: str
    said: bool
    """What the run says of the task's check; the phone's state says the opposite."""


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
"""The figures that tell of a failure whenever they are not empty."""


class ChaosFigures(Message):
    """Hold the figures of ``bench chaos``."""

    rows: tuple[FaultRow, ...]
    faults_total: int
    rounds: int
    tasks: int
    verified: int
    not_verified: int
    """Tasks with a result by which their check does not hold."""
    lost: int
    """Tasks without a result: no end, one that came from outside the task, or a check that nobody could ask."""
    lost_tasks: dict[str, str]
    """Why, by task."""
    repeated: int
    """Keys that a phone received more than once."""
    wrong: int
    wrong_results: tuple[WrongOutcome, ...]
    actions: int
    """Actions that were carried out, as far as is known."""
    redone: int
    """Of those, the ones that were thrown away and done again."""
    redone_share: float
    continuations: int
    """Episodes gone on with in place, each time."""
    begun_anew: int
    """Episodes that were begun although the task had one that had not ended by the task."""
    contradictions: dict[str, int]
    """What else the audit found, by kind."""
    damaged: int
    """Places at which a journal cannot be read."""
    unrecovered: int
    """Faults after which some phone was sent nothing for 90 s though it had work."""
    left_over: int
    """Killed drivers that left processes behind for 12 s."""
    not_json: int
    """Commands whose standard output was not one JSON value."""
    told_otherwise: dict[str, str] = Field(default_factory=dict)
    """Tasks of which a run's last command printed something else than their journals have."""
    wrong_exits: dict[str, str] = Field(default_factory=dict)
    """Runs whose last command ended with another exit code than its tasks deserve, with both."""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return every figure that is not as it must be, by its name. Without a task nothing has been shown."""
        return ("tasks",) * (not self.tasks) + tuple(name for name in MUST_BE_EMPTY if getattr(self, name))

    @property
    def is_clean(self) -> bool:
        """Return whether every figure is as it must be."""
        return not self.failures
