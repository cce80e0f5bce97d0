"""The task queue: which task runs next, and when it is decided. Pure: no time, no phones."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from manyhands.actors.dispatch.host_slot import HostSlot
from manyhands.protocol.base import RETRIED_ENDINGS
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs import MOST_RESUMES, EpisodeResult
from manyhands.protocol.tasks import TaskSpec

MOST_RESTARTS = 3
"""How often one attempt is begun anew; the next time, it counts."""


@dataclass(frozen=True, slots=True)
class Left:
    """An episode that was left in its midst, on its phone."""

    result: EpisodeResult
    """What is known of it, and why it was left."""
    lease: Lease
    """Its last one."""
    slot: HostSlot | None = None
    """Where it runs nevertheless, if it does."""
    run_cut_off: bool = False
    """The whole run had stopped, not the episode alone."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt at a task, counted from 1. ``index``: the task's place in the batch."""

    index: int
    task: TaskSpec
    attempt: int
    restarts: int = 0
    """How often this attempt was begun anew."""
    left: Left | None = None
    """The episode that is to be gone on with, on its own phone."""


class Counts(Enum):
    """How the end of an episode counts for its task."""

    AS_IT_ENDED = "as it ended"
    """As its ending says."""
    AS_AN_ATTEMPT = "as an attempt"
    """The attempt is spent, whatever ended it."""
    AS_THE_LAST = "as the last"
    """It decides the task: nothing is tried after it."""


@dataclass(frozen=True, slots=True)
class Owed:
    """A lesson that a decided task has still to teach."""

    episode: str
    """The one that decided it."""
    epoch: int
    """Of its last lease."""


@dataclass(frozen=True, slots=True)
class Before:
    """What became of a task before the batch was taken up again."""

    attempt: int = 1
    restarts: int = 0
    left: Left | None = None
    result: EpisodeResult | None = None
    """What decided it."""
    owed: Owed | None = None
    """Only of one that is decided."""


class TaskQueue:
    """Orders tasks by priority, then by place; tasks of one memory scope run in order, one after another.

    A task may be decided and still have a lesson to teach: it then holds its scope until that is taught.

    An attempt that was interrupted and cannot be gone on with (RETRIED_ENDINGS) is begun anew, up to MOST_RESTARTS
    times. Then it counts, and the task has another turn, up to ``task.attempts`` in all.
    """

    def __init__(self, tasks: Sequence[TaskSpec], before: Mapping[int, Before] | None = None) -> None:
        """``before``: what became of tasks before, by their places."""
        self._tasks: list[TaskSpec] = []
        self._at: list[Before] = []
        """Where each task stands."""
        self._results: dict[int, EpisodeResult] = {}
        self._running: dict[int, Turn] = {}
        self._ready: list[tuple[int, int]] = []
        """Those that may run, with what they are ordered by: the least comes first."""
        self._left: dict[str, int] = {}
        """Tasks with an episode to be gone on with, by its phone: no other phone may have them."""
        self._first: dict[str, int] = {}
        """The one undecided task of each scope that may run, or runs."""
        self._behind: defaultdict[str, deque[int]] = defaultdict(deque)
        """Tasks behind another of their scope, by scope."""
        self._owing: set[int] = set()
        """Decided tasks that have still to teach; the next one of their scope waits for them."""
        self.add(tasks, before)

    def add(self, tasks: Sequence[TaskSpec], before: Mapping[int, Before] | None = None) -> None:
        """Take more tasks. ``before``: what became of them before, by their places in the whole batch."""
        for task in tasks:
            index, scope = len(self._tasks), task.memory_scope
            at = (before or {}).get(index, Before())
            self._tasks.append(task)
            self._at.append(at)
            if at.result is not None:
                self._results[index] = at.result
                if at.owed is not None:
                    self._owing.add(index)
            elif scope is not None:
                self._behind[scope].append(index)
                self._go_on(scope)
            else:
                self._push(index)

    @property
    def total(self) -> int:
        return len(self._tasks)

    @property
    def decided(self) -> bool:
        """Return whether every task has its deciding result."""
        return len(self._results) == len(self._tasks)

    @property
    def all_taught(self) -> bool:
        """Return whether no decided task has anything left to teach."""
        return not self._owing

    @property
    def waiting(self) -> tuple[Turn, ...]:
        """Return the next turns of all tasks that neither run nor are decided, in order."""
        return tuple(
            self._turn(index)
            for index in range(len(self._tasks))
            if index not in self._running and index not in self._results
        )

    @property
    def results(self) -> tuple[EpisodeResult, ...]:
        """Return the deciding results so far, in the order of the tasks."""
        return tuple(self._results[index] for index in sorted(self._results))

    def ready(self, most: int) -> tuple[Turn, ...]:
        """Return the turns that phones will have next, in order."""
        return tuple(self._turn(index) for _, index in heapq.nsmallest(most, self._ready))

    def has_left(self, serial: str) -> bool:
        """Return whether an episode is to be gone on with on this phone."""
        return serial in self._left

    def take(self, serial: str = "", allowed: Callable[[TaskSpec], bool] = lambda task: True) -> Turn | None:
        """Return the next turn of this phone, which now runs; None while nothing ``allowed`` can run there."""
        index = self._left.pop(serial, None)
        if index is None:
            first = min((item for item in self._ready if allowed(self._tasks[item[1]])), default=None)
            if first is None:
                return None
            self._ready.remove(first)
            index = first[1]
        turn = self._running[index] = self._turn(index)
        return turn

    def release(self, turn: Turn) -> None:
        """Take back a turn; one that was not settled waits again and is not counted."""
        if self._running.get(turn.index) == turn:
            del self._running[turn.index]
            if turn.left is not None:
                self._at[turn.index] = Before(turn.attempt, turn.restarts + 1)
            self._push(turn.index)

    def behind(self, task: TaskSpec) -> tuple[TaskSpec, ...]:
        """Return the tasks of its scope that are still to come, in order."""
        if task.memory_scope is None:
            return ()
        return tuple(self._tasks[index] for index in self._behind[task.memory_scope])

    def settle(
        self, turn: Turn, result: EpisodeResult, counts: Counts = Counts.AS_IT_ENDED, owes: bool = False
    ) -> bool:
        """End a taken turn; return whether that decided the task. Raises RuntimeError for any other turn.

        ``owes``: decided so, the task holds its scope until ``taught``.
        """
        if self._running.get(turn.index) != turn:
            raise RuntimeError(f"attempt {turn.attempt} at {turn.task.id} was settled without being taken")
        del self._running[turn.index]
        at = after(turn, result, counts)
        if at.result is None:
            self._at[turn.index] = at
            self._push(turn.index)
            return False
        self._decide(turn.index, at.result, owes)
        return True

    def taught(self, index: int) -> None:
        """Let the scope of a decided task go on: its lesson is taught, or will never be."""
        self._owing.discard(index)
        scope = self._tasks[index].memory_scope
        if scope is not None:
            self._go_on(scope)

    def give_up(self, turn: Turn, result: EpisodeResult) -> None:
        """Decide a waiting task that will not run. Raises RuntimeError for one that is not waiting."""
        if turn.index in self._running:
            raise RuntimeError(f"{turn.task.id} was given up while it runs")
        self._ready = [item for item in self._ready if item[1] != turn.index]
        self._left = {serial: index for serial, index in self._left.items() if index != turn.index}
        scope = turn.task.memory_scope
        if scope is not None and turn.index in self._behind[scope]:
            self._behind[scope].remove(turn.index)
            self._set_result(turn.index, result)
        else:
            self._decide(turn.index, result)

    def _turn(self, index: int) -> Turn:
        at = self._at[index]
        return Turn(index, self._tasks[index], at.attempt, at.restarts, at.left)

    def _push(self, index: int) -> None:
        at = self._at[index]
        if at.left is not None:
            self._left[at.left.lease.serial] = index
        else:
            self._ready.append((-self._tasks[index].priority, index))

    def _set_result(self, index: int, result: EpisodeResult) -> None:
        if index in self._results:
            raise RuntimeError(f"{self._tasks[index].id} was decided twice")
        self._results[index] = result

    def _decide(self, index: int, result: EpisodeResult, owes: bool = False) -> None:
        self._set_result(index, result)
        if owes:
            self._owing.add(index)
        scope = self._tasks[index].memory_scope
        if scope is not None:
            del self._first[scope]
            self._go_on(scope)

    def _go_on(self, scope: str) -> None:
        """Let the next task of a scope run, unless another of it is undecided, or has a lesson to teach."""
        owing = any(self._tasks[index].memory_scope == scope for index in self._owing)
        if scope not in self._first and not owing and self._behind[scope]:
            self._first[scope] = self._behind[scope].popleft()
            self._push(self._first[scope])


def after(turn: Turn, result: EpisodeResult, counts: Counts = Counts.AS_IT_ENDED) -> Before:
    """Return where a task stands once the episode of a turn has ended and is not gone on with."""
    decided = Before(turn.attempt, turn.restarts, result=result)
    if counts is Counts.AS_THE_LAST or (result.ending not in RETRIED_ENDINGS and not result.afresh):
        return decided
    too_often = turn.restarts >= MOST_RESTARTS or (result.afresh and result.in_vain >= MOST_RESUMES)
    if counts is Counts.AS_IT_ENDED and not too_often:
        return Before(turn.attempt, turn.restarts + 1)
    return Before(turn.attempt + 1) if turn.attempt < turn.task.attempts else decided
