"""What holds of every episode: over random latencies, mistakes, faults and schedules, in virtual time."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.episode.checks.check import RUBRICS
from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.schedule import SCHEDULES, GraphRun, GraphStop, Node
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.e import PROFILE
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    DeadlinePassed,
    LeaseLost,
    ModelUnreachable,
    Overloaded,
    PerceptionError,
    PhoneLost,
    ReplyUnusable,
)
from manyhands.protocol.journals.journal import encode, scan
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    NotesTaken,
    Perceived,
    Planned,
    Record,
    Reflected,
    RubricsChecked,
    ScreenCaptured,
    StageDropped,
    StageFailed,
)
from manyhands.protocol.roles.requests import DecideRequest, PlanRequest
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, Swipe, Tap, Wait
from tests.actors.episode.simple_work import Simple
from tests.actors.episode.world import World, next_screen, order, right_action, shown
from tests.examples import examples
from tests.virtual_clock import START, run_virtual

METHODS = [
    "capture",
    "perceive",
    "plan",
    "decide",
    "perform",
    "verify",
    "note",
    "state",
    "append",
    "put_screens",
    "renew",
]
STAGE = {
    ScreenCaptured: "capture",
    Perceived: "perceive",
    Planned: "plan",
    ActionDecided: "decide",
    ActionSent: "act",
    ActionReceived: "act",
    Acted: "act",
    Reflected: "verify",
    NotesTaken: "note",
    RubricsChecked: RUBRICS.name,
}
TASK = {
    "check": {"source": "content://example/state", "holds": {"path": "screen", "equals": "s4"}},
    "rubrics": [{"name": f"saw s{number}", "holds": {"path": "screen", "equals": f"s{number}"}} for number in range(5)],
    "limits": {"max_steps": 8},
}


def drawn(*parts: object) -> float:
    """A number in [0, 1) that depends on ``parts`` alone."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=6).digest(), "big") / 2**48


def mistaken(seed: int, often: float) -> Callable[[DecideRequest], Action | str]:
    """An operator whose reply, right or wrong, depends on the screen and on what it did there before."""

    def chooses(request: DecideRequest) -> Action | str:
        name = shown(request.screen)
        before = sum(past.step >= 0 for past in request.history)
        if drawn(seed, name, before) >= often:
            return right_action(name)
        wrong: list[Action | str] = [
            Tap(x=99, y=9),
            Swipe(x1=9, y1=9, x2=9, y2=99),
            Wait(seconds=3),
            "no action",
            Tap(x=500, y=0),
        ]
        return wrong[int(drawn(seed, name, before, "which") * len(wrong))]

    return chooses


def moves(seed: int) -> Callable[[str, Action], str]:
    """Some taps go nowhere."""
    return lambda screen, action: screen if drawn(seed, screen, str(action)) < 0.1 else next_screen(screen, action)


@st.composite
def latencies(draw: st.DrawFn) -> Callable[[str, int], float]:
    seed = draw(st.integers(0, 2**32))
    scale = {method: draw(st.sampled_from([0.0, 0.1, 1.0, 5.0])) for method in METHODS}
    return lambda method, count: scale.get(method, 0.1) * (0.1 + drawn(seed, method, count))


def play(world: World, **chosen: Any) -> tuple[EpisodeResult, list[Record]]:
    result = run_virtual(world.host(records_ahead=4, screens_ahead=1).run_episode(order(task=TASK, **chosen)))
    return result, world.journals["run-task-1"]


def steps_of(kind: Any, journal: list[Record]) -> list[int]:
    return [record.step for record in journal if isinstance(record, kind)]


def check_journal(journal: list[Record]) -> None:
    """Order on disk, whatever happened: no action before the verdict on the last, history in order, one ending."""
    assert isinstance(journal[0], EpisodeStarted)
    assert isinstance(journal[-1], EpisodeEnded)
    assert [record.kind for record in journal].count("episode_ended") == 1
    where = {(type(record), getattr(record, "step", None)): index for index, record in enumerate(journal)}
    sent: set[str] = set()
    for index, record in enumerate(journal):
        if isinstance(record, ActionSent):
            assert record.key not in sent
            sent.add(record.key)
            assert where[ActionDecided, record.step] < index
            if record.step > 0:
                assert where[Reflected, record.step - 1] < index
        elif isinstance(record, ActionReceived):
            assert record.receipt.key in sent
    for kind in (ScreenCaptured, Perceived, Planned, ActionDecided, Acted, Reflected, NotesTaken, RubricsChecked):
        steps = steps_of(kind, journal)
        assert steps == sorted(set(steps))
    for kind in (ScreenCaptured, ActionDecided, Acted, Reflected):
        assert steps_of(kind, journal) == list(range(len(steps_of(kind, journal))))


def changing(seed: int, often: float) -> Callable[[PlanRequest, str], str]:
    """A planner that, by the screen alone, says ``next`` or ``replan`` at times."""

    def changes(request: PlanRequest, name: str) -> str:
        if drawn(seed, name, "change") >= often:
            return "keep"
        return "next" if drawn(seed, name, "how") < 0.5 else "replan"

    return changes


SOME_SCHEDULE = st.sampled_from(
    [(name, exact) for name in SCHEDULES for exact in (False, True) if not (exact and name == "speculate")]
)
OFTEN = st.sampled_from([0.0, 0.1, 0.3])


@settings(max_examples=examples(120), deadline=None)
@given(st.lists(latencies(), min_size=3, max_size=3), st.integers(0, 10_000), OFTEN, OFTEN, st.booleans())
def test_every_schedule_sends_the_same_actions_and_learns_the_same(
    latency: list[Callable[[str, int], float]], seed: int, often: float, changes: float, paper_exact: bool
) -> None:
    played = {}
    for name, some in zip(SCHEDULES, latency, strict=True):
        if paper_exact and name == "speculate":
            continue
        world = World(
            goal_screen="s4",
            chooses=mistaken(seed, often),
            changes=changing(seed, changes),
            moves=moves(seed),
            latency=some,
        )
        result, journal = play(world, schedule=name, paper_exact=paper_exact)
        check_journal(journal)
        assert result.ending not in (Ending.INTERNAL_ERROR, Ending.CANCELLED)
        sent = [(record.key, record.action) for record in journal if isinstance(record, ActionSent)]
        assert world.ledger == [key for key, _ in sent]
        assert not world.unwritten
        judged = [record for record in journal if isinstance(record, Reflected)]
        # With paper_exact the notetaker is asked after each step.
        noted = [record.step for record in judged if paper_exact or record.reflection.outcome == "A"]
        assert steps_of(NotesTaken, journal) == noted
        notes = [record.notes.text for record in journal if isinstance(record, NotesTaken)]
        verdicts = [record.reflection for record in journal if isinstance(record, Reflected)]
        plans = [record.plan for record in journal if isinstance(record, Planned)]
        played[name] = (result.ending, result.steps, result.verified, result.rubrics, sent, notes, verdicts, plans)
        if name == "serial":
            assert world.most_in_flight == 1
        if name != "speculate":
            assert not steps_of(StageDropped, journal)
    assert all(each == played["serial"] for each in played.values())


@settings(max_examples=examples(120), deadline=None)
@given(latencies(), st.integers(0, 10_000), OFTEN, OFTEN, st.sampled_from([0.0, 0.3, 1.0]))
def test_what_is_asked_ahead_of_time_counts_only_if_what_it_was_told_came_true(
    latency: Callable[[str, int], float], seed: int, often: float, changes: float, full: float
) -> None:
    def room(method: str, count: int) -> bool:
        return drawn(seed, method, count, "room") >= full

    world = World(
        goal_screen="s4",
        chooses=mistaken(seed, often),
        changes=changing(seed, changes),
        moves=moves(seed),
        latency=latency,
        room=room,
    )
    _, journal = play(world, schedule="speculate")
    check_journal(journal)
    whole = EpisodeState()
    for record in journal:
        whole = fold(whole, record)
    asked = {f"so {number}": what for number, what in enumerate(world.begun["decide"])}
    for record in journal:
        if isinstance(record, ActionDecided) and record.decision.action is not None:
            request = asked[record.decision.thought]
            plan = whole.plan(record.step)
            assert plan is not None
            assert request.plan.subgoal.id == plan.subgoal.id
            assert request.history == whole.history(record.step, 5)
            older = whole.progress(record.step - 2)
            if "verify" in record.assumed:
                assert request.progress in (older, whole.progress(record.step - 1))
            else:
                assert request.progress == whole.progress(record.step - 1)
            assert request.notes == whole.notes(record.step - 2)
    for record in journal:
        if isinstance(record, StageDropped):
            assert record.wrong in ("verify", "plan", "note", None)
    if full == 1.0:
        assert not steps_of(StageDropped, journal)
        assert not any(record.assumed for record in journal if isinstance(record, Planned | ActionDecided))


@settings(max_examples=examples(80), deadline=None)
@given(latencies(), st.integers(0, 10_000), st.sampled_from([0.0, 0.2]))
def test_overlap_is_never_slower_than_serial_nor_speculate_than_overlap(
    latency: Callable[[str, int], float], seed: int, often: float
) -> None:
    def beside(method: str, count: int) -> float:
        """The same for every call of a method, for schedules count them differently."""
        return 0.0 if method in ("append", "put_screens", "renew") else latency(method, 0)

    took = {}
    for name in SCHEDULES:
        world = World(
            goal_screen="s4",
            chooses=mistaken(seed, often),
            changes=changing(seed, often),
            moves=moves(seed),
            latency=beside,
        )
        result, _ = play(world, schedule=name)
        took[name] = result.ended_at - result.started_at
    assert took["overlap"] <= took["serial"] + 1e-5
    assert took["speculate"] <= took["overlap"] + 1e-5


FAULTS = [
    PhoneLost("unplugged"),
    LeaseLost("taken"),
    ModelUnreachable("down"),
    ReplyUnusable("gibberish"),
    PerceptionError("no engine"),
    DeadlinePassed("late"),
    Overloaded("busy"),
    LookupError("a defect"),
]


@settings(max_examples=examples(200), deadline=None)
@given(st.data(), latencies(), SOME_SCHEDULE)
def test_whatever_fails_the_episode_ends_by_name_and_leaves_nothing(
    data: st.DataObject, latency: Callable[[str, int], float], chosen: tuple[str, bool]
) -> None:
    schedule, paper_exact = chosen
    when = st.tuples(st.sampled_from([*METHODS[:8], "renew", "reset"]), st.integers(0, 5))
    faults = data.draw(st.dictionaries(when, st.sampled_from(FAULTS), max_size=3))
    cancel_after = data.draw(st.none() | st.floats(0, 30))
    world = World(
        goal_screen="s4",
        chooses=mistaken(data.draw(st.integers(0, 99)), 0.2),
        changes=changing(data.draw(st.integers(0, 99)), 0.3),
        latency=latency,
        fault=lambda method, count: faults.get((method, count)),
    )

    async def main() -> EpisodeResult | None:
        chosen_order = order(task=TASK, schedule=schedule, paper_exact=paper_exact)
        running = asyncio.create_task(world.host().run_episode(chosen_order))
        if cancel_after is not None:
            asyncio.get_running_loop().call_later(cancel_after, running.cancel)
        try:
            return await running
        except asyncio.CancelledError:
            return None
        finally:
            assert asyncio.all_tasks() == {asyncio.current_task()}

    result = run_virtual(main())
    if not world.journals:
        assert result is None
        return
    journal = world.journals["run-task-1"]
    check_journal(journal)
    ended = journal[-1]
    assert isinstance(ended, EpisodeEnded)
    if result is not None:
        assert (ended.ending, ended.reason) == (result.ending, result.reason)
    elif cancel_after is not None and ended.at - START >= cancel_after:
        assert ended.ending is Ending.CANCELLED
    assert world.in_flight == 0
    written = {record.key for record in journal if isinstance(record, ActionSent)}
    assert set(world.ledger) <= written
    assert len(set(world.ledger)) == len(world.ledger)
    assert not world.unwritten


def replayed(journal: list[Record], latency: Callable[[str, int], float]) -> list[Record]:
    """The same records in the order in which other latencies would have written them."""
    groups: dict[Node, list[Record]] = {}
    head: list[Record] = []
    tail: list[Record] = []
    for record in journal:
        stage = record.stage if isinstance(record, StageFailed) else STAGE.get(type(record))
        if stage is not None:
            groups.setdefault(Node(stage, record.step), []).append(record)  # type: ignore[union-attr]
        else:
            (tail if isinstance(record, EpisodeEnded) else head).append(record)
    last = max(node.step for node in groups)
    written: list[Record] = []

    async def write(node: Node) -> GraphStop[str] | None:
        await asyncio.sleep(latency(node.stage, node.step))
        written.extend(groups.get(node, []))
        return GraphStop("all", Node("plan", last + 2)) if node == Node("plan", last + 1) else None

    graph = PROFILE.loop(EpisodeSettings(), RUBRICS)
    run_virtual(GraphRun(graph, SCHEDULES["overlap"], Simple(write)).run())
    return [*head, *written, *tail]


@settings(max_examples=examples(50), deadline=None)
@given(latencies(), latencies(), st.integers(0, 10_000))
def test_working_memory_is_a_fold_that_does_not_care_how_stages_overlapped(
    latency: Callable[[str, int], float], other: Callable[[str, int], float], seed: int
) -> None:
    unusable = ReplyUnusable("gibberish")
    faults = dict.fromkeys(itertools.product(("plan", "note"), (1, 3)), unusable)
    world = World(
        goal_screen="s4",
        chooses=mistaken(seed, 0.2),
        latency=latency,
        fault=lambda method, count: faults.get((method, count)),
    )
    _, journal = play(world)
    reordered = replayed(journal, other)
    assert sorted(map(str, reordered)) == sorted(map(str, journal))
    states = []
    for records in (journal, reordered, scan(b"".join(encode(record, "e") for record in journal)).records):
        state = EpisodeState()
        for record in records:
            state = fold(state, record)
        states.append(state)
    assert states[0] == states[1] == states[2]
