"""Emulators that a run starts, by a stub of the program ``emulator``: no real one has been started by us."""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import pytest

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.deploy.doctor.examination import examine
from manyhands.deploy.fleet.phones.emulators import start_emulators
from manyhands.deploy.fleet.phones.transports import transport_of
from manyhands.deploy.serving.supervisor import RestartBudget
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.phones import EmulatorCount
from manyhands.protocol.errors import BadInput, PhoneUnfit
from manyhands.protocol.phones import Reset
from manyhands.simulator.serving.shutdown import STOP_S
from tests.simulator.processes import SLACK_S, all_gone

NAME = "Pixel_33"
DARK = "settings get secure ui_night_mode"


@pytest.fixture
def console_ports() -> Iterator[None]:
    """The ports of emulators, which one test of this machine may take at a time."""
    with (Path(tempfile.gettempdir()) / "manyhands-tests-emulators.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, console_ports: None) -> Path:
    """An SDK whose emulator is the stub, and an AVD with a snapshot."""
    program = tmp_path / "sdk" / "emulator" / "emulator"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m manyhands.simulator.emulator "$@"\n')
    program.chmod(0o755)
    image = "system-images/android-33/google_apis/x86_64/"
    (tmp_path / "sdk" / image).mkdir(parents=True)
    device = tmp_path / "avd" / f"{NAME}.avd"
    (device / "snapshots" / "default_boot").mkdir(parents=True)
    (device / "config.ini").write_text(f"hw.ramSize = 2048\nimage.sysdir.1={image}\n")
    (tmp_path / "avd" / f"{NAME}.ini").write_text(f"avd.ini.encoding=UTF-8\npath={device}\n")
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path / "sdk"))
    monkeypatch.setenv("ANDROID_AVD_HOME", str(tmp_path / "avd"))
    return tmp_path


def settings_of(sdk: Path, adb_server: tuple[str, int], phones: str = f"avd:{NAME}:2") -> FleetSettings:
    where = {"adb_port": adb_server[1], "state_dir": str(sdk / "state"), "mllm_url": ["rehearsed"]}
    return load_settings({"phones": [phones], "emulator_flags": ["-no-accel"], **where})


@asynccontextmanager
async def phone_server(adb_server: tuple[str, int]) -> AsyncIterator[AdbServer]:
    server = AdbServer(*adb_server)
    try:
        yield server
    finally:
        server.close()


def starts(logs: Path) -> dict[str, int]:
    return {name: one["starts"] for name, one in json.loads((logs / "emulators.json").read_text()).items()}


def emulators_of(sdk: Path) -> list[psutil.Process]:
    """The stub's processes of this test, by the AVD home in their environment."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if "manyhands.simulator.emulator" in (process.info["cmdline"] or []):
            try:
                if process.environ().get("ANDROID_AVD_HOME") == str(sdk / "avd"):
                    found.append(process)
            except psutil.Error:
                continue
    return found


async def test_emulators_boot_die_start_again_and_end(sdk: Path, adb_server: tuple[str, int]) -> None:
    logs = sdk / "logs"
    async with phone_server(adb_server) as server:
        async with start_emulators(settings_of(sdk, adb_server), logs) as named:
            assert len(named.phones) == 2
            assert named.reset_snapshot == "default_boot"
            for serial in named.phones:
                assert (await server.shell(serial, "getprop sys.boot_completed", 5)).text.strip() == "1"
            first, second = named.phones
            dead = next(one for one in emulators_of(sdk) if first.removeprefix("emulator-") in one.cmdline())
            dead.kill()
            async with asyncio.timeout(60):
                while starts(logs) != {first: 2, second: 1}:
                    await asyncio.sleep(0.05)
            await server.wait_online(first, 30)
        assert emulators_of(sdk) == []


async def test_a_run_begins_when_all_have_booted_also_if_one_is_given_up(
    sdk: Path, adb_server: tuple[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    program = sdk / "sdk" / "emulator" / "emulator"
    stub = f'exec {sys.executable} -m manyhands.simulator.emulator "$@"'
    # The one that cannot make the folder waits until it may boot.
    program.write_text(f"#!/bin/sh\nmkdir {sdk}/first || while [ ! -e {sdk}/go ]; do sleep 0.1; done\n{stub}\n")

    async def open_run() -> Sequence[int]:
        """Return the places of the emulators that have booted when the run begins."""
        async with start_emulators(settings_of(sdk, adb_server), sdk / "logs", RestartBudget(deaths=1)) as named:
            answers = [await server.state(serial) for serial in named.phones]
            return [at for at, state in enumerate(answers) if state == "device"]

    async with phone_server(adb_server) as server, asyncio.TaskGroup() as group:
        opening = group.create_task(open_run())
        while not (booted := re.search(r"emulator-(\d+) has booted", caplog.text)):
            assert not opening.done(), await opening
            await asyncio.sleep(0.05)
        next(one for one in emulators_of(sdk) if booted[1] in one.cmdline()).kill()
        while "the run goes on without it" not in caplog.text:
            assert not opening.done(), await opening
            await asyncio.sleep(0.05)
        (sdk / "go").touch()
        assert len(await opening) == 1


async def test_a_start_that_cannot_be_counted_costs_no_emulator(
    sdk: Path, adb_server: tuple[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    (sdk / "logs" / "emulators.json").mkdir(parents=True)
    async with start_emulators(settings_of(sdk, adb_server, f"avd:{NAME}:1"), sdk / "logs") as named:
        assert len(named.phones) == 1
    assert "emulators.json does not count the last start of emulator-" in caplog.text


def test_a_stub_whose_port_is_taken_says_so(sdk: Path) -> None:
    with socket.socket() as taken, socket.socket() as next_one:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with suppress(OSError):  # the phone's own port is taken too, by this test or another program
            next_one.bind(("127.0.0.1", taken.getsockname()[1] + 1))
            next_one.listen()
        port = str(taken.getsockname()[1])
        words = (sys.executable, "-m", "manyhands.simulator.emulator", "-avd", NAME, "-port", port)
        ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("ERROR | port")


async def test_a_reset_with_a_seed_restores_the_snapshot(sdk: Path, adb_server: tuple[str, int]) -> None:
    async with phone_server(adb_server) as server:
        async with start_emulators(settings_of(sdk, adb_server, f"avd:{NAME}:1"), sdk / "logs") as named:
            (serial,) = named.phones
            transport = transport_of(named)
            await transport.start()
            try:
                phone = transport.phone(serial)
                await phone.prepare(for_task=True)
                before = (await server.shell(serial, DARK, 5)).text
                await server.shell(serial, "cmd uimode night yes; settings put secure ui_night_mode 2", 5)
                assert (await server.shell(serial, DARK, 5)).text != before
                assert (await phone.reset(Reset(key="mh:e:0:reset"))).status == "done"
                assert (await server.shell(serial, DARK, 5)).text != before, "a task without a seed keeps contents"
                receipt = await phone.reset(Reset(key="mh:e:1:reset", seed=0))
                assert (receipt.status, receipt.detail, receipt.has_reset) == ("done", "", True)
                assert (await server.shell(serial, DARK, 5)).text == before
                (sdk / "avd" / f"{NAME}.avd" / "snapshots" / "default_boot").rmdir()
                with pytest.raises(PhoneUnfit, match="default_boot was not restored: KO"):
                    await phone.reset(Reset(key="mh:e:2:reset", seed=0))
            finally:
                await transport.stop()


async def test_emulators_end_with_a_run_that_is_killed(sdk: Path, adb_server: tuple[str, int]) -> None:
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from manyhands.deploy.fleet.phones.emulators import start_emulators\n"
        "from manyhands.deploy.settings.loading import load_settings\n"
        "async def stay():\n"
        f"    settings = load_settings({{'phones': ['avd:{NAME}:1'], 'adb_port': {adb_server[1]},"
        " 'emulator_flags': ['-no-accel'], 'mllm_url': ['rehearsed']})\n"
        "    async with start_emulators(settings, Path(sys.argv[1])) as named:\n"
        "        print(named.phones[0], flush=True)\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(stay())\n"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, str(sdk / "logs")), stdout=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdout is not None
    assert (await process.stdout.readline()).startswith(b"emulator-")
    family = emulators_of(sdk)
    assert len(family) == 1
    process.send_signal(signal.SIGKILL)
    await process.wait()
    await all_gone(family, STOP_S + SLACK_S)


async def test_what_is_missing_is_named(
    sdk: Path, adb_server: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found(settings: FleetSettings) -> dict[str, tuple[str, str]]:
        report = await examine(settings, touches=False)
        return {one.name: (one.status, one.mend) for one in report.findings if one.about == "phones"}

    settings = settings_of(sdk, adb_server)
    assert {name: status for name, (status, _) in (await found(settings)).items()} == dict.fromkeys(
        ("SDK", "AVD", "image", "snapshot"), "ok"
    )
    (sdk / "avd" / f"{NAME}.avd" / "snapshots" / "default_boot").rmdir()
    assert (await found(settings))["snapshot"][0] == "warning"
    (sdk / "sdk" / "system-images" / "android-33" / "google_apis" / "x86_64").rmdir()
    status, mend = (await found(settings))["image"]
    assert (status, mend) == ("failure", "sdkmanager 'system-images;android-33;google_apis;x86_64'")
    other = settings_of(sdk, adb_server, "avd:Other:1")
    assert (await found(other))["AVD"][0] == "failure"
    with pytest.raises(BadInput, match=f"avd:Other:1: AVD: no Other in .*; there are: {NAME}"):
        async with start_emulators(other, sdk / "logs"):
            pass
    monkeypatch.setenv("ANDROID_HOME", str(sdk / "nowhere"))
    monkeypatch.setenv("HOME", str(sdk))
    assert (await found(settings))["SDK"][0] == "failure"


async def test_an_emulator_that_ends_at_once_is_no_phone(sdk: Path, adb_server: tuple[str, int]) -> None:
    program = sdk / "sdk" / "emulator" / "emulator"
    program.write_text("#!/bin/sh\necho 'PANIC: Cannot find AVD system path.' >&2\nexit 1\n")
    with pytest.raises(BadInput, match="PANIC: Cannot find AVD system path"):
        async with start_emulators(settings_of(sdk, adb_server), sdk / "logs"):
            pass


@pytest.mark.parametrize("phones", [("avd:x",), ("avd:x:0",), ("avd:x:65",), ("avd:x y:1",), ("avd:x:1", "R1")])
def test_phones_of_an_avd_are_written_in_one_way(phones: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="write one avd:NAME:N"):
        _ = FleetSettings(phones=phones).starts_phones
    assert FleetSettings(phones=("avd:Pixel_6.a-b:64",)).emulators == EmulatorCount("Pixel_6.a-b", 64)
