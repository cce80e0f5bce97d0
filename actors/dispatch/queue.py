"""The task queue: which task runs next, and when it is decided. Pure: no time, no phones."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.protocol.base import RETRIED_ENDINGS
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.tasks import TaskSpec


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt at a task, counted from 1. ``index``: the task's place in the run."""

    index: int
    task: TaskSpec
    attempt: int


class TaskQueue:
    """Orders tasks by priority, then by place; tasks of one memory scope run in order, one after another.

    A task whose episode ended for a reason outside the task (RETRIED_ENDINGS) has another turn,
    up to ``task.attempts`` in all.
    """

    def __init__(self, tasks: Sequence[TaskSpec]) -> None:
        self._tasks = tuple(tasks)
        self._attempts = [0] * len(tasks)
        self._results: dict[int, EpisodeResult] = {}
        self._running: dict[int, Turn] = {}
        self._ready: list[tuple[int, int]] = []
        self._behind: dict[str, deque[int]] = {}
        """Tasks behind another of their scope, by scope; a scope is a key while one of its tasks is undecided."""
        for index, task in enumerate(tasks):
            if task.memory_scope is None:
                self._push(index)
            elif task.memory_scope in self._behind:
                self._behind[task.memory_scope].append(index)
            else:
                self._behind[task.memory_scope] = deque()
                self._push(index)

    @property
    def decided(self) -> bool:
        """Return whether every task has its deciding result."""
        return len(self._results) == len(self._tasks)

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

    def take(self) -> Turn | None:
        """Return the next turn, which now runs; None while nothing can run."""
        if not self._ready:
            return None
        _, index = heapq.heappop(self._ready)
        turn = self._running[index] = self._turn(index)
        return turn

    def release(self, turn: Turn) -> None:
        """Take back a turn; one that was not settled waits again and is not counted."""
        if self._running.get(turn.index) == turn:
            del self._running[turn.index]
            self._push(turn.index)

    def settle(self, turn: Turn, result: EpisodeResult) -> bool:
        """End a taken turn and return whether that decides the task. Raises RuntimeError for any other turn."""
        if self._running.get(turn.index) != turn:
            raise RuntimeError(f"attempt {turn.attempt} at {turn.task.id} was settled without being taken")
        del self._running[turn.index]
        self._attempts[turn.index] = turn.attempt
        if result.ending in RETRIED_ENDINGS and turn.attempt < turn.task.attempts:
            self._push(turn.index)
            return False
        self._decide(turn.index, result)
        return True

    def give_up(self, turn: Turn, result: EpisodeResult) -> None:
        """Decide a waiting task that will not run. Raises RuntimeError for one that is not waiting."""
        if turn.index in self._running:
            raise RuntimeError(f"{turn.task.id} was given up while it runs")
        self._ready = [item for item in self._ready if item[1] != turn.index]
        heapq.heapify(self._ready)
        scope = turn.task.memory_scope
        if scope is not None and turn.index in self._behind[scope]:
            self._behind[scope].remove(turn.index)
            self._set_result(turn.index, result)
        else:
            self._decide(turn.index, result)

    def _turn(self, index: int) -> Turn:
        return Turn(index, self._tasks[index], self._attempts[index] + 1)

    def _push(self, index: int) -> None:
        heapq.heappush(self._ready, (-self._tasks[index].priority, index))

    def _set_result(self, index: int, result: EpisodeResult) -> None:
        if index in self._results:
            raise RuntimeError(f"{self._tasks[index].id} was decided twice")
        self._results[index] = result

    def _decide(self, index: int, result: EpisodeResult) -> None:
        self._set_result(index, result)
        scope = self._tasks[index].memory_scope
        if scope is None:
            return
        if self._behind[scope]:
            self._push(self._behind[scope].popleft())
        else:
            del self._behind[scope]
