"""AndroidWorld's real task code on virtual phones: initialised, scored and torn down through adb.

It needs a checkout in ``ANDROID_WORLD`` and, in ``ANDROID_WORLD_PYTHON``, a Python with its requirements and protocol
buffers (``docs/emulators.md``). No real emulator has been asked.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import adbutils
import pytest

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.benchmarks.androidworld.checkout import Checkout, TaskError
from manyhands.benchmarks.androidworld.episodes import SuiteRunner, figures_of
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.fleet.virtual_fleet import virtual_phones
from tests.simulator.connecting import connect, disconnect

ROOT, PYTHON = os.environ.get("ANDROID_WORLD"), os.environ.get("ANDROID_WORLD_PYTHON")
with_their_code = pytest.mark.skipif(
    ROOT is None or PYTHON is None, reason="ANDROID_WORLD (a checkout) and ANDROID_WORLD_PYTHON are not set"
)
WIFI, BLUETOOTH = "svc wifi {}", "svc bluetooth {}"
BRIGHT, DARK = "settings put system screen_brightness 255", "settings put system screen_brightness 1"
RIGHT_AND_WRONG: Mapping[str, tuple[str, str]] = {
    "SystemBluetoothTurnOff": (BLUETOOTH.format("disable"), BLUETOOTH.format("enable")),
    "SystemBluetoothTurnOffVerify": ("true", BLUETOOTH.format("enable")),
    "SystemBluetoothTurnOn": (BLUETOOTH.format("enable"), "true"),
    "SystemBluetoothTurnOnVerify": ("true", BLUETOOTH.format("disable")),
    "SystemBrightnessMax": (BRIGHT, "true"),
    "SystemBrightnessMaxVerify": ("true", DARK),
    "SystemBrightnessMin": (DARK, BRIGHT),
    "SystemBrightnessMinVerify": ("true", BRIGHT),
    "SystemWifiTurnOff": (WIFI.format("disable"), "true"),
    "SystemWifiTurnOffVerify": ("true", WIFI.format("enable")),
    "SystemWifiTurnOn": (WIFI.format("enable"), WIFI.format("disable")),
    "SystemWifiTurnOnVerify": ("true", WIFI.format("disable")),
    "TurnOffWifiAndTurnOnBluetooth": ("svc wifi disable; svc bluetooth enable", "true"),
}
"""What ends each task rightly and wrongly, as a line for the phone's shell."""


@pytest.fixture
async def phones(adb_server: tuple[str, int]) -> AsyncIterator[VirtualFleet]:
    """Two virtual phones whose adbd is root, as an emulator's is."""
    client = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(2, virtual_phones(540, 1200)) as fleet:
        for index in range(2):
            await fleet.set_condition(index, "root", 1)
        await connect(fleet, client)
        try:
            yield fleet
        finally:
            await disconnect(fleet, client)


def checkout_at(folder: Path, adb_port: int) -> Checkout:
    return Checkout(
        root=Path(ROOT or ""),
        python=Path(PYTHON or ""),
        checkpoint=folder / "checkpoint",
        adb_port=adb_port,
        tasks=tuple(RIGHT_AND_WRONG),
    )


@with_their_code
@pytest.mark.slow
async def test_their_code_tells_right_endings_from_wrong_ones(
    phones: VirtualFleet, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    adb, serial = AdbServer(*adb_server), phones.serials[0]
    scored: dict[str, list[float]] = {}
    async with checkout_at(tmp_path, adb_server[1]).server(serial, tmp_path) as server:
        tasks = {one.task: one for one in await server.tasks()}
        assert tasks.keys() == RIGHT_AND_WRONG.keys()
        assert {one.budget for one in tasks.values()} == {10, 20}, "10 x complexity"
        assert (await server.ask("needs"))["is_root"]
        for name, lines in RIGHT_AND_WRONG.items():
            for line in lines:
                goal = (await server.ask("initialize", task=name, instance=0))["goal"]
                assert goal == tasks[name].goal
                assert (await adb.shell(serial, line, 10)).status == 0
                answer = await server.ask("score", is_done=True, answer="", steps=1, episode="e")
                scored.setdefault(name, []).append(answer["score"])
        await server.ask("initialize", task="SystemWifiTurnOnVerify", instance=0)
        unsaid = await server.ask("score", is_done=False, answer="", steps=1, episode="e")
        assert unsaid["score"] == 0.0, "success counts only if the agent said so"
    adb.close()
    right, wrong = zip(*scored.values(), strict=True)
    assert set(right) == {1.0}
    assert max(wrong) < 1.0


class ShellPlayer:
    """Carry out a task by a line of the phone's shell, as a fleet does by an agent."""

    def __init__(self, adb: AdbServer, endings: Mapping[str, Ending]) -> None:
        self._adb, self._endings = adb, endings
        self.tasks: list[TaskSpec] = []

    async def run(self, task: TaskSpec | str) -> EpisodeResult:
        assert isinstance(task, TaskSpec)
        self.tasks.append(task)
        serial = task.phones.removeprefix("serial=")
        await self._adb.shell(serial, RIGHT_AND_WRONG[task.id.partition("_")[0]][0], 10)
        return EpisodeResult(
            episode=f"e-{task.id}",
            task=task.id,
            serial=serial,
            attempt=1,
            ending=self._endings.get(task.id, Ending.FINISHED),
            reason="",
            steps=2,
            verified=None,
            rubrics={},
            started_at=0.0,
            ended_at=1.0,
        )


@with_their_code
@pytest.mark.slow
async def test_two_phones_share_a_suite_and_a_checkpoint(
    phones: VirtualFleet, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    adb, checkout = AdbServer(*adb_server), checkout_at(tmp_path, adb_server[1])
    endings = {"SystemWifiTurnOn_0": Ending.STEP_LIMIT, "SystemWifiTurnOff_0": Ending.MODEL_FAILED}
    player = ShellPlayer(adb, endings)
    async with checkout.server(None, tmp_path) as server:
        tasks = await server.tasks()
        assert server.finished == set()
    results = await SuiteRunner(player, checkout, adb, tmp_path).run(tasks, phones.serials)
    adb.close()
    assert {one.phones for one in player.tasks} == {f"serial={serial}" for serial in phones.serials}
    assert {(one.limits.max_steps, one.reset_seed) for one in player.tasks} == {(10, None), (20, None)}
    figures = figures_of(results, 0)
    scores = {one.id: one.score for one in figures.by_task}
    assert scores.pop("SystemWifiTurnOn_0") == 0.0
    assert scores.pop("SystemWifiTurnOff_0") is None
    assert set(scores.values()) == {1.0}
    assert (figures.tasks, figures.scored, figures.success) == (13, 12, 11 / 12)
    async with checkout.server(None, tmp_path) as server:
        assert server.finished == {one.id for one in tasks} - {"SystemWifiTurnOff_0"}, "a failed one is played again"


@with_their_code
@pytest.mark.slow
async def test_what_their_code_raises_is_told(
    phones: VirtualFleet, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    await phones.set_condition(0, "root", 0)
    async with checkout_at(tmp_path, adb_server[1]).server(phones.serials[0], tmp_path) as server:
        with pytest.raises(TaskError, match=r"initialize: .*; see "):
            await server.ask("initialize", task="SystemWifiTurnOn", instance=0)


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no checkout of AndroidWorld; git clone"):
        Checkout(tmp_path, tmp_path, tmp_path, 5037).check()


async def test_a_python_without_their_packages_is_told(tmp_path: Path) -> None:
    (tmp_path / "android_world").mkdir()
    (tmp_path / "android_world" / "registry.py").write_text("")
    checkout = Checkout(tmp_path, Path(sys.executable), tmp_path / "c", 5037)
    checkout.check()
    with pytest.raises(BadInput, match="ModuleNotFoundError: No module named 'android_world"):
        async with asyncio.timeout(60), checkout.server(None, tmp_path):
            pass
