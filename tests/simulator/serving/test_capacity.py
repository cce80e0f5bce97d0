"""How fast a stand-in for a model is, and what it counts as written: on a virtual clock."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.roles.role import Role
from manyhands.simulator.serving.capacity import Capacity
from manyhands.simulator.serving.shared_speed import SharedSpeed, Writing
from tests.virtual_clock import run_virtual


async def ask(capacity: Capacity, role: Role, tokens: int, priority: int = 0) -> float:
    """The moment at which a request ends that comes now."""
    async with capacity.place(priority) as since:
        await capacity.write(role, tokens, since)
    return asyncio.get_running_loop().time()


def test_latency_is_a_least_time_and_tokens_are_shared() -> None:
    async def main() -> list[float]:
        capacity = Capacity({Role.PLAN: 2.0}, tokens_per_s=10, max_running=2)
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(ask(capacity, role, 20)) for role in (Role.PLAN, Role.PLAN, Role.DECIDE)]
            await asyncio.sleep(1)
            assert (capacity.running, capacity.waiting, capacity.written) == (2, 1, 10)
        assert (capacity.running, capacity.waiting, capacity.written) == (0, 0, 60)
        return [call.result() for call in calls]

    # Two plans of 20 tokens could take two seconds each, but share 10 tokens a second; the decision, which has no
    # least time, gets a place when they are done, and then all of the speed.
    assert run_virtual(main()) == [4.0, 4.0, 6.0]


def test_a_reply_takes_at_least_the_time_of_its_tokens() -> None:
    async def end(role: Role, cost_s: float) -> float:
        capacity = Capacity({Role.PLAN: 2.0}, tokens_per_s=None, max_running=1)
        async with capacity.place() as since:
            await capacity.write(role, 20, since, cost_s)
        return asyncio.get_running_loop().time()

    cases = [(Role.PLAN, 1.0), (Role.PLAN, 3.0), (Role.DECIDE, 3.0)]
    assert [run_virtual(end(*case)) for case in cases] == [2.0, 3.0, 3.0]


@pytest.mark.parametrize(("tokens_per_s", "seconds"), [(None, 2.0), (1000, 2.0), (10, 10.0)])
def test_the_slower_of_both_counts(tokens_per_s: float | None, seconds: float) -> None:
    capacity = Capacity({Role.PLAN: 2.0}, tokens_per_s, max_running=64)
    assert run_virtual(ask(capacity, Role.PLAN, 100)) == pytest.approx(seconds)
    assert run_virtual(ask(Capacity({}, None, 1), Role.PLAN, 100)) == 0


def test_a_request_that_is_given_up_half_way_has_written_half_and_frees_its_share() -> None:
    async def main() -> float:
        capacity = Capacity({Role.DECIDE: 3.0, Role.NOTE: 1.0}, tokens_per_s=100, max_running=64)
        given_up = asyncio.create_task(ask(capacity, Role.DECIDE, 200))
        other = asyncio.create_task(ask(capacity, Role.NOTE, 300))
        await asyncio.sleep(2.0)
        assert capacity.written == 200  # the live figure, as a server tells it
        given_up.cancel()
        await asyncio.wait({given_up})
        assert (capacity.running, capacity.written) == (1, 200)
        ended = await other
        assert (capacity.running, capacity.written) == (0, 400)
        return ended

    assert run_virtual(main()) == pytest.approx(4.0)


def test_without_a_limit_on_speed_half_the_time_is_half_the_tokens() -> None:
    async def main() -> int:
        capacity = Capacity({Role.PLAN: 3.0}, None, max_running=64)
        asking = asyncio.create_task(ask(capacity, Role.PLAN, 90))
        await asyncio.sleep(1.5)
        asking.cancel()
        await asyncio.wait({asking})
        return capacity.written

    assert run_virtual(main()) == 45


def test_who_waits_has_written_nothing_and_goes_by_priority() -> None:
    async def main() -> list[str]:
        capacity, order = Capacity({Role.PLAN: 1.0}, None, max_running=1), list[str]()

        async def named(name: str, priority: int) -> None:
            await ask(capacity, Role.PLAN, 10, priority)
            order.append(name)

        arrivals = {"first": 0, "speculative": 2000, "given up": 0, "note": 20, "plan": 0}
        calls = {name: asyncio.create_task(named(name, priority)) for name, priority in arrivals.items()}
        await asyncio.sleep(0.5)
        calls["given up"].cancel()
        await asyncio.wait(calls.values())
        assert (capacity.running, capacity.waiting, capacity.written) == (0, 0, 40)
        return order

    assert run_virtual(main()) == ["first", "plan", "note", "speculative"]


def test_who_gives_up_at_the_moment_of_being_let_in_leaves_the_place_to_the_next() -> None:
    async def main() -> tuple[int, int]:
        capacity = Capacity({Role.PLAN: 1.0}, None, max_running=1)
        async with capacity.place():
            waiting = [asyncio.create_task(ask(capacity, Role.PLAN, 1)) for _ in range(2)]
            await asyncio.sleep(0)
        waiting[0].cancel()  # it has its place since the line above, but has not run
        await asyncio.wait(waiting)
        assert waiting[0].cancelled()
        return capacity.running, capacity.waiting

    assert run_virtual(main()) == (0, 0)


steps = st.lists(st.tuples(st.integers(1, 50), st.sampled_from([0.0, 0.5, 2.0]), st.floats(0, 3)), max_size=20)


@given(steps, st.sampled_from([None, 1.0, 7.0]), st.data())
def test_no_one_is_faster_than_allowed_and_no_speed_is_left_unused(
    arrivals: list[tuple[int, float, float]], tokens_per_s: float | None, data: st.DataObject
) -> None:
    speed, now = SharedSpeed(tokens_per_s), 0.0
    begun: dict[Writing, tuple[float, float]] = {}

    def check() -> None:
        total = sum(one.speed for one in speed.writings)
        assert tokens_per_s is None or total <= tokens_per_s * (1 + 1e-9)
        for one in speed.writings:
            assert one.speed <= one.limit
            if one.speed < one.limit * (1 - 1e-9) and tokens_per_s is not None:
                assert total == pytest.approx(tokens_per_s)
                assert one.speed == pytest.approx(max(other.speed for other in speed.writings))

    for tokens, least_s, pause in arrivals:
        writing = speed.begin(tokens, least_s, now)
        begun[writing] = now, least_s
        check()
        if data.draw(st.booleans()) and len(speed.writings) > 1:
            given_up = data.draw(st.sampled_from(list(speed.writings)))
            speed.end(given_up, now)
            assert 0 <= given_up.written <= given_up.tokens
            check()
        until = now + pause
        while (moment := speed.next_end()) is not None and moment <= until:
            now = moment
            for done in speed.advance(now):
                started, least = begun[done]
                assert now - started >= least * (1 - 1e-6)
                assert done.written == done.tokens
            check()
        now = until
        speed.advance(now)
    for _ in range(2 * len(arrivals)):
        if (moment := speed.next_end()) is not None:
            speed.advance(moment)
    assert not speed.writings
