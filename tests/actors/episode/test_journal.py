"""When records come to disk: at once if somebody waits for them, otherwise together and soon. Virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from manyhands.actors.episode.behind import LINGER_S
from manyhands.actors.episode.journal import Journal, ScreenKeeper
from manyhands.protocol.actions import Tap
from manyhands.protocol.records import ActionSent, Record
from tests.virtual_clock import run_virtual


class Disk:
    """A store that takes no time, and remembers when it was given how many records."""

    def __init__(self) -> None:
        self.appends: list[tuple[float, int]] = []

    async def append(self, episode: str, records: Sequence[Record]) -> None:
        self.appends.append((asyncio.get_running_loop().time(), len(records)))

    async def put_screens(self, content_ids: Sequence[str], *frames: object) -> None:
        raise AssertionError("no screen is written here")


def sent(number: int) -> Record:
    return ActionSent(at=0.0, step=number, key=f"e:{number}", action=Tap(x=1, y=1))


async def written(ahead: int, *moments: tuple[float, bool]) -> list[tuple[float, int]]:
    """A record at each moment, flushed or not; what the disk was given, and when."""
    disk = Disk()
    journal = Journal(disk, "e", ahead)
    writer = asyncio.create_task(journal.run())
    for number, (at, flushed) in enumerate(moments):
        await asyncio.sleep(at - asyncio.get_running_loop().time())
        await journal.write(sent(number))
        if flushed:
            await journal.flush()
    await asyncio.sleep(3 * LINGER_S)
    writer.cancel()
    return disk.appends


def test_a_record_that_nobody_waits_for_is_on_disk_soon_with_those_that_came_meanwhile() -> None:
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
        keeper = ScreenKeeper(folder, 4)
        writer = asyncio.create_task(keeper.run())
        for name, frame in (("a", 1), ("b", 2), ("a", 3)):
            await keeper.keep(name, frame)
        await asyncio.sleep(3 * LINGER_S)
        await keeper.keep("c", 4)
        await keeper.flush()
        writer.cancel()
        return folder.screens

    assert run_virtual(main()) == [(LINGER_S, {"a": 1, "b": 2}), (3 * LINGER_S, {"c": 4})]
