"""logcat: its formats and filters, and that it is followed."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.simulator.shell.commands import android_commands
from manyhands.simulator.shell.language.interpreter import Shell
from manyhands.simulator.shell.streams import BytesInput, Stdio
from tests.simulator.shell.conftest import PhoneShell


class Printed:
    """What a client has been sent so far; ``more`` is set with each piece."""

    def __init__(self) -> None:
        self.text = ""
        self.more = asyncio.Event()

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        self.text += bytes(data).decode()
        self.more.set()


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("threadtime", r"\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}  1240  1240 W Tag     : said"),
        ("time", r"\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} W/Tag     ( 1240): said"),
        ("brief", r"W/Tag     ( 1240): said"),
        ("tag", r"W/Tag     : said"),
        ("raw", r"said"),
        ("process", r"W( 1240) said  (Tag)"),
    ],
)
async def test_formats(shell: PhoneShell, form: str, line: str) -> None:
    await shell.out("logcat -c")
    shell.phone.log.write("W", "Tag", "said")
    pattern = line.replace("(", r"\(").replace(")", r"\)").replace(r"\d", "[0-9]")
    assert await shell.out(f"logcat -d -v {form} | grep -cxE '{pattern}'") == "1\n"


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        ("", "one two three four"),
        ("-s A", "one four"),
        ("A:W *:S", "four"),
        ("*:W", "two four"),
        ("B:S", "one three four"),
        ("-t 2", "three four"),
        ("-t 1 -s A", "four"),
        ("-e 't.*'", "two three"),
        ("--regex=^t", "two three"),
        ("-m 2", "one two"),
        ("-b main,system -vraw", "one two three four"),
        ("--pid=1", ""),
    ],
)
async def test_filters(shell: PhoneShell, options: str, messages: str) -> None:
    await shell.out("logcat --clear")
    for priority, tag, message in (("I", "A", "one"), ("W", "B", "two"), ("D", "C", "three"), ("E", "A", "four")):
        shell.phone.log.write(priority, tag, message)  # type: ignore[arg-type]
    said = await shell.out(f"logcat -d -v raw {options}")
    assert said.replace("--------- beginning of main\n", "").split() == messages.split()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-d -v pretty", "Invalid parameter 'pretty' to -v"),
        ("-d -t yesterday", "no count"),
        ("-d -b secret", "unknown buffer"),
        ("-d A:Q", "Invalid filter expression"),
        ("-d -e '('", "missing )"),
        ("-d --wrap", "option --wrap not recognized"),
        ("-d -v", "requires argument"),
        ("| grep x", "use logcat -d"),
    ],
)
async def test_what_it_does_not_have_it_says(shell: PhoneShell, options: str, said: str) -> None:
    answer = await shell.run(f"logcat {options}")
    assert answer.status == 1
    assert said in answer.err


async def test_it_is_followed_and_the_phone_always_has_something_to_say(shell: PhoneShell) -> None:
    printed = Printed()
    line = "export ANDROID_LOG_TAGS=''; exec logcat '-v' 'raw'"
    stdio = Stdio(BytesInput(b""), printed, printed)
    following = asyncio.create_task(Shell(shell.phone, android_commands()).run(line, stdio))
    async with asyncio.timeout(10):
        while "Boot completed" not in printed.text:
            await asyncio.sleep(0)
        await shell.out("am start -n com.example.notes/.MainActivity; input keyevent 4")
        for message in ("START u0 { cmp=com.example.notes/.MainActivity }", "battery l=87"):
            while message not in printed.text:
                printed.more.clear()
                await printed.more.wait()
        await shell.out("dumpsys battery set level 42")
        while "battery l=42" not in printed.text:
            printed.more.clear()
            await printed.more.wait()
    following.cancel()
    with pytest.raises(asyncio.CancelledError):
        await following


async def test_old_lines_go(shell: PhoneShell) -> None:
    for number in range(6000):
        shell.phone.log.write("I", "Tag", f"{number} " + "x" * 10_000)
    assert await shell.out("logcat -d -v raw | grep -c .") == "5001\n"
    assert await shell.out("logcat -d -t 1 -v raw | wc -c") == "4001\n"


async def test_many_clients_are_told_one_heartbeat(shell: PhoneShell) -> None:
    """Each of a hundred wrote its own each second, and told all of the others': ten thousand lines a second."""
    printed = [Printed() for _ in range(20)]
    run = Shell(shell.phone, android_commands()).run
    clients = [asyncio.create_task(run("logcat -v raw", Stdio(BytesInput(b""), one, one))) for one in printed]
    async with asyncio.timeout(10):
        for one in printed:
            while one.text.count("battery") < 2:
                one.more.clear()
                await one.more.wait()
    for client in clients:
        client.cancel()
    assert max(one.text.count("battery") for one in printed) <= 3
    assert len(await asyncio.gather(*clients, return_exceptions=True)) == len(printed)


async def test_what_is_written_while_a_client_is_slow_is_told_at_once(shell: PhoneShell) -> None:
    """A line that came while another was on its way waited for the next one."""

    class Slow(Printed):
        async def write(self, data: bytes | bytearray | memoryview) -> None:
            await super().write(data)
            if b"first" in bytes(data):
                shell.phone.log.write("I", "Tag", "second")

    printed = Slow()
    shell.phone.log.write("I", "Tag", "first")
    line = Shell(shell.phone, android_commands()).run("logcat -v raw", Stdio(BytesInput(b""), printed, printed))
    client = asyncio.create_task(line)
    async with asyncio.timeout(10):
        while "second" not in printed.text:
            printed.more.clear()
            await printed.more.wait()
    client.cancel()
    assert "battery" not in printed.text


async def test_lines_from_a_number_on(shell: PhoneShell) -> None:
    log = shell.phone.log
    log.clear()
    assert log.since(0) == []
    for number in range(6000):
        log.write("I", "Tag", str(number))
    assert [line.message for line in log.since(5999)] == ["5998", "5999"]  # one line came before
    assert len(log.since(0)) == 5000
    assert log.since(10_000) == []
