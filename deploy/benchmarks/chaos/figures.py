"""The figures of ``manyhands bench chaos``, and which of them are failures."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Message


class FaultRow(Message):
    """Hold what faults of one kind did. Counts of what went wrong are laid to the last fault that had hit the phone."""

    fault: str
    times: int
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


class Wrong(Message):
    """Hold a result that the phone contradicts."""

    task: str
    episode: str
    serial: str
    said: bool
    """What the run says of the task's check; the phone's state says the opposite."""


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
    wrong_results: tuple[Wrong, ...]
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

    @property
    def is_clean(self) -> bool:
        """Return whether nothing was lost, repeated or wrong."""
        return not (self.lost or self.repeated or self.wrong or self.contradictions)
