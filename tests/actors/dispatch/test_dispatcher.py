"""Batches on phones that come and go, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from manyhands.actors.dispatch.task_queue import MOST_RESTARTS
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, BadInput, ManyhandsError, PhoneUnfit, StoreError, StoreFull
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.runs.results import MOST_RESUMES, EpisodeOrder, EpisodeResult
from tests.actors.dispatch.dispatch_parts import (
    DyingHost,
    Fixture,
    LeaseBook,
    ListStore,
    endings,
    result_of,
    tasks,
    virtual,
)


def test_tasks_run_in_parallel_and_come_back_in_order() -> None:
    async def main() -> None:
        fixture = Fixture()
        hosts = [fixture.host(), fixture.host()]
        results = await fixture.dispatcher(*hosts).run("b", tasks(9))
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

        await fixture.dispatcher(fixture.host(script)).run("b", tasks(4))
        assert began == [("p0", 0.0), ("p1", 4.0), ("p2", 8.0), ("p0", 10.0)]

    virtual(main())


def test_an_episode_goes_on_in_place_when_its_lost_phone_is_back() -> None:
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
            results = await fixture.dispatcher(host).run("b", tasks(25))
        assert endings(results) == [Ending.FINISHED] * 25
        assert [result.attempt for result in results] == [1] * 25
        (lost,) = [order for order in host.orders if order.resume]
        first, again = [order for order in host.orders if order.episode == lost.episode]
        assert (first.lease.serial, again.lease.serial, again.resume) == ("p1", "p1", "phone_lost")
        assert again.lease.epoch == first.lease.epoch + 1
        assert (again.batch, again.place, again.restarts) == ("b", int(lost.task.id[1:]), 0)

    virtual(main())


def test_the_task_of_a_phone_that_stays_away_is_begun_anew_on_another() -> None:
    async def main() -> None:
        fixture = Fixture(in_place_s=60.0)

        async def script(order: EpisodeOrder) -> Ending:
            if order.lease.serial == "p1":
                fixture.book.present["p1"] = False
                return Ending.PHONE_LOST
            return Ending.FINISHED

        host = fixture.host(script)
        results = await fixture.dispatcher(host).run("b", tasks(3))
        assert endings(results) == [Ending.FINISHED] * 3
        assert [result.attempt for result in results] == [1] * 3
        first, again = [order for order in host.orders if order.task.id == "t1"]
        assert (again.lease.serial != "p1", again.resume, again.restarts) == (True, None, 1)
        assert again.episode != first.episode
        assert fixture.clock.now() - 1_700_000_000 == pytest.approx(10 + 60 + 10, abs=6)

    virtual(main())


def test_an_episode_whose_phone_another_had_meanwhile_is_begun_anew() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), held_s=2.0)

        async def script(order: EpisodeOrder) -> Ending:
            if len(host.orders) > 1:
                return Ending.FINISHED
            await fixture.book.detach(order.lease)
            other = await fixture.book.attach("p0", "another run", 1000)
            await fixture.book.detach(other)
            return Ending.LEASE_LOST

        host = fixture.host(script)
        (result,) = await fixture.dispatcher(host).run("b", tasks(1))
        assert (result.ending, result.attempt) == (Ending.FINISHED, 1)
        first, again = host.orders
        assert (again.resume, again.restarts, again.lease.epoch) == (None, 1, first.lease.epoch + 3)
        assert fixture.book.held == {}

    virtual(main())


def test_a_phone_that_is_away_from_the_start_is_given_no_task_before_it_is_there() -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), attach_s=20.0, away={"p1": "failed to connect"})
        fixture.book.present["p1"] = False
        dispatcher = fixture.dispatcher(fixture.host())
        run = asyncio.create_task(dispatcher.run("b", tasks(2)))
        await asyncio.wait({run}, timeout=30)
        progress = await dispatcher.progress()
        assert [(wait.what, wait.reason) for wait in progress.away] == [("phone p1", "p1: does not answer")]
        assert progress.waiting == 1  # while p1 is being tried, for 20 s, its task is free for others
        fixture.book.present["p1"] = True
        assert endings(await run) == [Ending.FINISHED] * 2

    virtual(main())


def test_an_episode_that_gives_up_resuming_counts_as_an_attempt() -> None:
    async def main() -> None:
        fixture = Fixture()
        host = fixture.host(seconds=1.0)

        async def run_episode(order: EpisodeOrder) -> EpisodeResult:
            host.orders.append(order)
            said = {"afresh": True, "in_vain": MOST_RESUMES}
            return result_of(order, Ending.HOST_LOST).model_copy(update=said)

        host.run_episode = run_episode  # type: ignore[method-assign]
        (result,) = await fixture.dispatcher(host).run("b", tasks(1, attempts=3))
        assert (result.ending, result.attempt) == (Ending.HOST_LOST, 3)
        assert [(order.attempt, order.restarts, order.resume) for order in host.orders] == [
            (1, 0, None),
            (2, 0, None),
            (3, 0, None),
        ]

    virtual(main())


def test_an_episode_that_wants_a_reset_is_begun_anew_and_counts_for_nothing() -> None:
    async def main() -> None:
        fixture = Fixture()

        async def script(order: EpisodeOrder) -> Ending:
            return Ending.FINISHED

        host = fixture.host(script)
        began = host.run_episode

        async def run_episode(order: EpisodeOrder) -> EpisodeResult:
            result = await began(order)
            return result if order.restarts else result.model_copy(update={"ending": Ending.HOST_LOST, "afresh": True})

        host.run_episode = run_episode  # type: ignore[method-assign]
        (result,) = await fixture.dispatcher(host).run("b", tasks(1))
        assert (result.ending, result.attempt) == (Ending.FINISHED, 1)
        assert [(order.attempt, order.restarts) for order in host.orders] == [(1, 0), (1, 1)]

    virtual(main())


def test_attempts_are_bounded_and_the_last_loss_decides() -> None:
    async def main() -> None:
        fixture = Fixture()

        async def script(order: EpisodeOrder) -> Ending:
            return Ending.PHONE_LOST if order.task.id == "t0" else Ending.FINISHED

        host = fixture.host(script)
        results = await fixture.dispatcher(host).run("b", tasks(2, attempts=3))
        assert endings(results) == [Ending.PHONE_LOST, Ending.FINISHED]
        assert results[0].attempt == 3
        begun = {(order.attempt, order.restarts) for order in host.orders if order.task.id == "t0"}
        assert sorted(begun) == [(attempt, restarts) for attempt in (1, 2, 3) for restarts in range(MOST_RESTARTS + 1)]

    virtual(main())


@pytest.mark.parametrize("ending", [Ending.STEP_LIMIT, Ending.MODEL_FAILED, Ending.INTERNAL_ERROR])
def test_an_ending_that_says_something_about_the_task_decides_at_once(ending: Ending) -> None:
    async def main() -> None:
        fixture = Fixture()

        async def script(order: EpisodeOrder) -> Ending:
            return ending

        host = fixture.host(script)
        assert endings(await fixture.dispatcher(host).run("b", tasks(2))) == [ending] * 2
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
            results = await fixture.dispatcher(fixture.host()).run("b", tasks(1))
        assert endings(results) == [Ending.FINISHED]  # held is not lost: it was not given up
        assert 20 <= len(fixture.book.refused) <= 31

    virtual(main())


def test_two_runs_share_phones_and_never_hold_the_same_one() -> None:
    async def main() -> None:
        fixture = Fixture()
        first, second = fixture.host(), fixture.host()
        async with asyncio.TaskGroup() as group:
            runs = [group.create_task(fixture.dispatcher(host).run("b", tasks(6))) for host in (first, second)]
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
            async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
                self.fail()
                return await super().attach(serial, holder, ttl_s, run)

            def fail(self) -> None:
                if fixture.clock.now() < 1_700_000_020:
                    raise error

        fixture.book = Troubled(("p0", "p1"), fixture.clock)
        results = await fixture.dispatcher(fixture.host()).run("b", tasks(3))
        assert endings(results) == [Ending.FINISHED] * 3
        assert [result.attempt for result in results] == [1, 1, 1]
        assert fixture.book.held == {}

    virtual(main())


def test_a_phone_that_is_unfit_is_set_aside_with_the_reason() -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"))
        reason = "phone p0: its battery is at 4 % and not charging; a task needs 10 %"

        class Empty(LeaseBook):
            async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
                if serial == "p0":
                    raise PhoneUnfit(reason)
                return await super().attach(serial, holder, ttl_s, run)

        fixture.book = Empty(("p0", "p1"), fixture.clock)
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run("b", tasks(3)))
        await asyncio.wait({run}, timeout=15)
        assert [(wait.what, wait.reason) for wait in (await dispatcher.progress()).away] == [("phone p0", reason)]
        results = await run
        assert [(result.ending, result.serial, result.attempt) for result in results] == [
            (Ending.FINISHED, "p1", 1) for _ in range(3)
        ]

    virtual(main())


def test_a_gateway_that_fails_for_good_leaves_no_phone() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), no_phone_s=30)

        class Broken(LeaseBook):
            async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
                raise StoreError("the disk is full")

        fixture.book = Broken(("p0",), fixture.clock)
        (result,) = await fixture.dispatcher(fixture.host()).run("b", tasks(1))
        assert result.ending is Ending.NO_PHONE

    virtual(main())


def test_a_defect_in_one_episode_ends_that_one_by_name() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))

        async def script(order: EpisodeOrder) -> Ending:
            if order.task.id == "t0":
                raise ZeroDivisionError("a defect")
            return Ending.FINISHED

        results = await fixture.dispatcher(fixture.host(script)).run("b", tasks(2))
        assert endings(results) == [Ending.INTERNAL_ERROR, Ending.FINISHED]
        assert results[0].reason == "ZeroDivisionError: a defect"
        assert fixture.book.held == {}

    virtual(main())


def test_an_episode_that_does_not_end_is_ended() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), overtime_s=30)
        host = fixture.host(seconds=1e6)
        results = await fixture.dispatcher(host).run("b", tasks(1, attempts=2, limits=Limits(wall_s=100)))
        assert endings(results) == [Ending.HOST_LOST]
        assert len(host.cancelled) == 2
        assert fixture.clock.now() - 1_700_000_000 == pytest.approx(260, abs=1)  # twice 130 s
        assert fixture.book.held == {}

    virtual(main())


def test_tasks_are_given_up_when_every_phone_has_been_lost_for_too_long() -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), no_phone_s=100)

        async def script(order: EpisodeOrder) -> Ending:
            fixture.book.present[order.lease.serial] = False
            return Ending.PHONE_LOST

        results = await fixture.dispatcher(fixture.host(script)).run("b", tasks(3, memory_scope="s"))
        assert endings(results) == [Ending.NO_PHONE] * 3
        assert "p0: does not answer" in results[0].reason
        assert [(result.serial, result.attempt) for result in results] == [("", 1), ("", 1), ("", 1)]
        # p0 for 10 s, waited for in place for 60 s; then p1 in the same way, 100 s after which nobody waits any more
        assert fixture.clock.now() - 1_700_000_000 == pytest.approx(10 + 60 + 10 + 100, abs=5)
        for result in results:
            started, ended = fixture.store.journals[result.episode]
            assert isinstance(started, EpisodeStarted)
            assert isinstance(ended, EpisodeEnded)
            assert (started.task.id, ended.ending) == (result.task, Ending.NO_PHONE)

    virtual(main())


def test_without_phones_every_task_is_given_up() -> None:
    async def main() -> None:
        fixture = Fixture((), no_phone_s=1)
        assert endings(await fixture.dispatcher(fixture.host()).run("b", tasks(2))) == [Ending.NO_PHONE] * 2

    virtual(main())


def test_the_end_of_a_task_that_never_ran_is_written_once_the_store_is_back() -> None:
    async def main() -> None:
        fixture = Fixture((), no_phone_s=1)
        away = [ActorLost("it died"), StoreFull("no space")]

        class Away(ListStore):
            async def append(self, episode: str, records: Sequence[Any], first: int, epoch: int) -> None:
                if away:
                    raise away.pop()
                await super().append(episode, records, first, epoch)

        fixture.store = Away()
        (result,) = await fixture.dispatcher(fixture.host()).run("b", tasks(1))
        assert [record.kind for record in fixture.store.journals[result.episode]] == [
            "episode_started",
            "episode_ended",
        ]

    virtual(main())


def test_a_store_that_fails_does_not_hide_the_results() -> None:
    async def main() -> None:
        fixture = Fixture((), no_phone_s=1)

        class Full(ListStore):
            async def append(self, episode: str, records: Sequence[Any], first: int, epoch: int) -> None:
                raise StoreError("no space")

        fixture.store = Full()
        assert endings(await fixture.dispatcher(fixture.host()).run("b", tasks(1))) == [Ending.NO_PHONE]

    virtual(main())


@pytest.mark.parametrize("after_s", [0.0, 0.5, 5.0, 12.0])
def test_cancelling_a_run_ends_its_episodes_and_frees_its_phones(after_s: float) -> None:
    async def main() -> None:
        fixture = Fixture(attach_s=1.0)
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run("b", tasks(8)))
        await fixture.clock.sleep(after_s)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert fixture.book.held == {}
        assert host.running == {}
        progress = await dispatcher.progress()
        assert (progress.waiting, progress.running, progress.done.tasks) == (0, (), 8)
        ended = set(progress.done.endings)
        assert ended <= {Ending.CANCELLED, Ending.FINISHED}
        # what a host has begun it journals; of the others the dispatcher tells
        begun = {order.episode for order in host.orders}
        assert {result.episode for result in progress.latest} - begun == set(fixture.store.journals)

    virtual(main())


def test_tasks_of_one_scope_run_one_after_another_beside_others() -> None:
    async def main() -> None:
        fixture = Fixture()
        host = fixture.host()
        scoped = tasks(4, memory_scope="s")
        free = [task.model_copy(update={"id": f"f{n}", "memory_scope": None}) for n, task in enumerate(tasks(4))]
        await fixture.dispatcher(host).run("b", [*scoped, *free])
        assert [order.task.id for order in host.orders if order.task.memory_scope] == ["t0", "t1", "t2", "t3"]
        assert fixture.clock.now() - 1_700_000_000 == pytest.approx(40)

    virtual(main())


def test_progress_tells_what_hosts_say_of_this_batch_only() -> None:
    async def main() -> None:
        fixture = Fixture()
        host, silent = fixture.host(), DyingHost(fixture.clock)
        mine, other = fixture.dispatcher(host, silent), fixture.dispatcher(host)
        async with asyncio.TaskGroup() as group:
            first = group.create_task(mine.run("b", tasks(3)))
            await fixture.clock.sleep(1)
            second = group.create_task(other.run("b", tasks(1)))
            progress = await mine.progress()
            assert (progress.total, progress.waiting, len(progress.running)) == (3, 0, 3)
            assert {item.doing for item in progress.running} == {"decide", "starting"}
            assert (await other.progress()).running == ()
        assert endings(first.result()) == [Ending.FINISHED] * 3
        assert endings(second.result()) == [Ending.FINISHED]
        assert (await mine.progress()).done.tasks == 3

    virtual(main())


def test_the_end_of_an_episode_that_no_host_wrote_is_written_as_it_was_decided() -> None:
    """The console told ``internal_error``, and the summary ``host_lost`` (its journal has no end)."""

    async def main() -> None:
        fixture = Fixture()

        async def script(order: EpisodeOrder) -> Ending:
            raise ValueError("a defect")

        (result,) = await fixture.dispatcher(fixture.host(script)).run("b", tasks(1))
        assert (result.ending, result.reason) == (Ending.INTERNAL_ERROR, "ValueError: a defect")
        (journal,) = fixture.store.journals.values()
        started, ended = journal
        assert isinstance(started, EpisodeStarted)
        assert isinstance(ended, EpisodeEnded)
        assert (started.serial, started.attempt, started.place) == ("", 1, 0)
        assert (ended.ending, ended.reason) == (result.ending, result.reason)

    virtual(main())
