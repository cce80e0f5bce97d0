"""What it takes to go on with a run is read from its run.yaml; what cannot be gone on with is told in a line."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.fleet.phones.phone_selection import ChosenPhones
from manyhands.deploy.fleet.run_files.recorded_run import read_recorded
from manyhands.deploy.fleet.run_files.run_folder import (
    LOCK,
    TaskBatch,
    goes_on,
    make_run_folder,
    only_run_in,
    remove_unused,
    write_run_yaml,
)
from manyhands.deploy.fleet.run_files.run_writer import RunYaml
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.phones import names_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.runs.control import Pause, read_control, tell
from manyhands.protocol.tasks.task import TaskSpec

BATCHES = (
    TaskBatch("batch-1", (TaskSpec(id="one", goal="One."), TaskSpec(id="two", goal="Two ${is} not filled in."))),
    TaskBatch("batch-2", (TaskSpec(id="one", goal="One, again."),)),
)


def run_folder(folder: Path, settings: FleetSettings, **asked: Any) -> Path:
    """A run folder as a fleet leaves it at once."""
    recorded = {
        "started_at": 5.0,
        "phones": ["R1", "R2"],
        "phones_away": {"R2": "offline"},
        "settings": settings.model_dump(mode="json", exclude={"out"}),
        **asked,
    }
    folder.mkdir(exist_ok=True)
    write_run_yaml(folder, recorded, BATCHES)
    return folder


def changed(folder: Path, **other: Any) -> Path:
    written = yaml.safe_load((folder / "run.yaml").read_text())
    (folder / "run.yaml").write_text(yaml.safe_dump({**written, **other}))
    return folder


def test_settings_and_batches_are_those_of_the_run_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings(
        {"mllm_url": ["rehearsed"], "episode": {"schedule": "speculate"}, "models": {"plan": {"temperature": 0.5}}}
    )
    folder = run_folder(tmp_path, settings, model_source="a model")
    monkeypatch.setenv("MANYHANDS_EPISODE__PROFILE", "v1")
    monkeypatch.setenv("MANYHANDS_MODELS__DECIDE__URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("MANYHANDS_OUT", "/elsewhere")
    run = read_recorded(folder, {})
    assert run.settings.model_dump() == {**settings.model_dump(), "out": folder, "phones": ("R1", "R2")}
    assert run.batches == BATCHES
    assert run.needed == {"R1"}
    assert (run.started_at, run.sources) == (5.0, {"model_source": "a model"})


def test_phones_behind_brokers_are_those_of_the_run_at_the_same_brokers(tmp_path: Path) -> None:
    settings = load_settings({"phones": ["mqtts://hands.example/lab/*", "mqtt://10.0.0.7/shop/*", "R1"]})
    recorded = ["lab/R58M1", "lab/127.0.0.1:7001", "shop/R2", "R1"]
    run = read_recorded(run_folder(tmp_path, settings, phones=recorded, phones_away={"shop/R2": "site away"}), {})
    assert run.settings.phones == (
        "mqtts://hands.example/lab/R58M1",
        "mqtts://hands.example/lab/127.0.0.1:7001",
        "mqtt://10.0.0.7/shop/R2",
        "R1",
    )
    assert names_of(run.settings.phones) == tuple(recorded)
    assert run.needed == {"lab/R58M1", "lab/127.0.0.1:7001", "R1"}
    again = run_folder(tmp_path / "again", run.settings, phones=recorded, phones_away={})
    assert read_recorded(again, {}).settings.phones == run.settings.phones


def test_other_phones_and_servers_may_be_named(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, load_settings({"mllm_url": ["rehearsed"]}))
    given = {"phones": ["R7"], "mllm_url": ["http://127.0.0.1:1/v1"], "adb_port": 5038}
    run = read_recorded(folder, given)
    assert run.needed == frozenset()
    assert (run.settings.phones, run.settings.adb_port) == (("R7",), 5038)
    assert run.settings.mllm_url == ("http://127.0.0.1:1/v1",)


@pytest.mark.parametrize("kind", ["virtual", "web"])
def test_stand_ins_of_the_run_are_started_anew(tmp_path: Path, kind: str) -> None:
    settings = load_settings({"phones": [f"{kind}:2"], "virtual": {"web": "miniwob"} if kind == "web" else {}})
    run = read_recorded(run_folder(tmp_path / "run", settings), {})
    assert (run.settings.virtual_phones, run.needed) == (2, frozenset())
    brought = run_folder(tmp_path / "brought", load_settings({}))
    assert read_recorded(brought, {}, own_phones=True).settings.phones == ()


def test_a_program_is_named_by_whoever_goes_on_and_never_by_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = run_folder(tmp_path, load_settings({"perception_python": tmp_path / "theirs"}))
    assert read_recorded(folder, {}).settings.perception_python is None
    assert f"{folder}: run.yaml names perception_python {str(tmp_path / 'theirs')!r}, which is not taken" in caplog.text
    assert "--perception-python" in caplog.text
    caplog.clear()
    monkeypatch.setenv("MANYHANDS_PERCEPTION_PYTHON", str(tmp_path / "of_the_environment"))
    assert read_recorded(folder, {}).settings.perception_python == tmp_path / "of_the_environment"
    given = {"perception_python": tmp_path / "given"}
    assert read_recorded(folder, given).settings.perception_python == tmp_path / "given"
    monkeypatch.delenv("MANYHANDS_PERCEPTION_PYTHON")
    assert read_recorded(run_folder(tmp_path, load_settings({})), {}).settings.perception_python is None
    assert caplog.text == ""


def test_each_time_it_was_gone_on_with_is_kept(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, load_settings({}), resumed=[{"at": 7.0, "versions": {}}])
    first, second = read_recorded(folder, {}).resumed
    assert first == {"at": 7.0, "versions": {}}
    assert second["versions"]["manyhands"]


def test_how_long_the_run_took_to_begin_is_kept(tmp_path: Path) -> None:
    began = {"opening_s": 9.0, "models_s": 2.0, "tasks_at": 20.0}
    folder = run_folder(tmp_path, load_settings({}), start_up=began)
    run = read_recorded(folder, {})
    written = RunYaml(run)
    written.opening = (1.0, 1.0)
    written.add((TaskSpec(id="three", goal="Three."),))
    written.write(folder, run.settings, ChosenPhones(("R1",)), {})
    assert RunFolder(folder).asked["start_up"] == began
    assert read_recorded(run_folder(tmp_path, load_settings({})), {}).start_up is None


@pytest.mark.parametrize("first", [(), (TaskSpec(id="one", goal="One."),)])
def test_a_run_that_begins_without_tasks_has_no_start_up(tmp_path: Path, first: tuple[TaskSpec, ...]) -> None:
    written = RunYaml()
    written.opening = (9.0, 2.0)
    for tasks in (first, (TaskSpec(id="two", goal="Two."),)):
        written.add(tasks)
    written.write(tmp_path, load_settings({}), ChosenPhones(("R1",)), {})
    start_up = RunFolder(tmp_path).asked.get("start_up")
    assert (start_up is not None) is bool(first)
    assert start_up is None or (start_up["opening_s"], start_up["models_s"]) == (9.0, 2.0)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"versions": {"protocol": "2"}}, "a newer version of Manyhands wrote the run"),
        ({"versions": {}}, "does not say by which version"),
        ({"batches": [{"name": "batch-1", "tasks": 2}]}, "3 tasks, 2 in batches"),
        ({"batches": [{"tasks": 3}]}, "batches.0.name: is missing"),
        ({"settings": None}, "does not hold what it should"),
        ({"settings": {"phones": [], "from_the_future": 1}}, "unknown key 'from_the_future'"),
        ({"tasks": [{"id": "x"}] * 3}, "goal"),
    ],
)
def test_what_cannot_be_gone_on_with_is_told_in_a_line(tmp_path: Path, other: Mapping[str, Any], said: str) -> None:
    folder = changed(run_folder(tmp_path, load_settings({})), **other)
    with pytest.raises(BadInput, match="^" + str(folder)) as refused:
        Fleet.resume(folder)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [None, "a: [", "words"])
def test_no_run_folder_is_told_in_a_line(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "run.yaml").write_text(content)
    with pytest.raises(BadInput, match=str(tmp_path)):
        Fleet.resume(tmp_path)


def test_a_run_with_other_readers_goes_on_with_them_alone(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, load_settings({}), perception_source="modelled perception")
    with pytest.raises(BadInput, match="modelled perception"):
        Fleet.resume(folder)


async def test_a_second_run_in_a_folder_is_told_who_has_it(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, load_settings({"mllm_url": ["http://127.0.0.1:1/v1"]}))
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, pathlib; from manyhands.deploy.fleet.run_files.run_folder import only_run_in\n"
            "with only_run_in(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()",
            str(folder),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BadInput, match=f"still goes on: process {holder.pid} on {os.uname().nodename}"):
            await Fleet.resume(folder).__aenter__()
        holder.kill()
        holder.wait()
        with only_run_in(folder):  # the kernel took it from a holder that was killed
            pass


async def test_only_a_fleet_of_resume_has_something_to_go_on_with() -> None:
    with pytest.raises(RuntimeError, match="there is nothing to go on with"):
        await Fleet(mllm_url=["rehearsed"]).run_remaining()


def test_whoever_only_asks_whether_a_run_goes_on_keeps_none_from_it(tmp_path: Path) -> None:
    asking = (tmp_path / LOCK).open("w")
    fcntl.flock(asking, fcntl.LOCK_SH)
    asked = threading.Timer(0.02, asking.close)
    asked.start()
    with only_run_in(tmp_path):
        assert goes_on(tmp_path)
    asked.join()
    assert not goes_on(tmp_path)


def test_git_ignores_the_runs_of_a_folder_where_there_were_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = make_run_folder(load_settings({}))
    assert folder.parent == tmp_path / "runs"
    assert (tmp_path / "runs" / ".gitignore").read_text().splitlines()[-1] == "*"
    make_run_folder(load_settings({}))


def test_a_folder_with_nothing_but_its_lock_is_removed(tmp_path: Path) -> None:
    folder = make_run_folder(load_settings({"out": tmp_path / "run"}))
    with only_run_in(folder):
        pass
    remove_unused(folder)
    assert not folder.exists()


def test_who_holds_the_lock_notices_that_the_folder_was_moved_or_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with only_run_in(folder) as lock:
        lock.check()
        away = folder.rename(tmp_path / "moved")
        with pytest.raises(StoreError, match=f"run folder {folder} is now {away}: move it back, or stop the run and"):
            lock.check()
        folder.mkdir()
        (folder / LOCK).write_text("{}")
        with pytest.raises(StoreError, match=f"another folder stands in its place, it is now {away}"):
            lock.check()
    lock.check()  # nobody's any more


def test_a_folder_that_is_away_does_not_take_back_what_the_run_was_told(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    assert read_control(folder) == ()
    tell(folder, Pause(at=1.0))
    assert read_control(folder) == [Pause(at=1.0)]
    folder.rename(tmp_path / "moved")
    with pytest.raises(FileNotFoundError):
        read_control(folder)


def test_a_fifo_in_place_of_what_the_run_was_told_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "control.mh")
    with pytest.raises(StoreError, match=r"control\.mh: is no regular file: move it away"):
        read_control(tmp_path)
    with pytest.raises(StoreError, match=r"control\.mh: is no regular file: move it away"):
        tell(tmp_path, Pause(at=1.0))


@pytest.mark.parametrize("copy", ["start.mh", "end.mh"])
def test_a_journal_that_is_missing_beside_a_copy_of_its_records_is_no_new_task(tmp_path: Path, copy: str) -> None:
    folder = run_folder(tmp_path / "run", load_settings({"mllm_url": ["rehearsed"]}))
    episode = folder / "episodes" / "one-1-abc"
    episode.mkdir(parents=True)
    (episode / copy).write_bytes(b"a record")
    said = rf"journal\.mh: is missing, but {copy} beside it says that there was an episode"
    with pytest.raises(BadInput, match=said):
        read_recorded(folder, {})
