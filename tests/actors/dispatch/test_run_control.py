"""A run that is told to pause, to go on, to drain, and of more tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.control import (
    FILE,
    FIRST_BATCH,
    Add,
    AttachPhone,
    Cancel,
    DetachPhone,
    Drain,
    Go,
    LabelPhone,
    Pause,
    RecordLabels,
    ReservePhone,
    SetPriority,
    read_control,
    tell,
)
from manyhands.protocol.runs.progress import Decisions
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.dispatch.dispatch_parts import Fixture, endings, tasks
from tests.virtual_clock import START, run_virtual

DAY_S = 24 * 3600.0


def test_what_is_written_is_read_whatever_lies_between(tmp_path: Path) -> None:
    assert read_control(tmp_path) == ()
    said = [Pause(at=1, phones=("p",)), Add(at=2, tasks=tuple(tasks(2))), Go(at=3), Drain(at=4, tasks=("t",))]
    tell(tmp_path, said[0])
    with (tmp_path / FILE).open("ab") as file:
        file.write((tmp_path / FILE).read_bytes()[:-5])  # whoever wrote it died
    for control in said[1:]:
        tell(tmp_path, control)
    assert list(read_control(tmp_path)) == said
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_a_paused_run_begins_nothing_until_it_may_go_on_however_long_that_takes(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), control=tmp_path)
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run("b", tasks(6)))
        await asyncio.sleep(5)
        tell(tmp_path, Pause(at=0))
        await asyncio.sleep(DAY_S)
        progress = await dispatcher.progress()
        assert (progress.done.tasks, progress.waiting, progress.running) == (2, 4, ())
        assert [(wait.what, wait.reason) for wait in progress.held_up] == [
            ("manyhands control RUN go", "paused by manyhands control")
        ]
        assert [(hold.what, hold.drained) for hold in progress.holds] == [("the run", False)]
        assert progress.phones == 2
        tell(tmp_path, Go(at=0))
        assert endings(await run) == [Ending.FINISHED] * 6
        assert fixture.clock.now() - START == pytest.approx(DAY_S + 5 + 20, abs=2)

    run_virtual(main())


def test_a_phone_that_is_paused_ends_its_task_and_has_no_more(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), control=tmp_path)
        host = fixture.host()
        tell(tmp_path, Pause(at=0, phones=("p1",)))
        results = await fixture.dispatcher(host).run("b", tasks(3))
        assert {result.serial for result in results} == {"p0"}

    run_virtual(main())


def test_progress_tells_which_phones_and_tasks_are_held_and_since_when(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1", "p2"), control=tmp_path)
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        tell(tmp_path, Pause(at=3, phones=("p1",), tasks=("t1",)))
        tell(tmp_path, Pause(at=4, phones=("p1", "p2")))
        tell(tmp_path, Drain(at=5, tasks=("t2",)))
        run = asyncio.create_task(dispatcher.run("b", tasks(3)))
        await asyncio.sleep(5)
        progress = await dispatcher.progress()
        assert [(hold.what, hold.since, hold.drained) for hold in progress.holds] == [
            ("phone p1", 3, False),
            ("phone p2", 4, False),
            ("task t1", 3, False),
            ("task t2", 5, True),
        ]
        assert progress.held_up == ()  # p0 may have tasks
        tell(tmp_path, Go(at=6, phones=("p1",), tasks=("t1",)))
        await asyncio.sleep(5)
        assert [hold.what for hold in (await dispatcher.progress()).holds] == ["phone p2", "task t2"]
        await run
        assert (await dispatcher.progress()).holds == ()

    run_virtual(main())


def test_what_runs_beside_a_paused_task_is_not_waited_for_without_end(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), control=tmp_path)

        async def hangs(order: EpisodeOrder) -> Ending:
            await asyncio.sleep(DAY_S)
            return Ending.FINISHED

        tell(tmp_path, Pause(at=0, tasks=("t1",)))
        run = asyncio.create_task(fixture.dispatcher(fixture.host(hangs)).run("b", tasks(2)))
        await asyncio.sleep(DAY_S / 2)
        tell(tmp_path, Drain(at=0, tasks=("t1",)))
        assert endings(await run) == [Ending.HOST_LOST, Ending.CANCELLED]
        assert fixture.clock.now() - START < DAY_S

    run_virtual(main())


def test_a_task_that_is_paused_is_passed_over_and_one_that_is_drained_is_given_up(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), control=tmp_path)
        host = fixture.host()
        tell(tmp_path, Pause(at=0, tasks=("t0",)))
        tell(tmp_path, Drain(at=0, tasks=("t1",)))
        run = asyncio.create_task(fixture.dispatcher(host).run("b", tasks(4)))
        await asyncio.sleep(DAY_S)
        assert [order.task.id for order in host.orders] == ["t2", "t3"]
        tell(tmp_path, Go(at=0, tasks=("t0",)))
        finished, cancelled = Ending.FINISHED, Ending.CANCELLED
        assert endings(await run) == [finished, cancelled, finished, finished]

    run_virtual(main())


def test_a_drained_run_ends_with_what_runs(tmp_path: Path) -> None:
    async def main() -> Sequence[EpisodeResult]:
        fixture = Fixture(("p0", "p1"), control=tmp_path)
        run = asyncio.create_task(fixture.dispatcher(fixture.host()).run("b", tasks(4)))
        await asyncio.sleep(5)
        tell(tmp_path, Drain(at=0))
        results = await run
        assert fixture.clock.now() - START == pytest.approx(10)
        assert {result.episode for result in results[2:]} == set(fixture.store.journals)
        return results

    results = run_virtual(main())
    assert endings(results) == [Ending.FINISHED] * 2 + [Ending.CANCELLED] * 2
    assert results[2].reason == "drained by manyhands control"


def test_a_phone_that_is_drained_holds_nothing_up_for_ever(tmp_path: Path) -> None:
    """The other phone stays away, and a drained one takes no task: nothing will ever run."""

    async def main() -> None:
        fixture = Fixture(("p0", "p1"), control=tmp_path, idle_s=3600.0)
        fixture.book.present["p1"] = False
        tell(tmp_path, Drain(at=0, phones=("p0",)))
        (result,) = await asyncio.wait_for(fixture.dispatcher(fixture.host()).run("b", tasks(1)), DAY_S)
        assert result.ending is Ending.NO_PHONE
        assert fixture.clock.now() - START == pytest.approx(3600, abs=10)

    run_virtual(main())


def test_added_tasks_are_the_first_batchs_also_for_a_new_dispatcher(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), control=tmp_path)
        host = fixture.host()
        before, later = tasks(6)[:3], tasks(6)[3:]
        tell(tmp_path, Add(at=0, tasks=tuple(later[:1])))
        run = asyncio.create_task(fixture.dispatcher(host).run(FIRST_BATCH, before))
        other = asyncio.create_task(fixture.dispatcher(host).run("batch-2", [tasks(9)[8]]))
        await asyncio.sleep(5)
        tell(tmp_path, Add(at=0, tasks=tuple(later[1:])))
        assert [result.task for result in await run] == [f"t{number}" for number in range(6)]
        assert [result.task for result in await other] == ["t8"]
        assert sorted(order.place for order in host.orders if order.batch == FIRST_BATCH) == list(range(6))
        again = await fixture.dispatcher(host).run(FIRST_BATCH, before, recover=True)
        assert [result.task for result in again] == [f"t{number}" for number in range(6)]

    run_virtual(main())


def test_a_cancelled_task_ends_whether_it_waits_or_runs(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), control=tmp_path)
        host = fixture.host()
        run = asyncio.create_task(fixture.dispatcher(host).run("b", tasks(4)))
        await asyncio.sleep(5)
        tell(tmp_path, Cancel(at=0, tasks=("t0", "t2"), reason="nobody needs it"))
        results = await run
        assert endings(results) == [Ending.CANCELLED, Ending.FINISHED, Ending.CANCELLED, Ending.FINISHED]
        assert {result.reason for result in results if result.ending is Ending.CANCELLED} == {"nobody needs it"}
        assert [order.task.id for order in host.orders] == ["t0", "t1", "t3"]
        assert fixture.book.held == {}, "the phone of the cancelled episode is free"

    run_virtual(main())


def test_a_cancelled_task_stays_cancelled_after_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), control=tmp_path)
        run = asyncio.create_task(fixture.dispatcher(fixture.host()).run("b", tasks(3)))
        await asyncio.sleep(5)
        tell(tmp_path, Cancel(at=0, tasks=("t0", "t2")))
        await asyncio.sleep(3)
        run.cancel()
        await asyncio.wait({run})
        host = fixture.host()
        results = await fixture.dispatcher(host).run("b", tasks(3), recover=True)
        assert endings(results) == [Ending.CANCELLED, Ending.FINISHED, Ending.CANCELLED]
        assert {order.task.id for order in host.orders} == {"t1"}

    run_virtual(main())


def test_an_open_ended_run_takes_tasks_until_it_is_drained(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), control=tmp_path, is_open_ended=True)
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run(FIRST_BATCH, ()))
        await asyncio.sleep(DAY_S)
        first = [TaskSpec(id=f"b1.{number}", goal="g") for number in range(3)]
        tell(tmp_path, Add(at=0, tasks=tuple(first), owner="anna", batch="b1"))
        tell(tmp_path, Add(at=0, tasks=tuple(first), owner="anna", batch="b1"))  # it is handed over twice
        await asyncio.sleep(60)
        seen = await dispatcher.decisions(Decisions())
        assert {result.task for result in seen.results} == {"b1.0", "b1.1", "b1.2"}
        assert (await dispatcher.progress()).done.tasks == 3
        for serial in fixture.book.present:
            fixture.book.present[serial] = False
        tell(tmp_path, Add(at=0, tasks=(TaskSpec(id="b2.0", goal="g"),), owner="anna", batch="b2"))
        await asyncio.sleep(DAY_S)
        assert (await dispatcher.progress()).waiting == 1, "it waits for a phone without a limit"
        for serial in fixture.book.present:
            fixture.book.present[serial] = True
        await asyncio.sleep(60)
        more = await dispatcher.decisions(seen)
        assert [result.task for result in more.results] == ["b2.0"]
        assert not run.done()
        tell(tmp_path, Drain(at=0))
        assert endings(await run) == [Ending.FINISHED] * 4

    run_virtual(main())


def test_a_second_owner_gets_the_next_free_phone(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), control=tmp_path, is_open_ended=True)
        host = fixture.host()
        run = asyncio.create_task(fixture.dispatcher(host).run(FIRST_BATCH, ()))
        many = tuple(TaskSpec(id=f"b1.{number}", goal="g") for number in range(1000))
        tell(tmp_path, Add(at=0, tasks=many, owner="anna", batch="b1"))
        await asyncio.sleep(95)
        tell(tmp_path, Add(at=0, tasks=(TaskSpec(id="b2.0", goal="g"),), owner="ben", batch="b2"))
        await asyncio.sleep(12)
        began = [order.task.id for order in host.orders]
        assert began.index("b2.0") <= 21, "two phones, ten seconds a task: 20 tasks had begun before"
        run.cancel()
        await asyncio.wait({run})

    run_virtual(main())


def test_labels_selectors_and_reservations_decide_who_gets_a_phone(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), control=tmp_path, is_open_ended=True)
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run(FIRST_BATCH, ()))
        tell(tmp_path, ReservePhone(at=0, phone="p0", owner="ben", until=fixture.clock.now() + 3600))
        picky = TaskSpec(id="b1.0", goal="g", phones="model=pixel")
        tell(tmp_path, Add(at=0, tasks=(picky, TaskSpec(id="b1.1", goal="g")), owner="anna", batch="b1"))
        await asyncio.sleep(60)
        assert [(order.task.id, order.lease.serial) for order in host.orders] == [("b1.1", "p1")]
        tell(tmp_path, LabelPhone(at=0, phone="p0", labels={"model": "Pixel"}))
        await asyncio.sleep(60)
        assert (await dispatcher.progress()).waiting == 1, "the only pixel is reserved for ben"
        tell(tmp_path, Add(at=0, tasks=(picky.model_copy(update={"id": "b2.0"}),), owner="ben", batch="b2"))
        await asyncio.sleep(60)
        assert (host.orders[-1].task.id, host.orders[-1].lease.serial) == ("b2.0", "p0")
        tell(tmp_path, ReservePhone(at=0, phone="p0", owner="", until=0))
        await asyncio.sleep(60)
        assert (host.orders[-1].task.id, host.orders[-1].lease.serial) == ("b1.0", "p0")
        run.cancel()
        await asyncio.wait({run})

    run_virtual(main())


def test_a_phone_that_is_attached_gets_tasks_and_one_that_is_detached_gets_no_more(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), control=tmp_path)
        fixture.book.present["p1"] = True
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run("b", tasks(12)))
        await asyncio.sleep(15)
        assert {order.lease.serial for order in host.orders} == {"p0"}
        tell(tmp_path, AttachPhone(at=0, phone="p1"))
        tell(tmp_path, AttachPhone(at=0, phone="p1"))
        await asyncio.sleep(30)
        assert (await dispatcher.progress()).phones == 2
        assert {order.lease.serial for order in host.orders} == {"p0", "p1"}
        tell(tmp_path, DetachPhone(at=0, phone="p0"))
        await asyncio.sleep(15)
        had = sum(order.lease.serial == "p0" for order in host.orders)
        assert endings(await run) == [Ending.FINISHED] * 12
        assert sum(order.lease.serial == "p0" for order in host.orders) == had
        assert (await dispatcher.progress()).phones == 1

    run_virtual(main())


def test_waiting_tasks_of_an_open_ended_run_go_on_after_it_was_cancelled(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), control=tmp_path, is_open_ended=True)
        host = fixture.host()
        run = asyncio.create_task(fixture.dispatcher(host).run(FIRST_BATCH, ()))
        tell(tmp_path, Add(at=0, tasks=tuple(tasks(3)), owner="anna", batch="b1"))
        await asyncio.sleep(15)
        run.cancel()
        await asyncio.wait({run})
        assert {entry.started.task.id for entry in await fixture.store.index()} <= {"t0", "t1"}
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run(FIRST_BATCH, (), recover=True))
        await asyncio.sleep(100)
        assert {result.task for result in (await dispatcher.decisions(Decisions())).results} == {"t0", "t1", "t2"}


def test_labels_that_were_read_count_until_people_give_others(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), control=tmp_path, is_open_ended=True)
        host = fixture.host()
        run = asyncio.create_task(fixture.dispatcher(host).run(FIRST_BATCH, ()))
        new_maps = TaskSpec(id="b1.0", goal="g", phones="app:Maps>=11, maker=google")
        tell(tmp_path, Add(at=0, tasks=(new_maps,), owner="anna", batch="b1"))
        tell(tmp_path, RecordLabels(at=0, labels={"p0": {"maker": "Google", "app:Maps": "10.9"}}))
        await asyncio.sleep(60)
        assert not host.orders
        tell(tmp_path, RecordLabels(at=0, labels={"p0": {"maker": "Google", "app:Maps": "11.2"}}))
        await asyncio.sleep(60)
        assert [(order.task.id, order.lease.serial) for order in host.orders] == [("b1.0", "p0")]
        tell(tmp_path, RecordLabels(at=0, labels={"p1": {"maker": "Samsung"}}))
        tell(tmp_path, LabelPhone(at=0, phone="p1", labels={"maker": "Fairphone"}))
        wanted = [TaskSpec(id=f"b2.{maker}", goal="g", phones=f"maker={maker}") for maker in ("samsung", "fairphone")]
        tell(tmp_path, Add(at=0, tasks=tuple(wanted), owner="anna", batch="b2"))
        await asyncio.sleep(60)
        tell(tmp_path, RecordLabels(at=0, labels={"p1": {"maker": "Samsung", "android": "14"}}))
        await asyncio.sleep(60)
        assert [order.task.id for order in host.orders] == ["b1.0", "b2.fairphone"], "people's label wins"
        tell(tmp_path, LabelPhone(at=0, phone="p1", labels={}))
        await asyncio.sleep(60)
        assert (host.orders[-1].task.id, host.orders[-1].lease.serial) == ("b2.samsung", "p1")
        run.cancel()
        await asyncio.wait({run})

    run_virtual(main())


def test_a_phone_whose_reservation_is_over_serves_everybody_again(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), control=tmp_path, is_open_ended=True)
        host = fixture.host()
        until = fixture.clock.now() + 3600
        run = asyncio.create_task(fixture.dispatcher(host).run(FIRST_BATCH, ()))
        tell(tmp_path, ReservePhone(at=0, phone="p0", owner="ben", until=until))
        tell(tmp_path, Add(at=0, tasks=tuple(tasks(1)), owner="anna", batch="b1"))
        await asyncio.sleep(3590)
        assert host.orders == []
        await asyncio.sleep(20)
        assert [order.task.id for order in host.orders] == ["t0"]
        run.cancel()
        await asyncio.wait({run})

    run_virtual(main())


def test_waiting_tasks_get_phones_in_the_order_of_their_new_priorities(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), control=tmp_path)
        host = fixture.host()
        run = asyncio.create_task(fixture.dispatcher(host).run("b", tasks(4)))
        await asyncio.sleep(5)  # the first task runs
        tell(tmp_path, SetPriority(at=0, tasks=("t3",), priority=9))
        tell(tmp_path, SetPriority(at=0, tasks=("t1",), priority=-9))
        await run
        assert [order.task.id for order in host.orders] == ["t0", "t3", "t2", "t1"]

    run_virtual(main())
