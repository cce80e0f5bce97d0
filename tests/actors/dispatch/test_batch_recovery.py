"""A dispatcher that was started again, and a run that is resumed: what runs is joined, what was cut off goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.dispatch.batch_recovery import recover_batch
from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.hosts import HostView
from manyhands.actors.dispatch.task_queue import Attempt, TaskState
from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.errors import ActorLost, StoreError
from manyhands.protocol.journals.records import Acted, EpisodeEnded, EpisodeStarted, Record, Span
from manyhands.protocol.phones import Lease
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.control import FILE, FIRST_BATCH, Add, tell
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import MOST_RESUMES, EpisodeIndex, EpisodeOrder, EpisodeResult
from manyhands.protocol.utilities.backoff import Backoff
from tests.actors.dispatch.dispatch_parts import Fixture, LeaseBook, ListStore, ScriptedHost, endings, tasks
from tests.virtual_clock import START, run_virtual


class Book(LeaseBook):
    """Hears nothing of a dispatcher that has died."""

    caller_dead = False

    async def detach(self, lease: Lease) -> None:
        if not self.caller_dead:
            await super().detach(lease)


class OwnHost(ScriptedHost):
    """Its episodes are its own, stand in the store, and outlive a caller that has died."""

    def __init__(
        self,
        fixture: Fixture,
        seconds: float,
        script: Callable[[EpisodeOrder], Awaitable[Ending]] | None = None,
    ) -> None:
        super().__init__(fixture.book, fixture.clock, script, seconds)
        self.caller_dead = False
        self._store = fixture.store
        self._tasks: dict[str, asyncio.Task[EpisodeResult]] = {}

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        if order.episode not in self._tasks:
            self._tasks[order.episode] = asyncio.create_task(self._run(order))
        task = self._tasks[order.episode]
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not self.caller_dead:
                task.cancel()
            raise

    def die(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    async def _run(self, order: EpisodeOrder) -> EpisodeResult:
        if order.resume is None:
            await self._store.append(order.episode, [started(order)], 0, order.lease.epoch)
        result = await super().run_episode(order)
        await self._store.append(order.episode, [ended(result.ending)], 1, order.lease.epoch)
        return result


def started(order: EpisodeOrder) -> EpisodeStarted:
    return EpisodeStarted(
        at=START,
        run=order.run,
        episode=order.episode,
        attempt=order.attempt,
        task=order.task,
        serial=order.lease.serial,
        epoch=order.lease.epoch,
        profile="e",
        schedule="overlap",
        memory=LongTermMemory(),
        batch=order.batch,
        place=order.place,
        restarts=order.restarts,
    )


def ended(ending: Ending, afresh: bool = False) -> EpisodeEnded:
    return EpisodeEnded(at=START, ending=ending, reason="why", steps=1, verified=None, rubrics={}, afresh=afresh)


class Restarted:
    """A dispatcher of two phones that dies and is started again; its hosts and its gateway live on."""

    def __init__(self, seconds: float = 10.0, **settings: Any) -> None:
        self.fixture = Fixture(("p0", "p1"), **settings)
        self.fixture.book = Book(("p0", "p1"), self.fixture.clock)
        self.book: Book = self.fixture.book
        self.host = OwnHost(self.fixture, seconds)
        self.settings = self.fixture.settings()

    def dispatcher(self) -> Dispatcher:
        fixture = self.fixture
        return Dispatcher(self.settings, (self.host,), fixture.book, LongTermMemory(), fixture.store, fixture.clock)

    async def dies_after(
        self, run: Callable[[Dispatcher], asyncio.Task[Sequence[EpisodeResult]]], seconds: float
    ) -> None:
        store = self.fixture.store.journals
        running = run(self.dispatcher())
        await self.fixture.clock.sleep(seconds)
        self.host.caller_dead = self.book.caller_dead = True
        running.cancel()
        await asyncio.wait({running})
        self.host.caller_dead = self.book.caller_dead = False
        for serial, lease in list(self.book.held.items()):
            if lease.holder not in {*store, *self.host.running}:
                del self.book.held[serial]  # taken, and never used: it runs out
        for episode in [name for name, records in store.items() if records[0].kind == "episode_started"]:
            if not store[episode][0].serial:  # type: ignore[union-attr]
                del store[episode]  # who dies writes nothing


@pytest.mark.parametrize("seconds", [0.0, 0.5, 9.0, 10.0, 15.0, 29.0])
@pytest.mark.parametrize("deaths", [1, 3])
def test_a_dispatcher_that_is_started_again_repeats_nothing(seconds: float, deaths: int) -> None:
    async def main() -> None:
        world = Restarted()
        for death in range(deaths):
            await world.dies_after(
                lambda one, again=bool(death): asyncio.create_task(one.run("b", tasks(6), again)),  # type: ignore[misc]
                seconds / deaths,
            )
        results = await world.dispatcher().run("b", tasks(6), recover=True)
        assert [result.task for result in results] == [f"t{number}" for number in range(6)]
        assert endings(results) == [Ending.FINISHED] * 6
        assert [result.attempt for result in results] == [1] * 6
        assert sorted(order.task.id for order in world.host.orders) == [f"t{number}" for number in range(6)]
        assert world.book.held == {}
        assert world.fixture.clock.now() - START == pytest.approx(30, abs=1)  # nobody waited for it

    run_virtual(main())


def test_an_episode_whose_host_died_with_the_dispatcher_goes_on_in_place() -> None:
    async def main() -> None:
        world = Restarted()
        await world.dies_after(lambda one: asyncio.create_task(one.run("b", tasks(2))), 5.0)
        world.host.die()
        results = await world.dispatcher().run("b", tasks(2), recover=True)
        assert endings(results) == [Ending.FINISHED] * 2
        went_on = [order for order in world.host.orders if order.resume]
        assert [(order.lease.epoch, order.attempt, order.restarts) for order in went_on] == [(2, 1, 0)] * 2
        assert [order.run_cut_off for order in went_on] == [True] * 2
        assert {(order.episode, order.lease.serial) for order in went_on} == {
            (order.episode, order.lease.serial) for order in world.host.orders
        }
        assert world.book.held == {}

    run_virtual(main())


@pytest.mark.parametrize(("steps_a_life", "anew"), [(1, False), (0, True)])
def test_a_host_that_dies_again_and_again_is_in_vain_only_where_no_step_is_finished(
    steps_a_life: int, anew: bool
) -> None:
    """Who dies reports no step: the journal tells of them."""
    deaths = 3 * MOST_RESUMES

    async def main() -> None:
        fixture = Fixture(("p0",))
        store = fixture.store

        async def script(order: EpisodeOrder) -> Ending:
            journal = store.journals.get(order.episode, [])
            first: list[Record] = [] if journal else [started(order)]
            acted = [Acted(step=len(journal), span=Span(start=START, end=START))] * steps_a_life
            await store.append(order.episode, [*first, *acted], len(journal), order.lease.epoch)
            if len(host.orders) <= deaths:
                raise ActorLost("its process is gone")
            return Ending.FINISHED

        host = fixture.host(script)
        (result,) = await fixture.dispatcher(host).run("b", tasks(1))
        assert (result.ending, len(host.orders)) == (Ending.FINISHED, deaths + 1)
        assert [order.restarts for order in host.orders] == sorted(order.restarts for order in host.orders)
        assert (host.orders[-1].restarts > 0) is anew

    run_virtual(main())


@pytest.mark.parametrize("unreadable_s", [30.0, 1000.0])
def test_a_batch_is_not_taken_up_before_what_was_added_to_it_is_known(tmp_path: Path, unreadable_s: float) -> None:
    """Else an added task that had been begun would be a new one."""

    async def main() -> None:
        world = Restarted(control=tmp_path)
        tell(tmp_path, Add(at=0, tasks=tuple(tasks(2)[1:])))
        await world.dies_after(lambda one: asyncio.create_task(one.run(FIRST_BATCH, tasks(1))), 5.0)
        world.host.die()
        (tmp_path / FILE).rename(tmp_path / "away")
        (tmp_path / FILE).mkdir()
        again = asyncio.create_task(world.dispatcher().run(FIRST_BATCH, tasks(1), recover=True))
        await asyncio.sleep(unreadable_s)
        if again.done():
            with pytest.raises(StoreError, match=f"{FILE}: Is a directory"):
                await again
            assert unreadable_s > 600.0
            assert len(world.host.orders) == 2
            return
        (tmp_path / FILE).rmdir()
        (tmp_path / "away").rename(tmp_path / FILE)
        assert endings(await again) == [Ending.FINISHED] * 2
        assert sorted((order.task.id, bool(order.resume)) for order in world.host.orders) == [
            ("t0", False),
            ("t0", True),
            ("t1", False),
            ("t1", True),
        ]

    run_virtual(main())


def test_a_store_that_cannot_be_read_for_a_while_is_asked_again() -> None:
    async def main() -> None:
        world = Restarted()
        await world.dies_after(lambda one: asyncio.create_task(one.run("b", tasks(2))), 5.0)
        index = world.fixture.store.index

        class Away(ListStore):
            async def index(self) -> Sequence[EpisodeIndex]:
                if world.fixture.clock.now() < START + 60:
                    raise StoreError("it is being started again")
                return await index()

        journals = world.fixture.store
        world.fixture.store = Away()
        world.fixture.store.journals, world.fixture.store.epochs = journals.journals, journals.epochs
        results = await world.dispatcher().run("b", tasks(2), recover=True)
        assert endings(results) == [Ending.FINISHED] * 2
        assert len(world.host.orders) == 2

    run_virtual(main())


# ------------------------------------------------------------------------ what the journals tell
TASKS = tasks(3, attempts=2)


def entry(place: int, ending: Ending | None, in_vain: int = 0, afresh: bool = False, **fields: object) -> EpisodeIndex:
    said = {"attempt": 1, "restarts": 0, "serial": "p0", "epoch": 4, "batch": "b", "at": START, **fields}
    start = EpisodeStarted(
        run="r",
        episode=f"e-{place}-{said['attempt']}-{said['restarts']}",
        task=TASKS[place],
        place=place,
        profile="e",
        schedule="overlap",
        memory=LongTermMemory(),
        **said,  # type: ignore[arg-type]
    )
    end = None if ending is None else ended(ending, afresh)
    return EpisodeIndex(started=start, epoch=start.epoch, ended=end, steps=1, in_vain=in_vain)


def stands(*index: EpisodeIndex, serials: Sequence[str] = ("p0", "p1")) -> TaskState:
    return dict(recover_batch("b", TASKS, index, {}, serials, lambda attempt: "another").before)[0]


@pytest.mark.parametrize("ending", list(Ending))
def test_what_the_task_did_decides_it_and_anything_else_leaves_it_open(ending: Ending) -> None:
    at = stands(entry(0, ending))
    if ending in OUTSIDE_ENDINGS | {Ending.INTERNAL_ERROR}:
        assert at.result is None
        assert at.interrupted is not None
        assert (at.interrupted.lease.serial, at.interrupted.lease.epoch, at.interrupted.lease.holder) == (
            "p0",
            4,
            "e-0-1-0",
        )
        assert (at.attempt, at.restarts, at.interrupted.run_cut_off) == (1, 0, ending is Ending.CANCELLED)
    else:
        assert at.result is not None
        assert (at.result.ending, at.result.reason) == (ending, "why")


@pytest.mark.parametrize(
    ("failure", "is_left"),
    [("model_unreachable", True), ("deadline", True), ("model_refused", False), ("reply_unusable", False), ("", False)],
)
def test_a_task_that_ended_because_of_the_servers_of_a_model_is_open_again(failure: str, is_left: bool) -> None:
    at = stands(entry(0, Ending.MODEL_FAILED).model_copy(update={"failure": failure}))
    assert (at.interrupted is not None, at.result is None) == (is_left, is_left)


def test_the_newest_episode_that_had_a_phone_tells() -> None:
    older, newer = entry(0, Ending.HOST_LOST), entry(0, None, restarts=1, serial="p1", epoch=2)
    given_up = entry(0, Ending.CANCELLED, restarts=2, serial="", epoch=0)
    for index in permutations((newer, given_up, older)):
        at = stands(*index)
        assert at.interrupted is not None
        assert (at.interrupted.lease.holder, at.interrupted.lease.serial, at.restarts) == ("e-0-1-1", "p1", 1)
    assert stands(given_up) == TaskState()
    assert stands(entry(0, Ending.FINISHED, batch="another")) == TaskState()


def test_a_phone_that_is_not_of_the_run_has_the_task_begun_anew() -> None:
    assert stands(entry(0, None), serials=("p1",)) == TaskState(1, 1)


def test_of_two_episodes_cut_off_on_one_phone_the_newer_one_goes_on_there() -> None:
    found = recover_batch(
        "b", TASKS, [entry(0, None), entry(1, None, epoch=5)], {}, ("p0",), lambda attempt: "another"
    ).before
    assert found[0] == TaskState(1, 1)
    assert found[1].interrupted is not None
    assert found[1].interrupted.run_cut_off
    assert found[2] == TaskState()


def test_an_episode_that_cannot_be_resumed_is_restarted_and_counts() -> None:
    assert stands(entry(0, Ending.HOST_LOST, afresh=True)) == TaskState(1, 1)
    assert stands(entry(0, Ending.HOST_LOST, afresh=True, in_vain=MOST_RESUMES)) == TaskState(2)
    at = stands(entry(0, Ending.HOST_LOST, afresh=True, in_vain=MOST_RESUMES, attempt=2))
    assert at.result is not None


def test_the_lease_of_the_last_episode_of_a_phone_is_given_back_if_that_has_ended() -> None:
    index = [
        entry(0, Ending.FINISHED),
        entry(0, Ending.FINISHED, epoch=5, attempt=2),
        entry(1, Ending.FINISHED, serial="p1"),
        entry(2, None, serial="p1", epoch=7),
    ]
    found = recover_batch("b", TASKS, index, {}, ("p0", "p1"), lambda attempt: "another")
    assert {serial: (lease.holder, lease.epoch) for serial, lease in found.leases.items()} == {"p0": ("e-0-2-0", 5)}
    cut_off = recover_batch("b", TASKS, [entry(0, Ending.CANCELLED)], {}, ("p0",), lambda attempt: "another")
    assert cut_off.leases == {}  # whoever goes on there has it already


def test_a_turn_without_a_journal_is_joined_by_its_name() -> None:
    """The order was on its way when the dispatcher died, and nothing of it is on disk yet."""

    def name(attempt: Attempt) -> str:
        return "named" if attempt.index == 0 else f"other-{attempt.index}"

    view = HostView(Restarted().host, Backoff(first_s=2, longest_s=30))
    progress = EpisodeProgress(episode="named", task="t0", serial="p1", step=0, doing="", epoch=7)
    found = recover_batch("b", TASKS, [], {"named": (view, progress)}, ("p0", "p1"), name).before
    assert found[0].interrupted is not None
    assert (found[0].interrupted.view, found[0].interrupted.lease.epoch) == (view, 7)
