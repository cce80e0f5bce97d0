"""Which phones a run begins with, and which it waits for or leaves out."""

from __future__ import annotations

import asyncio
import io
import socket
import time
from collections.abc import Mapping, Sequence

import adbutils
import pytest
from rich.console import Console

from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.actors.phones.directory import TransportDirectory
from manyhands.deploy.command_line.display import RunDisplay, phone_lines
from manyhands.deploy.command_line.summary_table import summary_table
from manyhands.deploy.fleet.phones import phone_selection as choosing
from manyhands.deploy.fleet.phones.phone_selection import LARGEST, ChosenPhones, choose_phones, screen_sizes
from manyhands.protocol.errors import BadInput, CallError, PhoneLost
from manyhands.protocol.phones import PhoneInfo
from manyhands.protocol.runs.progress import RunProgress, RunWait, TasksDone
from manyhands.protocol.runs.run_summary import Interruptions
from manyhands.protocol.screens.geometry import Size
from manyhands.simulator.fleet import VirtualFleet
from tests.actors.phones.adb.scripted_adb import block, scripted_adb
from tests.evaluation.run_records import summed_up
from tests.simulator.connecting import disconnect
from tests.simulator.plain_device import PlainDevice

LISTED = (
    "R58M1                  device usb:1-1 product:p model:Pixel_8 device:d transport_id:1\n"
    "R58M2                  unauthorized usb:1-2 transport_id:2\n"
    "R58M3                  offline transport_id:3\n"
)


def unused_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"127.0.0.1:{taken.getsockname()[1]}"


async def chosen_of(
    host: str, port: int, named: Sequence[str], wait_s: float, needed: Sequence[str] = ()
) -> ChosenPhones:
    """The phones of a run behind the adb server at that port."""
    transport = AdbTransport(AdbSettings(host=host, port=port))
    await transport.start()
    try:
        return await choose_phones(TransportDirectory(transport), named, wait_s, needed)
    finally:
        await transport.stop()


async def test_without_names_every_usable_phone_is_taken_and_the_others_are_told() -> None:
    async with scripted_adb({"host:": b"OKAY" + block(LISTED)}) as script:
        chosen = await chosen_of("127.0.0.1", script.port, (), 1)
    assert chosen.serials == ("R58M1",)
    assert list(phone_lines(chosen)) == [
        "Phones: R58M1",
        "Left out: R58M2 (unauthorized; accept this computer's key on its screen)",
        "Left out: R58M3 (offline; plug it in again, or 'adb reconnect offline')",
    ]


def test_phones_left_out_are_in_the_figures_of_the_run() -> None:
    summary = summed_up({"phones_left_out": {"R58M2": "unauthorized"}}, [])
    assert summary.phones_left_out == {"R58M2": "unauthorized"}
    said = io.StringIO()
    Console(width=160, file=said).print(summary_table(summary))
    assert "left out: R58M2 (unauthorized)" in said.getvalue()


def test_a_task_that_ended_before_its_check_is_not_told_to_have_none() -> None:
    check = {"source": "content://a/b", "holds": {"path": "a", "exists": True}}
    summary = summed_up({"tasks": [{"id": "a", "goal": "Turn on dark mode.", "check": check}]}, [])
    said = io.StringIO()
    Console(width=160, file=said).print(summary_table(summary))
    assert "0 of 1 task verified (1 cancelled) on 0 phones" in said.getvalue()


def test_tasks_without_checks_are_counted_by_what_the_agent_finished() -> None:
    said = io.StringIO()
    for ids in (["a"], ["a", "b"]):
        summary = summed_up({"tasks": [{"id": one, "goal": "Turn on dark mode."} for one in ids]}, [])
        Console(width=160, file=said).print(summary_table(summary))
    assert "0 of 1 task finished (1 cancelled, it has no check) on 0 phones" in said.getvalue()
    assert "0 of 2 tasks finished (2 cancelled, none has a check) on 0 phones" in said.getvalue()
    assert "verified" not in said.getvalue().split("episodes an hour")[0].splitlines()[-1]


@pytest.mark.parametrize(
    ("continued", "anew", "told"),
    [
        (2, 0, "interrupted: 2 times gone on in place after 42 s in all\n"),
        (0, 1, "interrupted: 1 episode begun anew (3 actions again)\n"),
        (1, 2, "interrupted: 1 time gone on in place after 42 s in all; 2 episodes begun anew (3 actions again)\n"),
    ],
)
def test_only_what_interruptions_led_to_is_told(continued: int, anew: int, told: str) -> None:
    stopped = Interruptions(continued=continued, causes={}, seconds=42, begun_anew=anew, actions_again=3)
    said = io.StringIO()
    summary = summed_up({}, []).model_copy(update={"interruptions": stopped})
    Console(width=160, file=said).print(summary_table(summary))
    assert told in "\n".join(line.rstrip() for line in said.getvalue().splitlines())


@pytest.mark.parametrize(
    ("total_s", "models_s", "told"),
    [(41.6, 30.2, "; start-up 42 s, 30 s of it for model servers;"), (9.4, 0.2, "; start-up 9 s;"), (None, None, "")],
)
def test_the_table_tells_how_long_a_run_took_to_begin(total_s: float | None, models_s: float | None, told: str) -> None:
    known = {"start_up_s": total_s, "start_up_models_s": models_s, "person_actions": 0, "away_s": 5}
    said = io.StringIO()
    Console(width=300, file=said).print(summary_table(summed_up({}, []).model_copy(update=known)))
    assert told in said.getvalue()
    assert ("start-up" in said.getvalue()) is bool(told)


async def test_where_none_can_be_used_the_error_says_why() -> None:
    listed = "R58M2      unauthorized usb:1-2 transport_id:2\n"
    async with scripted_adb({"host:": b"OKAY" + block(listed)}) as script:
        with pytest.raises(BadInput, match=r"no usable phone \(R58M2: unauthorized; accept this computer's key"):
            await chosen_of("127.0.0.1", script.port, (), 1)


async def test_a_named_phone_that_is_away_is_part_of_the_run_once_another_is_there(
    adb_server: tuple[str, int],
) -> None:
    away = unused_address()
    async with VirtualFleet(1, PlainDevice) as fleet:
        (there,) = fleet.serials  # listens, but nobody has connected it yet
        began = time.monotonic()
        chosen = await chosen_of(*adb_server, (away, there, "R58M9", there), 60)
        assert time.monotonic() - began < 20
        assert chosen.serials == (away, there, "R58M9")
        assert chosen.away.keys() == {away, "R58M9"}
        assert "Connection refused" in chosen.away[away]
        assert "Away: R58M9 (no phone with the serial 'R58M9'; 'adb devices' lists those there are); it is used " in (
            "\n".join(phone_lines(chosen))
        )
        await disconnect(fleet, adbutils.AdbClient(*adb_server))


async def test_a_named_phone_that_comes_up_is_waited_for(adb_server: tuple[str, int]) -> None:
    async with VirtualFleet(1, PlainDevice) as fleet:
        await fleet.vanish(0)
        choosing = asyncio.create_task(chosen_of(*adb_server, fleet.serials, 60))
        await asyncio.wait({choosing}, timeout=0.3)
        assert not choosing.done()
        await fleet.come_back(0)
        assert await choosing == ChosenPhones(fleet.serials)
        await disconnect(fleet, adbutils.AdbClient(*adb_server))


async def test_a_run_that_is_gone_on_with_needs_its_phones(adb_server: tuple[str, int]) -> None:
    away = unused_address()
    async with VirtualFleet(1, PlainDevice) as fleet:
        (there,) = fleet.serials
        missing = rf"^{away}: .*refused.*: without it the run does not go on; .* --phones$"
        with pytest.raises(BadInput, match=missing):
            await chosen_of(*adb_server, (away, there), 0.5, needed=(away, there))
        chosen = await chosen_of(*adb_server, (away, there), 0.5, needed=(there,))
        assert chosen.away.keys() == {away}
        await disconnect(fleet, adbutils.AdbClient(*adb_server))


async def test_where_no_named_phone_can_be_had_the_error_says_so_after_a_stated_time(
    adb_server: tuple[str, int],
) -> None:
    away = unused_address()
    with pytest.raises(BadInput, match=rf"none could be had within 0.5 s: {away}: .*refused.*; R58M9: no phone with"):
        await chosen_of(*adb_server, (away, "R58M9"), 0.5)


class Listed:
    """Implements ``PhoneDirectory`` by a timetable of lists; phones that are usable can be connected."""

    def __init__(self, *lists: Mapping[str, str]) -> None:
        self._lists = list(lists)

    async def phones(self) -> Sequence[PhoneInfo]:
        listed = self._lists.pop(0) if len(self._lists) > 1 else self._lists[0]
        advice = {"unauthorized": "accept this computer's key on its screen"}
        return [PhoneInfo(serial=one, state=state, advice=advice.get(state, "")) for one, state in listed.items()]

    async def connect(self, serial: str) -> None:
        if self._lists[0].get(serial) != "device":
            raise PhoneLost(f"{serial} is {self._lists[0].get(serial, 'not listed')}")

    async def size(self, serial: str) -> Size:
        raise CallError("nobody answers")

    async def labels(self, serial: str) -> Mapping[str, str]:
        raise PhoneLost("not asked")

    async def look(self, serial: str, source: str) -> Mapping[str, object]:
        raise PhoneLost("not looked at")


async def test_a_whole_site_is_all_its_usable_phones_with_others_that_are_named() -> None:
    there = Listed({"lab/a": "device", "lab/b": "unauthorized", "shop/c": "device", "d": "device"})
    chosen = await choose_phones(there, ("lab/*", "d", "lab/a", "lab/e"), 5)
    assert chosen.serials == ("lab/a", "d", "lab/e")
    assert chosen.away == {"lab/e": "lab/e is not listed"}
    assert chosen.left_out == {"lab/b": "unauthorized; accept this computer's key on its screen"}
    assert await screen_sizes(there, chosen) == (LARGEST,) * 3


async def test_a_site_that_nobody_serves_yet_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "AGAIN_S", 0.01)
    late = Listed({}, {"lab/a": "away"}, {"lab/a": "device"})
    assert (await choose_phones(late, ("lab/*",), 60)).serials == ("lab/a",)
    with pytest.raises(
        BadInput,
        match=r"^--phones lab/\*: no usable phone .* within 0.02 s: nobody serves it; correct its name, or start one",
    ):
        await choose_phones(Listed({"shop/c": "device"}), ("shop/*", "lab/*"), 0.02)
    with pytest.raises(BadInput, match=r"no usable phone at this site within 0.02 s: lab/a: away$"):
        await choose_phones(Listed({"lab/a": "away"}), ("lab/*",), 0.02)


class Silent(Listed):
    """A directory that is asked about a site that nobody serves."""

    async def phones(self) -> Sequence[PhoneInfo]:
        await asyncio.Event().wait()
        raise AssertionError("never")

    async def connect(self, serial: str) -> None:
        raise PhoneLost(f"{serial} is not listed")


async def test_a_silent_site_costs_no_more_than_the_wait_and_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(choosing, "AGAIN_S", 0.05)
    monkeypatch.setattr(choosing, "TELL_S", 0.0)
    async with asyncio.timeout(60):
        with pytest.raises(BadInput, match=r"no usable phone at this site within 0\.2 s: nobody serves it; correct"):
            await choose_phones(Silent({}), ("lap/*",), 0.2)
    assert [one.getMessage() for one in caplog.records] == ["waiting 0.2 s at most for phones of site lap"]


async def test_named_phones_that_are_away_are_told_while_they_are_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(choosing, "TELL_S", 0.0)
    with pytest.raises(BadInput, match="none could be had"):
        await choose_phones(Listed({}), ("lab/e",), 0.2)
    (told,) = [one.getMessage() for one in caplog.records]
    assert told == "waiting 0.2 s at most for the phones that are named: lab/e: lab/e is not listed"


async def test_what_a_run_waits_for_is_said_once_and_when_it_is_over() -> None:
    wait = RunWait(what="phone R58M1", since=time.time() - 7.2, reason="it does\nnot answer")
    said = io.StringIO()

    async def ask() -> RunProgress:
        raise AssertionError("not asked")

    display = RunDisplay(Console(width=160, file=said), ask)
    for away in ((), (wait,), (wait,), ()):
        display.finish(RunProgress(total=1, waiting=1, running=(), done=TasksDone(), latest=(), away=away))
    assert said.getvalue().splitlines() == [
        "waiting for phone R58M1 for 7 s: it does not answer",
        "no longer waiting for phone R58M1",
    ]
