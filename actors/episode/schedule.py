"""A graph of stages whose dependencies cross steps, and the one loop that runs it under a schedule.

Nothing here knows what a stage does. A :class:`Graph` holds the needs of each stage. A :class:`Schedule` chooses which
of the stages that could start now do start. A :class:`Work` runs them, and :class:`GraphRun` owns the tasks. The graph
is endless (steps 0, 1, 2, ...) until a stage, or somebody outside, stops it.

If a need is ``assumable``, the dependent stage may begin before the needed stage has ended, on an assumption about its
result. The dependent stage's result counts only once every assumption has come true. If an assumption proves wrong, the
dependent stage is cancelled and begins again with what is known by then.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

R = TypeVar("R")
W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Node:
    """Name one stage of one step."""

    stage: str
    step: int


@dataclass(frozen=True, slots=True)
class StageNeed:
    """Name a stage that another stage needs, in the step ``offset`` steps later.

    Stages of steps below 0 count as ended.
    """

    stage: str
    offset: int = 0
    assumable: bool = False
    """Whether the dependent stage may begin before this one has ended, on an assumption about its result. The dependent
    stage's own result waits until the assumption has come true."""


@dataclass(frozen=True, slots=True)
class GraphStage:
    """Describe a kind of node. Besides ``needs``, a stage always waits for itself in the step before."""

    name: str
    needs: tuple[StageNeed, ...] = ()
    turn: int = 0
    """Which turn of the serial loop runs the stage, relative to the stage's step: -1 if it runs one turn earlier."""
    whole: bool = False
    """Whether the stage, once begun, may finish when the run stops. A cancelled run cancels it all the same."""


class Graph:
    """Hold stages in the order in which a serial loop runs them within a turn.

    Raises ValueError unless that order respects every need. An order that does so shows that there is no cycle. So a
    schedule that always starts a node when none runs reaches every node in the end.
    """

    def __init__(self, stages: Sequence[GraphStage]) -> None:
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
        """Return the node's place in the serial order: its turn, and its place within the turn."""
        index = self._index[node.stage]
        return node.step + self.stages[index].turn, index


@dataclass(frozen=True, slots=True)
class Ready:
    """Name a node that could start now, and those of its needs that have not ended.

    It needs assumptions about these.
    """

    node: Node
    assumed: frozenset[Node] = frozenset()


Schedule = Callable[[Sequence[Ready], int], Sequence[Ready]]
"""Returns those nodes that start now. Arguments: the nodes that could start, in serial order, and the number of running
nodes."""


def serial(ready: Sequence[Ready], running: int) -> Sequence[Ready]:
    """Start one node at a time, in the graph's order.

    This is the order of the papers and the baseline of every benchmark.
    """
    return overlap(ready, running)[:1] if running == 0 else ()


def overlap(ready: Sequence[Ready], _: int) -> Sequence[Ready]:
    """Start every node whose needs have ended."""
    return [one for one in ready if not one.assumed]


def speculate(ready: Sequence[Ready], _: int) -> Sequence[Ready]:
    """Start every node, on assumptions about assumable needs that have not ended."""
    return ready


SCHEDULES: Mapping[str, Schedule] = {"serial": serial, "overlap": overlap, "speculate": speculate}


@dataclass(frozen=True, slots=True)
class GraphStop(Generic[W]):
    """Describe the end of a run, and where in the serial order it takes effect.

    With ``at``, nodes that rank before ``at`` still run, and all others are cancelled. So every schedule runs the same
    nodes. Without ``at``, no more nodes are started, and the running ones are cancelled.
    """

    why: W
    at: Node | None = None


class Work(Protocol[R, W]):
    """Do the work of the nodes."""

    async def execute(self, node: Node, assumed: frozenset[Node]) -> R | None:
        """Return the node's result. It has no effect before ``commit``.

        While some nodes are ``assumed``, the result may be None, which means "not now". The node is then asked again
        once fewer nodes are assumed.
        """

    async def commit(self, node: Node, result: R, assumed: frozenset[Node]) -> GraphStop[W] | None:
        """Make the result count. Afterwards the node has ended. All that was ``assumed`` for it has come true."""

    def finish(self, node: Node) -> None:
        """Hear that a whole node runs on although the run stops: it must not wait for people any more."""

    def as_assumed(self, node: Node) -> bool:
        """Return whether ``node``, which has ended, ended as other nodes assumed that did not wait for it."""

    async def drop(
        self, node: Node, result: R | None, assumed: frozenset[Node], wrong: Node | None
    ) -> GraphStop[W] | None:
        """Record that a node was cancelled. If it already had a result, that result is discarded.

        ``wrong``: the node that did not end as assumed; None if the run was stopped before anybody knew.
        """


class StageError(Exception):
    """Signal that a stage raised an error, which is the cause."""

    def __init__(self, node: Node) -> None:
        super().__init__(f"stage {node.stage!r} of step {node.step} failed")
        self.node = node


@dataclass(slots=True, eq=False)
class _RunningNode(Generic[R]):
    """Hold a node that runs."""

    node: Node
    open: set[Node]
    """The needs about which the node made an assumption that has neither come true nor failed yet."""
    assumed: frozenset[Node] = frozenset()
    """The needs that the node assumed when it was last executed; empty while it waits to be executed again."""
    result: R | None = None
    wrong: Node | None = None
    counts: bool = False
    """Whether all assumptions have come true."""
    fewer: asyncio.Event = field(default_factory=asyncio.Event)
    """Set whenever ``open`` becomes smaller."""


class GraphRun(Generic[R, W]):
    """Run a graph once."""

    def __init__(self, graph: Graph, schedule: Schedule, work: Work[R, W]) -> None:
        self._graph = graph
        self._schedule = schedule
        self._work = work
        self._done = {stage.name: 0 for stage in graph.stages}
        """How many steps each stage has run; the steps of a stage run in order."""
        self._running: dict[_RunningNode[R], asyncio.Task[GraphStop[W] | None]] = {}
        self._dropped: list[_RunningNode[R]] = []
        self._stop: GraphStop[W] | None = None
        self._wake = asyncio.Event()

    @property
    def running(self) -> tuple[Node, ...]:
        return tuple(running.node for running in self._running)

    async def run(self, finished: Mapping[str, int] = MappingProxyType({})) -> GraphStop[W]:
        """Run nodes until stopped. Cancelling this cancels every node and waits for it.

        ``finished``: how many steps of each stage were run before, if the episode is resumed. Raises StageError if a
        stage raised; by then every other node has been cancelled.
        """
        self._done.update(finished)
        try:
            async with asyncio.TaskGroup() as tasks:
                return await self._loop(tasks)
        except ExceptionGroup as group:
            raise group.exceptions[0] from group.exceptions[0].__cause__

    def stop(self, stop: GraphStop[W]) -> None:
        """Stop the run. If there are several stops, the one that takes effect first in the serial order counts.

        A stop without ``at`` that comes after a stop with ``at`` only ends the nodes that still run under the earlier
        one.
        """
        if self._stop is None:
            self._stop = stop
        elif stop.at is None:
            self._stop = replace(self._stop, at=None)
        elif self._stop.at is not None and self._graph.rank(stop.at) < self._graph.rank(self._stop.at):
            self._stop = stop
        whole = {stage.name for stage in self._graph.stages if stage.whole}
        for running, task in self._running.items():
            if self._wanted(running.node):
                continue
            if running.node.stage in whole:
                self._work.finish(running.node)
            else:
                task.cancel()
        self._wake.set()

    async def _loop(self, tasks: asyncio.TaskGroup) -> GraphStop[W]:
        while True:
            await self._write_off()
            for ready in self._schedule(self._ready(), len(self._running)):
                running = _RunningNode[R](ready.node, set(ready.assumed))
                task = tasks.create_task(self._run_node(running), name=f"{ready.node.stage} {ready.node.step}")
                self._running[running] = task
                task.add_done_callback(functools.partial(self._ended, running))
            if self._stop is not None and not self._running and not self._dropped:
                return self._stop
            self._wake.clear()
            await self._wake.wait()

    async def _write_off(self) -> None:
        """Report the dropped nodes before anything begins again."""
        while self._dropped:
            one = self._dropped.pop(0)
            try:
                stop = await self._work.drop(one.node, one.result, one.assumed, one.wrong)
            except Exception as error:
                raise StageError(one.node) from error
            if stop is not None:
                self.stop(stop)

    async def _run_node(self, running: _RunningNode[R]) -> GraphStop[W] | None:
        node = running.node
        try:
            while True:
                running.fewer.clear()
                running.assumed = frozenset(running.open)
                running.result = result = await self._work.execute(node, running.assumed)
                if running.wrong is not None:
                    raise asyncio.CancelledError  # the node's work ignored the cancellation
                if result is not None:
                    break
                running.assumed = frozenset()
                await running.fewer.wait()
            while running.open:
                running.fewer.clear()
                await running.fewer.wait()
            running.counts = True
            return await self._work.commit(node, result, running.assumed)
        except Exception as error:
            raise StageError(node) from error

    def _ended(self, running: _RunningNode[R], task: asyncio.Task[GraphStop[W] | None]) -> None:
        del self._running[running]
        self._wake.set()
        if task.cancelled():
            if running.assumed and not running.counts:
                self._dropped.append(running)
            return
        if task.exception() is not None:
            return
        self._done[running.node.stage] += 1
        self._judge_assumptions(running.node)
        stop = task.result()
        if stop is not None:
            self.stop(stop)

    def _judge_assumptions(self, ended: Node) -> None:
        """Cancel the nodes that assumed another result of ``ended``. For the others, one assumption has come true."""
        for other, task in self._running.items():
            if ended not in other.open:
                continue
            if self._work.as_assumed(ended):
                other.open.discard(ended)
                other.fewer.set()
            else:
                other.wrong = other.wrong or ended
                task.cancel()

    def _ready(self) -> list[Ready]:
        """Return the nodes that could start now, in serial order: at most the next step of each stage."""
        under_way = {running.node for running in (*self._running, *self._dropped)}
        ready = []
        for stage in self._graph.stages:
            node = Node(stage.name, self._done[stage.name])
            open_needs = [need for need in stage.needs if self._done[need.stage] <= node.step + need.offset]
            if node in under_way or not self._wanted(node) or not all(need.assumable for need in open_needs):
                continue
            ready.append(Ready(node, frozenset(Node(need.stage, node.step + need.offset) for need in open_needs)))
        return sorted(ready, key=lambda one: self._graph.rank(one.node))

    def _wanted(self, node: Node) -> bool:
        """Return whether the node must still run after a stop."""
        if self._stop is None:
            return True
        return self._stop.at is not None and self._graph.rank(node) < self._graph.rank(self._stop.at)
