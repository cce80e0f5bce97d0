"""Read the episodes of a run, and find which of them decided a task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from manyhands.protocol.base import Ending
from manyhands.protocol.journals.effective_records import effective_records, last_failure
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    PhonePrepared,
    Record,
    Reflected,
    Resumed,
    StageRecord,
)
from manyhands.protocol.roles.requests import Decision, Reflection
from manyhands.protocol.runs.results import fault_of, has_failed


@dataclass(frozen=True)
class RecordedEpisode:
    """Hold an episode from its journal. Without ``ended``, the process that ran it died."""

    started: EpisodeStarted
    ended: EpisodeEnded | None
    records: Sequence[Record]
    """The effective records. Results that an interruption discarded appear as dropped."""

    @property
    def on_a_phone(self) -> bool:
        return self.started.on_a_phone

    @property
    def ending(self) -> Ending:
        return self.ended.ending if self.ended else Ending.HOST_LOST

    @property
    def has_failed(self) -> bool:
        """Return whether the episode did not pass and its task is the cause, so that a retry may follow."""
        ended = self.ended
        if ended is None or ended.afresh or not self.on_a_phone:
            return False
        has_check = self.started.task.check is not None
        return has_failed(ended.ending, ended.verified, has_check, last_failure(self.records), ended.answered)

    @property
    def has_passed(self) -> bool | None:
        """Return whether the check holds and the answer fits; None without a check, or if nobody could ask it."""
        ended = self.ended
        return None if ended is None or ended.verified is None else ended.verified and ended.answered

    @property
    def fault(self) -> str | None:
        """Return why the ending says nothing about the agent; None if it does."""
        server_away = (self.ended is not None and self.ended.server_away) or any(
            isinstance(record, StageRecord) and record.span.met_outage for record in self.records
        )
        return fault_of(self.ending, last_failure(self.records), server_away)

    @property
    def steps(self) -> int:
        return self.ended.steps if self.ended else sum(isinstance(record, Acted) for record in self.records)

    @cached_property
    def resumed(self) -> Sequence[Resumed]:
        """Return the records of all resumptions in place."""
        return [record for record in self.records if isinstance(record, Resumed)]

    @property
    def gone_on_from(self) -> Iterator[Ending]:
        """Yield, for each resumption in place, the ending before it."""
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
        """Return the keys of the agent's actions that a phone may have received."""
        return frozenset(record.key for record in self._reached if not record.by)

    @cached_property
    def person_actions(self) -> frozenset[str]:
        """Return the keys of persons' actions that a phone may have received."""
        return frozenset(record.key for record in self._reached if record.by)

    @property
    def _reached(self) -> list[ActionSent]:
        received = (record.receipt for record in self.records if isinstance(record, ActionReceived))
        refused = {receipt.key for receipt in received if receipt.status == "refused"}
        return [record for record in self.records if isinstance(record, ActionSent) and record.key not in refused]

    @cached_property
    def decisions(self) -> Mapping[int, Decision]:
        """Return the decisions by step. Results of stages that were dropped do not count."""
        return {record.step: record.decision for record in self.records if isinstance(record, ActionDecided)}

    @cached_property
    def verdicts(self) -> Mapping[int, Reflection]:
        """Return the agent's own verdicts, by the step of the action."""
        return {record.step: record.reflection for record in self.records if isinstance(record, Reflected)}

    @property
    def product(self) -> str:
        """Return the maker's name for the phone's build; empty if the phone did not tell it."""
        phones = [one.phone for one in self.records if isinstance(one, PhonePrepared) and one.phone is not None]
        return phones[-1].product if phones else ""

    @property
    def last_at(self) -> float:
        """Return when the last of the episode's records ends, in Unix seconds."""
        ends = [record.span.end for record in self.records if isinstance(record, StageRecord)]
        return max(self.started.at, *ends, self.ended.at if self.ended else self.started.at)


def start_of(records: Iterable[Record]) -> EpisodeStarted | None:
    """Return the start of an episode from its journal; None if it was not written or is unreadable."""
    return next((record for record in records if isinstance(record, EpisodeStarted)), None)


def end_of(records: Iterable[Record]) -> EpisodeEnded | None:
    """Return the end of an episode from its journal; None if it has not ended, or was resumed after its last end."""
    marks = [record for record in records if isinstance(record, EpisodeEnded | Resumed)]
    return marks[-1] if marks and isinstance(marks[-1], EpisodeEnded) else None


def episode_of(records: Sequence[Record]) -> RecordedEpisode | None:
    """Return the episode of a journal; None for a journal without a start."""
    started = start_of(records)
    return None if started is None else RecordedEpisode(started, end_of(records), effective_records(records))


def episodes_of(journals: Iterable[Sequence[Record]]) -> list[RecordedEpisode]:
    """Return the episodes of journals, in the same order. Skip journals without a start."""
    views = map(episode_of, journals)
    return [episode for episode in views if episode is not None]


@dataclass(frozen=True)
class Attempted:
    """Hold a task of the run and its episodes. The last episode decided the task.

    An attempt has several episodes if it was begun anew.
    """

    asked: Mapping[str, Any]
    """The task as in run.yaml; empty if only journals know it."""
    attempts: Sequence[RecordedEpisode]
    """Empty if the run ended before it started the task."""
    batch: str = ""
    """The run's batch that the task belongs to."""

    @property
    def base_id(self) -> str:
        """Return the task's id, or that of the task that it repeats."""
        if self.attempts:
            return self.attempts[-1].started.task.base_id
        return str(self.asked.get("repeat_of") or self.asked["id"])

    @property
    def failed_before(self) -> Sequence[RecordedEpisode]:
        """Return, in order, the last episode of each attempt that did not pass and that a retry followed."""
        ends = {episode.started.attempt: episode for episode in self.attempts if episode.on_a_phone}
        last = self.attempts[-1].started.attempt if self.attempts else 0
        return [episode for number, episode in ends.items() if number < last and episode.has_failed]


def attempted(run_yaml: Mapping[str, Any], episodes: Iterable[RecordedEpisode]) -> list[Attempted]:
    """Return the tasks of run.yaml (``asked``) in order, then those that only journals know.

    An episode belongs to the task that run.yaml has at the episode's batch and place. The ids of both may differ,
    because people edit the file. A task that run.yaml has outside all batches is left out.

    A task's last episode decides it: the last episode on a phone, or a later record that the task was given up.
    """
    groups: dict[tuple[str, int], list[RecordedEpisode]] = defaultdict(list)
    for episode in episodes:
        groups[episode.started.batch, episode.started.place].append(episode)
    of_place = {place: _in_order(group) for place, group in groups.items()}
    asked_tasks = [Attempted(task, of_place.pop(place, ()), place[0]) for task, place in _iterate_asked(run_yaml)]
    return [*asked_tasks, *(Attempted({}, group, batch) for (batch, _), group in of_place.items())]


def attempted_by_id(
    tasks: Iterable[Mapping[str, Any]], episodes: Iterable[RecordedEpisode], batch: str
) -> list[Attempted]:
    """Return these tasks in order, each with the episodes that have its id. ``batch``: the name of their batch."""
    of_task: dict[str, list[RecordedEpisode]] = defaultdict(list)
    for episode in episodes:
        of_task[episode.started.task.id].append(episode)
    return [Attempted(task, _in_order(of_task[task["id"]]), batch) for task in tasks]


def _iterate_asked(run_yaml: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], tuple[str, int]]]:
    """Yield the tasks of run.yaml with their batch and place."""
    tasks = iter(run_yaml.get("tasks") or ())
    for batch in run_yaml.get("batches") or ():
        for place, task in enumerate(islice(tasks, batch["tasks"])):
            yield task, (batch["name"], place)


def _in_order(episodes: Iterable[RecordedEpisode]) -> list[RecordedEpisode]:
    """Return the episodes of one task in order.

    Episodes on phones are ordered by attempt. An episode without a phone records that the task was given up. The
    attempt's number of such a record says nothing about the order. So the record's time decides whether it stands
    before or after the episodes on phones.
    """
    by_time = sorted(episodes, key=lambda episode: episode.started.recency)
    on_phones = [episode for episode in by_time if episode.on_a_phone]
    given_up = [episode for episode in by_time if not episode.on_a_phone]
    last_at = on_phones[-1].last_at if on_phones else 0.0
    before = [episode for episode in given_up if episode.last_at < last_at]
    after = [episode for episode in given_up if episode.last_at >= last_at]
    return [*before, *on_phones, *after]
