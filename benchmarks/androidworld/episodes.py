"""Play AndroidWorld's tasks by our episodes, on several phones at once; their code initialises and scores."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from manyhands.actors.phones.adb.emulator_console import restore_snapshot
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.benchmarks.androidworld.checkout import Checkout, ListedTask, TaskError, TaskProcess
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.errors import PhoneError, first_error
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec

MOST_WALL_S = 3600.0


class TaskRunner(Protocol):
    """Carry out one task, as ``Fleet`` does."""

    async def run(self, task: TaskSpec | str) -> EpisodeResult: ...


class ScoredTask(Message):
    """Hold what their code said of one task."""

    id: str
    goal: str
    serial: str
    score: float | None
    """From 0 to 1, and 0 if the agent did not say that it is done; None if the episode says nothing about the agent."""
    ending: Ending | None = None
    steps: int = 0
    budget: int = 0
    problem: str = ""


class AndroidWorldFigures(Message):
    """Hold the figures of a suite."""

    tasks: int
    scored: int
    """Tasks that have a score. Only they count."""
    success: float | None
    """Their mean score; None if no task was scored."""
    skipped: int
    """Tasks that already had a result in the checkpoint."""
    by_task: tuple[ScoredTask, ...]


def figures_of(results: Sequence[ScoredTask], skipped: int) -> AndroidWorldFigures:
    """Return the figures of the tasks that were played now."""
    scores = [one.score for one in results if one.score is not None]
    return AndroidWorldFigures(
        tasks=len(results),
        scored=len(scores),
        success=sum(scores) / len(scores) if scores else None,
        skipped=skipped,
        by_task=tuple(sorted(results, key=lambda one: one.id)),
    )


class SuiteRunner:
    """Give each phone one task after another until none is left."""

    def __init__(
        self,
        fleet: TaskRunner,
        checkout: Checkout,
        adb: AdbServer,
        logs: Path,
        snapshot: str | None = None,
        tell: Callable[[ScoredTask], None] = lambda _: None,
    ) -> None:
        """``snapshot``: what an emulator restores before each task."""
        self._fleet = fleet
        self._checkout = checkout
        self._adb = adb
        self._logs = logs
        self._snapshot = snapshot
        self._tell = tell
        self._waiting: deque[ListedTask] = deque()
        self._results: list[ScoredTask] = []

    async def run(self, tasks: Sequence[ListedTask], serials: Sequence[str]) -> Sequence[ScoredTask]:
        """Play tasks, and return the results. Raises CallError if their code cannot be run."""
        self._waiting.extend(tasks)
        with first_error():
            async with asyncio.TaskGroup() as group:
                for serial in serials:
                    group.create_task(self._play_all(serial))
        return self._results

    async def _play_all(self, serial: str) -> None:
        async with self._checkout.server(serial, self._logs) as server:
            while self._waiting:
                task = self._waiting.popleft()
                result = await self._play_task(server, serial, task)
                self._results.append(result)
                self._tell(result)

    async def _play_task(self, server: TaskProcess, serial: str, task: ListedTask) -> ScoredTask:
        result = ScoredTask(id=task.id, goal=task.goal, serial=serial, score=None, budget=task.budget)
        try:
            if self._snapshot is not None:
                await restore_snapshot(self._adb, serial, self._snapshot)
            # The goal may be known only now.
            goal = str((await server.ask("initialize", task=task.task, instance=task.instance))["goal"])
            episode = await self._fleet.run(spec_of(task, goal, serial))
            played = {"ending": episode.ending, "steps": episode.steps, "goal": goal}
            result = result.model_copy(update=played)
            if episode.fault is not None:
                await server.ask("fail", reason=f"{episode.fault}: {episode.reason}")
                return result.model_copy(update={"problem": f"{episode.fault}: {episode.reason}"})
            answer = await server.ask(
                "score",
                is_done=episode.ending is Ending.FINISHED,
                answer=episode.answer or "",
                steps=episode.steps,
                episode=episode.episode,
            )
        except (TaskError, PhoneError) as error:
            return result.model_copy(update={"problem": str(error)})
        return result.model_copy(update={"score": answer["score"]})


def spec_of(task: ListedTask, goal: str, serial: str) -> TaskSpec:
    """Return our task: one attempt on this phone, with their budget of steps and without other limits of count.

    It has no ``reset_seed``, because a reset would undo what their code has initialised.
    """
    limits = Limits.lifted(max_steps=task.budget, wall_s=MOST_WALL_S)
    return TaskSpec(id=task.id, goal=goal, phones=f"serial={serial}", attempts=1, limits=limits)
