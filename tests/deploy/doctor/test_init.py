"""``manyhands init``: what it writes can be read, also with every comment of a setting turned into the setting."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.deploy.doctor.surroundings import find_phones, find_server
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.starter_files import FoundPhone, FoundServer, settings_text, tasks_text
from manyhands.protocol.tasks.task import read_tasks
from tests.deploy.command_line.called import manyhands
from tests.deploy.doctor.bench import Bench
from tests.deploy.doctor.seeing_model import SeeingModel

PHONES = [FoundPhone("R58M1", "SM-G991B, Android 14"), FoundPhone("R58M2", "a phone", "battery: 3 %")]
SERVER = FoundServer("http://10.0.0.1:8000/v1", "Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl")


def test_settings_for_what_was_found(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(settings_text(PHONES, SERVER))
    settings = load_settings({}, path)
    assert settings.phones == ("R58M1",)
    assert (settings.mllm_url, settings.model) == ((SERVER.url,), SERVER.model)
    assert '# - "R58M2"  # a phone: battery: 3 %' in path.read_text()


def test_settings_without_anything_name_stand_ins(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(settings_text([], None))
    settings = load_settings({}, path)
    assert (settings.virtual_phones, settings.mllm_url) == (2, ("rehearsed",))


def test_every_comment_is_a_setting_with_its_mark_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    text, count = re.subn(r"^#(?=[a-z_]+:)", "", settings_text(PHONES, SERVER), flags=re.MULTILINE)
    path.write_text(text)
    assert count == 7
    settings = load_settings({}, path)
    assert (settings.phone_limits.min_battery, settings.metrics_port, settings.episode.profile) == (20, 9400, "e")


def test_tasks_can_be_read_with_and_without_comments(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(tasks_text())
    assert [task.id for task in read_tasks(path)] == ["dark_mode", "do_not_disturb"]
    bare = re.sub(r"^# (?=- |  )", "", tasks_text(), flags=re.MULTILINE)
    path.write_text(bare.replace("  # Higher first.\n", ""))
    assert read_tasks(path)[-1].id == "greeting"


async def test_phones_and_a_server_are_found(bench: Bench) -> None:
    (phone,) = [one for one in await find_phones(bench.settings) if one.serial == bench.serial]
    assert (phone.why_not, phone.what) == ("", "Manyhands Virtual Phone, Android 14")
    await bench.plant(battery=3)
    (phone,) = [one for one in await find_phones(bench.settings) if one.serial == bench.serial]
    assert phone.why_not.startswith("battery: ")
    async with SeeingModel(name="Qwen/Qwen2.5-VL-7B-Instruct") as model:
        found = await find_server(load_settings({"mllm_url": [model.url]}))
    assert found == FoundServer(model.url, "Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl")


def test_the_command_writes_both_files_and_replaces_none(tmp_path: Path, unused_tcp_port: int) -> None:
    words = ("init", tmp_path / "new", "--mllm-url", "rehearsed", "--adb-port", str(unused_tcp_port), "--json")
    done = manyhands(*words)
    value = json.loads(done.stdout)
    assert (done.returncode, value["phones"], value["model"]) == (0, [], None)
    assert value["next"].endswith(f"run {tmp_path}/new/tasks.yaml --config {tmp_path}/new/settings.yaml")
    assert load_settings({}, tmp_path / "new" / "settings.yaml").virtual_phones == 2
    done = manyhands(*words)
    assert done.returncode == 2
    assert "--force" in json.loads(done.stdout)["error"]
    assert manyhands(*words, "--force").returncode == 0


def test_a_server_that_is_named_and_does_not_answer(tmp_path: Path, unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/v1"
    done = manyhands("init", tmp_path, "--mllm-url", url, "--adb-port", str(unused_tcp_port))
    assert done.returncode == 2
    assert url in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_files_run_at_once(tmp_path: Path, adb_server: tuple[str, int], unused_tcp_port: int) -> None:
    words = ("--mllm-url", "rehearsed", "--adb-port", str(unused_tcp_port))
    assert manyhands("init", tmp_path, *words).returncode == 0
    files = (tmp_path / "tasks.yaml", "--config", tmp_path / "settings.yaml", "--out", tmp_path / "run")
    command = (sys.executable, "-m", "manyhands", "run", *files, "--adb-port", str(adb_server[1]), "--json")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
