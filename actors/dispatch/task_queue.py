"""The task queue: which task runs next, and when it is decided. Pure: no time, no phones."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from manyhands.actors.dispatch.hosts import HostView
from manyhands.actors.dispatch.turn_queue import TurnQueue
from manyhands.protocol.base import RETRIED_ENDINGS, Ending
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs.results import MOST_RESUMES, EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec

MOST_RESTARTS = 3
"""How often one attempt may be started again before it counts as spent."""


@dataclass(frozen=True, slots=True)
class InterruptedAttempt:
    """An episode that stopped before its end, on its phone."""

    result: EpisodeResult
    """What is known of the episode, and why it stopped."""
    lease: Lease
    """The last lease under which the episode ran."""
    view: HostView | None = None
    """The host that still runs the episode, if one does."""
    run_cut_off: bool = False
    """Whether the whole run had stopped, and not the episode alone."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a task."""

    index: int
    """The task's place in the batch."""
    task: TaskSpec
    number: int
    """Counted from 1."""
    restarts: int = 0
    """How often this attempt was started again from the beginning."""
    retry: int = 0
    """How many earlier attempts at the task did not pass."""
    interrupted: InterruptedAttempt | None = None
    """The episode to resume, on its own phone."""


class CountedAs(Enum):
    """How the end of an episode counts for its task."""

    AS_IT_ENDED = "as it ended"
    """Its ending decides."""
    AS_AN_ATTEMPT = "as an attempt"
    """The attempt is spent, whatever the ending."""
    AS_THE_LAST = "as the last"
    """The attempt decides the task: no other attempt follows."""


@dataclass(frozen=True, slots=True)
class PendingLesson:
    """A lesson that is still to be learned from a decided task."""

    episode: str
    """The episode that decided the task."""
    epoch: int
    """The epoch of the episode's last lease."""


@dataclass(frozen=True, slots=True)
class TaskState:
    """The state of a task: its next attempt, the episode to resume, or its result."""

    attempt: int = 1
    restarts: int = 0
    retry: int = 0
    """How many earlier attempts at the task did not pass."""
    interrupted: InterruptedAttempt | None = None
    result: EpisodeResult | None = None
    """The result that decided the task."""
    lesson_due: PendingLesson | None = None
    """Set only on a decided task."""


class TaskQueue:
    """Orders tasks by priority, then by their owners' turns, then by place.

    Of the owners with tasks of the same priority, the next is the one with the fewest running tasks; of several such
    owners, the one who has waited longest since the last turn. Tasks of one memory scope run in order, one after
    another.

    Until the lesson of a decided task is learned, no other task of its scope runs.

    An interrupted attempt (RETRIED_ENDINGS) that cannot be resumed is started again, up to MOST_RESTARTS times. After
    that the attempt counts as spent, and another attempt begins. A task has at most ``task.attempts`` such attempts. An
    attempt that did not pass is followed by another attempt, up to ``task.retries`` times. In a group, so is an attempt
    that a fault ended, up to ``task.attempts`` attempts.
    """

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        before: Mapping[int, TaskState] | None = None,
        owner_of: Callable[[str], str] = lambda task: "",
        priority_of: Callable[[TaskSpec], int] = lambda task: task.priority,
    ) -> None:
        """``before``: the states of tasks that an earlier dispatcher worked on, by their places.

        ``owner_of`` says who asked for a task, by its id. ``priority_of`` says which priority a task has now.
        """
        self._tasks: list[TaskSpec] = []
        self._at: list[TaskState] = []
        """The state of each task."""
        self._results: dict[int, EpisodeResult] = {}
        self._running: dict[int, Attempt] = {}
        self._ready = TurnQueue()
        """Tasks that may run."""
        self._owner_of = owner_of
        self._priority_of = priority_of
        self._undecided: dict[int, str] = {}
        """The ids of the tasks without a result, by their places."""
        self._interrupted: dict[str, int] = {}
        """Tasks with an episode to resume, by that episode's phone. No other phone may have them."""
        self._first: dict[str, int] = {}
        """For each scope: the one undecided task that runs or may run."""
        self._behind: defaultdict[str, deque[int]] = defaultdict(deque)
        """For each scope: the tasks that wait for an earlier task of that scope."""
        self._lessons_due: set[int] = set()
        """Decided tasks whose lesson is still to be learned; the next task of their scope waits for it."""
        self._groups: defaultdict[str, set[int]] = defaultdict(set)
        """The undecided tasks of each group that has enough with a part of its episodes."""
        self._rewarded: Counter[str] = Counter()
        """How many episodes of such a group ended without a fault."""
        self.surplus: set[str] = set()
        """The ids of undecided tasks that are no longer needed, because enough episodes of their group have ended."""
        self.add(tasks, before)

    def add(self, tasks: Sequence[TaskSpec], before: Mapping[int, TaskState] | None = None) -> None:
        """Add tasks. ``before``: their states under an earlier dispatcher, by their places in the whole batch."""
        for task in tasks:
            index, scope = len(self._tasks), task.memory_scope
            at = (before or {}).get(index, TaskState())
            self._tasks.append(task)
            self._at.append(at)
            if at.result is None:
                self._undecided[index] = task.id
            if task.group_enough is not None:
                self._groups[task.base_id].add(index)
            if at.result is not None:
                self._results[index] = at.result
                if at.lesson_due is not None:
                    self._lessons_due.add(index)
            elif scope is not None:
                self._behind[scope].append(index)
                self._release_next(scope)
            else:
                self._push(index)
        for index in list(self._results) if self._groups else ():
            self._leave_group(index)

    @property
    def total(self) -> int:
        return len(self._tasks)

    @property
    def decided(self) -> bool:
        """Return whether every task has its deciding result."""
        return len(self._results) == len(self._tasks)

    @property
    def all_taught(self) -> bool:
        """Return whether the lessons of all decided tasks have been learned."""
        return not self._lessons_due

    @property
    def waiting(self) -> tuple[Attempt, ...]:
        """Return, in order, the next attempts at all tasks that neither run nor are decided."""
        return tuple(self._attempt(index) for index in sorted(self._undecided.keys() - self._running.keys()))

    @property
    def running_count(self) -> int:
        """Return how many tasks run."""
        return len(self._running)

    @property
    def waiting_count(self) -> int:
        """Return how many tasks neither run nor are decided."""
        return len(self._undecided) - len(self._running)

    @property
    def interrupted_count(self) -> int:
        """Return how many waiting tasks have an episode to resume, which its phone takes at once."""
        return len(self._interrupted)

    def waiting_of(self, refused: Callable[[str], bool]) -> tuple[Attempt, ...]:
        """Return, in order, the next attempts at the waiting tasks whose ids are ``refused``.

        Tasks with an episode to resume are left out: that episode has a phone, and perhaps a session, to give back.
        """
        taken = self._running.keys() | self._interrupted.values()
        places = [place for place, id in self._undecided.items() if place not in taken and refused(id)]
        return tuple(self._attempt(index) for index in sorted(places))

    @property
    def results(self) -> tuple[EpisodeResult, ...]:
        """Return the deciding results so far, in the order of the tasks."""
        return tuple(self._results[index] for index in sorted(self._results))

    def ready(self, most: int) -> tuple[Attempt, ...]:
        """Return the attempts that phones will get next, in order."""
        return tuple(self._attempt(index) for index in self._ready.first(most))

    def has_interrupted(self, serial: str) -> bool:
        """Return whether an episode is to be resumed on this phone."""
        return serial in self._interrupted

    def take(self, serial: str = "", allowed: Callable[[TaskSpec], bool] = lambda task: True) -> Attempt | None:
        """Take the next attempt for this phone and count it as running.

        Return None while nothing ``allowed`` can run there.
        """
        index = self._interrupted.pop(serial, None)
        if index is None:
            index = self._ready.take(lambda item: allowed(self._tasks[item]))
            if index is None:
                return None
        self._ready.count_running(self._owner_of(self._tasks[index].id), 1)
        attempt = self._running[index] = self._attempt(index)
        return attempt

    def reorder(self) -> None:
        """Put the tasks that may run in order again, because priorities have changed."""
        for index in self._ready.first(len(self._tasks)):
            self._ready.move(index, self._priority_of(self._tasks[index]))

    def release(self, attempt: Attempt) -> None:
        """Put a taken attempt back. If it was not settled, it waits again and does not count as spent."""
        if self._running.get(attempt.index) == attempt:
            self._end(attempt)
            if attempt.interrupted is not None:
                self._at[attempt.index] = TaskState(attempt.number, attempt.restarts + 1, attempt.retry)
            self._push(attempt.index)

    def queued_after(self, task: TaskSpec) -> tuple[TaskSpec, ...]:
        """Return the tasks of the task's scope that come after it, in order."""
        if task.memory_scope is None:
            return ()
        return tuple(self._tasks[index] for index in self._behind[task.memory_scope])

    def settle(
        self, attempt: Attempt, result: EpisodeResult, counts: CountedAs = CountedAs.AS_IT_ENDED, teaches: bool = False
    ) -> bool:
        """End a taken attempt; return whether that decided the task.

        ``teaches``: the episode has a lesson to teach. If this call decides the task, its scope waits until
        ``finish_lesson``. Raises RuntimeError for an attempt that was not taken.
        """
        if self._running.get(attempt.index) != attempt:
            raise RuntimeError(f"attempt {attempt.number} at {attempt.task.id} was settled without being taken")
        self._end(attempt)
        at = state_after(attempt, result, counts)
        if at.result is None:
            self._at[attempt.index] = at
            self._push(attempt.index)
            return False
        self._decide(attempt.index, at.result, teaches)
        return True

    def finish_lesson(self, index: int) -> None:
        """Release the scope of a decided task, because its lesson is learned or never will be."""
        self._lessons_due.discard(index)
        scope = self._tasks[index].memory_scope
        if scope is not None:
            self._release_next(scope)

    def give_up(self, attempt: Attempt, result: EpisodeResult) -> None:
        """Decide a waiting task that will not run. Raises RuntimeError for a task that is not waiting."""
        if attempt.index in self._running:
            raise RuntimeError(f"{attempt.task.id} was given up while it runs")
        self._ready.remove(attempt.index)
        self._interrupted = {serial: index for serial, index in self._interrupted.items() if index != attempt.index}
        scope = attempt.task.memory_scope
        if scope is not None and attempt.index in self._behind[scope]:
            self._behind[scope].remove(attempt.index)
            self._set_result(attempt.index, result)
        else:
            self._decide(attempt.index, result)

    def _end(self, attempt: Attempt) -> None:
        del self._running[attempt.index]
        self._ready.count_running(self._owner_of(attempt.task.id), -1)

    def _attempt(self, index: int) -> Attempt:
        at = self._at[index]
        return Attempt(index, self._tasks[index], at.attempt, at.restarts, at.retry, at.interrupted)

    def _push(self, index: int) -> None:
        at = self._at[index]
        if at.interrupted is not None:
            self._interrupted[at.interrupted.lease.serial] = index
        else:
            task = self._tasks[index]
            self._ready.add(index, self._priority_of(task), self._owner_of(task.id))

    def _set_result(self, index: int, result: EpisodeResult) -> None:
        if index in self._results:
            raise RuntimeError(f"{self._tasks[index].id} was decided twice")
        self._results[index] = result
        del self._undecided[index]
        self._leave_group(index)

    def _leave_group(self, index: int) -> None:
        """Count a decided task in its group, once. If the group has enough now, its other tasks are surplus."""
        task = self._tasks[index]
        members = self._groups.get(task.base_id, set())
        if task.group_enough is None or index not in members:
            return
        members.discard(index)
        self.surplus.discard(task.id)
        self._rewarded[task.base_id] += self._results[index].fault is None
        if self._rewarded[task.base_id] >= task.group_enough:
            self.surplus |= {self._tasks[other].id for other in members}

    def _decide(self, index: int, result: EpisodeResult, teaches: bool = False) -> None:
        self._set_result(index, result)
        if teaches:
            self._lessons_due.add(index)
        scope = self._tasks[index].memory_scope
        if scope is not None:
            del self._first[scope]
            self._release_next(scope)

    def _release_next(self, scope: str) -> None:
        """Let the next task of a scope run, unless another task of it is undecided or its lesson is not learned yet."""
        owing = any(self._tasks[index].memory_scope == scope for index in self._lessons_due)
        if scope not in self._first and not owing and self._behind[scope]:
            self._first[scope] = self._behind[scope].popleft()
            self._push(self._first[scope])


def state_after(attempt: Attempt, result: EpisodeResult, counts: CountedAs = CountedAs.AS_IT_ENDED) -> TaskState:
    """Return the state of a task after an attempt's episode has ended and will not be resumed."""
    retry = attempt.retry
    decided = TaskState(attempt.number, attempt.restarts, retry, result=result)
    another = TaskState(attempt.number + 1, retry=retry) if attempt.number - retry < attempt.task.attempts else decided
    if counts is CountedAs.AS_THE_LAST:
        return decided
    if result.ending not in RETRIED_ENDINGS and not result.afresh:
        if attempt.task.sample and result.fault is not None and result.ending is not Ending.CANCELLED:
            return another
        tries_again = result.has_failed and retry < attempt.task.retries
        return TaskState(attempt.number + 1, retry=retry + 1) if tries_again else decided
    too_often = attempt.restarts >= MOST_RESTARTS or (result.afresh and result.in_vain >= MOST_RESUMES)
    if counts is CountedAs.AS_IT_ENDED and not too_often:
        return TaskState(attempt.number, attempt.restarts + 1, retry)
    return another
