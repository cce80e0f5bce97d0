"""Batches on hosts that die, are full, or lose what they write to, in virtual time."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, Overloaded
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from tests.actors.dispatch.dispatch_parts import (
    DyingHost,
    Fixture,
    ScriptedHost,
    endings,
    tasks,
    virtual,
)


class FullHost:
    """A host that refuses the next calls as if it were full."""

    def __init__(self, host: ScriptedHost, refuses: int) -> None:
        self.host = host
        self.refuses = refuses

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        if self.refuses > 0:
            self.refuses -= 1
            raise Overloaded("full")
        return await self.host.run_episode(order)

    async def progress(self) -> Sequence[EpisodeProgress]:
        return await self.host.progress()

    async def replace(self) -> None:
        await self.host.replace()


def test_the_tasks_of_a_lost_host_go_to_another_host() -> None:
    async def main() -> None:
        fixture = Fixture()
        dying, well = DyingHost(fixture.clock), fixture.host()
        results = await fixture.dispatcher(dying, well).run("b", tasks(12))
        assert endings(results) == [Ending.FINISHED] * 12
        assert len(dying.episodes) <= 6  # it is left alone for longer each time
        assert fixture.book.held == {}

    virtual(main())


def test_when_no_host_answers_any_more_the_loss_is_named_and_journalled() -> None:
    async def main() -> None:
        fixture = Fixture(no_host_s=50)
        dying = DyingHost(fixture.clock)
        results = await fixture.dispatcher(dying).run("b", tasks(5))
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


def test_an_episode_goes_on_in_place_in_a_host_that_is_started_again() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        host = RestartedHost(fixture.book, fixture.clock)
        results = await fixture.dispatcher(host).run("b", tasks(1))
        assert endings(results) == [Ending.FINISHED]
        assert results[0].attempt == 1
        died, went_on = host.orders
        assert (went_on.episode, went_on.resume) == (died.episode, "it is being started again")
        assert (went_on.lease.serial, went_on.lease.epoch) == (died.lease.serial, died.lease.epoch + 1)

    virtual(main())


def test_a_task_is_decided_when_its_folder_stays_unwritable() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))

        async def script(order: EpisodeOrder) -> Ending:
            return Ending.HOST_LOST  # as an episode ends that waited for its disk

        host = fixture.host(script, seconds=600.0)
        (result,) = await fixture.dispatcher(host).run("b", tasks(1))
        assert (result.ending, result.attempt) == (Ending.HOST_LOST, 1)
        assert [order.resume for order in host.orders] == [None, "host_lost"]  # it was gone on with once

    virtual(main())


def test_a_host_that_is_full_is_asked_again_and_counts_for_nothing() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        full = DyingHost(fixture.clock, Overloaded("full"))
        well = fixture.host()
        results = await fixture.dispatcher(full, well).run("b", tasks(1))
        assert endings(results) == [Ending.FINISHED]
        assert results[0].attempt == 1
        assert len(full.episodes) == 1

    virtual(main())


def test_a_host_that_refuses_many_at_once_is_asked_again_as_if_it_had_refused_one() -> None:
    async def main() -> None:
        phones = tuple(f"p{number}" for number in range(8))
        fixture = Fixture(phones)
        host = FullHost(fixture.host(), refuses=len(phones))
        results = await fixture.dispatcher(host).run("b", tasks(len(phones)))
        assert endings(results) == [Ending.FINISHED] * len(phones)
        assert fixture.clock.now() - 1_700_000_000 < 10 + 2

    virtual(main())


def test_an_interrupted_episode_resumes_in_place_however_full_hosts_are() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))

        async def script(order: EpisodeOrder) -> Ending:
            if order.resume is None:
                full.refuses = 12
                raise ActorLost("it died")
            return Ending.FINISHED

        full = FullHost(fixture.host(script), refuses=0)
        (result,) = await fixture.dispatcher(full).run("b", tasks(1))
        first, again = full.host.orders
        assert (result.ending, again.episode, again.restarts) == (Ending.FINISHED, first.episode, 0)

    virtual(main())
