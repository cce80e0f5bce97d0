"""What is wrong with a command line itself: told with what was probably meant, and as JSON where that is asked."""

from __future__ import annotations

import json

import pytest

from tests.deploy.command_line.called import manyhands


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rnu",), "No such command 'rnu'; did you mean 'run'?"),
        (("memory", "lsit"), "No such command 'lsit'; did you mean 'list'?"),
        (("qqqq",), "No such command 'qqqq'."),
        (("run", "--gaol", "x"), "No such option: --gaol; did you mean '--goal'?"),
        (("run", "--qqqq", "x"), "No such option: --qqqq"),
        (("run", "--max-steps", "ten"), "Invalid value for '--max-steps': must be a whole number, not 'ten'"),
        (("run", "--max-steps", "0"), "Invalid value for '--max-steps': must be at least 1, not"),
        (("run", "--canary", "-1"), "Invalid value for '--canary': must be at least 0, not '-1'"),
        (("flow", "run", "f.yaml", "--max-failed-tasks", "0"), "'--max-failed-tasks': must be at least 1, not '0'"),
        (("mllm", "--on", "lcal"), "'lcal' is not one of 'local', 'ray'; did you mean 'local'?"),
        (("gateway",), "Missing option '--site'."),
    ],
)
def test_a_usage_error_is_told_in_a_box_or_as_json(words: tuple[str, ...], said: str) -> None:
    done = manyhands(*words, "--json")
    assert (done.returncode, done.stderr) == (2, "")
    value = json.loads(done.stdout)
    assert set(value) == {"error", "code"}
    assert value["code"] == "usage"
    assert said in value["error"]
    plain = manyhands(*words, COLUMNS="200", TERMINAL_WIDTH="200")
    assert (plain.returncode, plain.stdout) == (2, "")
    assert said in " ".join(plain.stderr.replace("│", " ").split())
    assert plain.stderr.startswith("Usage: manyhands")


def test_what_follows_two_dashes_is_no_option() -> None:
    done = manyhands("run", "a.yaml", "--", "--json")
    assert done.returncode == 2
    assert done.stdout == ""


def test_a_misspelt_choice_of_a_setting() -> None:
    done = manyhands("run", "--goal", "x", "--schedule", "speculative", "--json")
    assert done.returncode == 2
    said = json.loads(done.stdout)["error"]
    assert said.endswith("must be serial, overlap or speculate, not 'speculative'; did you mean 'speculate'?")


def test_help_and_version_still_end_well() -> None:
    assert manyhands("--help").returncode == 0
    assert manyhands("run", "--help").returncode == 0
    for words in ((), ("memory",)):
        alone = manyhands(*words)
        assert alone.returncode == 2
        assert "Usage: manyhands" in alone.stdout + alone.stderr
    done = manyhands("--version")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)


def test_json_before_the_command_is_told_its_place() -> None:
    done = manyhands("--json", "runn")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"] == "No such option here: write --json behind the command."


def test_an_unknown_profile_is_told_without_a_part_that_nobody_typed() -> None:
    done = manyhands("run", "--goal", "x", "--profile", "e-evo", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"].startswith("options: 'e-evo' is not a profile; ")
