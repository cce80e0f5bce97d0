"""What a line may cost: however it is written, it ends, memory stays bounded, and the other phones have their turn."""

from __future__ import annotations

import asyncio
import time

import pytest

from manyhands.simulator.shell import streams
from manyhands.simulator.shell.command import MOST_TEXT, MOST_VARIABLES, Call, Command
from manyhands.simulator.shell.commands import grep
from manyhands.simulator.shell.language import interpreter
from manyhands.simulator.shell.streams import BytesInput, Collector, Stdio, TooMuch
from tests.simulator.shell.conftest import PhoneShell

SOON_S = 5.0


class Turns:
    """Counts how often another task of the loop has its turn."""

    def __init__(self) -> None:
        self.count = 0

    async def take(self) -> None:
        while True:
            self.count += 1
            await asyncio.sleep(0)


async def refused(shell: PhoneShell, line: str, said: str) -> None:
    answer = await shell.run(line)
    assert answer.status == 1
    assert answer.err.startswith("/system/bin/sh: ")
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1
    assert await shell.out("echo on") == "on\n"


async def test_variables_do_not_grow_for_ever(shell: PhoneShell) -> None:
    """Each doubling of a variable doubled the process."""
    await refused(shell, f"a={'x' * 1024}; " + "a=$a$a; " * 20 + "echo ${a} | wc -c", f"{MOST_TEXT} characters")
    await refused(shell, f"a={'x' * 1024}; " + "export a=$a$a; " * 20, f"{MOST_TEXT} characters")
    await refused(shell, "; ".join(f"v{number}=" for number in range(2000)), f"{MOST_VARIABLES} variables")
    assert await shell.out("a=aa; " * 5000 + "echo $a") == "aa\n"


async def test_words_do_not_either(shell: PhoneShell) -> None:
    shell.phone.files.write("/sdcard/f", b"x" * 1_000_000)
    await refused(shell, "a=$(cat /sdcard/f); echo " + "$a" * 5000, "expand to at most")
    await refused(shell, "echo " + "$(cat /sdcard/f)" * 5000, "expand to at most")
    await refused(
        shell, "touch /sdcard/" + "n" * 200 + "; echo " + "/sdcard/n* " * 11_000 + "$(cat /sdcard/f)" * 3, "expand"
    )


async def test_output_for_a_pipe_or_a_file_does_not_either(shell: PhoneShell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.phone.files.write("/sdcard/f", b"x" * 1_000_000)
    shell.phone.files.capacity = 8_000_000
    many = "cat" + " /sdcard/f" * 100
    await refused(shell, f"{many} | wc -c", f"at most {streams.MAX_INPUT} bytes")
    await refused(shell, f"{many} > /sdcard/g", "No space left on device")
    await refused(shell, f"printf '{'x' * 50_000}%s' {'a ' * 30_000} | wc -c", "bytes of output")
    assert (await shell.run(f"a=$({many})")).status == 1


async def test_input_that_is_too_long_is_said(shell: PhoneShell) -> None:
    """It said "None"."""
    stdin = BytesInput(bytes(streams.MAX_INPUT + 1))
    err = Collector()
    assert await interpreter.Shell(shell.phone, {"cat": Command(cat)}).run("cat", Stdio(stdin, Collector(), err)) == 1
    assert err.data == b"File too large\n"


async def cat(call: Call) -> int:
    try:
        await call.read()
    except OSError as error:
        await call.complain(str(error.strerror))
    return 1


async def test_a_line_is_as_long_as_a_phone_takes_it(shell: PhoneShell) -> None:
    """Android's programs take no argument of more than 128 KiB, ``sh -c`` neither."""
    assert len(await shell.out(f"echo {'x' * 130_000}")) == 130_001
    await refused(shell, f"echo {'x' * (128 << 10)}", "line too long")


@pytest.mark.parametrize(
    "line",
    [
        'a=\'eval "$a"; eval "$a"\'; eval "$a"',
        'a=\'sh -c "$a"; sh -c "$a"\'; sh -c "$a"',
        "echo 'sh /sdcard/a; sh /sdcard/a' > /sdcard/a; sh /sdcard/a",
    ],
)
async def test_scripts_that_call_themselves_end(shell: PhoneShell, line: str) -> None:
    """Two calls in each of twenty levels were a million, during which no other phone of the process answered."""
    started = time.monotonic()
    await refused(shell, line, "nested too deep")
    assert time.monotonic() - started < SOON_S


async def test_scripts_that_call_many_others_end(shell: PhoneShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MOST_COMMANDS", 5000)
    for number in range(6):
        await shell.out(f"echo '{f'sh /sdcard/{number + 1};' * 10}' > /sdcard/{number}")
    await shell.out("echo true > /sdcard/6")
    await refused(shell, "sh /sdcard/0; (sh /sdcard/0); echo $(sh /sdcard/0)", "at most 5000 commands")


@pytest.mark.parametrize(
    ("line", "least"),
    [("true; " * 10_000, 100), ("input keyevent " + "67 " * 2000, 1000), ("echo " + "/sdcard/* " * 2000, 1000)],
)
async def test_others_have_their_turn_meanwhile(shell: PhoneShell, line: str, least: int) -> None:
    turns = Turns()
    other = asyncio.create_task(turns.take())
    await shell.out(line)
    other.cancel()
    assert turns.count > least


async def test_what_printf_repeats_it_repeats_quickly(shell: PhoneShell) -> None:
    started = time.process_time()
    assert await shell.out(f"printf '%s\\n' {'a ' * 60_000}") == "a\n" * 60_000
    assert time.process_time() - started < SOON_S


async def test_grep_has_limits_of_lines(shell: PhoneShell, monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.process_time()
    newlines = "\n" * 100_000
    answer = await shell.run(f"echo a | grep '{newlines}'")
    assert answer.err.startswith("grep: bad REGEX: more than 16384"), "each empty line is a pattern, too"
    assert time.process_time() - started < 0.5
    monkeypatch.setattr(grep, "MOST_FOUND", 100)
    shell.phone.files.write("/sdcard/f", b"aaaa\n" * 50)
    assert await shell.out("grep -c a /sdcard/f") == "50\n"
    await refused(shell, "grep -o a /sdcard/f", "at most 100 lines or matches")
    shell.phone.files.write("/sdcard/f", b"\n" * 1000)
    await refused(shell, "grep -v a /sdcard/f", "at most 100 lines or matches")


async def test_many_lines_are_looked_at_beside_the_loop(shell: PhoneShell) -> None:
    """A file of line breaks alone is little to match and very many lines."""
    shell.phone.files.write("/sdcard/f", b"\n" * 300_000)
    turns = Turns()
    other = asyncio.create_task(turns.take())
    assert (await shell.run("grep -c a /sdcard/f")).out == "0\n"
    other.cancel()
    assert turns.count > 10


async def test_a_collector_tells_its_limit() -> None:
    collector = Collector(4)
    await collector.write(b"1234")
    with pytest.raises(TooMuch, match="at most 4 bytes"):
        await collector.write(b"5")
