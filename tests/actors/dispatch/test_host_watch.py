"""Hosts that freeze: nobody waits for them, whatever they did before."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, Overloaded
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from tests.actors.dispatch.dispatch_parts import Fixture, ScriptedHost, endings, tasks
from tests.virtual_clock import START, run_virtual

FOR_EVER_S = 1e9


class FreezingHost(ScriptedHost):
    """Freezes in its first episode, or as it refuses the second; it is there again once it is replaced."""

    def __init__(self, fixture: Fixture, refuses: bool, failing: int = 0, starts_s: float = 0.0) -> None:
        """``failing``: how often replacing it fails."""
        super().__init__(fixture.book, fixture.clock)
        self.asked_to_go: list[float] = []
        self._frozen_until = 0.0
        self._starts_s = starts_s
        self._refuses = refuses
        self._failing = failing

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        first = not self.orders
        if self._refuses and not first and not self.asked_to_go:
            self._frozen_until = math.inf
            raise Overloaded("it runs one, as many as it may")
        if first and not self._refuses:
            self._frozen_until = math.inf
        if first or self._frozen:
            self.orders.append(order)
            await self._clock.sleep(FOR_EVER_S)
        return await super().run_episode(order)

    async def progress(self) -> Sequence[EpisodeProgress]:
        if self._frozen:
            await self._clock.sleep(FOR_EVER_S)
        return await super().progress()

    async def replace(self) -> None:
        self.asked_to_go.append(self._clock.now() - START)
        if len(self.asked_to_go) <= self._failing:
            raise ActorLost("Ray does not answer")
        self._frozen_until = self._clock.now() + self._starts_s

    @property
    def _frozen(self) -> bool:
        return self._clock.now() < self._frozen_until


@pytest.mark.parametrize("refuses", [False, True])
@pytest.mark.parametrize("failing", [0, 3])
def test_a_host_that_freezes_is_replaced_and_its_episodes_go_on(refuses: bool, failing: int) -> None:
    async def main() -> None:
        fixture = Fixture(("p0", "p1"))
        host = FreezingHost(fixture, refuses, failing)
        results = await fixture.dispatcher(host).run("b", tasks(2))
        assert endings(results) == [Ending.FINISHED] * 2
        assert [result.attempt for result in results] == [1, 1]
        assert {order.restarts for order in host.orders} == {0}
        assert len(host.asked_to_go) == failing + 1
        assert host.asked_to_go[0] <= 45.0
        assert fixture.clock.now() - START <= host.asked_to_go[-1] + 20.0
        assert fixture.book.held == {}

    run_virtual(main())


def test_a_host_that_was_replaced_is_given_time_to_start() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), episode={"lease_s": 6.0})
        host = FreezingHost(fixture, refuses=False, starts_s=25.0)
        (result,) = await fixture.dispatcher(host).run("b", tasks(1))
        assert (result.ending, len(host.asked_to_go)) == (Ending.FINISHED, 1)

    run_virtual(main())
