"""``if``, and what an emulator's root shell can do that a sold phone's cannot: AndroidWorld's tasks begin with it."""

from __future__ import annotations

import pytest

from tests.simulator.shell.conftest import PhoneShell


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ('\n  if [ -d "/sdcard" ]; then\n      echo "Exists"\n  else\n      echo "None"\n  fi\n  ', "Exists\n"),
        ("if [ -d /nowhere ]; then echo a; else echo b; fi", "b\n"),
        ("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n"),
        ("if false; then echo a; fi; echo $?", "0\n"),
        ("if true; then if false; then echo a; else echo b; fi; fi | cat", "b\n"),
        ("if true; then echo a; echo b; fi > /sdcard/f; cat /sdcard/f", "a\nb\n"),
        ("echo if then fi", "if then fi\n"),
    ],
)
async def test_if_runs_one_branch(shell: PhoneShell, line: str, out: str) -> None:
    assert await shell.out(line) == out


@pytest.mark.parametrize("line", ["if true; then echo a", "if; then echo a; fi", "if true; then; fi", "fi", "if"])
async def test_a_wrong_if_is_a_syntax_error(shell: PhoneShell, line: str) -> None:
    answer = await shell.run(f"echo before; {line}")
    assert (answer.status, answer.out) == (1, "")
    assert "syntax error" in answer.err


async def test_only_root_sets_the_clock(shell: PhoneShell) -> None:
    assert await shell.out("whoami; id -un") == "shell\nshell\n"
    answer = await shell.run("date 101515342023.07")
    assert (answer.status, answer.err) == (1, "date: cannot set date: Operation not permitted\n")
    shell.phone.is_root = True
    assert await shell.out("whoami; id -u; getprop ro.debuggable") == "root\n0\n1\n"
    assert await shell.out("date 101515342023.07") == "Sun Oct 15 15:34:07 UTC 2023\n"
    assert (await shell.out("date +%Y-%m-%dT%H:%M")).startswith("2023-10-15T15:3")
    assert (await shell.out("date 1231235924.00")).endswith("2024\n")
    assert (await shell.run("date 133215342023.07")).err == "date: bad date '133215342023.07'\n"


async def test_the_time_zone_is_set_by_the_alarm_service(shell: PhoneShell) -> None:
    assert (await shell.out("service call alarm 3 s16 Europe/Zurich")).startswith("Result: Parcel(")
    assert await shell.out("getprop persist.sys.timezone") == "Europe/Zurich\n"
    assert (await shell.run("service call alarm 4")).status == 127


async def test_a_task_is_removed_by_its_id(shell: PhoneShell) -> None:
    await shell.out("am start -n com.example.notes/com.example.notes.MainActivity")
    assert "com.example.notes/" in await shell.out("am stack list")
    await shell.out("am stack remove 1")
    assert "com.example.notes/" not in await shell.out("am stack list")
    assert (await shell.run("am stack remove 7")).status == 255
