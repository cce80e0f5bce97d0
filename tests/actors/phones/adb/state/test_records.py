"""Calls, events and the clipboard, over a real adb server, without a provider of the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.state import DeviceState
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.screens.actions import OpenLink, Tap
from manyhands.simulator.fleet import virtual_phones
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.phones.adb.state.planting import holds, run_line
from tests.actors.phones.world import within, world

CALL = "content insert --uri content://call_log/calls --bind type:i:{} --bind duration:l:{} --bind number:s:{}"
EVENT = "content insert --uri content://com.android.calendar/events --bind calendar_id:i:1"


async def test_calls_are_told(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        assert not await holds(place, call={"kind": "missed"})
        assert await run_line(place, CALL.format(3, 0, "5550108")) == ""
        await run_line(place, CALL.format(1, 61, "+15550199"))
        assert await holds(place, call={"contact": "Mom", "kind": "missed", "seconds": 0})
        assert not await holds(place, call={"contact": "Mom", "kind": "incoming"})
        state = await place.gateway.state(place.lease, "phone://state/calls", within())
    assert state["calls"][1] == {"number": "+15550199", "contact": None, "kind": "incoming", "seconds": 61}


async def test_events_are_told_in_their_own_zone(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        assert not await holds(place, calendar={"title": "Dentist"})
        await run_line(
            place,
            f"{EVENT} --bind title:s:Dentist --bind eventLocation:s:'Room 4, left' --bind description:s:'a: b'"
            " --bind dtstart:l:1767258000000 --bind dtend:l:1767261600000 --bind eventTimezone:s:Asia/Tokyo",
        )
        await run_line(
            place,
            f"{EVENT} --bind title:s:Fair --bind allDay:i:1 --bind dtstart:l:1767225600000"
            " --bind duration:s:P2D --bind rrule:s:FREQ=YEARLY --bind eventTimezone:s:UTC",
        )
        await run_line(
            place, f"{EVENT} --bind title:s:Gone --bind deleted:i:1 --bind dtstart:l:0 --bind eventTimezone:s:X"
        )
        events = (await place.gateway.state(place.lease, "phone://state/calendar", within()))["calendar"]
        assert await holds(place, calendar={"title": "Dentist", "begin": "2026-01-01T18:00:00+09:00"})
    assert events == [
        {
            "title": "Dentist",
            "location": "Room 4, left",
            "description": "a: b",
            "begin": "2026-01-01T18:00:00+09:00",
            "end": "2026-01-01T19:00:00+09:00",
        },
        {"title": "Fair", "location": "", "description": "", "begin": "2026-01-01", "end": "2026-01-03"},
    ]


@pytest.mark.parametrize("vendors", [[], ["broadcast-needs-package"]])
async def test_the_clipboard_is_told(adb_server: tuple[str, int], tmp_path: Path, vendors: list[str]) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800), vendors=vendors) as place:
        assert await holds(place, clipboard={"text": ""})
        await place.perform("e:0", OpenLink(link="sms:555-0105?body=two%20%22quoted%22%0Alines"))
        device = place.device
        assert isinstance(device, VirtualPhone)
        box = next(box for text, box in device.layout() if text.startswith("two"))
        await place.perform("e:1", Tap(x=box.x + box.w // 2, y=box.y + box.h // 2))
        await run_line(place, "input keycombination CTRL_LEFT A; input keyevent COPY")
        assert await holds(place, clipboard={"text": 'two "quoted"\nlines'})
        assert not await holds(place, clipboard={"text": "two"})


FRONT = "mCurrentFocus=Window{1 u0 ca.zgrs.clipper/ca.zgrs.clipper.Main}\n"


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ('34\nBroadcast completed: result=-1, data="a"\n', "a"),
        ('28\nBroadcast completed: result=0, data=""\n', ""),
        (f'34\n{FRONT}Broadcast completed: result=0, data=""\n', ""),
        ('34\nBroadcast completed: result=0, data=""\n', None),
        ("34\nBroadcast completed: result=0\n", None),
        ("", None),
    ],
)
async def test_without_clipper_the_clipboard_is_not_told(printed: str, text: str | None) -> None:
    async def ask(line: str) -> ShellResult:
        return ShellResult(printed.encode(), b"", 0)

    state = DeviceState(ask)
    if text is None:
        with pytest.raises(StateUnavailable, match="does not tell clipboard"):
            await state.read("phone://state/clipboard")
    else:
        assert await state.read("phone://state/clipboard") == {"clipboard": {"text": text}}
