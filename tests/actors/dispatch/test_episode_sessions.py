"""Each episode has one session at a trainer's gateway, which is told one reward, whoever dies in between."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ModelRefused, ModelUnreachable
from manyhands.protocol.journals.records import EpisodeEnded, ModelSessionEnded, Record
from manyhands.protocol.messages import ModelSession, SessionFacts
from manyhands.protocol.phones import Lease
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.control import FIRST_BATCH, Cancel, Drain, tell
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.tasks.repeats import expand_groups
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.dispatch.dispatch_parts import endings, tasks
from tests.actors.dispatch.test_batch_recovery import Restarted
from tests.virtual_clock import START, run_virtual


def reward_of(records: Sequence[Record]) -> float | None:
    last = [record.ending for record in records if isinstance(record, EpisodeEnded)][-1:]
    return 1.0 if last == [Ending.FINISHED] else 0.0 if last == [Ending.STEP_LIMIT] else None


class TrainerGateway:
    """Keeps sessions in memory. It opens at most ``capacity`` at a time, and answers from ``away_until`` on."""

    def __init__(self, clock: Clock, capacity: int = 99, away_until: float = 0.0) -> None:
        self.open_now: set[str] = set()
        self.opened: Counter[str] = Counter()
        self.rewards: dict[str, float | None] = {}
        """The reward of each session that has ended; None for one that was discarded."""
        self.told: Counter[str] = Counter()
        """How often the gateway was told of an end."""
        self._clock = clock
        self._capacity = capacity
        self.away_until = away_until
        self.answers_after_s = 0.0
        """How long an answer about an end takes."""

    async def open(self, facts: SessionFacts, deadline: float) -> ModelSession:
        if facts.attempt == 13:
            raise ModelRefused("the gateway refuses: no such key")
        while self._clock.now() < self.away_until or self._is_full(facts.episode):
            if self._clock.now() >= deadline:
                raise ModelUnreachable("the gateway does not serve")
            await self._clock.sleep(1)
        assert self.rewards.pop(facts.episode, None) is None, "its session has ended"
        self.open_now.add(facts.episode)
        self.opened[facts.episode] += 1
        return ModelSession(url=f"http://gateway/{facts.episode}")

    async def close(self, episode: str, reward: float, deadline: float) -> None:
        await self._end(episode, reward)

    async def discard(self, episode: str, deadline: float) -> None:
        await self._end(episode, None)

    async def _end(self, episode: str, reward: float | None) -> None:
        await self._clock.sleep(self.answers_after_s)
        assert self.rewards.setdefault(episode, reward) == reward
        self.open_now.discard(episode)
        self.told[episode] += 1

    def _is_full(self, episode: str) -> bool:
        return len(self.open_now - {episode}) >= self._capacity


class World(Restarted):
    def __init__(self, seconds: float = 10.0, capacity: int = 99, away_until: float = 0.0, **settings: Any) -> None:
        super().__init__(seconds, **settings)
        self.gateway = TrainerGateway(self.fixture.clock, capacity, away_until)

    def dispatcher(self) -> Dispatcher:
        fixture = self.fixture
        parts = (fixture.book, LongTermMemory(), fixture.store, fixture.clock)
        return Dispatcher(self.settings, (self.host,), *parts, sessions=self.gateway, reward_of=reward_of)

    def journalled(self) -> dict[str, list[float | None]]:
        """The rewards that journals say the gateway was told."""
        journals = {name: records for name, records in self.fixture.store.journals.items() if name in self.orders}
        return {
            name: [record.reward for record in records if isinstance(record, ModelSessionEnded)]
            for name, records in journals.items()
        }

    @property
    def orders(self) -> dict[str, EpisodeOrder]:
        return {order.episode: order for order in self.host.orders}


def start(dispatcher: Dispatcher, count: int = 2, recover: bool = False) -> asyncio.Task[Sequence[EpisodeResult]]:
    return asyncio.create_task(dispatcher.run(FIRST_BATCH, tasks(count), recover))


async def ends_as(order: EpisodeOrder) -> Ending:
    """t0 passes, t1 fails, t2 is ended by a fault."""
    return {"t0": Ending.FINISHED, "t1": Ending.STEP_LIMIT}.get(order.task.id, Ending.MODEL_FAILED)


def test_each_episode_has_a_session_of_its_own_that_ends_once_with_its_reward() -> None:
    async def main() -> None:
        world = World()
        world.host._script = ends_as
        await start(world.dispatcher(), 3)
        rewards = {world.orders[episode].task.id: reward for episode, reward in world.gateway.rewards.items()}
        assert rewards == {"t0": 1.0, "t1": 0.0, "t2": None}
        assert world.journalled() == {episode: [reward] for episode, reward in world.gateway.rewards.items()}
        assert set(world.gateway.told.values()) == set(world.gateway.opened.values()) == {1}
        sessions = {episode: order.session for episode, order in world.orders.items()}
        assert sessions == {episode: ModelSession(url=f"http://gateway/{episode}") for episode in sessions}
        assert world.fixture.clock.now() - START == pytest.approx(20, abs=1)

    run_virtual(main())


def test_a_resumed_episode_keeps_its_session_and_one_begun_anew_has_another() -> None:
    async def main() -> None:
        world = World()

        async def script(order: EpisodeOrder) -> Ending:
            world.host._tasks.pop(order.episode)  # what is resumed runs again
            if order.task.id == "t0" and order.resume is None:
                return Ending.HOST_LOST
            if order.task.id == "t1" and not order.restarts:
                del (
                    world.book.held[order.lease.serial],
                    world.book._last[order.lease.serial],
                )  # another holder has had it
                return Ending.PHONE_LOST
            return Ending.FINISHED

        world.host._script = script
        assert endings(await start(world.dispatcher())) == [Ending.FINISHED] * 2
        rewards = {(order.task.id, order.restarts): world.gateway.rewards[name] for name, order in world.orders.items()}
        assert rewards == {("t0", 0): 1.0, ("t1", 0): None, ("t1", 1): 1.0}
        assert set(world.gateway.told.values()) == {1}
        assert world.gateway.open_now == set()

    run_virtual(main())


@pytest.mark.parametrize("host_dies", [True, False])
@pytest.mark.parametrize("seconds", [0.5, 5.0, 9.5, 10.0, 12.0, 19.0])
def test_a_killed_run_goes_on_with_its_sessions_and_ends_each_once(seconds: float, host_dies: bool) -> None:
    async def main() -> None:
        world = World()
        await world.dies_after(lambda one: start(one, 4), seconds)
        if host_dies:
            world.host.die()
        assert endings(await start(world.dispatcher(), 4, recover=True)) == [Ending.FINISHED] * 4
        assert len(world.orders) == 4
        assert world.gateway.rewards == dict.fromkeys(world.orders, 1.0)
        assert world.journalled() == {episode: [1.0] for episode in world.orders}

    run_virtual(main())


def test_a_run_that_dies_between_the_gateway_and_the_journal_tells_the_same_again() -> None:
    async def main() -> None:
        world = World()
        append = world.fixture.store.append

        async def dies(episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
            if isinstance(records[0], ModelSessionEnded):
                await asyncio.Event().wait()
            await append(episode, records, first, epoch)

        world.fixture.store.append = dies  # type: ignore[method-assign]
        await world.dies_after(start, 20.0)
        assert world.gateway.rewards == dict.fromkeys(world.orders, 1.0)
        assert world.journalled() == {episode: [] for episode in world.orders}
        world.fixture.store.append = append  # type: ignore[method-assign]
        assert endings(await start(world.dispatcher(), recover=True)) == [Ending.FINISHED] * 2
        assert len(world.host.orders) == 2, "decided tasks stay decided"
        assert world.journalled() == {episode: [1.0] for episode in world.orders}

    run_virtual(main())


def test_an_episode_whose_session_was_discarded_begins_anew_when_the_run_is_resumed() -> None:
    async def main() -> None:
        world = World()
        world.host._script = ends_as
        await start(world.dispatcher(), 3)

        async def passes(order: EpisodeOrder) -> Ending:
            return Ending.FINISHED

        world.host._script = passes
        for records in world.fixture.store.journals.values():
            ended = next(record for record in records if isinstance(record, EpisodeEnded))
            if ended.ending is Ending.MODEL_FAILED:  # a server's fault, which a resumed run mends
                records[records.index(ended)] = ended.model_copy(update={"ending": Ending.NO_MODEL})
        results = await start(world.dispatcher(), 3, recover=True)
        assert endings(results) == [Ending.FINISHED, Ending.STEP_LIMIT, Ending.FINISHED]
        of_t2 = {
            order.restarts: world.gateway.rewards[name] for name, order in world.orders.items() if order.task.id == "t2"
        }
        assert of_t2 == {0: None, 1: 1.0}

    run_virtual(main())


def test_the_session_of_a_task_that_people_cancel_is_discarded(tmp_path: Path) -> None:
    async def main() -> None:
        world = World(control=tmp_path)
        running = start(world.dispatcher())
        await asyncio.sleep(5)
        tell(tmp_path, Cancel(at=0, tasks=("t0",)))
        results = await running
        assert endings(results) == [Ending.CANCELLED, Ending.FINISHED]
        rewards = {world.orders[episode].task.id: reward for episode, reward in world.gateway.rewards.items()}
        assert rewards == {"t0": None, "t1": 1.0}

    run_virtual(main())


def test_a_gateway_of_few_places_is_waited_for_however_long_it_is_full() -> None:
    async def main() -> None:
        world = World(seconds=400.0, capacity=1)
        assert endings(await start(world.dispatcher(), 4)) == [Ending.FINISHED] * 4
        assert world.host.most == 1
        assert world.fixture.clock.now() - START == pytest.approx(1600, abs=30)

    run_virtual(main())


def test_a_gateway_that_is_away_holds_tasks_up_and_for_too_long_ends_them() -> None:
    async def main() -> None:
        world = World(away_until=START + 300)
        assert endings(await start(world.dispatcher(), 4)) == [Ending.FINISHED] * 4
        assert world.fixture.clock.now() - START == pytest.approx(320, abs=5)
        gone = World(away_until=START + 1e9)
        results = await start(gone.dispatcher(), 9)
        assert endings(results) == [Ending.NO_MODEL] * 9
        assert {"gateway" in result.reason for result in results} == {True}
        assert gone.fixture.clock.now() - START - 320 == pytest.approx(600, abs=30)
        assert gone.host.orders == []

    run_virtual(main())


@pytest.mark.parametrize("seconds", [7.0, 8.0, 12.0])
def test_an_end_that_has_begun_is_told_once_also_if_the_run_is_cancelled_meanwhile(
    tmp_path: Path, seconds: float
) -> None:
    async def main() -> None:
        world = World(control=tmp_path)
        world.gateway.answers_after_s = 4.0
        running = start(world.dispatcher())
        await asyncio.sleep(5)
        tell(tmp_path, Cancel(at=0, tasks=("t0",)))  # it is read a second later
        await asyncio.sleep(seconds - 5)
        running.cancel()
        await asyncio.wait({running})
        ended = {world.orders[episode].task.id: reward for episode, reward in world.gateway.rewards.items()}
        assert ended == ({"t0": None, "t1": 1.0} if seconds > 10 else {"t0": None})
        assert world.journalled() == {
            episode: [ended[order.task.id]] if order.task.id in ended else [] for episode, order in world.orders.items()
        }
        await start(world.dispatcher(), recover=True)
        rewards = {world.orders[episode].task.id: reward for episode, reward in world.gateway.rewards.items()}
        assert rewards == {"t0": None, "t1": 1.0}
        assert set(world.gateway.told.values()) == {1}

    run_virtual(main())


def test_a_session_whose_episode_never_runs_is_discarded(tmp_path: Path) -> None:
    async def main() -> None:
        world = World(control=tmp_path)
        world.book.present["p0"] = False
        world.book.held["p1"] = Lease(serial="p1", holder="another", epoch=9, expires_at=0)
        running = start(world.dispatcher(), 5)
        await asyncio.sleep(20)
        assert sum(world.gateway.opened.values()) > 2
        assert world.gateway.open_now == set(), "a phone that cannot be leased holds none of the gateway's places"
        world.book._attach_s = 30.0
        await asyncio.sleep(10)
        assert world.gateway.open_now
        tell(tmp_path, Cancel(at=0, tasks=("t0", "t1")))
        await asyncio.sleep(3)
        running.cancel()
        await asyncio.wait({running})
        assert world.gateway.open_now == set()
        assert world.host.orders == []
        assert not any(world.journalled().values())

    run_virtual(main())


def test_a_session_is_discarded_that_a_group_with_enough_episodes_does_not_need() -> None:
    async def main() -> None:
        world = World(stagger_s=15.0)
        world.book._attach_s = 8.0  # the first phone's episode ends while the second phone is attached
        asked = expand_groups([TaskSpec(id="t", goal="g", group=6, group_enough=1)])
        results = await world.dispatcher().run(FIRST_BATCH, asked)
        assert [result.fault for result in results].count(None) == 1
        assert len(world.gateway.opened) == 2
        assert world.gateway.open_now == set()
        assert set(world.gateway.rewards) == set(world.gateway.opened)

    run_virtual(main())


@pytest.mark.parametrize("how", ["cancelled", "all cancelled", "drained", "enough"])
def test_a_resumed_run_ends_the_session_of_an_episode_that_is_no_longer_wanted(tmp_path: Path, how: str) -> None:
    async def main() -> None:
        world = World(seconds=100.0, control=tmp_path)
        asked = tasks(2) if how != "enough" else expand_groups([TaskSpec(id="t", goal="g", group=2, group_enough=1)])
        await world.dies_after(lambda one: asyncio.create_task(one.run(FIRST_BATCH, asked)), 50.0)
        world.host.die()
        assert len(world.gateway.open_now) == 2
        if how == "cancelled":
            tell(tmp_path, Cancel(at=0, tasks=("t0",)))
        elif how == "all cancelled":
            tell(tmp_path, Cancel(at=0, tasks=("t0", "t1")))
        elif how == "drained":
            tell(tmp_path, Drain(at=0))
        results = await world.dispatcher().run(FIRST_BATCH, asked, recover=True)
        assert world.gateway.open_now == set()
        told = Counter(endings(results))
        expected = {
            "cancelled": {Ending.CANCELLED: 1, Ending.FINISHED: 1},
            "all cancelled": {Ending.CANCELLED: 2},
            "drained": {Ending.FINISHED: 2},
        }
        assert told == expected.get(how, told)
        assert sorted(map(str, world.gateway.rewards.values())) == sorted(
            "1.0" if result.ending is Ending.FINISHED else "None" for result in results
        )
        assert world.book.held == {}

    run_virtual(main())


def test_a_resumed_episode_waits_for_its_session_before_it_takes_its_phone() -> None:
    async def main() -> None:
        world = World()
        await world.dies_after(start, 5.0)
        world.host.die()
        world.gateway.away_until = world.fixture.clock.now() + 100
        attached = len(world.book.attached)
        running = start(world.dispatcher(), recover=True)
        await asyncio.sleep(90)
        assert len(world.book.attached) == attached, "a lease would run out meanwhile"
        assert endings(await running) == [Ending.FINISHED] * 2
        assert world.gateway.rewards == dict.fromkeys(world.orders, 1.0)
        assert len(world.orders) == 2

    run_virtual(main())
