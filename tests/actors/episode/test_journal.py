"""When records come to disk: at once if somebody waits for them, otherwise together and soon. Virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from manyhands.actors.clock import LoopClock
from manyhands.actors.episode.journal import LINGER_S, Journal, ScreenKeeper
from manyhands.actors.episode.paused_time import PAUSES, WaitBudget, measure_s
from manyhands.protocol.errors import (
    ActorLost,
    DeadlinePassed,
    InvalidRecord,
    Overloaded,
    StaleEpoch,
    StoreError,
    StoreFull,
    StoreLost,
)
from manyhands.protocol.journals.records import ActionSent, Record
from manyhands.protocol.screens.actions import Tap
from tests.virtual_clock import run_virtual


class Disk:
    """A store that takes no time, and remembers when it was given how many records."""

    def __init__(self) -> None:
        self.appends: list[tuple[float, int]] = []

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        self.appends.append((asyncio.get_running_loop().time(), len(records)))

    async def put_screens(self, content_ids: Sequence[str], *frames: object) -> None:
        raise AssertionError("no screen is written here")


def patience_of(limit_s: float) -> WaitBudget:
    return WaitBudget(LoopClock(), limit_s)


def sent(number: int) -> Record:
    return ActionSent(at=0.0, step=number, key=f"e:{number}", action=Tap(x=1, y=1))


async def written(ahead: int, *moments: tuple[float, bool]) -> list[tuple[float, int]]:
    """A record at each moment, flushed or not; what the disk was given, and when."""
    disk = Disk()
    journal = Journal(disk, "e", 1, ahead, patience_of(600))
    writer = asyncio.create_task(journal.run())
    for number, (at, flushed) in enumerate(moments):
        await asyncio.sleep(at - asyncio.get_running_loop().time())
        await journal.write(sent(number))
        if flushed:
            await journal.flush()
    await asyncio.sleep(3 * LINGER_S)
    writer.cancel()
    return disk.appends


def test_a_record_that_nobody_waits_for_is_soon_on_disk_with_the_others() -> None:
    assert run_virtual(written(9, (0.0, False), (0.4, False), (0.9, False), (2.0, False))) == [(1.0, 3), (3.0, 1)]


def test_a_flush_writes_at_once_all_that_waits() -> None:
    assert run_virtual(written(9, (0.0, False), (0.2, True), (0.3, True), (0.4, False))) == [
        (0.2, 2),
        (0.3, 1),
        (1.4, 1),
    ]


def test_a_full_queue_is_written_at_once() -> None:
    assert run_virtual(written(2, (0.0, False), (0.1, False), (0.2, False))) == [(0.1, 2), (1.2, 1)]


class Folder(Disk):
    """A store that takes no time, and remembers when it was given which screens."""

    def __init__(self) -> None:
        super().__init__()
        self.screens: list[tuple[float, dict[str, object]]] = []

    async def put_screens(self, content_ids: Sequence[str], *frames: object) -> None:
        self.screens.append((asyncio.get_running_loop().time(), dict(zip(content_ids, frames, strict=True))))


def test_screens_are_written_together_each_once_and_all_before_a_drain_returns() -> None:
    async def main() -> list[tuple[float, dict[str, object]]]:
        folder = Folder()
        keeper = ScreenKeeper(folder, 4, patience_of(600))
        writer = asyncio.create_task(keeper.run())
        for name, frame in (("a", 1), ("b", 2), ("a", 3)):
            await keeper.keep(name, frame)
        await asyncio.sleep(3 * LINGER_S)
        await keeper.keep("c", 4)
        await keeper.flush()
        writer.cancel()
        return folder.screens

    assert run_virtual(main()) == [(LINGER_S, {"a": 1, "b": 2}), (3 * LINGER_S, {"c": 4})]


class AwayAtTimes(Folder):
    """A store that fails at some moments, and keeps what it was given: all, once, in places."""

    def __init__(self, fault: Callable[[float], Exception | None], answers: bool = True) -> None:
        """Without ``answers`` it keeps what it is given also where it fails."""
        super().__init__()
        self._fault = fault
        self._answers = answers
        self.places: list[tuple[int, Record]] = []

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        fault = self._fault(asyncio.get_running_loop().time())
        if fault is None or not self._answers:
            self.places += enumerate(records, first)
        if fault is not None:
            raise fault

    async def put_screens(self, content_ids: Sequence[str], *frames: object) -> None:
        fault = self._fault(asyncio.get_running_loop().time())
        if fault is not None:
            raise fault
        await super().put_screens(content_ids, *frames)


@pytest.mark.parametrize(
    "error",
    [ActorLost("died"), DeadlinePassed("frozen"), StoreFull("no space"), StoreError("read-only"), Overloaded("!")],
)
@pytest.mark.parametrize("answers", [True, False])
def test_a_store_that_is_away_is_waited_for_and_holds_who_flushes(error: Exception, answers: bool) -> None:
    async def main() -> tuple[AwayAtTimes, float, float]:
        loop = asyncio.get_running_loop()
        store, wait_budget = AwayAtTimes(lambda now: error if 2 <= now < 302 else None, answers), patience_of(600)
        journal, screens = Journal(store, "e", 1, 9, wait_budget), ScreenKeeper(store, 4, wait_budget)
        writers = [asyncio.create_task(writer.run()) for writer in (journal, screens)]
        for number in range(3):
            await asyncio.sleep(number + 0.1 - loop.time())
            await journal.write(sent(number))
            if number == 2:
                await screens.keep("a", 1)
                assert wait_budget.since is None
                flushing = asyncio.create_task(journal.flush())
                await asyncio.sleep(100)
                assert (wait_budget.since, flushing.done()) == (pytest.approx(2.1), False)
                assert measure_s(wait_budget.intervals()) == pytest.approx(100)
                await flushing
            else:
                await journal.flush()
        held_until = loop.time()
        await screens.flush()
        await wait_budget.over()
        assert wait_budget.since is None
        for writer in writers:
            writer.cancel()
        return store, held_until, measure_s(wait_budget.intervals())

    store, held_until, waited_s = run_virtual(main())
    assert 302 <= held_until <= 302 + PAUSES.longest_s
    assert dict(store.places) == {0: sent(0), 1: sent(1), 2: sent(2)}
    assert len(store.places) == 3 or not answers
    assert [screens for _, screens in store.screens] == [{"a": 1}]
    assert 300 <= waited_s <= 301 + PAUSES.longest_s


@pytest.mark.parametrize(
    ("error", "told", "after_s"),
    [
        (ActorLost("died"), StoreLost, 60),
        (StoreFull("no space"), StoreLost, 60),
        (StaleEpoch("it goes on elsewhere"), StaleEpoch, 0),
        (StoreError("no such folder"), StoreLost, 60),
        (InvalidRecord("an int of more than 64 bits"), InvalidRecord, 0),
    ],
)
def test_patience_ends_and_is_not_had_with_what_no_other_try_mends(
    error: Exception, told: type[StoreError], after_s: float
) -> None:
    async def main() -> tuple[StoreError, float]:
        journal = Journal(AwayAtTimes(lambda now: error), "e", 1, 9, patience_of(60))
        writer = asyncio.create_task(journal.run())
        await journal.write(sent(0))
        with pytest.raises(StoreError, match=str(error)) as raised:
            await journal.flush()
        with pytest.raises(told):
            await journal.write(sent(1))
        await writer
        return raised.value, asyncio.get_running_loop().time()

    raised, ended_at = run_virtual(main())
    assert type(raised) is told
    assert after_s - PAUSES.longest_s <= ended_at <= after_s


def test_who_goes_on_with_a_journal_numbers_from_what_was_read() -> None:
    async def main() -> list[tuple[int, Record]]:
        store = AwayAtTimes(lambda now: None)
        journal = Journal(store, "e", 2, 9, patience_of(60))
        journal.next_seq = 7
        writer = asyncio.create_task(journal.run())
        for number in range(2):
            await journal.write(sent(number))
            await journal.flush()
        writer.cancel()
        return store.places

    assert run_virtual(main()) == [(7, sent(0)), (8, sent(1))]
