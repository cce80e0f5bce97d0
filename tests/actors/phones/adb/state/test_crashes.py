"""Crashes are read from what phones print: texts as public reports of real phones have them, with names of our own."""

from __future__ import annotations

import pytest

from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.state.crashes import LONGEST_TRACE, read_crashes
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones import CRASHES, AppCrash

APP = "com.example.app"
JAVA = """\
--------- beginning of crash
11-30 15:00:00.120  4242  4242 E AndroidRuntime: FATAL EXCEPTION: main
11-30 15:00:00.120  4242  4242 E AndroidRuntime: Process: com.example.app, PID: 4242
11-30 15:00:00.120  4242  4242 E AndroidRuntime: java.lang.RuntimeException: Unable to start activity
11-30 15:00:00.120  4242  4242 E AndroidRuntime: \tat android.app.ActivityThread.start(ActivityThread.java:9)
11-30 15:00:00.120  4242  4242 E AndroidRuntime: Caused by: java.lang.NullPointerException: no price
11-30 15:00:00.120  4242  4242 E AndroidRuntime: \tat com.example.app.Price.of(Price.kt:12)
11-30 15:00:01.120  5000  5000 E AndroidRuntime: FATAL EXCEPTION: worker
11-30 15:00:01.120  5000  5000 E AndroidRuntime: Process: com.example.other:remote, PID: 5000
11-30 15:00:01.120  5000  5000 E AndroidRuntime: java.lang.OutOfMemoryError
"""
NATIVE = """\
11-30 15:00:00.100  4242  4260 F libc    : Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 4260
11-30 15:00:00.300  6000  6000 F DEBUG   : *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
11-30 15:00:00.300  6000  6000 F DEBUG   : Build fingerprint: 'maker/phone/phone:14/ABC/1:user/release-keys'
11-30 15:00:00.300  6000  6000 F DEBUG   : pid: 4242, tid: 4260, name: Thread-2  >>> com.example.app <<<
11-30 15:00:00.300  6000  6000 F DEBUG   : signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000000
11-30 15:00:00.300  6000  6000 F DEBUG   :       #00 pc 0000000000012345  /data/app/base.apk!libnative.so (draw+40)
"""
EMPTY = "Drop box contents: 3 entries\nMax entries: 1000\nSearching for: data_app_anr\n\n(No entries found.)\n"
HEAD = "Drop box contents: 41 entries\nMax entries: 1000\nLow priority rate limit period: 2000 ms\n\n" + "=" * 40 + "\n"
SUBJECT = """\
2026-11-30 15:00:05 data_app_anr (compressed text, 7111 bytes)
Process: com.example.app
PID: 4242
Package: com.example.app v3 (1.0)
Subject: Input dispatching timed out (com.example.app/.Main is not responding. Waited 5000ms)

"main" prio=5 tid=1 Sleeping
"""
REASON = """\
2026-11-30 15:00:05 system_app_anr (text, 1180 bytes)
Process: com.example.app
Package: com.example.app v3 (1.0)

Subject: ANR in com.example.app (com.example.app/.Main)
PID: 4242
Reason: Broadcast of Intent { act=android.intent.action.TIME_TICK }
"""


async def crashes_of(printed: str, package: str = APP) -> list[AppCrash]:
    async def ask(line: str) -> ShellResult:
        return ShellResult(f"--- log\n{printed}".encode(), b"", 0)

    told = await read_crashes(CRASHES + package, ask)
    assert isinstance(told["crashes"], list)
    return [AppCrash.model_validate(one) for one in told["crashes"]]


@pytest.mark.parametrize(
    ("logged", "reason", "in_trace"),
    [
        (JAVA, "java.lang.RuntimeException: Unable to start activity", "Price.kt:12"),
        (NATIVE, "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000000", "libnative.so"),
    ],
    ids=["java", "native"],
)
async def test_crashes_are_read_from_the_log(logged: str, reason: str, in_trace: str) -> None:
    (crash,) = await crashes_of(f"{logged}--- data_app_anr\n{EMPTY}")
    assert (crash.kind, crash.reason) == ("crash", reason)
    assert in_trace in crash.trace
    assert crash.id.startswith("11-30 15:00:00")


async def test_a_crash_belongs_to_its_own_app() -> None:
    printed = f"{JAVA}--- data_app_anr\n{EMPTY}"
    (other,) = await crashes_of(printed, "com.example.other")
    assert other.reason == "java.lang.OutOfMemoryError"
    assert await crashes_of(printed, "com.example.ap") == []


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (SUBJECT, "Input dispatching timed out (com.example.app/.Main is not responding. Waited 5000ms)"),
        (REASON, "Broadcast of Intent { act=android.intent.action.TIME_TICK }"),
    ],
)
async def test_what_did_not_respond_is_read_from_the_dropbox(entry: str, reason: str) -> None:
    (first, second) = await crashes_of(
        f"--- data_app_anr\n{HEAD}{entry}{'=' * 40}\n{entry.replace('15:00:05', '15:09:05')}"
    )
    assert (first.kind, first.reason) == ("not_responding", reason)
    assert first.id != second.id


async def test_a_long_trace_is_cut_off() -> None:
    line = "11-30 15:00:00.120  4242  4242 E AndroidRuntime: \tat com.example.app.Main.again(Main.kt:1)\n"
    (crash,) = await crashes_of(f"{JAVA.partition('11-30 15:00:01')[0]}{line * 3000}--- data_app_anr\n{EMPTY}")
    assert len(crash.trace) == LONGEST_TRACE


async def test_no_answer_is_no_crash() -> None:
    assert await crashes_of(f"--- data_app_anr\n{EMPTY}") == []
    for source, printed in ((CRASHES + "a; reboot", JAVA), (CRASHES + APP, "error: closed")):

        async def ask(line: str, printed: str = printed) -> ShellResult:
            return ShellResult(printed.encode(), b"", 0)

        with pytest.raises(StateUnavailable):
            await read_crashes(source, ask)
