"""Completion of the command line in bash, zsh and fish."""

from __future__ import annotations

import pytest

from tests.deploy.command_line.called import manyhands


def completions(shell: str, line: str) -> str:
    """Return what a shell is told for a line that is being typed."""
    typed = (
        {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))} if shell == "bash" else {"_TYPER_COMPLETE_ARGS": line}
    )
    fish = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    return manyhands(**{"_MANYHANDS_COMPLETE": f"complete_{shell}", **typed, **fish}).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_options_and_values(shell: str) -> None:
    assert manyhands(_MANYHANDS_COMPLETE=f"source_{shell}").stdout.count("manyhands") > 1
    commands = completions(shell, "manyhands re")
    assert "resume" in commands
    assert "doctor" not in commands
    assert "list" in completions(shell, "manyhands memory l")
    assert "--retries" in completions(shell, "manyhands run --ret")
    schedules = completions(shell, "manyhands run --schedule s")
    assert "serial" in schedules
    assert "speculate" in schedules
    assert "overlap" not in schedules
