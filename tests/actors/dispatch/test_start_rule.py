"""Canaries run before all other tasks of a batch, and after too many failures no task starts, also after a kill."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from manyhands.actors.dispatch.start_rule import StartRule
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.control import FIRST_BATCH, Add, tell
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from tests.actors.dispatch.dispatch_parts import Fixture, endings, tasks, virtual
from tests.actors.dispatch.test_batch_recovery import OwnHost, Restarted
from tests.virtual_clock import START

DONE, FAILED, CANCELLED = Ending.FINISHED, Ending.STEP_LIMIT, Ending.CANCELLED


def ends(**by_task: Ending) -> Callable[[EpisodeOrder], Awaitable[Ending]]:
    """Return a script in which all other tasks finish."""

    async def script(order: EpisodeOrder) -> Ending:
        return by_task.get(order.task.id, DONE)

    return script


def result(task: str, ending: Ending, verified: bool | None = None, has_check: bool = False) -> EpisodeResult:
    return EpisodeResult(
        episode=f"{task}-1",
        task=task,
        serial="p0",
        attempt=1,
        ending=ending,
        reason="",
        steps=1,
        verified=verified,
        rubrics={},
        has_check=has_check,
        started_at=0,
        ended_at=0,
    )


# ---------------------------------------------------------------------------- canaries
def test_a_canary_that_fails_stops_the_batch_before_other_phones_are_touched() -> None:
    async def main() -> None:
        fixture = Fixture(tuple(f"p{number}" for number in range(8)), canary=2)
        host = fixture.host(ends(t1=FAILED))
        results = await fixture.dispatcher(host).run("b", tasks(20))
        assert endings(results) == [DONE, FAILED, *[CANCELLED] * 18]
        assert {one.reason for one in results[2:]} == {"the canary t1 is not done: it ended by step_limit"}
        assert len(set(fixture.book.attached)) == 2
        assert fixture.book.held == {}
        assert {one.episode for one in results[2:]} == set(fixture.store.journals), "their ends are in journals"

    virtual(main())


def test_others_start_as_soon_as_all_canaries_are_done() -> None:
    async def main() -> None:
        began: dict[str, float] = {}

        async def script(order: EpisodeOrder) -> Ending:
            began[order.task.id] = fixture.clock.now() - START - 10
            return FAILED if order.task.id == "t1" and order.attempt == 1 else DONE

        fixture = Fixture(canary=2)
        given = [task.model_copy(update={"priority": index, "retries": 1}) for index, task in enumerate(tasks(6))]
        results = await fixture.dispatcher(fixture.host(script)).run("b", given)
        assert endings(results) == [DONE] * 6
        assert began == {"t0": 0, "t1": 10, "t5": 20, "t4": 20, "t3": 20, "t2": 30}, "t1 passed at its second try"

    virtual(main())


def test_canaries_that_wait_for_a_phone_do_not_start_after_one_has_failed() -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"), canary=3)
        host = fixture.host(ends(t0=FAILED))
        results = await fixture.dispatcher(host).run("b", tasks(4))
        assert endings(results) == [FAILED, DONE, CANCELLED, CANCELLED]

    virtual(main())


def test_added_tasks_wait_for_the_canaries_too(tmp_path: Path) -> None:
    async def main() -> None:
        fixture = Fixture(canary=3, control=tmp_path)
        host = fixture.host(ends(t0=FAILED))
        run = asyncio.create_task(fixture.dispatcher(host).run(FIRST_BATCH, tasks(1)))
        await fixture.clock.sleep(5)
        tell(tmp_path, Add(at=0, tasks=tuple(tasks(3)[1:])))
        assert endings(await run) == [FAILED, CANCELLED, CANCELLED]
        again = await fixture.dispatcher(fixture.host()).run(FIRST_BATCH, tasks(1))
        assert endings(again) == [DONE] * 3

    virtual(main())


@pytest.mark.parametrize(
    ("canary", "may_go_on"),
    [
        (result("t0", DONE), True),
        (result("t0", FAILED, verified=True, has_check=True), True),
        (result("t0", DONE, verified=False, has_check=True), False),
        (result("t0", DONE, has_check=True), False),
        (result("t0", Ending.PHONE_LOST), False),
        (result("t0", CANCELLED), False),
    ],
)
def test_only_a_canary_that_is_done_lets_others_start(canary: EpisodeResult, may_go_on: bool) -> None:
    rule = StartRule(tasks(1))
    assert (rule.allows("t0"), rule.allows("t1")) == (True, False)
    rule.note(canary)
    assert rule.allows("t1") is may_go_on
    assert (rule.stop_reason is None) is may_go_on


# ---------------------------------------------------------------------------- failures
def test_after_too_many_failures_what_runs_ends_and_nothing_starts() -> None:
    async def main() -> None:
        async def script(order: EpisodeOrder) -> Ending:
            if order.task.id == "t2":
                await fixture.clock.sleep(60)
            return {"t0": FAILED, "t1": Ending.NEEDS_PERSON, "t4": FAILED}.get(order.task.id, DONE)

        fixture = Fixture(max_failed_tasks=2)
        host = fixture.host(script)
        results = await fixture.dispatcher(host).run("b", tasks(9))
        needs_person = Ending.NEEDS_PERSON
        assert endings(results) == [FAILED, needs_person, DONE, DONE, FAILED, *[CANCELLED] * 4]
        assert {one.reason for one in results[5:]} == {"2 tasks have failed, the last is t4: it ended by step_limit"}
        assert host.cancelled == []

    virtual(main())


def test_a_failure_with_a_retry_left_does_not_count() -> None:
    async def main() -> None:
        async def script(order: EpisodeOrder) -> Ending:
            return FAILED if order.attempt == 1 else DONE

        fixture = Fixture(max_failed_tasks=1)
        results = await fixture.dispatcher(fixture.host(script)).run("b", tasks(6, retries=1))
        assert endings(results) == [DONE] * 6

    virtual(main())


# ---------------------------------------------------------------------------- after a kill
@pytest.mark.parametrize("seconds", [0.0, 5.0, 9.9, 10.0, 15.0])
@pytest.mark.parametrize("passes", [True, False])
def test_a_resumed_batch_obeys_its_canary(seconds: float, passes: bool) -> None:
    async def main() -> None:
        world = Restarted(canary=1)
        world.host = OwnHost(world.fixture, 10.0, ends(t0=DONE if passes else FAILED))
        await world.dies_after(lambda one: asyncio.create_task(one.run("b", tasks(6))), seconds)
        assert seconds >= 10 or {order.task.id for order in world.host.orders} <= {"t0"}
        if seconds < 10:
            world.host.die()  # the canary's host, too: its episode goes on in place
        results = await world.dispatcher().run("b", tasks(6), recover=True)
        begun = [order.task.id for order in world.host.orders if order.resume is None]
        if passes:
            assert endings(results) == [DONE] * 6
            assert sorted(begun) == [f"t{number}" for number in range(6)]
            return
        assert begun == ["t0"]
        assert endings(results) == [FAILED, *[CANCELLED] * 5]
        assert all("canary t0" in one.reason for one in results[1:])
        again = await world.dispatcher().run("b", tasks(6), recover=True)
        assert endings(again) == endings(results)

    virtual(main())


@pytest.mark.parametrize("seconds", [5.0, 10.0, 15.0, 25.0])
def test_a_resumed_batch_counts_the_failures_before_the_kill(seconds: float) -> None:
    async def main() -> None:
        world = Restarted(max_failed_tasks=2)
        world.host = OwnHost(world.fixture, 10.0, ends(t0=FAILED, t2=FAILED))
        await world.dies_after(lambda one: asyncio.create_task(one.run("b", tasks(8))), seconds)
        results = await world.dispatcher().run("b", tasks(8), recover=True)
        assert endings(results) == [FAILED, DONE, FAILED, DONE, *[CANCELLED] * 4]

    virtual(main())


@pytest.mark.parametrize("seconds", [5.0, 15.0])
def test_a_batch_that_was_cancelled_and_resumed_obeys_its_canary(seconds: float) -> None:
    async def main() -> None:
        world = Restarted(canary=1)
        world.host = OwnHost(world.fixture, 10.0, ends(t0=FAILED))
        run = asyncio.create_task(world.dispatcher().run("b", tasks(4)))
        await world.fixture.clock.sleep(seconds)
        run.cancel()
        await asyncio.wait({run})
        results = await world.dispatcher().run("b", tasks(4), recover=True)
        assert endings(results) == [FAILED, *[CANCELLED] * 3]
        assert all("canary t0" in one.reason for one in results[1:])

    virtual(main())


def test_a_stopped_batch_goes_on_when_it_is_resumed_without_the_rule() -> None:
    async def main() -> None:
        world = Restarted(canary=1)
        world.host = OwnHost(world.fixture, 10.0, ends(t0=FAILED))
        assert endings(await world.dispatcher().run("b", tasks(4))) == [FAILED, *[CANCELLED] * 3]
        world.settings = world.settings.model_copy(update={"canary": 0})
        assert endings(await world.dispatcher().run("b", tasks(4), recover=True)) == [FAILED, DONE, DONE, DONE]

    virtual(main())
