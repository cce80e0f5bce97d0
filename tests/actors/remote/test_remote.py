"""The same class with asyncio alone and behind Ray; what a proxy adds to Ray."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import ray

from manyhands.actors.clock import RealClock
from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.episode.journal import Journal as EpisodeJournal
from manyhands.actors.episode.paused_time import WaitBudget, measure_s
from manyhands.actors.frames import ModelImage
from manyhands.actors.interfaces import Agent
from manyhands.actors.remote import (
    Actor,
    AgentProxy,
    GatewayProxy,
    HostProxy,
    PerceptionProxy,
    StoreProxy,
    spawn,
    stop,
    value_of,
)
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    ActorLost,
    DeadlinePassed,
    ModelUnreachable,
    Overloaded,
    SpeculationRefused,
    StaleEpoch,
)
from manyhands.protocol.journals.journal import scan
from manyhands.protocol.journals.records import Acted, EpisodeEnded, NotesTaken, Span, StageFailed
from manyhands.protocol.messages import CallContext, ModelCall
from manyhands.protocol.phones import Lease, SettleSpec
from manyhands.protocol.roles.requests import Brief, DecideRequest, Decision, Notes, Plan, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Home
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from tests.actors.episode.world import order
from tests.actors.remote.dying_store import DyingStore
from tests.actors.remote.looking import LOOKING, ResetGateway
from tests.actors.remote.remote_workers import Caller, Journal, SlowOperator, StillGateway, model_call
from tests.permitted import permitted

pytestmark = pytest.mark.ray

IMAGE = ModelImage("c" * 32, b"jpeg")
SHOT = Screenshot(content_id="c" * 32, size=Size(width=3, height=4), serial="s", taken_at=1, capture_ms=1)
Spawn = Callable[..., Awaitable[Actor]]
Operator = Agent[DecideRequest, Decision]


def request(goal: str) -> DecideRequest:
    return DecideRequest(
        brief=Brief(goal=goal),
        plan=Plan(thought="", text="", subgoal=Subgoal(id=1, text=""), change="next", status="continue"),
        progress="",
        notes="",
        screenshot=SHOT,
        screen=Screen(content_id=SHOT.content_id, size=SHOT.size, elements=(), keyboard="unknown"),
        history=(),
    )


def context(seconds: float = 60.0) -> CallContext:
    return CallContext(episode="e", step=0, deadline=time.time() + seconds)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal.txt")


@pytest.fixture
async def spawned(ray_local: str) -> AsyncIterator[Spawn]:
    """Creates actors that are stopped when the test ends."""
    async with AsyncExitStack() as actors:

        async def create(*args: object, **options: object) -> Actor:
            actor = await spawn(*args, **options)
            actors.push_async_callback(stop, actor)
            return actor

        yield create


@pytest.fixture(params=["plain", "ray"])
async def operator(request: pytest.FixtureRequest, journal: Journal) -> AsyncIterator[Operator]:
    path = journal._path
    if request.param == "plain":
        plain = SlowOperator(path)
        await plain.start()
        yield plain
        await plain.stop()
        return
    request.getfixturevalue("ray_local")
    actor = await spawn(SlowOperator, path)
    yield AgentProxy(actor)
    await stop(actor)


async def test_an_answer_comes_back_as_it_was(operator: Operator) -> None:
    answer = await operator.answer(request("echo"), context(), IMAGE)
    assert answer.value.expectation == IMAGE.content_id


@pytest.mark.parametrize("jump", [3600.0, 8 * 86400.0])
async def test_an_actor_keeps_deadlines_by_the_clock_of_who_calls_it(
    spawned: Spawn, journal: Journal, jump: float
) -> None:
    """One that started before our time differed from the machine's, and one that started after."""
    before, anchor = await spawned(SlowOperator, journal._path), HOST_CLOCK.anchor
    HOST_CLOCK.advance_to(HOST_CLOCK.now() + jump)
    try:
        after = await spawned(SlowOperator, journal._path)
        for actor in (before, after):
            for goal, seconds in (("echo", 60.0), ("sleep", 1.0)):
                asked = context().model_copy(update={"deadline": HOST_CLOCK.now() + seconds})
                if goal == "echo":
                    answer = await AgentProxy(actor).answer(request(goal), asked, IMAGE)
                    assert answer.value.expectation == IMAGE.content_id
                else:
                    with pytest.raises(DeadlinePassed):
                        await AgentProxy(actor).answer(request(goal), asked, IMAGE)
    finally:
        HOST_CLOCK.adopt(anchor)


async def test_an_error_arrives_as_the_type_it_was_with_its_attributes(operator: Operator) -> None:
    with pytest.raises(ModelUnreachable, match="no server answers") as caught:
        await operator.answer(request("fail"), context(), IMAGE)
    assert type(caught.value) is ModelUnreachable
    assert caught.value.calls == (model_call(),)


async def test_what_finds_no_room_is_refused_by_type_and_tried_once(spawned: Spawn, journal: Journal) -> None:
    actors = [await spawned(SlowOperator, journal._path) for _ in range(2)]
    ahead = context().model_copy(update={"speculative": True})
    with pytest.raises(SpeculationRefused) as caught:
        await AgentProxy(*actors).answer(request("echo"), ahead, IMAGE)
    assert type(caught.value) is SpeculationRefused
    assert caught.value.calls == (model_call(),)
    assert len(journal.times("called")) == 1


async def test_a_defect_arrives_as_the_error_it_was(operator: Operator) -> None:
    with pytest.raises(KeyError) as caught:
        await operator.answer(request("break"), context(), IMAGE)
    assert type(caught.value) is KeyError


async def test_cancelling_a_call_ends_the_method_at_once(operator: Operator, journal: Journal) -> None:
    call = asyncio.create_task(operator.answer(request("sleep"), context(), IMAGE))
    await journal.wait_for("called")
    cancelled_at = time.time()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert call.cancelled()
    [ended_at] = journal.times("cancelled")  # the method's end was awaited: no need to wait for it here
    assert ended_at - cancelled_at < 0.5


async def test_a_timeout_around_a_call_ends_the_method(operator: Operator, journal: Journal) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await operator.answer(request("sleep"), context(), IMAGE)
    assert len(journal.times("cancelled")) == 1


async def test_start_runs_once_and_stop_runs(ray_local: str, journal: Journal) -> None:
    actor = await spawn(SlowOperator, journal._path)
    operator = AgentProxy(actor)
    await asyncio.gather(*(operator.answer(request("echo"), context(), IMAGE) for _ in range(5)))
    await stop(actor)
    assert len(journal.times("started")) == len(journal.times("stopped")) == 1
    with pytest.raises(ActorLost):
        await operator.answer(request("echo"), context(), IMAGE)
    await stop(actor)  # gone already: no error


async def test_what_the_constructor_raises_is_raised_by_spawn(ray_local: str) -> None:
    with pytest.raises(TypeError, match="positional arguments"):
        await spawn(SlowOperator, "path", True, "one too many")


async def test_the_deadline_ends_a_method_that_does_not_look_at_it(spawned: Spawn, journal: Journal) -> None:
    operator = AgentProxy(await spawned(SlowOperator, journal._path))
    with pytest.raises(DeadlinePassed):
        await operator.answer(request("sleep"), context(0.3), IMAGE)
    assert len(journal.times("cancelled")) == 1


async def test_a_call_past_its_deadline_is_not_sent(spawned: Spawn, journal: Journal) -> None:
    operator = AgentProxy(await spawned(SlowOperator, journal._path))
    with pytest.raises(DeadlinePassed):
        await operator.answer(request("echo"), context(-1), IMAGE)
    assert journal.times("called") == []


async def test_a_killed_caller_leaves_nothing_running_past_the_deadline(spawned: Spawn, journal: Journal) -> None:
    operator = AgentProxy(await spawned(SlowOperator, journal._path))
    host = HostProxy(await spawned(Caller, operator))
    pid = await host.progress()
    until = context(1.5)
    call = asyncio.create_task(host.run_episode((request("sleep"), until, IMAGE)))
    await journal.wait_for("called")
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ActorLost):
        await call
    [ended_at] = await journal.wait_for("cancelled")
    assert until.deadline <= ended_at < until.deadline + 2


async def test_cancelling_reaches_through_an_actor_to_the_next(spawned: Spawn, journal: Journal) -> None:
    operator = AgentProxy(await spawned(SlowOperator, journal._path))
    host = HostProxy(await spawned(Caller, operator))
    call = asyncio.create_task(host.run_episode((request("sleep"), context(), IMAGE)))
    await journal.wait_for("called")
    cancelled_at = time.time()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    [ended_at] = journal.times("cancelled")
    assert ended_at - cancelled_at < 0.5


async def test_a_method_that_ends_itself_is_a_lost_call_not_a_cancelled_caller(
    spawned: Spawn, journal: Journal
) -> None:
    operator = AgentProxy(await spawned(SlowOperator, journal._path))
    with pytest.raises(ActorLost):
        await operator.answer(request("own cancellation"), context(), IMAGE)


async def test_a_pure_call_is_sent_again_to_a_restarted_actor(spawned: Spawn, journal: Journal) -> None:
    operator = AgentProxy(await spawned(SlowOperator, journal._path, max_restarts=1))
    answer = await operator.answer(request("die once"), context(), IMAGE)
    assert answer.value.expectation == IMAGE.content_id
    assert len(journal.times("called")) == 2
    assert len(journal.times("started")) == 2


async def test_a_call_that_kills_its_actor_is_not_sent_for_ever(spawned: Spawn, journal: Journal) -> None:
    operator = AgentProxy(await spawned(SlowOperator, journal._path, max_restarts=-1))
    with pytest.raises(ActorLost):
        await operator.answer(request("die"), context(), IMAGE)
    assert len(journal.times("called")) == 4
    assert (await operator.answer(request("echo"), context(90), IMAGE)).value.expectation == IMAGE.content_id


async def test_what_touches_a_phone_is_sent_once(spawned: Spawn, journal: Journal) -> None:
    gateway = GatewayProxy(await spawned(StillGateway, journal._path, max_restarts=1))
    lease = await gateway.attach("still", "me", 30)
    with pytest.raises(ActorLost):
        await gateway.perform(lease, permitted(key="e:0:0:0", action=Home()), context())
    await until_answered(gateway)
    assert len(journal.times("performed")) == 1


async def test_what_only_asks_is_asked_again_of_a_restarted_gateway(spawned: Spawn, journal: Journal) -> None:
    gateway = GatewayProxy(await spawned(StillGateway, journal._path, max_restarts=5))
    assert [phone.serial for phone in await gateway.phones()] == ["p"]
    await gateway.connect("p")
    assert (await gateway.size("p")).height == 600
    assert await gateway.labels("p") == {"model": "Still"}
    assert await gateway.look("p", "content://any") == {"looked_at": "p"}
    lease = Lease(serial="still", holder="unlucky", epoch=1, expires_at=0)
    screenshot, _, _ = await gateway.capture(lease, None, context())
    assert screenshot.serial == "still"
    assert await gateway.renew(lease, 30)
    assert await gateway.state(lease, "content://any", context()) == {"held_by": "unlucky"}
    assert [receipt.key for receipt in await gateway.recall(lease, ["k"], context())] == ["k"]
    assert {method: len(journal.times(method)) for method in ("look", "capture", "renew", "state", "recall")} == {
        "look": 2,
        "capture": 2,
        "renew": 2,
        "state": 2,
        "recall": 2,
    }
    with pytest.raises(ActorLost):
        await gateway.perform(lease, permitted(key="e:0:0:0", action=Home()), context())
    with pytest.raises(ActorLost):
        await gateway.capture(lease, None, context())


async def until_answered(gateway: GatewayProxy) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                await gateway.attach("still", "me", 30)
                return
            except ActorLost:
                await asyncio.sleep(0.05)


async def test_a_capture_gives_references_that_other_actors_receive_as_values(spawned: Spawn, journal: Journal) -> None:
    gateway = GatewayProxy(await spawned(StillGateway, journal._path))
    operator = AgentProxy(await spawned(SlowOperator, journal._path))
    lease = await gateway.attach("still", "me", 30)
    screenshot, image, frame = await gateway.capture(lease, None, context())
    assert not isinstance(image, ModelImage)
    assert type(image) is type(frame)
    answer = await operator.answer(request("echo"), context(), image)
    assert answer.value.expectation == screenshot.content_id


async def test_an_action_gives_its_receipt_and_references_to_the_picture_if_there_is_one(
    spawned: Spawn, journal: Journal
) -> None:
    gateway = GatewayProxy(await spawned(StillGateway, journal._path))
    operator = AgentProxy(await spawned(SlowOperator, journal._path))
    lease = await gateway.attach("still", "me", 30)
    perform = permitted(key="e:0:0:0", action=Home())
    performed, image, _ = await gateway.perform_and_capture(lease, perform, SettleSpec(), context())
    assert performed.receipt.status == "done"
    assert performed.screenshot is not None
    answer = await operator.answer(request("echo"), context(), image)
    assert answer.value.expectation == performed.screenshot.content_id
    blind, image, frame = await gateway.perform_and_capture(lease, perform, None, context())
    assert (blind.receipt.key, blind.screenshot, image, frame) == (perform.key, None, None, None)


async def test_calls_go_to_the_replica_with_the_fewest_in_flight(spawned: Spawn, journal: Journal) -> None:
    actors = [await spawned(SlowOperator, journal._path) for _ in range(2)]
    operator = AgentProxy(*actors)
    [first, second] = [(await AgentProxy(actor).answer(request("echo"), context(), IMAGE)) for actor in actors]
    waiting = asyncio.create_task(operator.answer(request("sleep"), context(), IMAGE))
    await journal.wait_for("called", 3)
    answers = [await operator.answer(request("echo"), context(), IMAGE) for _ in range(3)]
    assert {answer.value.thought for answer in answers} == {second.value.thought} != {first.value.thought}
    waiting.cancel()
    await asyncio.wait({waiting})


async def test_a_full_or_lost_replica_is_passed_over(spawned: Spawn, journal: Journal) -> None:
    full = await spawned(SlowOperator, journal._path, True)
    free = await spawned(SlowOperator, journal._path)
    with pytest.raises(Overloaded):
        await AgentProxy(full).answer(request("echo"), context(), IMAGE)
    assert (await AgentProxy(full, free).answer(request("echo"), context(), IMAGE)).calls == ()
    await stop(full)
    assert (await AgentProxy(full, free).answer(request("echo"), context(), IMAGE)).calls == ()
    with pytest.raises(Overloaded):
        await AgentProxy(full, free).answer(request("refuse"), context(), IMAGE)


async def test_a_named_actor_is_found_again(spawned: Spawn, ray_local: str, journal: Journal) -> None:
    chosen = {"name": "operator-of-the-host", "namespace": ray_local, "get_if_exists": True}
    first = AgentProxy(await spawned(SlowOperator, journal._path, **chosen))
    second = AgentProxy(await spawned(SlowOperator, journal._path, **chosen))
    answers = [await operator.answer(request("echo"), context(), IMAGE) for operator in (first, second)]
    assert answers[0].value.thought == answers[1].value.thought
    assert len(journal.times("started")) == 1


async def test_errors_of_ours_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(ModelUnreachable("m", calls=(model_call(),))))
    assert (str(error), error.calls) == ("m", (model_call(),))


def test_no_other_part_of_the_product_speaks_to_ray_actors() -> None:
    root = Path(__file__).parents[3]
    parts = ("protocol", "actors", "deploy", "service", "evaluation", "rollouts", "simulator", "benchmarks")
    sources = [path for part in parts for path in (root / part).rglob("*.py")]
    speaking = {path.parent.relative_to(root) for path in sources if ".remote(" in path.read_text(encoding="utf-8")}
    assert speaking == {Path("actors/remote")}


async def test_records_that_went_through_ray_lie_in_the_journal_as_they_were(spawned: Spawn, tmp_path: Path) -> None:
    store = StoreProxy(await spawned(RunStore, StoreSettings(folder=tmp_path)))
    acted = Acted(step=0, span=Span(start=1, end=2))
    ended = EpisodeEnded(at=3, ending=Ending.FINISHED, reason="", steps=1, verified=None, rubrics={})
    await store.append("a", [acted], 0, 1)
    await store.append("a", [ended], 1, 1)
    assert scan((tmp_path / "episodes" / "a" / "journal.mh").read_bytes()).records == (acted, ended)
    beyond = ModelCall(role=Role.NOTE, server="s", request={"seed": 2**70}, reply=None, started_at=1, latency_ms=1)
    await store.append("a", [NotesTaken(step=0, span=acted.span, notes=Notes(text=""), calls=(beyond,))], 2, 1)
    stands = scan((tmp_path / "episodes" / "a" / "journal.mh").read_bytes()).records[-1]
    assert isinstance(stands, NotesTaken | StageFailed)
    assert "the record could not be written" in stands.model_dump_json()


async def test_an_episode_outlives_its_store_and_each_record_counts_once(spawned: Spawn, tmp_path: Path) -> None:
    store = StoreProxy(await spawned(DyingStore, StoreSettings(folder=tmp_path), max_restarts=5))
    patience = WaitBudget(RealClock(), 60)
    written = EpisodeJournal(store, "a", 3, 9, patience)
    writer = asyncio.create_task(written.run())
    acted = [Acted(step=step, span=Span(start=1, end=2)) for step in range(6)]
    for step, record in enumerate(acted):
        if step in (2, 4):
            (tmp_path / ("die-before" if step == 2 else "die-after")).touch()
        await written.write(record)
        await written.flush()
    assert measure_s(patience.intervals()) > 0
    writer.cancel()
    found = scan((tmp_path / "episodes" / "a" / "journal.mh").read_bytes())
    assert (found.records, found.damage, found.next_seq) == (tuple(acted), (), 6)
    read = await store.read("a", 4)
    assert (read.records, read.epoch) == (found.records, 3)
    with pytest.raises(StaleEpoch):
        await store.append("a", acted[:1], 6, 3)
    assert await store.index() == ()
    assert await store.screen("a" * 32) is None


async def test_a_stage_sees_the_pixels_that_lie_in_rays_store(spawned: Spawn, journal: Journal, tmp_path: Path) -> None:
    gateway = GatewayProxy(await spawned(ResetGateway, journal._path))
    store = StoreProxy(await spawned(RunStore, StoreSettings(folder=tmp_path)))
    nobody = PerceptionProxy(gateway._actor)
    among = Collaborators(agents={}, perception=nobody, gateway=gateway, store=store, value_of=value_of)
    host = HostProxy(await spawned(EpisodeHost, HostSettings(), among, None, {"looking": LOOKING}))
    lease = await gateway.attach("phone", "h", 60)
    given = order(profile="looking").model_copy(update={"lease": lease})
    result = await host.run_episode(given)
    assert (result.ending, result.reason) == (Ending.FINISHED, "it saw 7")


async def test_what_is_no_reference_is_its_own_value_and_what_is_lost_is_an_error_of_ours(
    spawned: Spawn, journal: Journal
) -> None:
    assert await value_of(IMAGE) is IMAGE
    actor = await spawned(StillGateway, journal._path)
    gateway = GatewayProxy(actor)
    _, image, frame = await gateway.capture(await gateway.attach("phone", "h", 60), None, context())
    assert (await value_of(image)).jpeg == b"j" * 300_000
    assert (await value_of(frame)).rgb().mean() == 7
    ray.kill(actor.handle)

    async def read_until_it_is_dead() -> None:
        while True:  # a call may overtake the kill
            await value_of(actor.handle.start.remote())

    with pytest.raises(ActorLost, match="a picture"):
        await asyncio.wait_for(read_until_it_is_dead(), 30)
