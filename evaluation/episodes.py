"""The episodes of a run, and which of them decided a task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from manyhands.protocol.base import Ending
from manyhands.protocol.effective_records import effective_records
from manyhands.protocol.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    Record,
    Reflected,
    Resumed,
    StageRecord,
)
from manyhands.protocol.requests import Decision, Reflection


@dataclass(frozen=True)
class RecordedEpisode:
    """Hold a journal that begins with what was started. Without an end, the process that ran it died."""

    started: EpisodeStarted
    ended: EpisodeEnded | None
    records: Sequence[Record]
    """What stands: what an interruption has made void is told as dropped."""

    @property
    def on_a_phone(self) -> bool:
        return self.started.on_a_phone

    @property
    def ending(self) -> Ending:
        return self.ended.ending if self.ended else Ending.HOST_LOST

    @property
    def steps(self) -> int:
        return self.ended.steps if self.ended else sum(isinstance(record, Acted) for record in self.records)

    @cached_property
    def resumed(self) -> Sequence[Resumed]:
        """Return each time that it was gone on with in place."""
        return [record for record in self.records if isinstance(record, Resumed)]

    @property
    def gone_on_from(self) -> Iterator[Ending]:
        """Yield how it had ended, each time that it was gone on with in place."""
        ending = Ending.HOST_LOST
        for record in self.records:
            match record:
                case EpisodeEnded():
                    ending = record.ending
                case Resumed():
                    yield ending
                    ending = Ending.HOST_LOST

    @cached_property
    def actions_sent(self) -> frozenset[str]:
        """Return the keys of the actions that a phone may have received."""
        received = (record.receipt for record in self.records if isinstance(record, ActionReceived))
        refused = {receipt.key for receipt in received if receipt.status == "refused"}
        return frozenset(record.key for record in self.records if isinstance(record, ActionSent)) - refused

    @cached_property
    def decisions(self) -> Mapping[int, Decision]:
        """Return what was decided, by step. What was asked ahead of time and dropped is no decision."""
        return {record.step: record.decision for record in self.records if isinstance(record, ActionDecided)}

    @cached_property
    def verdicts(self) -> Mapping[int, Reflection]:
        """Return the agent's own verdicts, by the step of the action."""
        return {record.step: record.reflection for record in self.records if isinstance(record, Reflected)}

    @property
    def last_at(self) -> float:
        """Return when its last record ends, in Unix seconds."""
        ends = [record.span.end for record in self.records if isinstance(record, StageRecord)]
        return max(self.started.at, *ends, self.ended.at if self.ended else self.started.at)


def start_of(records: Iterable[Record]) -> EpisodeStarted | None:
    """Return how a journal begins; None where even that was not written."""
    return next((record for record in records if isinstance(record, EpisodeStarted)), None)


def end_of(records: Iterable[Record]) -> EpisodeEnded | None:
    """Return how a journal ends; None where its episode has not ended. One that was gone on with has no end yet."""
    marks = [record for record in records if isinstance(record, EpisodeEnded | Resumed)]
    return marks[-1] if marks and isinstance(marks[-1], EpisodeEnded) else None


def episode_of(records: Sequence[Record]) -> RecordedEpisode | None:
    """Return the episode of a journal; None for one without a start."""
    started = start_of(records)
    return None if started is None else RecordedEpisode(started, end_of(records), effective_records(records))


def episodes_of(journals: Iterable[Sequence[Record]]) -> list[RecordedEpisode]:
    """Return the episodes of journals, in their order; a journal without a start is none."""
    found = map(episode_of, journals)
    return [episode for episode in found if episode is not None]


@dataclass(frozen=True)
class Attempted:
    """Hold a task that was asked for and its episodes, of which the last one decided it.

    An attempt has several where it had to be begun anew.
    """

    asked: Mapping[str, Any]
    """The task as run.yaml has it; empty if only the journals know it."""
    attempts: Sequence[RecordedEpisode]
    """Empty if the run ended before the task was started."""


def attempted(asked: Mapping[str, Any], episodes: Iterable[RecordedEpisode]) -> list[Attempted]:
    """Return the tasks asked for, in that order, then those that only journals know. One asked twice is there twice.

    ``asked`` is run.yaml. Episodes of one place in one batch are of one task, and of the one that run.yaml has there,
    whatever it is called by now: people edit it. What no batch has is no task of the run. Where batches have no names,
    tasks are found by id, and a first attempt begins another one. What decided comes last: the last turn that was on a
    phone, or that the task was given up after it.
    """
    groups: dict[tuple[str, int], list[RecordedEpisode]] = {}
    unnamed: dict[str, list[list[RecordedEpisode]]] = defaultdict(list)
    for episode in episodes:
        started = episode.started
        if started.batch:
            groups.setdefault((started.batch, started.place), []).append(episode)
        else:
            of_task = unnamed[started.task.id]
            if not of_task or started.attempt == 1:
                of_task.append([])
            of_task[-1].append(episode)
    of_place = {place: _in_order(group) for place, group in groups.items()}
    found = [
        (task, of_place.pop(place, None) or _first_of(task["id"], unnamed, {} if place[0] else of_place))
        for task, place in _iterate_asked(asked)
    ]
    left = [*of_place.values(), *(group for of_task in unnamed.values() for group in of_task)]
    return [*(Attempted(task, group or ()) for task, group in found), *(Attempted({}, group) for group in left)]


def _iterate_asked(asked: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], tuple[str, int]]]:
    """Yield the tasks of run.yaml, each with its batch and place there; with the batch "" in runs of before batches."""
    tasks = iter(asked.get("tasks") or ())
    batches = asked.get("batches")
    named: Sequence[Mapping[str, Any]] = [{"name": "", "tasks": None}] if batches is None else batches
    for batch in named:
        for place, task in enumerate(islice(tasks, batch["tasks"])):
            yield task, (batch["name"], place)


def _first_of(
    task: str,
    unnamed: Mapping[str, list[list[RecordedEpisode]]],
    of_place: dict[tuple[str, int], list[RecordedEpisode]],
) -> list[RecordedEpisode] | None:
    """Take the first episodes of a task that are not taken yet; None where there are none."""
    if unnamed.get(task):
        return unnamed[task].pop(0)
    place = next((place for place, group in of_place.items() if group[0].started.task.id == task), None)
    return None if place is None else of_place.pop(place)


def _in_order(episodes: Iterable[RecordedEpisode]) -> list[RecordedEpisode]:
    """Return the episodes of one task by turns. One that was given up and then gone on with ended by what came after.

    That it was given up counts by its time: where no phone had it, the turn is only the one that would have come.
    """
    found = sorted(episodes, key=lambda episode: episode.started.recency)
    on_phones = [episode for episode in found if episode.on_a_phone]
    given_up = [episode for episode in found if not episode.on_a_phone]
    last_at = on_phones[-1].last_at if on_phones else 0.0
    before = [episode for episode in given_up if episode.last_at < last_at]
    after = [episode for episode in given_up if episode.last_at >= last_at]
    return [*before, *on_phones, *after]
