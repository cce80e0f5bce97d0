"""Bad input gets one clear line and exit code 2; every command has help with an example."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from manyhands.deploy.cluster.connection import find_mode
from manyhands.deploy.command_line.cli import app
from manyhands.deploy.command_line.commands.run import EXAMPLE
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import read_tasks
from tests.deploy.command_line.called import manyhands

COMMANDS = [
    "demo",
    "init",
    "run",
    "resume",
    "control",
    "report",
    "audit",
    "phones",
    "doctor",
    "broker",
    "gateway",
    "mllm",
    "prompt-stats",
    "replay",
    "parse",
    "perceive",
    "simulate",
    "rehearse",
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(autouse=True)
def nobody_is_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs do not wait for the servers that are missing here."""
    monkeypatch.setenv("MANYHANDS_MODEL_WAIT_S", "0")


@pytest.fixture
def tasks(tmp_path: Path) -> str:
    path = tmp_path / "tasks.yaml"
    path.write_text("- {id: one, goal: Do something}\n")
    return str(path)


@pytest.fixture
def misspelt(tmp_path: Path) -> str:
    path = tmp_path / "misspelt.yaml"
    path.write_text("- {id: one, gaol: Do something}\n")
    return str(path)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error with exit code 2."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    done = manyhands(command, "--help")
    assert done.returncode == 0
    assert f"manyhands {command}" in " ".join(done.stdout.replace("│", " ").split())
    assert "--json" in done.stdout


def test_the_example_of_run_is_a_goal_that_the_rehearsed_model_knows() -> None:
    words = shlex.split(EXAMPLE)
    goal = words[words.index("--goal") + 1]
    suite = read_tasks(Path(__file__).parents[3] / "simulator" / "suites" / "everyday.yaml")
    assert goal in {task.goal for task in suite}


def test_a_missing_file() -> None:
    assert "nowhere.yaml: No such file" in refused(manyhands("run", "nowhere.yaml", "--mllm-url", "rehearsed"))


def test_neither_file_nor_goal() -> None:
    assert "--goal" in refused(manyhands("run", "--mllm-url", "rehearsed"))


def test_an_unknown_key(misspelt: str) -> None:
    line = refused(manyhands("run", misspelt, "--mllm-url", "rehearsed"))
    assert "unknown key 'gaol'; did you mean 'goal'?" in line


@pytest.mark.parametrize(
    "words",
    [
        ("run", "BOMB"),
        ("run", "TASKS", "--config", "BOMB"),
        ("run", "TASKS", "--inject", "BOMB"),
        ("suite", "single-step", "BOMB"),
        ("resume", "FOLDER"),
        ("report", "FOLDER"),
        ("audit", "FOLDER"),
        ("control", "FOLDER", "add", "BOMB"),
    ],
)
def test_aliases_that_stand_for_millions_of_values(words: tuple[str, ...], tasks: str, tmp_path: Path) -> None:
    levels = "".join(f"      - &a{n} {{all: [{', '.join([f'*a{n - 1}'] * 10)}]}}\n" for n in range(1, 10))
    check = "- id: one\n  goal: Do it\n  check:\n    holds:\n      any:\n      - &a0 {path: a, exists: true}\n" + levels
    bomb = tmp_path / "run.yaml"
    bomb.write_text(check)
    (tmp_path / "episodes").mkdir()
    given = {"BOMB": str(bomb), "TASKS": tasks, "FOLDER": str(tmp_path)}
    done = manyhands(*(given.get(word, word) for word in words), MANYHANDS_MLLM_URL="rehearsed")
    assert "run.yaml: line 14: aliases of this stand for too much: the file holds" in refused(done)


def test_an_unknown_task(tasks: str) -> None:
    line = refused(manyhands("run", tasks, "--task", "on", "--mllm-url", "rehearsed"))
    assert line == "error: --task on: no such task; did you mean one?"


def test_settings_that_the_profile_does_not_follow_are_named(tasks: str) -> None:
    given = {"MANYHANDS_EPISODE__HISTORY": "3", "MANYHANDS_MODELS__NOTE__SEED": "1", "MANYHANDS_PHONES": ""}
    done = manyhands("run", tasks, "--profile", "v1", "--cheap-verdicts", "none", "--mllm-url", "x", **given)
    notice, error = done.stderr.splitlines()
    assert notice == "Without effect with profile v1: episode.cheap_verdicts, episode.history, models.note"
    assert error.startswith("error: --mllm-url")


def test_v1_as_its_paper_without_clip_says_so(tasks: str, tmp_path: Path) -> None:
    given = {"MANYHANDS_PHONES": ""}
    words = ("run", tasks, "--paper-exact", "--mllm-url", "x")
    notice, error = manyhands(*words, "--profile", "v1", **given).stderr.splitlines()
    assert notice == (
        "Icons are found by names, labels, colour and place, not by CLIP as the paper of v1 has it: "
        "set perception.clip.folder (docs/perception.md#the-papers-models)"
    )
    assert error.startswith("error: --mllm-url")
    with_clip = given | {"MANYHANDS_PERCEPTION__CLIP__FOLDER": str(tmp_path)}
    for done in (
        manyhands(*words, "--profile", "v1", **with_clip),
        manyhands(*words, "--profile", "v2", **given),
        manyhands("run", tasks, "--profile", "v1", "--mllm-url", "x", **given),
    ):
        assert "CLIP" not in done.stderr


def test_tips_that_are_none(tasks: str, tmp_path: Path) -> None:
    tips = tmp_path / "tips.txt"
    tips.write_text("0. Look twice.\nAgain.\n")
    line = refused(manyhands("run", tasks, "--tips", str(tips), "--mllm-url", "rehearsed"))
    assert line.startswith(f"error: {tips}: line 2: has no number, as other lines have")


def test_an_unknown_setting(tasks: str) -> None:
    line = refused(manyhands("run", tasks, MANYHANDS_SCHEDUL="serial"))
    assert "MANYHANDS_SCHEDUL" in line


def test_an_unknown_serial(tasks: str, adb_server: tuple[str, int]) -> None:
    port = str(adb_server[1])
    run = ("run", tasks, "--phones", "no-such-phone", "--mllm-url", "rehearsed", "--adb-port", port)
    line = refused(manyhands(*run, MANYHANDS_PHONE_WAIT_S="0.5"))
    assert "no-such-phone: none could be had within 0.5 s: no-such-phone: no phone with the serial" in line


def test_an_unreachable_model(tasks: str) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    assert url in refused(manyhands("run", tasks, "--phones", "virtual:1", "--mllm-url", url))


@pytest.mark.parametrize(
    ("address", "suggested"),
    [
        ("localhost:8000", "http://localhost:8000/v1"),
        ("gpu.local/v1/", "http://gpu.local/v1"),
        ("htp://gpu.local:8000/v1", "http://gpu.local:8000/v1"),
        ("htps://gpu.local", "https://gpu.local/v1"),
        ("http:/gpu.local:8000", "http://gpu.local:8000/v1"),
    ],
)
def test_an_address_of_a_model_with_a_wrong_scheme_or_none(tasks: str, address: str, suggested: str) -> None:
    done = manyhands("run", tasks, "--phones", "virtual:1", "--mllm-url", address)
    assert refused(done).endswith(f"--mllm-url: {address!r} is no http:// or https:// address; write {suggested}")


@pytest.mark.parametrize(
    ("address", "suggested"),
    [
        ("mqt://broker.example:1883", "mqtt://broker.example:1883"),
        ("mqttss://broker.example", "mqtts://broker.example"),
        ("broker.example:8883", "mqtts://broker.example:8883"),
        ("localhost", "mqtts://localhost"),
    ],
)
def test_an_address_of_a_broker_with_a_wrong_scheme_or_none(address: str, suggested: str) -> None:
    assert refused(manyhands("gateway", "--site", "lab", "--broker", address)).endswith(f"; write {suggested}")


def test_a_phone_behind_a_broker_with_a_misspelt_scheme_is_no_serial(tasks: str) -> None:
    line = refused(
        manyhands("run", tasks, "--phones", "mqt://me:secret@broker.example/lab/*", "--mllm-url", "rehearsed")
    )
    assert line.startswith(
        "error: options: phones: mqt://...: an address of phones behind a broker begins with mqtts://"
    )


@pytest.mark.parametrize(
    ("address", "suggested"),
    [
        ("http://head:6379", "head:6379"),
        ("rya://head:10001", "ray://head:10001"),
        ("head", "head:6379"),
        ("atuo", "auto"),
    ],
)
async def test_an_address_of_a_cluster_with_a_wrong_form(address: str, suggested: str) -> None:
    with pytest.raises(BadInput, match=f"--ray-address {address}: is HOST:PORT or auto; write {suggested}$"):
        await find_mode(address)


def test_a_misspelt_stand_in_gets_its_name(tasks: str) -> None:
    done = manyhands("run", tasks, "--phones", "virtual:1", "--mllm-url", "rehersed")
    assert refused(done).endswith(
        "--mllm-url: 'rehersed' is neither a server nor a stand-in; did you mean 'rehearsed'?"
    )


def test_a_run_says_what_it_starts_but_not_with_json(tasks: str) -> None:
    words = ("run", tasks, "--phones", "virtual:1", "--mllm-url", f"http://127.0.0.1:{free_port()}/v1")
    count = len(read_tasks(Path(tasks)))
    told = [f"Tasks: {count}", "Checking settings and model servers"]
    assert manyhands(*words).stdout.splitlines() == told
    waits = manyhands(*words, "--model-wait", "0.1").stdout.splitlines()
    assert waits[:2] == told
    assert "cannot be reached: Connection refused: nothing listens there. Waiting up to 0.1 s, as a model" in waits[2]
    assert waits[2].count("127.0.0.1") == 1
    assert waits[2].endswith("; Ctrl-C ends it, --model-wait 0 does not wait")
    done = manyhands(*words, "--json")
    assert (json.loads(done.stdout)["code"], done.stderr) == ("bad_input", "")


def test_input_that_a_start_finds_to_be_bad_is_told_in_one_line(
    tasks: str, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    port = str(adb_server[1])
    out = tmp_path / "taken"
    out.mkdir()
    (out / "run.yaml").touch()
    run = ("run", tasks, "--mllm-url", "rehearsed", "--adb-port", port)
    assert "no-such-phone" in refused(manyhands(*run, "--phones", "no-such-phone", MANYHANDS_PHONE_WAIT_S="0.1"))
    assert str(out) in refused(manyhands(*run, "--phones", "virtual:1", "--out", str(out)))
    elsewhere = (*run, "--phones", "virtual:1", "--ray-address", "127.0.0.1:1")
    command = [sys.executable, "-m", "manyhands", *elsewhere]  # this process may have a Ray of other tests
    assert "nobody listens there" in refused(subprocess.run(command, capture_output=True, text=True, timeout=100))


def test_a_file_without_a_task(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text("[]\n")
    line = refused(manyhands("run", str(path), "--phones", "virtual:1", "--mllm-url", "rehearsed"))
    assert line == f"error: {path}: holds no task: begin each one with '- '"


def test_no_model_at_all(tasks: str) -> None:
    assert "--mllm-url" in refused(manyhands("run", tasks, "--phones", "virtual:1"))


def test_an_unreachable_model_of_one_role(tasks: str, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    config = tmp_path / "settings.yaml"
    config.write_text(f"mllm_url: rehearsed\nmodels: {{note: {{url: {url}}}}}\n")
    line = refused(manyhands("run", tasks, "--phones", "virtual:1", "--config", str(config)))
    assert url in line
    assert "models.note.url" in line


@pytest.mark.parametrize(("flag", "value"), [("--dialect", "gpt"), ("--output-format", "other"), ("--grammar", "none")])
def test_an_unknown_choice_for_the_model(tasks: str, flag: str, value: str) -> None:
    line = refused(manyhands("run", tasks, "--phones", "virtual:1", "--mllm-url", "rehearsed", flag, value))
    assert flag in line


def test_a_role_that_is_none(tasks: str) -> None:
    assert "models.decode" in refused(manyhands("run", tasks, MANYHANDS_MODELS__DECODE__MODEL="x"))


def test_a_list_in_the_environment(tasks: str) -> None:
    urls = [f"http://127.0.0.1:{free_port()}/v1" for _ in range(2)]
    line = refused(manyhands("run", tasks, "--phones", "virtual:1", MANYHANDS_MLLM_URL=",".join(urls)))
    assert any(url in line for url in urls)
    assert "MODELS" in refused(manyhands("run", tasks, MANYHANDS_MODELS='{"plan')).upper()


@pytest.mark.parametrize(
    ("profile", "part", "said"),
    [
        ("e+evo", "learn_tips", "'learn_tips' is not a part of profile 'e+evo'; parts are planner, "),
        ("e", "learn-tips", "'learn-tips' is not a part of profile 'e'; parts are planner, "),
    ],
)
def test_a_part_that_the_profile_does_not_have(tasks: str, profile: str, part: str, said: str) -> None:
    run = ("run", tasks, "--phones", "virtual:1", "--mllm-url", "rehearsed", "--profile", profile)
    assert said in refused(manyhands(*run, "--without", part))


def test_a_port_for_metrics_in_use(tasks: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        run = ("run", tasks, "--phones", "virtual:1", "--mllm-url", "rehearsed")
        assert f"--metrics-port {port}" in refused(manyhands(*run, "--metrics-port", port))


def test_a_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert port in refused(manyhands("rehearse", "--port", port))
        assert port in refused(manyhands("phones", "--adb-port", port))


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    assert "not a run folder" in refused(manyhands("report", str(tmp_path)))


def test_an_error_as_json() -> None:
    process = [sys.executable, "-m", "manyhands", "run", "nowhere.yaml", "--json"]
    done = subprocess.run(process, capture_output=True, text=True, timeout=90)
    assert (done.returncode, done.stderr) == (2, "")
    assert json.loads(done.stdout)["code"] == "bad_input"


def test_phones_lists_nothing_on_an_empty_server(adb_server: tuple[str, int]) -> None:
    done = manyhands("phones", "--json", "--adb-port", str(adb_server[1]))
    assert done.returncode == 0
    assert isinstance(json.loads(done.stdout), list)


def leaves(command: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with the words that call it."""
    if not hasattr(command, "list_commands"):
        yield at, command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        yield from leaves(command.get_command(context, name), (*at, name))


def test_the_help_of_every_command_has_an_example_that_calls_it() -> None:
    lacking = [
        " ".join(at)
        for at, command in leaves(typer.main.get_command(app))
        if f"manyhands {' '.join(at)}" not in (command.epilog or "")
    ]
    assert lacking == []
