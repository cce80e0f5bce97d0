"""The help of commands: one screen of what most people need, all the rest on request, and no library too many."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import GROUPS, app
from manyhands.deploy.command_line.help import find_summary
from manyhands.deploy.command_line.options import settings_of
from manyhands.protocol.profiles import registered_profiles
from tests.deploy.command_line.called import manyhands

HEAVY = {
    "ray",
    "numpy",
    "cv2",
    "PIL",
    "aiohttp",
    "rapidocr",
    "onnxruntime",
    "adbutils",
    "aiomqtt",
    "jinja2",
    "requests",
    "httpx",
    "mcp",
    "fastapi",
    "sqlalchemy",
    "junitparser",
}
LOADED = """
import contextlib, io, json, sys
from manyhands.deploy.command_line.cli import app
loaded = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        app(words)
    loaded.append(sorted(sys.modules))
print(json.dumps(loaded))
"""


def test_the_help_of_run_fits_on_a_screen_and_has_its_groups() -> None:
    lines = manyhands("run", "--help", COLUMNS="80").stdout.splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) <= 80
    groups = [line for line in lines if re.fullmatch(r"\w+:", line)]
    assert {"Tasks:", "Phones:", "Model:", "Perception:", "Limits:", "Output:"} < set(groups)
    under_tasks = lines[lines.index("Tasks:") + 1 : lines.index("Limits:")]
    assert [re.split(r"\s+", line)[1] for line in under_tasks[:2]] == ["TASKS", "--goal"]
    assert "All options, with defaults: manyhands run --help-all" in lines
    assert not any("--mqtt-ca" in line for line in lines)
    assert set(registered_profiles().declarations) <= set(re.findall(r"[\w+]+", "\n".join(lines)))


def test_all_options_are_shown_on_request_in_the_groups_of_their_settings() -> None:
    done = manyhands("run", "--help-all")
    assert done.returncode == 0
    panels: dict[str, str] = {}
    for line in done.stdout.splitlines():
        if heading := re.fullmatch(r"(\S.*):", line):
            panel = heading[1]
        elif option := re.match(r"  (--[a-z-]+)", line):
            panels[option[1]] = panel
    settings = list(settings_of("run"))
    assert {setting.option for setting in settings} <= panels.keys()
    # The seed is declared three times: of sampling first.
    assert {setting.option for setting in settings if panels[setting.option] != setting.panel} <= {"--seed"}
    assert {panels[name] for name in ("--mqtt-ca", "--latency", "--ray-address")} == {
        "Phones behind brokers",
        "Stand-ins",
        "Cluster and metrics",
    }


def test_a_command_with_few_options_shows_them_all() -> None:
    assert "--help-all" not in manyhands("report", "--help", COLUMNS="200").stdout


def test_a_list_of_commands_has_the_line_of_each() -> None:
    shown = " ".join(manyhands("--help", COLUMNS="60").stdout.split())
    for command in ("run", "suite", "bench", "memory"):
        package = "benchmarks" if command == "bench" else f"deploy.command_line.commands.{command}"
        summary = find_summary(f"manyhands.{package}")
        assert summary is not None
        assert f"{command} {summary.splitlines()[0].partition('. ')[0]}" in shown
    assert find_summary("manyhands.deploy.command_line.commands") is None


def test_the_commands_are_listed_in_groups() -> None:
    shown = manyhands("--help", COLUMNS="120").stdout
    headings = re.findall(r"^(\S.*):$", shown, re.MULTILINE)
    assert headings == ["Options", *GROUPS]
    for group, names in GROUPS.items():
        listed = re.split(r"^\S", shown.partition(f"\n{group}:\n")[2], flags=re.MULTILINE)[0]
        assert re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE) == list(names)


def all_commands() -> Iterator[tuple[str, ...]]:
    """Yield the words of each command, also of those in groups."""
    whole: Any = typer.main.get_command(app)
    groups: list[tuple[tuple[str, ...], Any]] = [((), whole)]
    while groups:
        words, group = groups.pop()
        yield words
        for name in getattr(group, "list_commands", lambda _: [])(None):
            groups.append(((*words, name), group.get_command(None, name)))


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_every_help_has_one_plain_style(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    runner = CliRunner()
    for words in all_commands():
        whole = runner.invoke(app, [*words, "--help-all"]).stdout
        for shown in (runner.invoke(app, [*words, "--help"]).stdout, *([whole] if whole else [])):
            lines = shown.splitlines()
            assert lines[0].startswith("Usage: "), words
            assert max(map(len, lines)) <= columns, words
            assert re.findall(r"[╭╰│]", shown) == [], words
            assert {line for line in lines if re.match(r"\S.*:$", line)}, words


def test_a_help_shows_choices_defaults_and_paragraphs() -> None:
    control = manyhands("control", "--help", COLUMNS="80").stdout
    assert control.startswith("Usage: manyhands control [OPTIONS] RUN ACTION [TASKS.yaml]\nPause a run,")
    assert "\n  ACTION pause|go|drain|cancel|priority|add|status\n" in control
    assert "\npriority moves waiting tasks" in control
    assert re.search(
        r"^  --priority N .*\[default: 0; -100<=x<=100\]$", manyhands("submit", "--help").stdout, re.MULTILINE
    )
    assert "The run folder. [default: runs/<time>_<name>]" in manyhands("run", "--help-all").stdout


def test_a_group_without_a_command_shows_its_help() -> None:
    done = manyhands("suite")
    assert (done.returncode, done.stdout) == (2, manyhands("suite", "--help").stdout)


def loaded_after(*calls: list[str]) -> list[set[str]]:
    """Call the command several times in one process of its own. Return the modules that are loaded after each call."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(calls)], capture_output=True, text=True, check=True, timeout=100
    )
    return list(map(set, json.loads(done.stdout)))


def test_the_help_of_no_command_loads_a_heavy_library() -> None:
    commands = list(all_commands())
    assert {("run",), ("suite", "list"), ("bench", "chaos"), ("broker", "show")} < set(commands)
    after = loaded_after(*([*words, "--help"] for words in commands))
    heavy = {" ".join(words): loaded & HEAVY for words, loaded in zip(commands, after, strict=True)}
    assert {name: found for name, found in heavy.items() if found} == {}


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["bench", "step", "--help"], ["--version"]])
def test_help_loads_few_modules(words: list[str]) -> None:
    (loaded,) = loaded_after(words)
    assert len(loaded) < 700
