"""Compute from journals how many episodes a fleet does in an hour while all phones are busy, and what a step costs.

A phone's first episode does not count, because the phone is still warming up. The phone's last episode does not count
either, because other phones may have nothing left to do then. So a phone's rate covers whole episodes: from the start
of its second episode to the start of its last one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.timing import StepTime, moments_sent, percentiles, steps_of
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Record

HOUR_S = 3600.0
GOOD = 0.8
"""A fleet has saturated its machine if a phone's rate is below this share of the rate in the smallest fleet."""


@dataclass(frozen=True, slots=True)
class EpisodeTimes:
    """Hold when one episode began, and when each of its steps sent an action, both in Unix seconds."""

    serial: str
    started_at: float
    sent: Sequence[float]
    steps: Sequence[StepTime]
    ending: str


@dataclass(frozen=True, slots=True)
class Window:
    start: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.start

    def holds(self, at: float) -> bool:
        return self.start <= at < self.end


class StoreUse(Message):
    """Hold how full Ray's object store was. It holds screenshots."""

    size_mib: float
    taken_mib: float
    """The most that was in use at any time."""
    spills: int
    """How often objects were written to disk for lack of room."""


class FleetRow(Message):
    """Hold the figures of one size of fleet."""

    phones: int
    tokens_per_s: float | None
    """The model's capacity, shared by all phones; None is unlimited."""
    episodes: int
    endings: dict[str, int]
    steps: int
    """Steps whose action was sent while all phones were busy."""
    window_s: float
    """Seconds in which all phones were busy."""
    episodes_per_hour: float
    efficiency: float | None = None
    """Episodes per hour and phone, relative to the smallest fleet; 1 for the smallest fleet itself."""
    step_p50_ms: float | None
    step_p95_ms: float | None
    cpu_ms_per_step: dict[str, float]
    """By kind of process."""
    memory_mib: dict[str, float]
    """Unshared memory at the end, by kind of process."""
    store: StoreUse | None = None

    @property
    def cpu_ms(self) -> float:
        """Return the CPU of all processes together for one step."""
        return sum(self.cpu_ms_per_step.values())


def episode_times(records: Sequence[Record]) -> EpisodeTimes | None:
    """Read the times of one journal; None if it has no start, and for a task that never had a phone."""
    episode = episode_of(records)
    if episode is None or not episode.on_a_phone:
        return None
    started = episode.started
    return EpisodeTimes(started.serial, started.at, moments_sent(records), steps_of(records), episode.ending.value)


def episodes_of(folder: Path) -> tuple[EpisodeTimes, ...]:
    """Read all episodes of a run, in the order in which they began. Raises BadInput."""
    all_times = (episode_times(journal.records) for journal in RunFolder(folder).journals.values())
    return tuple(episode for episode in all_times if episode is not None)


def _starts(episodes: Iterable[EpisodeTimes]) -> list[list[float]]:
    """Return when each phone's episodes began. Raises BadInput if a phone had fewer than three."""
    by_phone: defaultdict[str, list[float]] = defaultdict(list)
    for episode in episodes:
        by_phone[episode.serial].append(episode.started_at)
    if not by_phone or min(map(len, by_phone.values())) < 3:
        raise BadInput("some phone had fewer than three episodes: nothing is left to count; give more --episodes")
    return [sorted(starts) for starts in by_phone.values()]


def steady(episodes: Iterable[EpisodeTimes]) -> Window:
    """Return the window in which each phone has begun its second episode, and none has begun its last episode.

    Raises BadInput if the phones were never all busy.
    """
    starts = _starts(episodes)
    window = Window(max(own[1] for own in starts), min(own[-1] for own in starts))
    if window.seconds <= 0:
        raise BadInput("the phones were never all busy at a time; give more --episodes")
    return window


def episodes_per_hour(episodes: Iterable[EpisodeTimes]) -> float:
    """Add up the rates of all phones. A phone's rate covers the phone's own whole episodes. Raises BadInput."""
    return sum((len(own) - 2) / (own[-1] - own[1]) for own in _starts(episodes)) * HOUR_S


def fleet_row(
    folder: Path,
    phones: int,
    tokens_per_s: float | None,
    cpu_ms: Mapping[str, float],
    memory_mib: Mapping[str, float],
    store: StoreUse | None = None,
) -> FleetRow:
    """Compute the figures of one run. ``cpu_ms``: within the window of ``steady``, by kind. Raises BadInput."""
    episodes = episodes_of(folder)
    window = steady(episodes)
    steps = sum(window.holds(at) for episode in episodes for at in episode.sent)
    took = [step.ms for episode in episodes for step in episode.steps if window.holds(step.start)]
    spread = percentiles(took)
    return FleetRow(
        phones=phones,
        tokens_per_s=tokens_per_s,
        episodes=len(episodes),
        endings=dict(Counter(episode.ending for episode in episodes)),
        steps=steps,
        window_s=window.seconds,
        episodes_per_hour=episodes_per_hour(episodes),
        step_p50_ms=spread.p50 if spread else None,
        step_p95_ms=spread.p95 if spread else None,
        cpu_ms_per_step={kind: ms / max(steps, 1) for kind, ms in cpu_ms.items()},
        memory_mib=dict(memory_mib),
        store=store,
    )


def with_efficiency(rows: Sequence[FleetRow]) -> tuple[FleetRow, ...]:
    """Compare each row with the smallest fleet whose model had the same capacity. Keep the order."""
    least: dict[float | None, FleetRow] = {}
    for row in sorted(rows, key=lambda row: row.phones):
        least.setdefault(row.tokens_per_s, row)
    return tuple(row.model_copy(update={"efficiency": _efficiency(row, least[row.tokens_per_s])}) for row in rows)


def _efficiency(row: FleetRow, least: FleetRow) -> float:
    return (row.episodes_per_hour / row.phones) / (least.episodes_per_hour / least.phones)


def saturated_at(rows: Iterable[FleetRow]) -> int | None:
    """Return the least number of phones with an efficiency below ``GOOD``; None if there is none."""
    bad = [row.phones for row in rows if row.efficiency is not None and row.efficiency < GOOD]
    return min(bad, default=None)
