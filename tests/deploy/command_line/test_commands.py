"""Bad input gets one clear line and exit code 2; every command has help with an example."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.deploy.command_line.commands.run import EXAMPLE
from manyhands.deploy.fleet.tasks import read_tasks
from tests.deploy.command_line.called import manyhands

COMMANDS = [
    "demo",
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


def test_an_unknown_task(tasks: str) -> None:
    line = refused(manyhands("run", tasks, "--task", "on", "--mllm-url", "rehearsed"))
    assert line == "error: --task on: no such task; did you mean one?"


def test_settings_that_the_profile_does_not_follow_are_named(tasks: str) -> None:
    given = {"MANYHANDS_EPISODE__HISTORY": "3", "MANYHANDS_MODELS__NOTE__SEED": "1", "MANYHANDS_PHONES": ""}
    done = manyhands("run", tasks, "--profile", "v1", "--cheap-verdicts", "none", "--mllm-url", "x", **given)
    notice, error = done.stderr.splitlines()
    assert notice == "Without effect with profile v1: episode.cheap_verdicts, episode.history, models.note"
    assert error.startswith("error: --mllm-url")


def test_tips_that_are_none(tasks: str, tmp_path: Path) -> None:
    tips = tmp_path / "tips.txt"
    tips.write_text("Look twice.\n")
    line = refused(manyhands("run", tasks, "--tips", str(tips), "--mllm-url", "rehearsed"))
    assert line == f"error: {tips}: line 1: a tip begins with its number, such as '0. '"


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


def test_no_model_at_all(tasks: str) -> None:
    assert "--mllm-url" in refused(manyhands("run", tasks, "--phones", "virtual:1"))


def test_an_unreachable_model_of_one_role(tasks: str, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    config = tmp_path / "settings.yaml"
    config.write_text(f"mllm_url: rehearsed\nmodels: {{note: {{url: {url}}}}}\n")
    line = refused(manyhands("run", tasks, "--phones", "virtual:1", "--config", str(config)))
    assert url in line
    assert "models.note.url" in line


@pytest.mark.parametrize(("flag", "value"), [("--dialect", "gpt"), ("--output-format", "xml"), ("--grammar", "none")])
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
