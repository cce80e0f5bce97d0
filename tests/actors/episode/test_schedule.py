"""Any graph under any schedule, over random latencies in virtual time."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.episode.checks.check import RUBRICS
from manyhands.actors.episode.schedule import (
    SCHEDULES,
    Graph,
    GraphRun,
    GraphStage,
    GraphStop,
    Node,
    StageError,
    StageNeed,
)
from manyhands.actors.profiles.e import PROFILE
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from tests.actors.episode.simple_work import Simple
from tests.examples import examples
from tests.virtual_clock import run_virtual

PAPER_EXACT = EpisodeSettings(paper_exact=True)
SECONDS = {"capture": 0.5, "perceive": 2.0, "plan": 3.0, "decide": 3.0, "act": 0.2, "verify": 2.5, "note": 2.0}
"""How long stages of e take; any other takes no time."""


@dataclass
class Play:
    """Nodes that only take time; writes down when each was asked, when it counted, and what was thrown away."""

    latency: dict[Node, float]
    until: Node
    stop: GraphStop[str]
    surprises: frozenset[Node] = frozenset()
    """Nodes that do not end as assumed."""
    declined: frozenset[Node] = frozenset()
    """Nodes that are never done ahead of time."""
    asked: dict[Node, list[tuple[float, frozenset[Node]]]] = field(default_factory=dict)
    began: dict[Node, float] = field(default_factory=dict)
    """When what counted was begun."""
    ended: dict[Node, float] = field(default_factory=dict)
    cancelled: set[Node] = field(default_factory=set)
    dropped: list[tuple[Node, frozenset[Node], Node | None]] = field(default_factory=list)
    under_way: set[Node] = field(default_factory=set)

    async def execute(self, node: Node, assumed: frozenset[Node]) -> str | None:
        loop = asyncio.get_running_loop()
        assert node not in self.under_way
        if assumed and node in self.declined:
            return None
        self.asked.setdefault(node, []).append((loop.time(), assumed))
        self.under_way.add(node)
        try:
            await asyncio.sleep(self.latency.get(node, 1.0))
        except asyncio.CancelledError:
            self.cancelled.add(node)
            await asyncio.sleep(0)  # the way to a server, to hang up
            raise
        finally:
            self.under_way.discard(node)
        return f"{node}"

    async def commit(self, node: Node, result: str, assumed: frozenset[Node]) -> GraphStop[str] | None:
        assert result == f"{node}"
        assert node not in self.ended
        self.began[node], asked_assuming = self.asked[node][-1]
        assert asked_assuming == assumed
        assert not assumed & self.surprises
        self.ended[node] = asyncio.get_running_loop().time()
        return self.stop if node == self.until else None

    def finish(self, node: Node) -> None:
        pass

    def as_assumed(self, node: Node) -> bool:
        assert node in self.ended
        return node not in self.surprises

    async def drop(
        self, node: Node, result: str | None, assumed: frozenset[Node], wrong: Node | None
    ) -> GraphStop[str] | None:
        assert assumed
        assert node not in self.under_way
        assert wrong is None or (wrong in self.surprises and wrong in self.ended)
        self.dropped.append((node, assumed, wrong))
        return None


def play(
    graph: Graph, schedule: str, latency: dict[Node, float], until: Node, stop: GraphStop[str], **more: Any
) -> Play:
    played = Play(latency, until, stop, **more)
    assert run_virtual(GraphRun(graph, SCHEDULES[schedule], played).run()).why == stop.why
    assert not played.under_way
    return played


def latencies(graph: Graph) -> dict[Node, float]:
    return {Node(stage.name, step): SECONDS.get(stage.name, 0.0) for stage in graph.stages for step in range(6)}


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Graphs whose serial order respects their needs; every stage hangs on the first stage's step before."""
    count = draw(st.integers(1, 6))
    turns = [0, *draw(st.lists(st.integers(-1, 0), min_size=count - 1, max_size=count - 1))]
    stages: list[GraphStage] = []
    for index in range(count):
        possible = [
            StageNeed(f"s{other}", offset, assumable)
            for other in range(count)
            for offset in (-2, -1, 0, 1)
            for assumable in (False, True)
            if (turns[other] + offset, other) < (turns[index], index)
        ]
        needs = draw(st.lists(st.sampled_from(possible), max_size=4)) if possible else []
        stages.append(GraphStage(f"s{index}", (*needs, StageNeed("s0", -1)), turn=turns[index]))
    return Graph(stages)


@st.composite
def plays(draw: st.DrawFn, graph: Graph, steps: int) -> tuple[dict[Node, float], Node, GraphStop[str]]:
    """Latencies of milliseconds to seconds, and where the run stops."""
    seconds = st.integers(1, 4000).map(lambda ms: ms / 1000)
    names = [stage.name for stage in graph.stages]
    latency = {Node(name, step): draw(seconds) for name in names for step in range(steps + 3)}
    until = Node(draw(st.sampled_from(names)), steps)
    later = [Node(name, steps + more) for name in names for more in (0, 1)]
    at = draw(st.sampled_from([node for node in later if graph.rank(node) >= graph.rank(until)]))
    return latency, until, GraphStop("enough", at)


ANY_GRAPH = st.one_of(
    graphs(),
    st.builds(PROFILE.loop, st.sampled_from([EpisodeSettings(), PAPER_EXACT]), st.sampled_from([None, RUBRICS])),
)


@settings(max_examples=examples(400), deadline=None)
@given(st.data())
def test_every_schedule_runs_any_graph_in_order_and_runs_the_same_nodes(data: st.DataObject) -> None:
    graph = data.draw(ANY_GRAPH)
    steps = data.draw(st.integers(0, 3))
    latency, until, stop = data.draw(plays(graph, steps))
    nodes = st.frozensets(
        st.builds(Node, st.sampled_from([stage.name for stage in graph.stages]), st.integers(0, steps))
    )
    surprises, declined = data.draw(nodes), data.draw(nodes)
    runs = {name: play(graph, name, latency, until, stop, surprises=surprises, declined=declined) for name in SCHEDULES}

    for run in runs.values():
        check_needs(graph, run)
    assert not runs["serial"].cancelled
    assert not runs["serial"].dropped
    assert not runs["overlap"].dropped

    assert stop.at is not None
    serial = runs["serial"]
    order = sorted(serial.ended, key=serial.ended.__getitem__)
    assert order == sorted(order, key=graph.rank)
    for first, second in itertools.pairwise(order):
        assert serial.ended[first] <= serial.began[second]

    before = {name: {n for n in run.ended if graph.rank(n) < graph.rank(stop.at)} for name, run in runs.items()}
    assert before["speculate"] == before["overlap"] == before["serial"]
    assert until in before["serial"] | {stop.at}
    if before["serial"]:
        took = {name: max(run.ended[node] for node in before["serial"]) for name, run in runs.items()}
        assert took["speculate"] <= took["overlap"] + 1e-6
        assert took["overlap"] <= took["serial"] + 1e-6


def check_needs(graph: Graph, run: Play) -> None:
    """Nothing counted before what it needs; nothing was begun before it but what assumed its end, rightly."""
    for node, ended in run.ended.items():
        _, assumed = run.asked[node][-1]
        stage = next(stage for stage in graph.stages if stage.name == node.stage)
        for need in (*stage.needs, StageNeed(node.stage, -1)):
            needed = Node(need.stage, node.step + need.offset)
            if needed.step < 0:
                continue
            assert run.ended[needed] <= ended
            if needed in assumed:
                assert need.assumable
            else:
                assert run.ended[needed] <= run.began[node]


@settings(max_examples=examples(400), deadline=None)
@given(st.data(), st.sampled_from(sorted(SCHEDULES)))
def test_the_loop_of_e_sends_no_action_before_the_verdict_and_loses_no_note(data: st.DataObject, name: str) -> None:
    paper_exact = data.draw(st.booleans())
    graph = PROFILE.loop(PAPER_EXACT if paper_exact else EpisodeSettings(), RUBRICS)
    latency, _, _ = data.draw(plays(graph, steps=4))
    last = Node("plan", 4)
    surprising = st.builds(Node, st.sampled_from(["verify", "plan", "note"]), st.integers(0, 4))
    surprises = data.draw(st.frozensets(surprising))
    run = play(graph, name, latency, last, GraphStop("finished", last), surprises=surprises)

    check_needs(graph, run)
    for step in range(1, 4):
        act = run.began[Node("act", step)]
        assert len(run.asked[Node("act", step)]) == 1
        assert run.ended[Node("verify", step - 1)] <= act
        assert run.ended[Node("rubrics", step - 1)] <= act
        assert run.ended[Node("decide", step)] <= act
        assert all(asked <= act for asked, _ in run.asked[Node("decide", step)])
    for step in range(4):
        assert Node("note", step) in run.ended
        reads = step - (1 if paper_exact else 2)
        _, assumed = run.asked[Node("plan", step)][-1]
        note = Node("note", reads)
        assert reads < 0 or note in assumed or run.ended[note] <= run.began[Node("plan", step)]
        assert reads < 0 or run.ended[note] <= run.ended[Node("plan", step)]
    counting = {node.stage for node in run.cancelled if graph.rank(node) < graph.rank(last)}
    assert counting <= ({"plan", "decide"} if name == "speculate" else set())
    for node, _, wrong in run.dropped:
        assert node.stage in ("plan", "decide")
        assert wrong is None or wrong.stage in ("verify", "plan", "note")
    for stage in graph.stages:
        steps = [node.step for node in run.ended if node.stage == stage.name]
        assert steps == sorted(steps)


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_the_gate_holds_even_for_a_decision_that_did_not_wait_for_the_verdict(data: st.DataObject) -> None:
    early = [
        replace(stage, needs=tuple(need for need in stage.needs if need.stage != "verify"))
        if stage.name in ("plan", "decide")
        else stage
        for stage in PROFILE.loop(EpisodeSettings()).stages
    ]
    graph = Graph(early)
    latency, _, _ = data.draw(plays(graph, steps=3))
    run = play(graph, "overlap", latency, Node("act", 3), GraphStop("enough", Node("act", 3)))
    for step in range(1, 4):
        assert run.ended[Node("verify", step - 1)] <= run.began[Node("act", step)]


def test_overlap_perceives_beside_the_reflector_and_notes_beside_the_planner() -> None:
    graph = PROFILE.loop(EpisodeSettings())
    latency = latencies(graph)
    stop = GraphStop("enough", Node("act", 5))
    began = {name: play(graph, name, latency, Node("act", 4), stop).began for name in SCHEDULES}
    step = {name: times[Node("act", 4)] - times[Node("act", 3)] for name, times in began.items()}
    assert step["serial"] == pytest.approx(sum(SECONDS.values()))
    assert step["overlap"] == pytest.approx(0.2 + 0.5 + 2.5 + 3.0 + 3.0)
    assert step["speculate"] == pytest.approx(0.2 + 0.5 + 2.0 + 3.0)


@pytest.mark.parametrize(
    ("surprise", "after_capture"),
    [
        (Node("plan", 4), 3.0 + 3.0),  # another subgoal: decided again once the plan is there
        (Node("verify", 3), 2.5 + 3.0),  # outcome B or C: planned and decided again, side by side
    ],
)
def test_what_was_assumed_wrongly_is_asked_again_as_soon_as_it_is_known(surprise: Node, after_capture: float) -> None:
    graph = PROFILE.loop(EpisodeSettings())
    latency = latencies(graph)
    run = play(
        graph,
        "speculate",
        latency,
        Node("act", 4),
        GraphStop("enough", Node("act", 5)),
        surprises=frozenset({surprise}),
    )
    step = run.began[Node("act", 4)] - run.began[Node("act", 3)]
    assert step == pytest.approx(0.2 + 0.5 + after_capture)
    wrong = {node for node, _, wrong in run.dropped if wrong == surprise}
    assert wrong == ({Node("decide", 4)} if surprise.stage == "plan" else {Node("decide", 4), Node("plan", 4)})


def test_a_speculative_stage_is_asked_again_when_its_inputs_are_known() -> None:
    graph = Graph(
        [
            GraphStage("a"),
            GraphStage("b"),
            GraphStage("c", (StageNeed("a", assumable=True), StageNeed("b", assumable=True))),
        ]
    )
    asked: list[tuple[float, frozenset[Node]]] = []

    class Choosy(Play):
        async def execute(self, node: Node, assumed: frozenset[Node]) -> str | None:
            if node.stage == "c":
                asked.append((asyncio.get_running_loop().time(), assumed))
            if assumed:
                return None
            return await super().execute(node, assumed)

    a, b, c = (Node(name, 0) for name in "abc")
    played = Choosy({a: 1.0, b: 2.0, c: 1.0}, c, GraphStop("enough", c))
    run_virtual(GraphRun(graph, SCHEDULES["speculate"], played).run())
    assert asked == [(0.0, {a, b}), (1.0, {b}), (2.0, set())]
    assert played.ended[c] == 3.0


LOOP = Graph([GraphStage("a"), GraphStage("b", (StageNeed("a"),), whole=True), GraphStage("c", (StageNeed("a"),))])


async def test_a_stop_without_a_place_cancels_what_runs_but_lets_a_whole_stage_finish() -> None:
    begun, let_go, seen = asyncio.Event(), asyncio.Event(), []

    async def execute(node: Node) -> GraphStop[str] | None:
        try:
            if node.stage == "b":
                begun.set()
                await let_go.wait()
            elif node != Node("a", 0):
                await asyncio.Event().wait()
            seen.append((node, "done"))
        except asyncio.CancelledError:
            seen.append((node, "cancelled"))
            raise
        return None

    run = GraphRun(LOOP, SCHEDULES["overlap"], Simple(execute))
    running = asyncio.create_task(run.run())
    await begun.wait()
    run.stop(GraphStop("lost"))
    await asyncio.sleep(0)
    assert not running.done()
    let_go.set()
    assert (await running).why == "lost"
    outcome = dict(seen)
    assert outcome[Node("b", 0)] == "done"
    assert outcome[Node("c", 0)] == outcome[Node("a", 1)] == "cancelled"


async def test_a_second_stop_ends_what_still_runs_and_the_first_reason_stands() -> None:
    waiting = asyncio.Event()

    async def execute(node: Node) -> GraphStop[str] | None:
        if node.stage == "a":
            waiting.set()
            await asyncio.Event().wait()
        return GraphStop("first", Node("b", 3)) if node == Node("z", 0) else None

    run = GraphRun(
        Graph([GraphStage("z"), GraphStage("a"), GraphStage("b", (StageNeed("z", -1),))]),
        SCHEDULES["serial"],
        Simple(execute),
    )
    running = asyncio.create_task(run.run())
    await waiting.wait()
    assert run.running == (Node("a", 0),)
    run.stop(GraphStop("second"))
    assert (await running).why == "first"


@pytest.mark.parametrize("schedule", sorted(SCHEDULES))
async def test_of_two_stops_the_one_that_comes_first_in_the_serial_order_counts(schedule: str) -> None:
    async def execute(node: Node) -> GraphStop[str] | None:
        stops = {Node("a", 0): GraphStop("late", Node("b", 1)), Node("b", 0): GraphStop("early", Node("a", 1))}
        return stops.get(node)

    graph = Graph([GraphStage("a"), GraphStage("b", (StageNeed("a"),))])
    assert (await GraphRun(graph, SCHEDULES[schedule], Simple(execute)).run()).why == "early"


async def test_a_stage_that_raises_ends_the_run_with_its_error_and_no_other_stage_left() -> None:
    cancelled = []

    async def execute(node: Node) -> GraphStop[str] | None:
        if node.stage == "b":
            raise LookupError("no such thing")
        if node != Node("a", 0):
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.append(node)
        return None

    run = GraphRun(LOOP, SCHEDULES["overlap"], Simple(execute))
    with pytest.raises(StageError, match="stage 'b' of step 0") as caught:
        await run.run()
    assert isinstance(caught.value.__cause__, LookupError)
    assert set(cancelled) == {Node("a", 1), Node("c", 0)}


async def test_cancelling_a_run_cancels_every_stage_and_waits_for_it() -> None:
    begun, ended = asyncio.Event(), []

    async def execute(node: Node) -> GraphStop[str] | None:
        if node == Node("a", 0):
            return None
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(node.stage)
        return None

    run = GraphRun(LOOP, SCHEDULES["overlap"], Simple(execute))
    running = asyncio.create_task(run.run())
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sorted(ended) == ["a", "b", "c"]
    assert run.running == ()


async def test_a_run_stopped_before_it_begins_runs_nothing() -> None:
    async def execute(node: Node) -> GraphStop[str] | None:
        raise AssertionError(node)

    run = GraphRun(LOOP, SCHEDULES["overlap"], Simple(execute))
    run.stop(GraphStop("never"))
    assert (await run.run()).why == "never"


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ([GraphStage("a"), GraphStage("a")], "same name"),
        ([GraphStage("a", (StageNeed("x"),))], "'x', which is no stage"),
        ([GraphStage("a", (StageNeed("b"),)), GraphStage("b")], "comes before"),
        ([GraphStage("a", (StageNeed("a"),))], "comes before"),
        ([GraphStage("a", (StageNeed("b", 1),)), GraphStage("b", turn=0)], "comes before"),
    ],
)
def test_a_graph_that_could_never_run_is_refused(stages: list[GraphStage], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Graph(stages)


async def test_work_that_swallows_its_cancellation_is_dropped_all_the_same() -> None:
    a, b = Node("a", 0), Node("b", 0)

    class Deaf(Play):
        async def execute(self, node: Node, assumed: frozenset[Node]) -> str | None:
            try:
                return await super().execute(node, assumed)
            except asyncio.CancelledError:
                if node != b:
                    raise
                return "late"

    graph = Graph([GraphStage("a"), GraphStage("b", (StageNeed("a", assumable=True),))])
    played = Deaf({a: 0.01, b: 0.03}, b, GraphStop("enough", b), surprises=frozenset({a}))
    await asyncio.wait_for(GraphRun(graph, SCHEDULES["speculate"], played).run(), 10)
    assert played.dropped[0] == (b, frozenset({a}), a)
    assert played.asked[b][-1][1] == frozenset()
