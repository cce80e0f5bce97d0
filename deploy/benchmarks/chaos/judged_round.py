"""What came of one round of a chaos, as its journals say: what was lost, done again, and when the next action came."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from manyhands.actors.dispatch.control import SAID_BY
from manyhands.deploy.benchmarks.chaos.blame import Blame
from manyhands.deploy.benchmarks.chaos.run import Round
from manyhands.evaluation.episodes import Attempted, Episode, attempted, episodes_of
from manyhands.evaluation.faults import Fault
from manyhands.evaluation.intervals import union_length
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.records import ActionSent, PhonePrepared, Resumed, StageRecord

BY_THE_TASK = (
    frozenset(Ending) - OUTSIDE_ENDINGS - {Ending.MODEL_FAILED, Ending.PERCEPTION_FAILED, Ending.INTERNAL_ERROR}
)
"""Ends that the work on the task itself brought about."""
DRAINED = f"drained by {SAID_BY}"
"""Why a task ended that a run was told not to begin any more."""


class JudgedRound:
    """Judge one round by its journals and the faults that were put into it."""

    def __init__(self, played: Round) -> None:
        self.played = played
        folder = RunFolder(played.folder)
        self.scans = list(folder.journals.values())
        self.episodes = episodes_of(scan.records for scan in self.scans)
        asked = attempted(folder.asked.get("tasks") or (), self.episodes)
        self.tasks = [task for task in asked if not _drained(task)]
        """Without those that were still waiting when the faults were over."""
        self.blame = Blame(played.faults)
        self._sent: defaultdict[str, list[ActionSent]] = defaultdict(list)
        """By phone, in the order of time."""
        for episode in self.episodes:
            sent = self._sent[episode.started.serial]
            sent += (record for record in episode.records if isinstance(record, ActionSent))
        for sent in self._sent.values():
            sent.sort(key=lambda record: record.at)

    def lost(self) -> Mapping[str, tuple[str, str]]:
        """Return the tasks without a result: why, and the fault that is to blame."""
        found = {}
        for task in self.tasks:
            why = _why_lost(task)
            if why is not None:
                last = task.attempts[-1] if task.attempts else None
                ended = last is not None and last.ended is not None
                kind = self.blame.kind(last.started.serial, last.last_at) if last and ended else self.blame.last
                found[str(task.asked.get("id") or (last.started.task.id if last else ""))] = (why, kind)
        return found

    def redone(self) -> Counter[str]:
        """Count the actions that were carried out and thrown away, by the fault that is to blame."""
        found: Counter[str] = Counter()
        for task in self.tasks:
            for episode, following in zip(task.attempts, task.attempts[1:], strict=False):
                if episode.ending not in BY_THE_TASK:
                    kind = self.blame.kind(episode.started.serial, following.started.at)
                    found[kind] += len(episode.actions_sent)
            for episode in task.attempts:
                for at, count in _redone_in_place(episode):
                    found[self.blame.kind(episode.started.serial, at)] += count
        return found

    def repeated(self, key: str | None) -> str | None:
        """Return the fault that is to blame for a key that was received again; None if it is not of this round."""
        found = (
            self.blame.kind(serial, record.at)
            for serial, sent in self._sent.items()
            for record in sent
            if record.key == key
        )
        return next(found, None)

    def next_actions(self, fault: Fault) -> list[tuple[float, float]]:
        """Return after how many seconds each phone that was hit was sent its next action, and without the model's work.

        What was away is back at ``fault.over``: it counts from there, unless the phone went on before.
        """
        found = []
        for serial in fault.hit:
            after = next((sent for sent in self._sent[serial] if sent.at > fault.at), None)
            if after is not None:
                since = fault.over if after.at >= fault.over else fault.at
                whole = after.at - since
                found.append((whole, whole - union_length(self._calls(serial), (since, after.at))))
        return found

    def stages(self, fault: Fault) -> Iterable[str]:
        """Yield the stages that were under way on the phones that were hit.

        One that was cut off left no record; where none did, it is the one ``after`` that which had ended last.
        """
        for serial in fault.hit:
            spans = [(record.span, record.stage) for record in self._stages(serial)]
            under_way = {stage for span, stage in spans if span.start <= fault.at <= span.end}
            ended = max(((span.end, stage) for span, stage in spans if span.end < fault.at), default=None)
            yield from under_way or ({f"after {ended[1]}"} if ended else {"at its start"})

    def _stages(self, serial: str) -> Iterable[StageRecord]:
        for episode in self.episodes:
            if episode.started.serial == serial:
                yield from (record for record in episode.records if isinstance(record, StageRecord))

    def _calls(self, serial: str) -> list[tuple[float, float]]:
        """Return when the model was at work for a phone: from a call's admission to its answer."""
        return [
            (call.started_at + call.queue_ms / 1000, call.started_at + (call.queue_ms + call.latency_ms) / 1000)
            for record in self._stages(serial)
            for call in record.calls
            if call.error is None
        ]


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


def _redone_in_place(episode: Episode) -> Iterable[tuple[float, int]]:
    """Yield how many actions were thrown away after each time that an episode went on: when, and how many.

    All before it, where the phone was reset then; the last one, where the first action sent afterwards is the same.
    """
    done = episode.actions_sent
    so_far: list[ActionSent] = []
    resumed: Resumed | None = None
    for record in episode.records:
        if isinstance(record, Resumed):
            resumed = record
        elif isinstance(record, PhonePrepared) and resumed is not None:
            yield resumed.at, len(so_far)
            so_far, resumed = [], None
        elif isinstance(record, ActionSent) and record.key in done:
            if resumed is not None:
                if so_far and so_far[-1].action == record.action:
                    yield resumed.at, 1
                resumed = None
            so_far.append(record)
