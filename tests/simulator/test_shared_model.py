"""The modelled server's arithmetic over random requests, and the server itself in virtual time."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.simulator.shared_model import Request, ServerSpeed, SharedModel, Sharing
from manyhands.simulator.virtual_clock import run_virtual


@dataclass(frozen=True)
class Asked:
    at: float
    prompt: int
    output: int
    priority: int
    given_up_after: float | None


SPEEDS = st.builds(
    ServerSpeed,
    tokens_per_s=st.floats(1, 1000),
    each_per_s=st.floats(1, 100),
    prompt_cost=st.sampled_from([0.0, 0.05, 1.0]),
    max_running=st.integers(1, 5),
)
ASKED = st.lists(
    st.builds(
        Asked,
        at=st.integers(0, 200).map(lambda tenths: tenths / 10),
        prompt=st.integers(0, 100),
        output=st.integers(0, 100),
        priority=st.integers(0, 2),
        given_up_after=st.one_of(st.none(), st.floats(0, 30)),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(SPEEDS, ASKED)
def test_it_never_does_more_than_it_can_and_never_idles_while_it_could_go_on(
    speed: ServerSpeed, asked: list[Asked]
) -> None:
    sharing, answered = Sharing(speed), []
    requests = [Request(one.prompt, one.output, one.priority) for one in asked]
    events = [(one.at, "add", number) for number, one in enumerate(asked)]
    events += [
        (one.at + one.given_up_after, "remove", number)
        for number, one in enumerate(asked)
        if one.given_up_after is not None
    ]
    now = 0.0

    def go_on(until: float) -> None:
        nonlocal now
        while now < until:
            before, rates = sharing.work_done, sharing.rates()
            running, queued = sharing.running, sharing.waiting
            then = min(until, sharing.next_at())
            if math.isinf(then):
                assert running == 0
                return
            assert running <= speed.max_running
            assert queued == 0 or running == speed.max_running
            answered.extend(sharing.advance(then))
            did = sharing.work_done - before
            assert did <= speed.tokens_per_s * (then - now) * (1 + 1e-6) + 1e-6
            full = min(speed.tokens_per_s, speed.each_per_s * running)
            assert did >= full * (then - now) * (1 - 1e-6) - 1e-6 or running == 0
            assert rates[1] <= speed.each_per_s * (1 + 1e-9)
            now = max(then, now)

    for at, what, number in sorted(events):
        go_on(at)
        now = at
        answered.extend(sharing.advance(at))
        if what == "add":
            sharing.add(requests[number], at)
        elif requests[number].phase != "done":
            sharing.remove(requests[number], at)
    go_on(math.inf)

    kept = [request for request, one in zip(requests, asked, strict=True) if one.given_up_after is None]
    assert {id(request) for request in kept} <= {id(request) for request in answered}
    assert sharing.running == sharing.waiting == 0
    assert sharing.written <= sum(request.output for request in requests) + 1e-3
    assert sharing.written >= sum(request.output for request in answered) - 1e-3
    assert sharing.read >= sum(request.prompt for request in answered) - 1e-3
    assert sharing.work_done == pytest.approx(sharing.written + sharing.read * speed.prompt_cost, abs=1e-3) or (
        speed.prompt_cost == 0
    )


def test_two_requests_get_half_each_and_the_one_that_is_left_gets_all() -> None:
    async def main() -> list[float]:
        model = SharedModel(ServerSpeed(tokens_per_s=10, each_per_s=10, prompt_cost=0.1, max_running=8))
        loop = asyncio.get_running_loop()

        async def ended(request: Request) -> float:
            await model.answer(request)
            return loop.time()

        return await asyncio.gather(ended(Request(100, 10)), ended(Request(100, 30)))

    # 10 of reading and 10 of writing each at half speed: 4 s; then 20 alone: 2 s.
    assert run_virtual(main()) == pytest.approx([4.0, 6.0], abs=1e-4)


def test_those_who_wait_go_by_priority_and_one_that_is_given_up_leaves_its_place_and_its_tokens() -> None:
    async def main() -> tuple[list[str], float, float]:
        model = SharedModel(ServerSpeed(tokens_per_s=10, each_per_s=10, prompt_cost=0, max_running=1))
        order: list[str] = []

        async def one(name: str, priority: int) -> None:
            await model.answer(Request(0, 100, priority))
            order.append(name)

        first = asyncio.create_task(one("first", 0))
        await asyncio.sleep(1)
        others = [asyncio.create_task(one(name, late)) for name, late in (("late", 5), ("early", 1))]
        await asyncio.sleep(4)
        assert (model.running, model.waiting) == (1, 2)
        first.cancel()
        await asyncio.gather(*others)
        return order, model.written, asyncio.get_running_loop().time()

    order, written, ended = run_virtual(main())
    assert order == ["early", "late"]
    assert written == pytest.approx(250, abs=1e-2)
    assert ended == pytest.approx(25, abs=1e-3)
