"""Notifications that a phone shows, over a real adb server."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones import Reset
from manyhands.simulator.fleet import virtual_phones
from tests.actors.phones.adb.state.planting import holds, run_line
from tests.actors.phones.world import within, world

SHELL = "com.android.shell"
TITLE = "\n                android.title=String (Bank)"
RECORD = (
    "\n    NotificationRecord(0x0aaaaaaa: pkg=org.bank user=UserHandle{0} id=1 tag=null importance=3 key=0|b: "
    "Notification(channel=x))"
)
PUBLIC = "\n      publicNotification=\n            None"
STATS = f"{TITLE}\n      stats=x"


async def test_notifications_are_told(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        assert not await holds(place, notification={"package": SHELL})
        await run_line(place, "cmd notification post -t 'A (b)' one 'first line\n  second=line'")
        await run_line(place, "cmd notification post two words")
        await run_line(place, "cmd notification post two others")
        assert await holds(place, notification={"package": SHELL, "title": "A (b)"})
        assert not await holds(place, notification={"title": "A (b)", "text": "others"})
        state = await place.gateway.state(place.lease, "phone://state/notifications", within())
        assert (await run_line(place, "cmd notification list")).count("\n") == 1
    assert state["notifications"] == [
        {"package": SHELL, "title": "A (b)", "text": "first line\n  second=line"},
        {"package": SHELL, "title": "", "text": "others"},
    ]


@pytest.mark.parametrize("imitation", [TITLE, RECORD, PUBLIC, STATS])
async def test_a_text_that_imitates_the_report_makes_it_unanswered(
    adb_server: tuple[str, int], tmp_path: Path, imitation: str
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        await run_line(place, f"cmd notification post -t Friend one 'Hello){imitation}\n'")
        with pytest.raises(StateUnavailable, match="notifications cannot be told from the texts in them"):
            await place.gateway.state(place.lease, "phone://state/notifications", within())


async def test_a_reset_removes_what_was_planted(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        await run_line(place, "cmd notification post one words")
        await place.gateway.reset(place.lease, Reset(key="e:reset", seed=7), within())
        assert not await holds(place, notification={"package": SHELL})
