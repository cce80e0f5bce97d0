"""Two runs on the same phones: their dispatchers share a gateway database, in virtual time."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.phones.leases import Leases
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import RunCopied
from manyhands.protocol.phones import Lease, holder_name
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.results import EpisodeOrder
from tests.actors.dispatch.dispatch_parts import LeaseBook, ListStore, ScriptedHost, tasks
from tests.virtual_clock import VirtualClock, run_virtual

PHONE = "p0"


class SharedPhones(LeaseBook):
    """A gateway with the leases of all runs on a host."""

    def __init__(self, folder: Path, clock: VirtualClock) -> None:
        super().__init__((PHONE,), clock)
        self._leases = Leases(folder, clock.now)

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        await asyncio.sleep(0.01)
        return self._leases.attach(serial, holder, ttl_s, run)

    async def detach(self, lease: Lease) -> None:
        await asyncio.sleep(0.01)
        self._leases.detach(lease)

    def check(self, lease: Lease) -> None:
        self._leases.check(lease)


def test_neither_run_waits_for_more_than_one_episode_of_the_other(tmp_path: Path) -> None:
    """One run has short tasks and many, one long ones and few; both have the same name."""
    had: list[str] = []

    async def one_run(name: str, count: int, seconds: float, begins_s: float) -> None:
        clock = VirtualClock()
        phones = SharedPhones(tmp_path, clock)

        async def script(order: EpisodeOrder) -> Ending:
            had.append(name)
            return Ending.FINISHED

        host = ScriptedHost(phones, clock, script, seconds)
        settings = DispatchSettings(run="nightly", serials=(PHONE,))
        await clock.sleep(begins_s)
        results = await Dispatcher(settings, [host], phones, LongTermMemory(), ListStore(), clock).run(
            "b", tasks(count)
        )
        assert {result.ending for result in results} == {Ending.FINISHED}

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(one_run("short", 12, 3.0, 0.0))
            group.create_task(one_run("long", 5, 20.0, 4.0))

    run_virtual(main())
    while_both = had[had.index("long") : len(had) - had[::-1].index("long")]
    assert max(len(list(attempts)) for _, attempts in itertools.groupby(while_both)) == 1
    assert (had.count("short"), had.count("long")) == (12, 5)


def test_of_two_copies_of_a_run_folder_one_waits_and_takes_nothing_over(tmp_path: Path) -> None:
    """Both name their episodes alike, and each goes on with the one that had the phone last."""

    async def main() -> None:
        clock = VirtualClock()
        book = Leases(tmp_path, clock.now)
        original, copy = (holder_name("r-b-t0-1", folder) for folder in ("1a", "2b"))
        first = book.attach(PHONE, original, 30)
        with pytest.raises(RunCopied, match=r"r-b-t0-1 of another folder of this run .* was copied.* end one"):
            book.attach(PHONE, copy, 30)
        book.check(first)
        again = book.attach(PHONE, original, 30)
        assert (again.epoch, again.undisturbed) == (2, True)
        book.detach(again)
        assert not book.attach(PHONE, copy, 30).undisturbed
        book.close()

    run_virtual(main())
