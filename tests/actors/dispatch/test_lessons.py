"""What tasks know from the start and what they teach: phones wait for no lesson, only the next task of a scope does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.lessons import teaches
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, StaleEpoch, StoreFull
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.learning import LearnOrder, Recall, RecallOrder, Taught
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.dispatch.dispatch_parts import Fixture, ScriptedLearning, endings, result_of, tasks
from tests.actors.dispatch.test_batch_recovery import Restarted
from tests.virtual_clock import START, VirtualClock, run_virtual


def scoped(*scopes: str | None) -> list[TaskSpec]:
    return [TaskSpec(id=f"t{number}", goal=f"goal {number}", memory_scope=scope) for number, scope in enumerate(scopes)]


def learning(fixture: Fixture, seconds: float = 5.0, script: Any = None) -> ScriptedLearning:
    return ScriptedLearning(fixture.store, fixture.clock, seconds, script)


def since(moment: float) -> float:
    return round(moment - START, 3)


def test_the_next_task_of_a_scope_waits_for_the_lesson_and_others_do_not() -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"))
        host, learns = fixture.host(), learning(fixture, seconds=30.0)
        results = await fixture.dispatcher(host, learning=learns).run("b", scoped("a", None, "a", None, None))
        assert endings(results) == [Ending.FINISHED] * 5
        began = {order.task.id: order for order in host.orders}
        assert [order.task.id for order in host.orders] == ["t0", "t1", "t3", "t4", "t2"]
        assert {task: order.memory.version for task, order in began.items()} == {
            "t0": 0, "t1": 0, "t3": 0, "t4": 0, "t2": 1,
        }  # fmt: skip
        assert since(learns.ended["t0"]) == 40.0
        # Two phones, 10 s a task: four of them are done after 20 s, t2 begins at 40 s, its lesson ends at 80 s.
        assert since(fixture.clock.now()) == 80.0
        assert [order.future for order in learns.orders if order.task.id == "t0"] == [("goal 2",)]
        assert {order.task.id for order in learns.orders} == {"t0", "t1", "t2", "t3", "t4"}

    run_virtual(main())


def test_a_lesson_begins_once_its_phone_is_given_back() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        held: list[Sequence[str]] = []

        async def script(order: LearnOrder) -> None:
            held.append([lease.holder for lease in fixture.book.held.values() if lease.holder == order.episode])

        learns = learning(fixture, 0.0, script)
        await fixture.dispatcher(fixture.host(), learning=learns).run("b", tasks(3))
        assert held == [[]] * 3

    run_virtual(main())


def test_a_phone_goes_on_at_once_however_long_lessons_take() -> None:
    async def main() -> None:
        lasted = []
        for learns_s in (None, 25.0):
            fixture = Fixture(("p0", "p1"))
            learns = None if learns_s is None else learning(fixture, learns_s)
            began: list[float] = []

            async def script(order: EpisodeOrder, began: list[float] = began, fixture: Fixture = fixture) -> Ending:
                began.append(fixture.clock.now())
                return Ending.FINISHED

            start = fixture.clock.now()
            await fixture.dispatcher(fixture.host(script), learning=learns).run("b", tasks(8))
            lasted.append([moment - start for moment in began])
        assert lasted[0] == pytest.approx(lasted[1])

    run_virtual(main())


def test_so_many_teach_at_a_time() -> None:
    async def main() -> None:
        fixture = Fixture(lessons_at_once=2)
        learns = learning(fixture, 60.0)
        await fixture.dispatcher(fixture.host(), learning=learns).run("b", tasks(9))
        assert (learns.most, len(learns.orders)) == (2, 9)

    run_virtual(main())


async def _hangs(order: LearnOrder) -> None:
    await asyncio.Event().wait()


async def _fails(order: LearnOrder) -> None:
    raise StoreFull("the disk is full")


async def _fails_then_hangs(order: LearnOrder) -> None:
    if order.deadline - VirtualClock().now() > 50:
        raise StoreFull("the disk is full")
    await asyncio.Event().wait()


async def _is_stale(order: LearnOrder) -> None:
    raise StaleEpoch("a newer lease has the journal")


async def _refuses(order: LearnOrder) -> None:
    raise BadInput("this memory knows no such scope")


async def _is_wrong(order: LearnOrder) -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("script", "waits_s"),
    [
        (_hangs, 100.0),
        (_fails, 100.0),
        (_fails_then_hangs, 100.0),
        (_refuses, 5.0),
        (_is_stale, 5.0),
        (_is_wrong, 5.0),
    ],
)
def test_a_learner_that_fails_or_hangs_costs_the_lesson_alone(script: Any, waits_s: float) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), lesson_s=100.0)
        learns = learning(fixture, 5.0, script)
        host = fixture.host()
        results = await fixture.dispatcher(host, learning=learns).run("b", scoped("a", "a", "a"))
        assert endings(results) == [Ending.FINISHED] * 3
        assert since(fixture.clock.now()) == pytest.approx(3 * (10 + waits_s), abs=1)
        assert [order.memory.version for order in host.orders] == [0, 0, 0]

    run_virtual(main())


def test_a_run_folder_that_is_away_for_a_while_costs_no_lesson() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), lesson_s=100.0)
        tries = 0

        async def script(order: LearnOrder) -> None:
            nonlocal tries
            tries += 1
            if tries in (1, 2):
                raise StoreFull("the disk is full")

        learns = learning(fixture, 5.0, script)
        host = fixture.host()
        await fixture.dispatcher(host, learning=learns).run("b", scoped("a", "a"))
        assert tries == 4
        assert [order.memory.version for order in host.orders] == [0, 1]

    run_virtual(main())


@pytest.mark.parametrize(
    ("ending", "teaches"),
    [
        (Ending.FINISHED, True),
        (Ending.STEP_LIMIT, True),
        (Ending.MODEL_FAILED, True),
        (Ending.INTERNAL_ERROR, False),
        (Ending.NO_MODEL, False),
        (Ending.PHONE_LOST, False),
    ],
)
def test_failed_tasks_teach_too_but_not_where_something_outside_of_them_failed(ending: Ending, teaches: bool) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        learns = learning(fixture)

        async def script(order: EpisodeOrder) -> Ending:
            return ending

        await fixture.dispatcher(fixture.host(script), learning=learns).run("b", scoped("a"))
        assert bool(learns.orders) is teaches

    run_virtual(main())


@pytest.mark.parametrize(
    ("failure", "taught"), [("model_refused", True), ("reply_unusable", True), ("model_away", False)]
)
def test_a_task_that_ended_by_its_model_teaches_unless_resume_takes_it_up_again(failure: str, taught: bool) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        host = fixture.host()
        await fixture.dispatcher(host).run("b", tasks(1))
        result = result_of(host.orders[0], Ending.MODEL_FAILED)
        assert teaches(result.model_copy(update={"failure": failure})) is taught

    run_virtual(main())


class SilentMemory(ScriptedLearning):
    async def recall(self, order: RecallOrder) -> Recall:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    async def learn(self, order: LearnOrder) -> Taught:
        raise BadInput("this memory takes no lessons")


def test_a_memory_that_is_away_leaves_what_every_task_knows() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), recall_s=20.0)
        start = LongTermMemory(tips=("Close pop-ups.",))
        host = fixture.host()
        silent = SilentMemory(fixture.store, fixture.clock)
        dispatcher = Dispatcher(
            fixture.settings(), (host,), fixture.book, start, fixture.store, fixture.clock, learning=silent
        )
        results = await dispatcher.run("b", scoped("a", "a"))
        assert endings(results) == [Ending.FINISHED] * 2
        assert [order.memory for order in host.orders] == [start] * 2
        assert since(fixture.clock.now()) == pytest.approx(60.0)

    run_virtual(main())


class Choosing(ScriptedLearning):
    """Chooses by a call that takes ``recall_s``."""

    recall_s = 8.0

    async def recall(self, order: RecallOrder) -> Recall:
        self.recalled.append(order)
        await self._clock.sleep(self.recall_s)
        at = self._clock.now()
        call = ModelCall(
            role=Role.RECALL, server="s", request={}, reply="", started_at=at - self.recall_s, latency_ms=8000
        )
        return Recall(memory=LongTermMemory(version=7), calls=(call,), left_out=3)


def test_what_was_chosen_stands_in_the_order_and_no_phone_is_leased_meanwhile() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        learns = Choosing(fixture.store, fixture.clock)
        host = fixture.host()
        run = asyncio.create_task(fixture.dispatcher(host, learning=learns).run("b", tasks(1)))
        await asyncio.sleep(4.0)
        assert (len(learns.recalled), fixture.book.attached) == (1, [])
        await run
        (order,) = host.orders
        assert order.recalled is not None
        assert (order.memory.version, len(order.recalled.calls), order.recalled.left_out) == (7, 1, 3)
        assert order.episode == learns.recalled[0].episode

    run_virtual(main())


def test_a_choice_is_made_while_its_task_waits_and_once() -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"))
        learns = Choosing(fixture.store, fixture.clock, 0.0)
        host = fixture.host()
        results = await fixture.dispatcher(host, learning=learns).run("b", tasks(8))
        assert endings(results) == [Ending.FINISHED] * 8
        # The first task of a phone waits 8 s for its choice; those behind it, of 10 s each, wait for none.
        assert since(fixture.clock.now()) == 48.0
        assert sorted(one.episode for one in learns.recalled) == sorted(one.episode for one in host.orders)

    run_virtual(main())


class LearningWorld(Restarted):
    """A dispatcher that dies and is started again; what learns lives on, and what it was told last is cut off."""

    def __init__(self, seconds: float, **settings: Any) -> None:
        super().__init__(**settings)
        self.learns = learning(self.fixture, seconds)

    def dispatcher(self) -> Dispatcher:
        fixture, host = self.fixture, self.host
        return Dispatcher(
            self.settings, (host,), fixture.book, LongTermMemory(), fixture.store, fixture.clock, learning=self.learns
        )


@pytest.mark.parametrize("after_s", [1.0, 9.9, 10.0, 10.1, 15.0, 17.9, 18.1, 25.0, 35.0, 45.0, 60.0])
def test_a_dispatcher_that_is_started_again_teaches_what_ended_and_was_not_taught(after_s: float) -> None:
    batch = scoped("a", None, "a", None, "a")

    async def main() -> None:
        world = LearningWorld(8.0)
        await world.dies_after(lambda one: asyncio.create_task(one.run("b", batch)), after_s)
        results = await world.dispatcher().run("b", batch, recover=True)
        assert endings(results) == [Ending.FINISHED] * 5
        assert sorted(order.task.id for order in world.host.orders) == [f"t{number}" for number in range(5)]
        # Each has taught once: what was cut off was asked for again, and nothing that had been taught.
        kinds = [[record.kind for record in records] for records in world.fixture.store.journals.values()]
        assert [one.count("learned") for one in kinds] == [1] * 5
        in_scope = [order for order in world.host.orders if order.task.memory_scope == "a"]
        assert [(order.task.id, order.memory.version) for order in in_scope] == [("t0", 0), ("t2", 1), ("t4", 2)]
        assert world.book.held == {}

    run_virtual(main())


def test_what_was_not_taught_holds_nothing_where_nobody_learns() -> None:
    async def main() -> None:
        world = LearningWorld(1e6)
        await world.dies_after(lambda one: asyncio.create_task(one.run("b", scoped("a", "a"))), 15.0)
        plain = Restarted.dispatcher(world)
        results = await plain.run("b", scoped("a", "a"), recover=True)
        assert endings(results) == [Ending.FINISHED] * 2

    run_virtual(main())
