"""Batches and tasks are cancelled, paused and resumed, and each task ends once."""

from __future__ import annotations

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import PhaseConflict, UnknownItem
from manyhands.protocol.service.batches import BatchPhase, TaskPhase
from manyhands.protocol.service.events import EventKind
from manyhands.service.database.batches.batch_queries import TaskFilter
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from tests.service.database.work import AT, begin, end, progress, request, result


async def phases(batches: BatchRepository, batch: str = "b1") -> dict[str, str]:
    return {task.id: task.phase.value for task in (await batches.tasks(TaskFilter(batch=batch))).items}


async def kinds(database: ServiceDatabase, after: int = 0) -> list[str]:
    return [event.kind.value for event in await EventRepository(database).since(after, 99)]


async def hand_over(batches: BatchRepository) -> None:
    for group in await batches.not_handed_over(9):
        await batches.mark_handed_over(group.id, "/runs/1")


async def test_what_the_fleet_does_not_have_is_cancelled_at_once(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b"), "ann", None, AT)
    assert await batches.cancel(["b1"], AT + 1, "not needed") == ("b1.a", "b1.b")
    batch, task = await batches.batch("b1"), await batches.task("b1.a")
    assert (batch.phase, batch.ended_at, batch.cancelled, batch.waiting) == (BatchPhase.CANCELLED, AT + 1, 2, 0)
    assert batch.failed == 0
    assert (task.ending, task.reason, task.is_done, task.ended_at) == (Ending.CANCELLED, "not needed", False, AT + 1)
    assert await batches.not_handed_over(9) == []
    assert await kinds(database) == ["batch.accepted", "batch.cancelled", "task.ended", "task.ended", "batch.ended"]
    assert await batches.cancel(["b1", "b1.a"], AT + 2, "again") == ()
    assert (await batches.task("b1.a")).reason == "not needed"
    assert len(await kinds(database)) == 5
    assert not await end(batches, result("b1.a"))


async def test_what_the_fleet_may_have_ends_by_its_word(database: ServiceDatabase) -> None:
    """The coordinator may have told the fleet, and died before it could say so."""
    batches = BatchRepository(database)
    await batches.accept(request("a", "b"), "ann", None, AT)
    await batches.not_handed_over(9)
    assert await batches.cancel(["b1"], AT + 1, "not needed") == ("b1.a", "b1.b")
    assert await phases(batches) == {"b1.a": "waiting", "b1.b": "waiting"}
    (group,) = await batches.not_handed_over(9)
    assert [task.id for task in group.tasks] == ["b1.a", "b1.b"]
    assert group.cancelled == {"b1.a": "not needed", "b1.b": "not needed"}
    await batches.mark_handed_over("b1", "/runs/1")
    assert (await batches.standing_orders()).cancelled == group.cancelled
    assert await begin(batches, "b1.a", "e1", "p1", AT + 2)
    assert await end(batches, result("b1.a"))  # it was quicker
    assert await end(batches, result("b1.b", Ending.CANCELLED, reason="not needed"))
    batch = await batches.batch("b1")
    assert (batch.phase, batch.done, batch.cancelled, batch.failed) == (BatchPhase.CANCELLED, 1, 1, 0)
    assert (await batches.standing_orders()).cancelled == {}
    told = await kinds(database)
    assert told[1] == "batch.cancelled"
    assert told[-1] == "batch.ended"
    assert told.count("task.ended") == 2
    assert "task.failed" not in told


async def test_one_task_of_a_batch_is_cancelled(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b"), "ann", None, AT)
    await batches.pause(["b1.a"], AT)
    assert await batches.cancel(["b1.a"], AT, "no") == ("b1.a",)
    batch = await batches.batch("b1")
    assert (batch.phase, batch.waiting, batch.cancelled) == (BatchPhase.OPEN, 1, 1)
    (group,) = await batches.not_handed_over(9)
    assert [task.id for task in group.tasks] == ["b1.b"]


async def test_a_pause_holds_what_waits_and_nothing_else(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b", "c"), "ann", None, AT)
    await hand_over(batches)
    await begin(batches, "b1.a", "e1", "p1", AT)
    assert await batches.pause(["b1"], AT) == ("b1.b", "b1.c")
    assert await batches.pause(["b1"], AT) == ()
    assert await phases(batches) == {"b1.a": "running", "b1.b": "paused", "b1.c": "paused"}
    batch = await batches.batch("b1")
    assert (batch.phase, batch.waiting, batch.running) == (BatchPhase.PAUSED, 2, 1)
    assert (await batches.standing_orders()).paused == ("b1.b", "b1.c")
    assert await batches.resume(["b1.b"], AT) == ("b1.b",)
    assert (await batches.batch("b1")).phase is BatchPhase.PAUSED
    assert await batches.resume(["b1"], AT) == ("b1.c",)
    assert (await batches.batch("b1")).phase is BatchPhase.OPEN
    assert await kinds(database) == [*("batch.accepted", "task.began", "batch.paused", "task.resumed", "batch.resumed")]


async def test_a_task_that_is_paused_before_the_fleet_has_it_is_held_there(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b"), "ann", None, AT)
    await batches.pause(["b1.b"], AT)
    (group,) = await batches.not_handed_over(9)
    assert ([task.id for task in group.tasks], group.paused) == (["b1.a", "b1.b"], ("b1.b",))
    assert (await batches.batch("b1")).phase is BatchPhase.OPEN
    assert await begin(batches, "b1.b", "e1", "p1", AT)  # the pause came too late
    assert await phases(batches) == {"b1.a": "waiting", "b1.b": "running"}


async def test_tasks_of_a_paused_batch_are_tried_again_after_the_pause(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b"), "ann", None, AT)
    await hand_over(batches)
    await end(batches, result("b1.a"))
    await batches.pause(["b1"], AT)
    (again,) = await batches.retry(["b1.a"], AT)
    assert (again.id, again.phase) == ("b1.a.r2", TaskPhase.PAUSED)
    (group,) = await batches.not_handed_over(9)
    assert group.paused == ("b1.a.r2",)


async def test_batches_past_their_deadline_are_found_until_they_are_cancelled(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", deadline=AT + 10), "ann", None, AT)
    await batches.accept(request("a", deadline=AT + 20), "ann", None, AT)
    await batches.accept(request("a"), "ann", None, AT)
    await batches.pause(["b2"], AT)
    assert await batches.past_deadline(AT + 9) == ()
    assert await batches.past_deadline(AT + 10) == ("b1",)
    assert await batches.past_deadline(AT + 20) == ("b1", "b2")
    await batches.cancel(["b1"], AT + 20, "the deadline has passed")
    assert await batches.past_deadline(AT + 99) == ("b2",)
    await batches.warn_of_deadline("b2", "no phone is free before")
    assert (await batches.batch("b2")).deadline_warning == "no phone is free before"


async def test_nothing_is_changed_if_one_id_is_unknown(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    for change in (batches.pause, batches.resume):
        with pytest.raises(UnknownItem, match=r"b1\.x: the service has no such task"):
            await change(["b1", "b1.x"], AT)
    with pytest.raises(UnknownItem, match="b7: the service has no such batch"):
        await batches.cancel(["b1", "b7"], AT, "no")
    assert (await batches.batch("b1")).phase is BatchPhase.OPEN
    assert await kinds(database) == ["batch.accepted"]


async def test_an_interrupted_task_waits_until_its_episode_goes_on(database: ServiceDatabase) -> None:
    batches, events = BatchRepository(database), EventRepository(database)
    await batches.accept(request("a", "b", "c"), "ann", None, AT)
    await hand_over(batches)
    await batches.record_progress([progress("b1.a", 0), progress("b1.b", 0)], AT + 1)
    await batches.record_progress([progress("b1.a", 4), progress("b1.b", 2)], AT + 2)
    assert await batches.running_tasks() == {"b1.a", "b1.b"}
    last = (await events.since(0, 99))[-1].id
    for _ in range(2):  # the second time there is nothing new
        await batches.record_interruptions(["b1.a", "b1.b", "b1.c", "b9.x"], AT + 3)
        assert await phases(batches) == {"b1.a": "waiting", "b1.b": "waiting", "b1.c": "waiting"}
        batch, totals = await batches.batch("b1"), await batches.totals()
        assert (batch.waiting, batch.running, totals.waiting, totals.running) == (3, 0, 3, 0)
    await batches.record_progress([progress("b1.a", 4)], AT + 4)  # its journal goes on where it was
    await batches.record_progress([progress("b1.b", 0, episode="e2")], AT + 5)  # another phone has it
    assert await phases(batches) == {"b1.a": "running", "b1.b": "running", "b1.c": "waiting"}
    batch, task = await batches.batch("b1"), await batches.task("b1.a")
    assert (batch.waiting, batch.running, task.step, task.started_at) == (1, 2, 4, AT + 1)
    told = [(event.kind.value, event.task, event.data["phase"]) for event in await events.since(last, 99)]
    assert sorted(told[:2]) == [("task.step", "b1.a", "waiting"), ("task.step", "b1.b", "waiting")]
    assert told[2:4] == [("task.step", "b1.a", "running"), ("task.began", "b1.b", "running")]
    assert await end(batches, result("b1.a"))
    await batches.record_interruptions(["b1.a"], AT + 30)
    assert (await phases(batches))["b1.a"] == "ended"


async def test_what_the_fleet_says_twice_is_recorded_once(database: ServiceDatabase) -> None:
    batches, events = BatchRepository(database), EventRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    await hand_over(batches)
    for _ in range(2):  # the second time: a service that was started again
        await batches.record_progress([progress("b1.a", 0, episode="e1")], AT + 1)
        later = progress("b1.a", 3, "act", "e2").model_copy(update={"serial": "p2"})
        await batches.record_progress([progress("b1.a", 1, episode="e1"), later], AT + 2)
    task = await batches.task("b1.a")
    assert (task.episode, task.phone, task.step, task.doing) == ("e2", "p2", 3, "act")
    assert (task.phase, task.started_at) == (TaskPhase.RUNNING, AT + 2)
    lost = {"episode": "e2", "serial": "p2", "attempt": 2, "reason": "Too many steps.", "answer_data": {"n": 1}}
    ended = result("b1.a", Ending.STEP_LIMIT, unmet=[{"expected": "x is 1", "found": "x is 2"}], **lost)
    assert await end(batches, ended)
    assert not await end(batches, ended)
    assert not await end(batches, result("b1.a"))
    assert not await begin(batches, "b1.a", "e3", "p1", AT + 30)
    await batches.record_progress([progress("b1.a", 9, episode="e2")], AT + 31)
    task = await batches.task("b1.a")
    assert (task.ending, task.reason, task.is_done, task.attempts) == (Ending.STEP_LIMIT, "Too many steps.", False, 2)
    assert (task.step, task.doing, task.steps, task.answer_data) == (None, None, 4, {"n": 1})
    assert [str(one) for one in task.unmet] == ["expected x is 1; found x is 2"]
    assert await kinds(database) == [
        *("batch.accepted", "task.began", "task.began", "task.step", "task.ended", "task.failed", "batch.ended")
    ]
    (told,) = [event for event in await events.since(0, 99) if event.kind is EventKind.TASK_ENDED]
    shown = task.model_dump(mode="json")
    assert told.data == {name: shown[name] for name in told.data}
    assert (told.batch, told.task, told.phone, told.at) == ("b1", "b1.a", "p2", AT + 20)


async def test_steps_with_nothing_new_are_no_events(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b"), "ann", None, AT)
    await begin(batches, "b1.a", "b1.a-1", "p1", AT)
    last = await EventRepository(database).last_id()
    await batches.record_progress([progress("b1.a", 0, "capture"), progress("b9.x", 1)], AT)
    assert (await batches.task("b1.a")).doing == "capture"
    await batches.record_progress([progress("b1.a", 0, "capture")], AT)
    assert await kinds(database, last) == []
    await batches.record_progress([progress("b1.a", 1, "plan")], AT)
    assert await kinds(database, last) == ["task.step"]


async def test_what_the_fleet_says_of_others_counts_for_nothing(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    assert not await begin(batches, "buy", "e1", "p1", AT)
    assert not await end(batches, result("buy"))
    assert await kinds(database) == []


async def test_a_result_says_whose_word_decided_it(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b", "c"), "ann", None, AT)
    await hand_over(batches)
    await end(batches, result("b1.a", verified=True, verified_by="judge"))
    await end(batches, result("b1.b", verified=False, verified_by="phone"))
    await end(batches, result("b1.c"))
    found = {task.id: (task.verified, task.verified_by) for task in (await batches.tasks(TaskFilter(batch="b1"))).items}
    assert found == {"b1.a": (True, "judge"), "b1.b": (False, "phone"), "b1.c": (None, None)}


async def test_a_priority_is_changed_for_all_open_tasks_and_for_later_retries(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b", priority=5), "ann", None, AT)
    assert await batches.set_priority("b1", 10, AT) == {"b1.a": 10, "b1.b": 10}
    assert (await batches.batch("b1")).priority == 10
    (group,) = await batches.not_handed_over(9)  # nobody has told the fleet of the old priority
    assert [task.priority for task in group.tasks] == [10, 10]
    await batches.mark_handed_over(group.id, "/runs/1")
    assert await batches.set_priority("b1.b", -7, AT) == {"b1.b": -7}
    assert await batches.set_priority("b1", 100, AT) == {"b1.a": 100, "b1.b": 83}
    assert (await batches.standing_orders()).priorities == {"b1.a": 100, "b1.b": 83}
    assert await batches.set_priority("b1", 100, AT) == {}
    assert await begin(batches, "b1.a", "e1", "p1", AT)
    assert await end(batches, result("b1.a"))
    with pytest.raises(PhaseConflict):
        await batches.set_priority("b1.a", 1, AT)
    assert (await batches.standing_orders()).priorities == {"b1.b": 83}
    (again,) = await batches.retry(["b1.a"], AT)
    assert again.priority == 100
    assert [kind for kind in await kinds(database) if "priority" in kind] == [
        "batch.priority",
        "task.priority",
        "batch.priority",
    ]
