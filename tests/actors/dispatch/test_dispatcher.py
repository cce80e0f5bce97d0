"""Batches on phones that come and go, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

import pytest

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.seams import Host
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, BadInput, ManyhandsError, Overloaded, StoreError
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.phones import Lease
from manyhands.protocol.records import EpisodeEnded, EpisodeStarted
from manyhands.protocol.runs import EpisodeOrder, EpisodeProgress, EpisodeResult
from manyhands.protocol.tasks import Limits
from tests.actors.dispatch.dispatch_parts import LeaseBook, ListStore, ScriptedHost, tasks
from tests.virtual_clock import VirtualClock, run_virtual

PHONES = ("p0", "p1", "p2")


class Fixture:
    """A dispatcher and all that it works with."""

    def __init__(self, serials: Sequence[str] = PHONES, attach_s: float = 0.0, **settings: Any) -> None:
        self.clock = VirtualClock()
        self.book = LeaseBook(serials, self.clock, attach_s)
        self.store = ListStore()
        self.settings = DispatchSettings(run="r", serials=tuple(serials), **settings)

    def host(self, script: Any = None, seconds: float = 10.0) -> ScriptedHost:
        return ScriptedHost(self.book, self.clock, script, seconds)

    def dispatcher(self, *hosts: Host) -> Dispatcher:
        return Dispatcher(self.settings, hosts, self.book, LongTermMemory(), self.store, self.clock)


def virtual(main: Coroutine[Any, Any, None]) -> None:
    run_virtual(main)


def endings(results: Sequence[EpisodeResult]) -> list[Ending]:
    return [result.ending for result in results]


def test_tasks_run_in_parallel_and_come_back_in_order() -> None:
    async def main() -> None:
        fixture = Fixture()
        hosts = [fixture.host(), fixture.host()]
        results = await fixture.dispatcher(*hosts).run(tasks(9))
        assert [result.task for result in results] == [f"t{number}" for number in range(9)]
        assert endings(results) == [Ending.FINISHED] * 9
        assert fixture.clock.now() - 1_700_000_000 == pytest.approx(30)  # nine tasks of 10 s on three phones
        assert {host.most for host in hosts} == {1, 2}  # spread over the hosts
        assert fixture.book.held == {}
        assert len({order.episode for host in hosts for order in host.orders}) == 9

    virtual(main())


def test_phones_begin_one_after_another_where_a_setting_says_so() -> None:
    async def main() -> None:
        fixture = Fixture(stagger_s=4.0)
        began: list[tuple[str, float]] = []

        async def script(order: EpisodeOrder) -> Ending:
            began.append((order.lease.serial, fixture.clock.now() - 1_700_000_010))
            return Ending.FINISHED

        await fixture.dispatcher(fixture.host(script)).run(tasks(4))
        assert began == [("p0", 0.0), ("p1", 4.0), ("p2", 8.0), ("p0", 10.0)]

    virtual(main())


def test_the_task_of_a_lost_phone_goes_to_another_and_the_phone_is_used_again_when_it_is_back() -> None:
    async def main() -> None:
        fixture = Fixture()

        async def script(order: EpisodeOrder) -> Ending:
            if order.lease.serial == "p1" and fixture.book.present["p1"] and fixture.clock.now() < 1_700_000_015:
                fixture.book.present["p1"] = False
                return Ending.PHONE_LOST
            return Ending.FINISHED

        async def back() -> None:
            await fixture.clock.sleep(40)
            fixture.book.present["p1"] = True

        host = fixture.host(script)
        async with asyncio.TaskGroup() as group:
            group.create_task(back())
            results = await fixture.dispatcher(host).run(tasks(25))
        assert endings(results) == [Ending.FINISHED] * 25
        retried = [order for order in host.orders if order.attempt == 2]
        assert [order.lease.serial != "p1" for order in retried] == [True]
        assert fixture.book.attached.count("p1") > 1

    virtual(main())


def test_a_phone_that_is_away_from_the_start_is_given_no_task_before_it_is_there() -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), attach_s=20.0, away={"p1": "failed to connect"})
        fixture.book.present["p1"] = False
        dispatcher = fixture.dispatcher(fixture.host())
        run = asyncio.create_task(dispatcher.run(tasks(2)))
        await asyncio.wait({run}, timeout=30)
        progress = await dispatcher.progress()
        assert [(wait.what, wait.reason) for wait in progress.away] == [("phone p1", "p1: does not answer")]
        assert progress.waiting == 1  # while p1 is being tried, for 20 s, its task is free for others
        fixture.book.present["p1"] = True
        assert endings(await run) == [Ending.FINISHED] * 2

    virtual(main())


def test_attempts_are_bounded_and_the_last_loss_decides() -> None:
    async def main() -> None:
        fixture = Fixture()

        async def script(order: EpisodeOrder) -> Ending:
            return Ending.PHONE_LOST if order.task.id == "t0" else Ending.FINISHED

        host = fixture.host(script)
        results = await fixture.dispatcher(host).run(tasks(2, attempts=3))
        assert endings(results) == [Ending.PHONE_LOST, Ending.FINISHED]
        assert results[0].attempt == 3
        assert sorted(order.attempt for order in host.orders if order.task.id == "t0") == [1, 2, 3]

    virtual(main())


@pytest.mark.parametrize("ending", [Ending.STEP_LIMIT, Ending.MODEL_FAILED, Ending.INTERNAL_ERROR])
def test_an_ending_that_says_something_about_the_task_decides_at_once(ending: Ending) -> None:
    async def main() -> None:
        fixture = Fixture()

        async def script(order: EpisodeOrder) -> Ending:
            return ending

        host = fixture.host(script)
        assert endings(await fixture.dispatcher(host).run(tasks(2))) == [ending] * 2
        assert len(host.orders) == 2

    virtual(main())


def test_a_phone_that_someone_else_holds_is_tried_again() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), held_s=2.0, no_phone_s=5.0)
        other = await fixture.book.attach("p0", "another run", 1000)

        async def free() -> None:
            await fixture.clock.sleep(60)
            await fixture.book.detach(other)

        async with asyncio.TaskGroup() as group:
            group.create_task(free())
            results = await fixture.dispatcher(fixture.host()).run(tasks(1))
        assert endings(results) == [Ending.FINISHED]  # held is not lost: it was not given up
        assert 20 <= len(fixture.book.refused) <= 31

    virtual(main())


def test_two_runs_share_phones_and_never_hold_the_same_one() -> None:
    async def main() -> None:
        fixture = Fixture()
        first, second = fixture.host(), fixture.host()
        async with asyncio.TaskGroup() as group:
            runs = [group.create_task(fixture.dispatcher(host).run(tasks(6))) for host in (first, second)]
        for run in runs:
            assert endings(run.result()) == [Ending.FINISHED] * 6
        assert fixture.book.held == {}
        assert len(first.orders) == len(second.orders) == 6

    virtual(main())


@pytest.mark.parametrize("error", [StoreError("the database is locked"), BadInput("the folder is read-only")])
def test_a_gateway_that_fails_for_a_while_is_asked_again(error: ManyhandsError) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"))

        class Troubled(LeaseBook):
            async def attach(self, serial: str, holder: str, ttl_s: float) -> Lease:
                self.fail()
                return await super().attach(serial, holder, ttl_s)

            def fail(self) -> None:
                if fixture.clock.now() < 1_700_000_020:
                    raise error

        fixture.book = Troubled(("p0", "p1"), fixture.clock)
        results = await fixture.dispatcher(fixture.host()).run(tasks(3))
        assert endings(results) == [Ending.FINISHED] * 3
        assert [result.attempt for result in results] == [1, 1, 1]
        assert fixture.book.held == {}

    virtual(main())


def test_a_gateway_that_fails_for_good_leaves_no_phone() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), no_phone_s=30)

        class Broken(LeaseBook):
            async def attach(self, serial: str, holder: str, ttl_s: float) -> Lease:
                raise StoreError("the disk is full")

        fixture.book = Broken(("p0",), fixture.clock)
        (result,) = await fixture.dispatcher(fixture.host()).run(tasks(1))
        assert result.ending is Ending.NO_PHONE

    virtual(main())


class DyingHost:
    """Dies in every episode, after a while."""

    def __init__(self, clock: VirtualClock, error: Exception | None = None) -> None:
        self.episodes: list[str] = []
        self._clock = clock
        self._error = error or ActorLost("its process is gone")

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        self.episodes.append(order.episode)
        await self._clock.sleep(3)
        raise self._error

    async def progress(self) -> Sequence[EpisodeProgress]:
        raise self._error


def test_the_tasks_of_a_lost_host_go_to_another_host() -> None:
    async def main() -> None:
        fixture = Fixture()
        dying, well = DyingHost(fixture.clock), fixture.host()
        results = await fixture.dispatcher(dying, well).run(tasks(12))
        assert endings(results) == [Ending.FINISHED] * 12
        assert len(dying.episodes) <= 6  # it is left alone for longer each time
        assert fixture.book.held == {}

    virtual(main())


def test_when_no_host_answers_any_more_the_loss_is_named_and_journalled() -> None:
    async def main() -> None:
        fixture = Fixture(no_host_s=50)
        dying = DyingHost(fixture.clock)
        results = await fixture.dispatcher(dying).run(tasks(5))
        assert endings(results) == [Ending.HOST_LOST] * 5
        assert "its process is gone" in results[0].reason
        assert len(dying.episodes) == 3
        assert fixture.clock.now() - 1_700_000_000 < 60
        assert {result.episode for result in results} == set(fixture.store.journals)
        assert fixture.book.held == {}

    virtual(main())


class RestartedHost(ScriptedHost):
    """Dies in its first episode, and is silent until it is back."""

    silent_until = 0.0

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        if not self.orders:
            self.orders.append(order)
            self.silent_until = self._clock.now() + 20
        await self.progress()
        return await super().run_episode(order)

    async def progress(self) -> Sequence[EpisodeProgress]:
        if self._clock.now() < self.silent_until:
            raise ActorLost("it is being started again")
        return await super().progress()


def test_a_host_that_is_started_again_costs_one_attempt() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        host = RestartedHost(fixture.book, fixture.clock)
        results = await fixture.dispatcher(host).run(tasks(1))
        assert endings(results) == [Ending.FINISHED]
        assert results[0].attempt == 2

    virtual(main())


def test_a_host_that_is_full_is_asked_again_and_counts_for_nothing() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        full = DyingHost(fixture.clock, Overloaded("full"))
        well = fixture.host()
        results = await fixture.dispatcher(full, well).run(tasks(1))
        assert endings(results) == [Ending.FINISHED]
        assert results[0].attempt == 1
        assert len(full.episodes) == 1

    virtual(main())


def test_a_defect_in_one_episode_ends_that_one_by_name() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))

        async def script(order: EpisodeOrder) -> Ending:
            if order.task.id == "t0":
                raise ZeroDivisionError("a defect")
            return Ending.FINISHED

        results = await fixture.dispatcher(fixture.host(script)).run(tasks(2))
        assert endings(results) == [Ending.INTERNAL_ERROR, Ending.FINISHED]
        assert results[0].reason == "ZeroDivisionError: a defect"
        assert fixture.book.held == {}

    virtual(main())


def test_an_episode_that_does_not_end_is_ended() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), overtime_s=30)
        host = fixture.host(seconds=1e6)
        results = await fixture.dispatcher(host).run(tasks(1, attempts=2, limits=Limits(wall_s=100)))
        assert endings(results) == [Ending.HOST_LOST]
        assert len(host.cancelled) == 2
        assert fixture.clock.now() - 1_700_000_000 == pytest.approx(262, abs=1)  # twice 130 s, and 2 s of backoff
        assert fixture.book.held == {}

    virtual(main())


def test_tasks_are_given_up_when_every_phone_has_been_lost_for_too_long() -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), no_phone_s=100)

        async def script(order: EpisodeOrder) -> Ending:
            fixture.book.present[order.lease.serial] = False
            return Ending.PHONE_LOST

        results = await fixture.dispatcher(fixture.host(script)).run(tasks(3, memory_scope="s"))
        assert endings(results) == [Ending.NO_PHONE] * 3
        assert "p0: does not answer" in results[0].reason
        assert [(result.serial, result.attempt) for result in results] == [("", 3), ("", 1), ("", 1)]
        assert fixture.clock.now() - 1_700_000_000 == pytest.approx(120, abs=5)
        for result in results:
            started, ended = fixture.store.journals[result.episode]
            assert isinstance(started, EpisodeStarted)
            assert isinstance(ended, EpisodeEnded)
            assert (started.task.id, ended.ending) == (result.task, Ending.NO_PHONE)

    virtual(main())


def test_without_phones_every_task_is_given_up() -> None:
    async def main() -> None:
        fixture = Fixture((), no_phone_s=1)
        assert endings(await fixture.dispatcher(fixture.host()).run(tasks(2))) == [Ending.NO_PHONE] * 2

    virtual(main())


def test_a_store_that_fails_does_not_hide_the_results() -> None:
    async def main() -> None:
        fixture = Fixture((), no_phone_s=1)

        class Full(ListStore):
            async def append(self, episode: str, records: Sequence[Any]) -> None:
                raise StoreError("no space")

        fixture.store = Full()
        assert endings(await fixture.dispatcher(fixture.host()).run(tasks(1))) == [Ending.NO_PHONE]

    virtual(main())


@pytest.mark.parametrize("after_s", [0.0, 0.5, 5.0, 12.0])
def test_cancelling_a_run_ends_its_episodes_and_frees_its_phones(after_s: float) -> None:
    async def main() -> None:
        fixture = Fixture(attach_s=1.0)
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run(tasks(8)))
        await fixture.clock.sleep(after_s)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert fixture.book.held == {}
        assert host.running == {}
        progress = await dispatcher.progress()
        assert (progress.waiting, progress.running, len(progress.done)) == (0, (), 8)
        ended = {result.ending for result in progress.done}
        assert ended <= {Ending.CANCELLED, Ending.FINISHED}
        # what a host has begun it journals; of the others the dispatcher tells
        begun = {order.episode for order in host.orders}
        assert {result.episode for result in progress.done} - begun == set(fixture.store.journals)

    virtual(main())


def test_tasks_of_one_scope_run_one_after_another_beside_others() -> None:
    async def main() -> None:
        fixture = Fixture()
        host = fixture.host()
        scoped = tasks(4, memory_scope="s")
        free = [task.model_copy(update={"id": f"f{n}", "memory_scope": None}) for n, task in enumerate(tasks(4))]
        await fixture.dispatcher(host).run([*scoped, *free])
        assert [order.task.id for order in host.orders if order.task.memory_scope] == ["t0", "t1", "t2", "t3"]
        assert fixture.clock.now() - 1_700_000_000 == pytest.approx(40)

    virtual(main())


def test_progress_tells_what_hosts_say_of_this_batch_only() -> None:
    async def main() -> None:
        fixture = Fixture()
        host, silent = fixture.host(), DyingHost(fixture.clock)
        mine, other = fixture.dispatcher(host, silent), fixture.dispatcher(host)
        async with asyncio.TaskGroup() as group:
            first = group.create_task(mine.run(tasks(3)))
            await fixture.clock.sleep(1)
            second = group.create_task(other.run(tasks(1)))
            progress = await mine.progress()
            assert (progress.total, progress.waiting, len(progress.running)) == (3, 0, 3)
            assert {item.doing for item in progress.running} == {"decide", "starting"}
            assert (await other.progress()).running == ()
        assert endings(first.result()) == [Ending.FINISHED] * 3
        assert endings(second.result()) == [Ending.FINISHED]
        assert len((await mine.progress()).done) == 3

    virtual(main())
