"""Virtual phones behind a real adb server: the adb program and adbutils find what they expect of a phone."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import adbutils
import numpy as np
import pytest
from PIL import Image

from manyhands.simulator.adbd import PhoneEndpoint
from tests.simulator.adb_client import STATE_TIMEOUT_S, Adb, eventually, soon
from tests.simulator.adbd.adb_host import serve_phone
from tests.simulator.plain_device import PlainDevice


@pytest.fixture
def device() -> PlainDevice:
    return PlainDevice()


@pytest.fixture
async def phone(device: PlainDevice, adb: Adb) -> AsyncIterator[PhoneEndpoint]:
    """A phone that is online at the server."""
    async with serve_phone(device) as endpoint:
        await adb.connect(endpoint.serial)
        yield endpoint
        await asyncio.to_thread(adb.client.disconnect, endpoint.serial)


@pytest.fixture
def serial(phone: PhoneEndpoint) -> str:
    return phone.serial


# ---------------------------------------------------------------------------- the adb program
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo out; echo err >&2; exit 7", (7, b"out\n", b"err\n")),
        ("nosuch", (127, b"", b"/system/bin/sh: nosuch: inaccessible or not found\n")),
        ("echo 'a  b'; false", (1, b"a  b\n", b"")),
        ("echo 'open", (1, b"", b"/system/bin/sh: syntax error: no closing quote\n")),
    ],
)
async def test_shell_tells_output_errors_and_status(
    adb: Adb, serial: str, line: str, expected: tuple[int, bytes, bytes]
) -> None:
    assert await adb.run(serial, "shell", line) == expected


async def test_words_of_adb_shell_are_split_on_the_phone(adb: Adb, serial: str, device: PlainDevice) -> None:
    assert (await adb.run(serial, "shell", "input", "text", "it\\'s%s;echo")).status == 0
    assert device.events == [("text", "it's ")]


async def test_exec_out_is_raw(adb: Adb, serial: str) -> None:
    data = bytes(range(256)) * 5000
    assert (await adb.run(serial, "shell", "cat > /sdcard/raw", stdin=data)).status == 0
    assert (await adb.run(serial, "exec-out", "cat", "/sdcard/raw")).out == data


async def test_exec_in(adb: Adb, serial: str, phone: PhoneEndpoint) -> None:
    assert (await adb.run(serial, "exec-in", "cat > /sdcard/in", stdin=b"given")).status == 0
    await soon(lambda: phone.phone.files.exists("/sdcard/in") and phone.phone.files.read("/sdcard/in"), b"given")


async def test_a_session_reads_lines(adb: Adb, serial: str) -> None:
    ran = await adb.run(serial, "shell", stdin=b"A=1\necho $A; cd /sdcard\npwd\nexit 5\necho never\n")
    assert ran == (5, b"1\n/sdcard\n", b"")


async def test_a_terminal_echoes_and_edits(adb: Adb, serial: str) -> None:
    ran = await adb.run(serial, "shell", "-tt", stdin=b"echo hix\x7f\r\x04")
    assert ran.status == 0
    assert ran.out == b"virtual:/ $ echo hix\b \b\r\nhi\r\nvirtual:/ $ "


@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_001])
async def test_push_and_pull(adb: Adb, serial: str, tmp_path: Path, size: int) -> None:
    data = os.urandom(size)
    (tmp_path / "there").write_bytes(data)
    pushed = await adb.run(serial, "push", str(tmp_path / "there"), "/sdcard/new/folder/file")
    assert pushed.status == 0, pushed
    pulled = await adb.run(serial, "pull", "/sdcard/new/folder/file", str(tmp_path / "back"))
    assert pulled.status == 0, pulled
    assert (tmp_path / "back").read_bytes() == data


async def test_push_and_pull_folders(adb: Adb, serial: str, tmp_path: Path) -> None:
    (tmp_path / "there" / "inner").mkdir(parents=True)
    (tmp_path / "there" / "one").write_text("1")
    (tmp_path / "there" / "inner" / "two").write_text("2")
    assert (await adb.run(serial, "push", str(tmp_path / "there"), "/sdcard/")).status == 0
    assert (await adb.run(serial, "shell", "cat /sdcard/there/inner/*")).out == b"2"
    assert (await adb.run(serial, "pull", "/sdcard/there", str(tmp_path / "back"))).status == 0
    assert (tmp_path / "back" / "inner" / "two").read_text() == "2"


async def test_pull_and_push_failures_are_told(adb: Adb, serial: str, tmp_path: Path) -> None:
    pulled = await adb.run(serial, "pull", "/sdcard/missing", str(tmp_path / "x"))
    assert pulled.status == 1
    assert b"does not exist" in pulled.err
    (tmp_path / "f").write_text("x")
    pushed = await adb.run(serial, "push", str(tmp_path / "f"), "/system/bin/su")
    assert pushed.status == 1
    assert b"Permission denied" in pushed.out + pushed.err


async def test_forward_reaches_nothing_and_install_is_refused(adb: Adb, serial: str, tmp_path: Path) -> None:
    (tmp_path / "app.apk").write_bytes(b"PK" + bytes(100_000))
    ran = await adb.run(serial, "install", "--no-incremental", str(tmp_path / "app.apk"))
    assert ran.status == 1
    assert b"INSTALL_FAILED_USER_RESTRICTED" in ran.out + ran.err


async def test_the_hierarchy_as_other_projects_fetch_it(adb: Adb, serial: str, tmp_path: Path) -> None:
    """AppAgent and Android-Lab: dump to a file and pull it. Many scripts: dump to the terminal, over exec-out."""
    dumped = await adb.run(serial, "shell", "uiautomator", "dump", "/sdcard/step_1.xml")
    assert dumped == (0, b"UI hierchary dumped to: /sdcard/step_1.xml\n", b"")
    assert (await adb.run(serial, "pull", "/sdcard/step_1.xml", str(tmp_path / "step.xml"))).status == 0
    nodes = list(ElementTree.parse(tmp_path / "step.xml").iter("node"))
    assert [node.get("bounds") for node in nodes] == ["[0,0][108,240]"]
    assert await adb.run(serial, "shell", "uiautomator dump && cat /sdcard/window_dump.xml") == (
        0,
        b"UI hierchary dumped to: /sdcard/window_dump.xml\n" + (tmp_path / "step.xml").read_bytes(),
        b"",
    )
    terminal = await adb.run(serial, "exec-out", "uiautomator", "dump", "/dev/tty")
    assert terminal.out == (tmp_path / "step.xml").read_bytes() + b"UI hierchary dumped to: /dev/tty\n"


async def test_logcat_tells_what_was_and_goes_on_until_its_client_leaves(adb: Adb, serial: str) -> None:
    await adb.run(serial, "shell", "am start -n com.example.notes/.MainActivity")
    ran = await adb.run(serial, "logcat", "-d", "-v", "brief")
    assert ran.status == 0
    assert ran.out.startswith(b"--------- beginning of main\n")
    assert b"I/ActivityTaskManager( 1240): START u0 { cmp=com.example.notes/.MainActivity } from uid 2000\n" in ran.out
    tasks = len(asyncio.all_tasks())
    follower = await adb.spawn(serial, "logcat", "-T", "1", "-s", "healthd", "adbd:W")
    assert follower.stdout is not None
    async with asyncio.timeout(STATE_TIMEOUT_S):
        lines = [await follower.stdout.readline() for _ in range(2)]
    assert all(b" I healthd : battery l=87 " in line for line in lines)
    follower.kill()
    await follower.wait()
    await soon(lambda: len(asyncio.all_tasks()) <= tasks, True)
    assert await adb.run(serial, "logcat", "-c") == (0, b"", b"")
    assert (await adb.run(serial, "logcat", "-d")).out == b"--------- beginning of main\n"


async def test_adbutils_follows_the_log_and_stops(utils: adbutils.AdbDevice, tmp_path: Path) -> None:
    event = await ask(utils.logcat, str(tmp_path / "log.txt"), clear=True, re_filter="START")
    await ask(utils.app_start, "com.example.notes", ".MainActivity")
    await eventually(lambda: "START u0" in (tmp_path / "log.txt").read_text(), True)
    await ask(event.stop, timeout=5)


async def test_a_forward_is_refused_where_somebody_connects(
    adb: Adb, serial: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The server accepts ``adb forward`` without asking the phone; the phone says why it closes, on both its logs."""
    port = (await adb.run(serial, "forward", "tcp:0", "tcp:7912")).out.strip()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    async with asyncio.timeout(STATE_TIMEOUT_S):
        assert await reader.read() == b""
    writer.close()
    await adb.run(serial, "forward", "--remove", f"tcp:{port.decode()}")
    said = "refused 'tcp:7912': nothing listens on a virtual phone: adb forward leads nowhere"
    assert f"W/adbd    (  412): {said}".encode() in (await adb.run(serial, "logcat", "-d", "-v", "brief")).out
    assert any(said in record.getMessage() for record in caplog.records)
    with pytest.raises(adbutils.AdbError):
        await ask(adb.client.device(serial).create_connection, adbutils.Network.TCP, 7912)
    reversed_ = await adb.run(serial, "reverse", "tcp:1", "tcp:2")
    assert reversed_.status == 1
    assert b"a virtual phone has no reverse forwards" in reversed_.err


async def test_a_killed_client_ends_its_command(adb: Adb, serial: str, phone: PhoneEndpoint) -> None:
    tasks = len(asyncio.all_tasks())
    process = await adb.spawn(serial, "shell", "echo started; sleep 1000; input tap 1 1")
    assert process.stdout is not None
    assert await process.stdout.readline() == b"started\n"
    process.kill()
    await process.wait()
    await soon(lambda: len(asyncio.all_tasks()) <= tasks, True)
    assert phone.phone.ledger.lines == []
    assert (await adb.run(serial, "shell", "echo next")).out == b"next\n"


# ---------------------------------------------------------------------------- pictures
async def test_a_big_raw_capture_arrives_whole(adb: Adb) -> None:
    device = PlainDevice(width=1080, height=2400)
    async with serve_phone(device) as phone:
        await adb.connect(phone.serial)
        data = await asyncio.to_thread(adb.exec_bytes, phone.serial, "screencap")
        await asyncio.to_thread(adb.client.disconnect, phone.serial)
    assert np.frombuffer(data[:16], "<u4").tolist() == [1080, 2400, 1, 1]
    pixels = np.frombuffer(data[16:], np.uint8).reshape(2400, 1080, 4)
    assert (pixels[..., :3] == device.frame().rgb).all()
    assert (pixels[..., 3] == 255).all()


async def test_png_is_the_screen_and_is_kept_while_it_does_not_change(
    adb: Adb, serial: str, phone: PhoneEndpoint, device: PlainDevice
) -> None:
    first = await asyncio.to_thread(adb.exec_bytes, serial, "screencap -p")
    assert (np.asarray(Image.open(io.BytesIO(first)).convert("RGB")) == device.frame().rgb).all()
    kept = await phone.phone.capture.png()
    assert await phone.phone.capture.png() is kept
    await adb.run(serial, "shell", "input tap 3 4; screencap -p /sdcard/s.png")
    second = (await adb.run(serial, "exec-out", "cat /sdcard/s.png")).out
    assert (np.asarray(Image.open(io.BytesIO(second)).convert("RGB")) == device.frame().rgb).all()
    assert second != first


# ---------------------------------------------------------------------------- adbutils
async def ask(function: Any, *arguments: Any, **options: Any) -> Any:
    return await asyncio.to_thread(function, *arguments, **options)


@pytest.fixture
def utils(adb: Adb, serial: str) -> adbutils.AdbDevice:
    return adb.client.device(serial)


async def test_adbutils_shell(utils: adbutils.AdbDevice) -> None:
    assert await ask(utils.shell, "echo $((", timeout=5) == (
        "/system/bin/sh: syntax error: arithmetic is not supported"
    )
    assert await ask(utils.shell, ["echo", "a b", "it's"]) == "a b it's"
    both = await ask(utils.shell2, "echo out; echo err >&2; exit 3", v2=True)
    assert (both.returncode, both.stdout, both.stderr) == (3, "out\n", "err\n")
    merged = await ask(utils.shell2, "echo out; false")
    assert (merged.returncode, merged.output) == (1, "out\n")


async def test_adbutils_sync(utils: adbutils.AdbDevice) -> None:
    data = os.urandom(200_000)
    await ask(utils.sync.push, io.BytesIO(data), "/data/local/tmp/a/b")
    assert await ask(utils.sync.read_bytes, "/data/local/tmp/a/b") == data
    info = await ask(utils.sync.stat, "/data/local/tmp/a/b")
    assert (info.size, info.mode & 0o170000) == (len(data), 0o100000)
    assert (await ask(utils.sync.stat, "/nope")).mode == 0
    names = await ask(lambda: [entry.path for entry in utils.sync.list("/sdcard")])
    assert names == ["DCIM", "Documents", "Download", "Movies", "Music", "Pictures"]


async def test_adbutils_asks(utils: adbutils.AdbDevice) -> None:
    assert tuple(await ask(utils.window_size)) == (108, 240)
    current = await ask(utils.app_current)
    assert (current.package, current.activity) == ("com.example.launcher", "com.example.launcher.Home")
    assert await ask(utils.list_packages) == ["com.android.settings", "com.example.browser", "com.example.notes"]
    assert await ask(utils.list_packages, ["-3"]) == ["com.example.browser", "com.example.notes"]
    assert await ask(utils.is_screen_on) is True
    assert await ask(utils.wlan_ip) == "10.0.2.16"
    assert await ask(utils.getprop, "ro.product.model") == "Plain Phone"
    assert (await ask(utils.battery)).level == 87
    info = await ask(utils.app_info, "com.example.notes")
    assert (info.version_name, info.version_code) == ("1.0", 1)
    assert await ask(utils.app_info, "com.example.absent") is None
    assert await ask(utils.get_serialno) == utils.serial
    assert (await ask(lambda: utils.brightness_value)) == 102
    assert 'class="android.widget.FrameLayout" package="com.example.launcher"' in await ask(utils.dump_hierarchy)


async def test_adbutils_acts(utils: adbutils.AdbDevice, device: PlainDevice) -> None:
    await ask(utils.click, 3, 4)
    await ask(utils.click, 0.5, 0.5)
    await ask(utils.swipe, 10, 200, 10, 20, 0.01)
    await ask(utils.drag, 10, 200, 90, 20, 0.01)
    await ask(utils.send_keys, "hello it's")
    await ask(utils.keyevent, "HOME")
    await ask(utils.keyevent, 4)
    await ask(utils.switch_screen, True)
    await ask(utils.app_start, "com.example.notes")
    await ask(utils.app_stop, "com.example.notes")
    await ask(utils.app_clear, "com.example.notes")
    await ask(utils.open_browser, "https://example.com/a?b=1&c='2'#d")
    assert device.events == [
        ("tap", 3, 4),
        ("tap", 54, 120),
        ("swipe", 10, 200, 10, 20, 10),
        ("swipe", 10, 200, 90, 20, 10),
        ("text", "hello it's"),
        ("key", 3),
        ("key", 4),
        ("key", 224),
        ("launch", "com.example.notes"),
        ("stop", "com.example.notes"),
        ("clear_data", "com.example.notes"),
        ("launch", "com.example.browser/org.example.web.Main"),
        ("link", "android.intent.action.VIEW", "https://example.com/a?b=1&c='2'#d"),
    ]


async def test_adbutils_pictures(utils: adbutils.AdbDevice, device: PlainDevice) -> None:
    picture = await ask(utils.screenshot, error_ok=False)
    assert (np.asarray(picture.convert("RGB")) == device.frame().rgb).all()
    framebuffer = await ask(utils.framebuffer)
    assert (np.asarray(framebuffer.convert("RGB")) == device.frame().rgb).all()


# ---------------------------------------------------------------------------- several, lost and found
async def test_phones_do_not_disturb_each_other(adb: Adb) -> None:
    devices = [PlainDevice(seed) for seed in range(6)]
    async with serve_phone(devices[0]) as a, serve_phone(devices[1]) as b, serve_phone(devices[2]) as c:
        phones = (a, b, c)
        for phone in phones:
            await adb.connect(phone.serial)

        def work(phone: PhoneEndpoint) -> list[str]:
            device = adb.client.device(phone.serial)
            return [str(device.shell(f"input tap {n} {n}; echo {n}")) for n in range(10)]

        answers = await asyncio.gather(*(asyncio.to_thread(work, phone) for phone in phones for _ in range(3)))
        for phone in phones:
            await asyncio.to_thread(adb.client.disconnect, phone.serial)
    assert answers == [[str(n) for n in range(10)]] * 9
    for device, phone in zip(devices, phones, strict=False):
        assert sorted(device.events) == sorted([("tap", n, n) for n in range(10)] * 3)
        assert [line.seq for line in phone.phone.ledger.lines] == list(range(30))


async def test_a_phone_that_vanishes_and_comes_back(adb: Adb, phone: PhoneEndpoint) -> None:
    await adb.run(phone.serial, "shell", "MH_KEY='before' input tap 1 1; echo kept > /sdcard/f")
    running = await adb.spawn(phone.serial, "shell", "echo started; sleep 1000")
    assert running.stdout is not None
    assert await running.stdout.readline() == b"started\n"
    await phone.close()
    assert await running.wait() != 0
    await adb.until_state(phone.serial, "offline")
    await phone.open()
    await asyncio.to_thread(adb.client.disconnect, phone.serial)
    await adb.connect(phone.serial)
    assert (await adb.run(phone.serial, "shell", "cat /sdcard/f")).out == b"kept\n"
    assert [line.key for line in phone.phone.ledger.lines] == ["before"]
