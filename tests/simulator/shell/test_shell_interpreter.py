"""What lines do: lists, pipes, redirections, variables, status, exit."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.simulator.shell.command import Call, Command
from manyhands.simulator.shell.language.interpreter import Shell
from manyhands.simulator.shell.streams import BytesInput, Collector, Stdio
from manyhands.simulator.system.files import PhoneFiles
from tests.simulator.shell.conftest import PhoneShell


@pytest.mark.parametrize(
    ("line", "status", "out"),
    [
        ("", 0, ""),
        ("  # nothing", 0, ""),
        ("true; echo $?; false; echo $?", 0, "0\n1\n"),
        ("false && echo a || echo b", 0, "b\n"),
        ("true || echo a && echo b", 0, "b\n"),
        ("! true", 1, ""),
        ("echo a\necho b", 0, "a\nb\n"),
        ("exit 3; echo never", 3, ""),
        ("(exit 3); echo $?", 0, "3\n"),
        ("echo a | exit 4; echo $?", 0, "4\n"),
        ("exec echo last; echo never", 0, "last\n"),
        ("X=1; echo $X; X=2 echo $X; echo $X", 0, "1\n1\n1\n"),
        ("A=1 B=$A; echo $B", 0, "1\n"),
        ("X='a  b'; echo $X \"$X\"", 0, "a b a  b\n"),
        ("export X=5; (echo $X; X=6); echo $X", 0, "5\n5\n"),
        ('unset HOME; echo "[$HOME]"', 0, "[]\n"),
        ("echo $(echo a; echo 'b  c') \"$(echo 'b  c')\" `echo d`", 0, "a b c b  c d\n"),
        ("X=$(false); echo $?", 0, "1\n"),
        ("echo one two | wc -w", 0, "2\n"),
        ("echo a > /sdcard/f; echo b >> /sdcard/f; cat < /sdcard/f", 0, "a\nb\n"),
        ("nosuch 2>/dev/null; echo $?", 0, "127\n"),
        ("nosuch 2>&1 | grep -c inaccessible", 0, "1\n"),
        ("{ echo a; echo b; } > /sdcard/g; cat /sdcard/g", 0, "a\nb\n"),
        ("echo x >/dev/null; cat /dev/null", 0, ""),
        ("cd /sdcard; echo hi > here; pwd; cat /storage/emulated/0/here", 0, "/sdcard\nhi\n"),
        ("sh -c 'echo $0; exit 9'; echo $?", 0, "/system/bin/sh\n9\n"),
        ("echo 'echo from file' > /sdcard/s.sh; sh /sdcard/s.sh", 0, "from file\n"),
        ("eval 'X=7'; echo $X", 0, "7\n"),
        ("echo lost >&-; cat <&-; ls /nope 2>&-", 1, ""),
        ("[ -d /sdcard ] && [ ! -e /nope ] && [ 3 -gt 2 ] && echo yes", 0, "yes\n"),
        ("test -n '' || echo empty", 0, "empty\n"),
        ("/system/bin/echo path", 0, "path\n"),
        ("export ANDROID_LOG_TAGS=''; exec logcat '-c'", 0, ""),
    ],
)
async def test_lines(shell: PhoneShell, line: str, status: int, out: str) -> None:
    assert await shell.run(line) == (status, out, "")


@pytest.mark.parametrize(
    ("line", "status", "err"),
    [
        ("nosuch", 127, "/system/bin/sh: nosuch: inaccessible or not found\n"),
        ("echo x > /system/x", 1, "/system/bin/sh: can't create /system/x: Read-only file system\n"),
        ("cat < /sdcard/none", 1, "/system/bin/sh: can't open /sdcard/none: No such file or directory\n"),
        ("echo (", 1, "/system/bin/sh: syntax error: unexpected '('\n"),
        ("echo x 3>/sdcard/f", 1, "/system/bin/sh: 3>/sdcard/f: bad file descriptor\n"),
        ("echo x > /sdcard/f; /sdcard/f", 126, "/system/bin/sh: /sdcard/f: can't execute: Permission denied\n"),
        ("cd /nope", 2, "/system/bin/sh: cd: /nope: No such file or directory\n"),
    ],
)
async def test_complaints(shell: PhoneShell, line: str, status: int, err: str) -> None:
    assert await shell.run(line) == (status, "", err)


async def test_a_syntax_error_executes_nothing(shell: PhoneShell) -> None:
    assert (await shell.run("input tap 1 1; echo (")).status == 1
    assert shell.device.events == []
    assert shell.phone.ledger.lines == []


async def test_nothing_of_the_host_is_reached(shell: PhoneShell) -> None:
    answer = await shell.run(
        "cat /etc/passwd; ls /root /home; cat /proc/self/environ; python3 -c 1; bash -c id; ls ../.."
    )
    assert "inaccessible or not found" in answer.err
    assert answer.out == "data\ndev\nsdcard\nstorage\nsystem\n"


async def test_bytes_pass_unchanged(shell: PhoneShell) -> None:
    data = bytes(range(256)) * 10
    shell.phone.files.write("/sdcard/b", data)
    await shell.out("cat /sdcard/b | cat > /sdcard/c")
    assert shell.phone.files.read("/sdcard/c") == data


async def test_a_full_phone_is_told(shell: PhoneShell) -> None:
    shell.phone.files.capacity = 100
    answer = await shell.run("echo " + "x" * 200 + " > /sdcard/f")
    assert (answer.status, answer.err) == (1, "/system/bin/sh: write error: No space left on device\n")


async def test_shells_that_call_themselves_end(shell: PhoneShell) -> None:
    answer = await shell.run("echo 'sh /sdcard/s' > /sdcard/s; sh /sdcard/s")
    assert answer.status == 1
    assert "nested too deep" in answer.err


async def test_a_cancelled_line_stops_at_once(shell: PhoneShell) -> None:
    running = asyncio.create_task(shell.run("sleep 1000; input tap 1 1"))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert shell.device.events == []


async def test_a_defect_in_a_command_is_told_as_one(shell: PhoneShell) -> None:
    async def broken(call: Call) -> int:
        raise RuntimeError("a defect")

    err = Collector()
    status = await Shell(shell.phone, {"broken": Command(broken)}).run(
        "broken", Stdio(BytesInput(b""), Collector(), err)
    )
    assert status == 255
    assert b"internal error of the virtual phone: RuntimeError('a defect')" in err.data


def test_paths_are_one_place_under_all_their_names() -> None:
    files = PhoneFiles()
    files.write("/storage/emulated/0/Download/../f", b"x")
    assert files.read("//sdcard/./f") == b"x"
    assert files.glob("f*", "/sdcard") == ["f"]
    files.make_directory("/sdcard/a/b", parents=True)
    files.move("/sdcard/f", "/sdcard/a/b/f")
    files.move("/sdcard/a", "/sdcard/z")
    assert files.read("/sdcard/z/b/f") == b"x"
    with pytest.raises(OSError, match="Invalid argument"):
        files.move("/sdcard/z", "/sdcard/z/b/z")
    files.remove_tree("/sdcard/z")
    assert not files.exists("/sdcard/z/b")
    with pytest.raises(PermissionError):
        files.remove_tree("/sdcard")
    files.write("/sdcard/g", b"")
    with pytest.raises(NotADirectoryError):
        files.write("/sdcard/g/h", b"")


def test_space_is_given_back() -> None:
    files = PhoneFiles(capacity=10)
    for _ in range(3):
        files.write("/sdcard/f", bytes(10))
        files.remove("/sdcard/f")
    files.write("/sdcard/f", bytes(9))
    with pytest.raises(OSError, match="No space left"):
        files.write("/sdcard/g", bytes(2))
