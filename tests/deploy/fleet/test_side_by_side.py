"""Two runs share an adb server and the same phones; one phone vanishes in mid-episode; the batches go on."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import adbutils
import pytest

from manyhands.actors.phones.adb.dumps import json_row
from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted

PROVIDER = "content://manyhands.simulator"
SUITE = Path(__file__).parents[3] / "simulator" / "suites" / "everyday.yaml"
MANYHANDS = (sys.executable, "-m", "manyhands")
TASKS = ("dark_mode", "do_not_disturb", "switch_theme")


class Phones:
    """Three virtual phones in a process of their own, told on stdin to vanish and to return."""

    def __init__(self, process: subprocess.Popen[str], server: adbutils.AdbClient, serials: list[str]) -> None:
        self._stdin: IO[str] | None = process.stdin
        self._server = server
        self.serials = serials

    def tell(self, line: str) -> None:
        assert self._stdin is not None
        self._stdin.write(line + "\n")
        self._stdin.flush()

    def online(self, serial: str) -> bool:
        self._server.disconnect(serial)
        return "connected to" in self._server.connect(serial, timeout=5)

    def save_ledgers(self, folder: Path) -> None:
        (folder / "ledgers").mkdir(exist_ok=True)
        for serial in self.serials:
            answer = self._server.device(serial=serial).shell(f"content query --uri {PROVIDER}/ledger")
            ledger = {"serial": serial, "rows": json_row(str(answer), PROVIDER)["rows"]}
            (folder / "ledgers" / f"{serial.replace(':', '_')}.json").write_text(json.dumps(ledger))


@pytest.fixture
def phones(adb_server: tuple[str, int]) -> Iterator[Phones]:
    server = adbutils.AdbClient(*adb_server)
    command = [sys.executable, "-m", "manyhands.simulator.fleet", "--phones", "3", "--size", "720x1600", "--json"]
    with subprocess.Popen(
        [*command, "--until-stdin-closes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        serials = [f"127.0.0.1:{port}" for port in json.loads(process.stdout.readline())["ports"]]
        for serial in serials:
            assert "connected to" in server.connect(serial, timeout=10)
        yield Phones(process, server, serials)
        for serial in serials:
            server.disconnect(serial)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)


def start_run(out: Path, phones: Phones, port: int, state: Path) -> subprocess.Popen[str]:
    chosen = [option for task in TASKS for option in ("--task", task)]
    options = ["--mllm-url", "rehearsed", "--adb-port", str(port), "--out", str(out), "--json"]
    return subprocess.Popen(
        [*MANYHANDS, "run", str(SUITE), *chosen, "--phones", ",".join(phones.serials), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "MANYHANDS_STATE_DIR": str(state)},
    )


def wait_for_an_action(folders: list[Path], runs: list[subprocess.Popen[str]]) -> str:
    """The serial of a phone that an episode has just touched and still holds."""
    deadline = time.monotonic() + 400
    while time.monotonic() < deadline:
        assert all(run.poll() is None for run in runs), "a run ended before any phone was touched"
        for folder in folders:
            for scan in RunFolder(folder).journals.values() if (folder / "run.yaml").exists() else ():
                kinds = [record.kind for record in scan.records]
                if "action_received" in kinds and "episode_ended" not in kinds:
                    started = scan.records[0]
                    assert isinstance(started, EpisodeStarted)
                    return started.serial
        time.sleep(0.05)
    raise AssertionError("no phone was touched within 400 s")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_runs_and_a_phone_that_vanishes(phones: Phones, adb_server: tuple[str, int], tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    runs = [start_run(folder, phones, adb_server[1], tmp_path / "state") for folder in folders]
    lost = wait_for_an_action(folders, runs)
    phones.tell(f"vanish {phones.serials.index(lost)}")
    said = [run.communicate(timeout=400) for run in runs]
    for run, (out, error) in zip(runs, said, strict=True):
        assert run.returncode == 0, error
        assert json.loads(out)["verified"] == len(TASKS), error

    phones.tell(f"return {phones.serials.index(lost)}")
    deadline = time.monotonic() + 30
    while not phones.online(lost):
        assert time.monotonic() < deadline
    phones.save_ledgers(folders[0])

    report = audit_folders(*folders)
    assert report.violations == ()
    assert report.verdict == "agrees", report
    held = defaultdict(list)
    endings = []
    for folder in folders:
        for scan in RunFolder(folder).journals.values():
            started, ended = scan.records[0], scan.records[-1]
            assert isinstance(started, EpisodeStarted)
            assert isinstance(ended, EpisodeEnded)
            held[started.serial].append((started.at, ended.at))
            endings.append((started.serial, ended.ending))
    for spans in held.values():
        spans.sort()
        for (_, before), (after, _) in itertools.pairwise(spans):
            assert before <= after, "two episodes held one phone at the same time"
    assert (lost, Ending.PHONE_LOST) in endings
    assert {ending for _, ending in endings} == {Ending.FINISHED, Ending.PHONE_LOST}
