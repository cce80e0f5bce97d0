"""Judge one round by its journals: what was lost or done again, when the next action came, which fault is to blame."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from manyhands.actors.dispatch.run_control import SAID_BY
from manyhands.benchmarks.chaos.run import Round
from manyhands.deploy.command_line.output import EXIT_FAILED
from manyhands.evaluation.episodes import Attempted, RecordedEpisode, attempted_by_id, episodes_of
from manyhands.evaluation.run_folder import InjectedFault, RunFolder
from manyhands.evaluation.timing import union_length
from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.journals.records import ActionSent, PhonePrepared, Resumed, StageRecord

NO_FAULT = "no fault"
"""The row for what happened on a phone that no fault had hit before."""


class Blame:
    """Find the fault to blame, among the faults of one round."""

    def __init__(self, faults: Sequence[InjectedFault]) -> None:
        self._by_serial: defaultdict[str, list[InjectedFault]] = defaultdict(list)
        for fault in sorted(faults, key=lambda fault: fault.at):
            for serial in fault.hit:
                self._by_serial[serial].append(fault)
        self.last = max(faults, key=lambda fault: fault.at).kind if faults else NO_FAULT
        """The kind of the last fault of all. This kind is to blame for tasks that never began or never ended."""

    def kind(self, serial: str, at: float) -> str:
        """Return the kind of the last fault that had hit a phone before this time."""
        faults = self._by_serial[serial]
        place = bisect_right([fault.at for fault in faults], at)
        return faults[place - 1].kind if place else NO_FAULT


_SLACK_S = 5.0
"""Seconds by which times in the journal may lie before the beginning or after the end of a fault."""


class SteppedClock:
    """Know when a run's clock was wrong, and by how much."""

    def __init__(self, faults: Sequence[InjectedFault]) -> None:
        self._off = [(fault.at - _SLACK_S, fault.over + _SLACK_S, fault.clock_s) for fault in faults if fault.clock_s]

    def true(self, at: float) -> float:
        """Return the machine's time for a time by the run's clock, both in Unix seconds.

        Faults step the clock by more than the length of a run. So a time comes from a stepped clock if it lies within
        the fault once the step is taken off.
        """
        return next((at - by for start, end, by in self._off if start <= at - by <= end), at)


BY_THE_TASK = (
    frozenset(Ending) - OUTSIDE_ENDINGS - {Ending.MODEL_FAILED, Ending.PERCEPTION_FAILED, Ending.INTERNAL_ERROR}
)
"""Endings whose cause is the work on the task itself."""
Reached = tuple[str, ...]
"""What the inputs of one action reached on its phone, in order."""
DRAINED = f"drained by {SAID_BY}"
"""The reason in a task's journal if the run was told not to begin the task any more."""


class JudgedRound:
    """Judge one round by its journals and its faults."""

    def __init__(self, played: Round, reached: Mapping[str, Mapping[str, Reached]]) -> None:
        """Read the round. ``reached``: by phone and key, what the phone says that the inputs reached."""
        self.played = played
        self._reached = reached
        folder = RunFolder(played.folder)
        self.scans = list(folder.journals.values())
        self.episodes = episodes_of(scan.records for scan in self.scans)
        others = {episode.started.task.id for episode in self.episodes} - {task["id"] for task in played.asked}
        attempts = attempted_by_id([*played.asked, *({"id": id} for id in sorted(others))], self.episodes, "")
        self.tasks = [task for task in attempts if not _drained(task)]
        """The tasks that the run was given, and any other tasks that have a journal. Tasks that were still waiting when
        the faults were over are left out."""
        self.drained = len(attempts) - len(self.tasks)
        self.blame = Blame(played.faults)
        self._clock = SteppedClock(played.faults)
        self._sent: defaultdict[str, list[ActionSent]] = defaultdict(list)
        """By phone: the actions sent, in order of time."""
        for episode in self.episodes:
            actions = self._sent[episode.started.serial]
            actions += (record for record in episode.records if isinstance(record, ActionSent))
        for actions in self._sent.values():
            actions.sort(key=self._sent_at)

    def lost(self) -> Mapping[str, tuple[str, str]]:
        """Return the tasks without a result, each with the reason and with the fault that is to blame."""
        reasons = {}
        for task in self.tasks:
            why = _why_lost(task)
            if why is not None:
                last = task.attempts[-1] if task.attempts else None
                ended = last is not None and last.ended is not None
                kind = self.blamed(last) if last and ended else self.blame.last
                reasons[task.asked["id"]] = (why, kind)
        return reasons

    def wrong_exit(self) -> str | None:
        """Return the exit code of the last command and the correct one; None if both are the same."""
        ends = [task.attempts[-1].ended if task.attempts else None for task in self.tasks]
        due = 0 if not self.drained and all(end is not None and end.verified is True for end in ends) else EXIT_FAILED
        return None if self.played.exit_code == due else f"{self.played.exit_code}, and {due} was due"

    def told_otherwise(self) -> dict[str, str]:
        """Return the tasks for which the last command printed another result than their journals have."""
        rows = {row["id"]: (row["finished"], row["verified"]) for row in self.played.told.get("by_task", ())}
        contradictions = {}
        for task in self.tasks if rows else ():
            last = task.attempts[-1].ended if task.attempts else None
            true = None if last is None else (last.ending.value, last.verified)
            row = rows.get(task.asked["id"])
            if true is not None and row != true:
                contradictions[task.asked["id"]] = f"told as {row}, its journal has {true}"
        return contradictions

    def blamed(self, episode: RecordedEpisode) -> str:
        """Return the fault that is to blame for the end of an episode."""
        return self.blame.kind(episode.started.serial, self._clock.true(episode.last_at))

    def redone(self) -> Counter[str]:
        """Count the actions that were carried out and then discarded, by the fault that is to blame."""
        counts: Counter[str] = Counter()
        for task in self.tasks:
            for episode, following in zip(task.attempts, task.attempts[1:], strict=False):
                if episode.ending not in BY_THE_TASK:
                    kind = self.blame.kind(episode.started.serial, self._clock.true(following.started.at))
                    counts[kind] += len(episode.actions_sent)
            for episode in task.attempts:
                for at, count in _redone_in_place(episode, self._reached.get(episode.started.serial, {})):
                    counts[self.blame.kind(episode.started.serial, self._clock.true(at))] += count
        return counts

    def repeated(self, key: str | None) -> str | None:
        """Return the fault to blame for a key that a phone received again; None if the key is not of this round."""
        repeats = (
            self.blame.kind(serial, self._sent_at(record))
            for serial, actions in self._sent.items()
            for record in actions
            if record.key == key
        )
        return next(repeats, None)

    def next_actions(self, fault: InjectedFault) -> list[tuple[float, float]]:
        """Return the seconds until the next action of each phone that a fault hit: all, and without the model's work.

        Time counts from ``fault.over``, when everything is back. If the phone got its next action earlier, time counts
        from ``fault.at``. A phone without a next action is left out.
        """
        pauses = []
        for serial in fault.hit:
            after = next((at for at in map(self._sent_at, self._sent[serial]) if at > fault.at), None)
            if after is not None:
                since = fault.over if after >= fault.over else fault.at
                whole = after - since
                pauses.append((whole, whole - union_length(self._calls(serial), (since, after))))
        return pauses

    def stages(self, fault: InjectedFault) -> Iterable[str]:
        """Yield the stages that ran at the time of a fault on the phones that it hit.

        A stage that was cut off left no record. If no record covers the time, the result is ``after S`` instead, where
        S is the last stage that had ended.
        """
        for serial in fault.hit:
            true = self._clock.true
            spans = [(true(each.span.start), true(each.span.end), each.stage) for each in self._stages(serial)]
            under_way = {stage for start, end, stage in spans if start <= fault.at <= end}
            ended = max(((end, stage) for _, end, stage in spans if end < fault.at), default=None)
            yield from under_way or ({f"after {ended[1]}"} if ended else {"at its start"})

    def _stages(self, serial: str) -> Iterable[StageRecord]:
        for episode in self.episodes:
            if episode.started.serial == serial:
                yield from (record for record in episode.records if isinstance(record, StageRecord))

    def _calls(self, serial: str) -> list[tuple[float, float]]:
        """Return the times in which the model worked for a phone: from a call's admission to its answer."""
        calls = [call for record in self._stages(serial) for call in record.calls if call.error is None]
        admitted = [
            (self._clock.true(call.started_at) + call.queue_ms / 1000, call.latency_ms / 1000) for call in calls
        ]
        return [(start, start + seconds) for start, seconds in admitted]

    def _sent_at(self, record: ActionSent) -> float:
        return self._clock.true(record.at)


def _drained(task: Attempted) -> bool:
    last = task.attempts[-1] if task.attempts else None
    return last is not None and not last.started.on_a_phone and last.ended is not None and last.ended.reason == DRAINED


def _why_lost(task: Attempted) -> str | None:
    if not task.attempts:
        return "never begun"
    last = task.attempts[-1]
    if last.ended is None:
        return "its journal has no end"
    if last.ended.ending not in BY_THE_TASK:
        return f"{last.ended.ending.value}: {last.ended.reason}"
    if last.started.task.check is not None and last.ended.verified is None:
        return f"{last.ended.ending.value}, and its check was not asked"
    return None


def _redone_in_place(episode: RecordedEpisode, reached: Mapping[str, Reached]) -> Iterable[tuple[float, int]]:
    """Yield the time of each continuation of an episode, with the number of actions that were discarded there.

    If the phone was reset, all actions before the continuation were discarded. Otherwise, the last actions before the
    continuation were discarded if the first actions after it repeat their effects. Effects are equal if inputs reached
    the same views of the same pages, whatever the coordinates. An action that reached nothing does not count, because
    sending it again changes nothing.
    """
    earlier: list[Reached] = []
    at: float | None = None
    again: list[Reached] = []
    for record in (*episode.records, None):
        match record:
            case Resumed() | None:
                if at is not None:
                    yield at, _overlap(earlier, again)
                earlier, again = [*earlier, *again], []
                at = None if record is None else record.at
            case PhonePrepared() if at is not None:
                yield at, len(earlier)
                earlier, again, at = [], [], None
            case ActionSent() if effect := reached.get(record.key):
                (earlier if at is None else again).append(effect)


def _overlap(before: Sequence[Reached], after: Sequence[Reached]) -> int:
    """Return how many of the last effects of ``before`` are the first effects of ``after``, in the same order."""
    longest = min(len(before), len(after))
    return next((count for count in range(longest, 0, -1) if before[-count:] == after[:count]), 0)
