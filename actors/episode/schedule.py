"""A graph of stages whose dependencies cross steps, and the one loop that runs it under a schedule.

Nothing here knows what a stage does. A :class:`Graph` says what needs what, a :class:`Schedule` which of the
stages that could start now do start, and :class:`GraphRun` owns the tasks. The graph is endless (steps 0, 1,
2, ...) until a stage, or somebody outside, stops it.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Node:
    """One stage of one step."""

    stage: str
    step: int


@dataclass(frozen=True, slots=True)
class Need:
    """A stage that must have run first, ``offset`` steps from the one that needs it. Steps below 0 count as run."""

    stage: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """A kind of node. Besides ``needs``, a stage always waits for itself in the step before."""

    name: str
    needs: tuple[Need, ...] = ()
    turn: int = 0
    """Which turn of the serial loop runs it, counted from its own step: -1 if the turn before does."""
    whole: bool = False
    """Once begun it is let finish when the run stops (not when the run itself is cancelled)."""


class Graph:
    """Stages in the order in which a serial loop runs them within a turn.

    Raises ValueError unless that order respects every need, which also shows that there is no cycle: so any
    schedule that starts something whenever nothing runs comes to every node in the end.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = tuple(stages)
        self._index = {stage.name: index for index, stage in enumerate(self.stages)}
        if len(self._index) != len(self.stages):
            raise ValueError(f"two stages have the same name: {[stage.name for stage in self.stages]}")
        for stage in self.stages:
            for need in stage.needs:
                if need.stage not in self._index:
                    raise ValueError(f"stage {stage.name!r} needs {need.stage!r}, which is no stage of the graph")
                if self.rank(Node(need.stage, need.offset)) >= self.rank(Node(stage.name, 0)):
                    raise ValueError(f"stage {stage.name!r} comes before {need}, which it needs, in the serial order")

    def rank(self, node: Node) -> tuple[int, int]:
        """The node's place in the serial order: its turn, and its place within the turn."""
        index = self._index[node.stage]
        return node.step + self.stages[index].turn, index


class Schedule(Protocol):
    """Decides which of the nodes that could start now do start."""

    def choose(self, ready: Sequence[Node], running: int) -> Sequence[Node]:
        """``ready`` in serial order, every need met; ``running`` nodes are under way. Some of ``ready``."""


class Serial:
    """One node at a time, in the graph's order: the papers' loops, and the baseline of every benchmark."""

    def choose(self, ready: Sequence[Node], running: int) -> Sequence[Node]:
        return ready[:1] if running == 0 else ()


class Overlap:
    """Everything whose needs are met."""

    def choose(self, ready: Sequence[Node], running: int) -> Sequence[Node]:
        return ready


SCHEDULES: Mapping[str, Schedule] = {"serial": Serial(), "overlap": Overlap()}


@dataclass(frozen=True, slots=True)
class Stop(Generic[W]):
    """The end of a run, and where in the serial order it takes effect.

    With ``at``, nodes that rank before it are still run and the others cancelled, so that every schedule
    leaves the same nodes run. Without it, nothing more is started and what runs is cancelled.
    """

    why: W
    at: Node | None = None


class StageError(Exception):
    """A stage raised; the cause is what it raised."""

    def __init__(self, node: Node) -> None:
        super().__init__(f"stage {node.stage!r} of step {node.step} failed")
        self.node = node


class GraphRun(Generic[W]):
    """One run of a graph. ``execute`` runs a node and may answer with a :class:`Stop`."""

    def __init__(self, graph: Graph, schedule: Schedule, execute: Callable[[Node], Awaitable[Stop[W] | None]]) -> None:
        self._graph = graph
        self._schedule = schedule
        self._execute = execute
        self._done = {stage.name: 0 for stage in graph.stages}
        """Steps that each stage has run: a stage's steps run in order."""
        self._running: dict[Node, asyncio.Task[Stop[W] | None]] = {}
        self._stop: Stop[W] | None = None
        self._wake = asyncio.Event()

    @property
    def running(self) -> tuple[Node, ...]:
        return tuple(self._running)

    async def run(self) -> Stop[W]:
        """Run nodes until stopped. Cancelling this cancels every node and waits for it.

        Raises StageError if a stage raised; every other node has been cancelled by then.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                return await self._loop(tasks)
        except ExceptionGroup as group:
            raise group.exceptions[0] from group.exceptions[0].__cause__

    def stop(self, stop: Stop[W]) -> None:
        """Stop the run. Of several stops the one that takes effect first in the serial order counts.

        A later stop without ``at`` only ends what the stop before it still lets run.
        """
        if self._stop is None:
            self._stop = stop
        elif stop.at is None:
            self._stop = replace(self._stop, at=None)
        elif self._stop.at is not None and self._graph.rank(stop.at) < self._graph.rank(self._stop.at):
            self._stop = stop
        whole = {stage.name for stage in self._graph.stages if stage.whole}
        for node, task in self._running.items():
            if node.stage not in whole and not self._wanted(node):
                task.cancel()
        self._wake.set()

    async def _loop(self, tasks: asyncio.TaskGroup) -> Stop[W]:
        while True:
            for node in self._schedule.choose(self._ready(), len(self._running)):
                task = tasks.create_task(self._run_node(node), name=f"{node.stage} {node.step}")
                self._running[node] = task
                task.add_done_callback(functools.partial(self._ended, node))
            if self._stop is not None and not self._running:
                return self._stop
            self._wake.clear()
            await self._wake.wait()

    async def _run_node(self, node: Node) -> Stop[W] | None:
        try:
            return await self._execute(node)
        except Exception as error:
            raise StageError(node) from error

    def _ended(self, node: Node, task: asyncio.Task[Stop[W] | None]) -> None:
        del self._running[node]
        self._wake.set()
        if task.cancelled() or task.exception() is not None:
            return
        self._done[node.stage] += 1
        stop = task.result()
        if stop is not None:
            self.stop(stop)

    def _ready(self) -> list[Node]:
        """Nodes that could start now, in serial order: of each stage its next step, at most."""
        following = ((stage, Node(stage.name, self._done[stage.name])) for stage in self._graph.stages)
        ready = [
            node
            for stage, node in following
            if node not in self._running and self._wanted(node) and self._needs_met(stage, node.step)
        ]
        return sorted(ready, key=self._graph.rank)

    def _needs_met(self, stage: Stage, step: int) -> bool:
        return all(self._done[need.stage] > step + need.offset for need in stage.needs)

    def _wanted(self, node: Node) -> bool:
        """Whether the node is still to be run, as far as stopping goes."""
        if self._stop is None:
            return True
        return self._stop.at is not None and self._graph.rank(node) < self._graph.rank(self._stop.at)
