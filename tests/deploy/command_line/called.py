"""Calls the command in this process: to start one for each call takes a second of a core."""

from __future__ import annotations

import subprocess
from pathlib import Path

from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app


def manyhands(
    *arguments: str | Path, said: str | bytes | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Return what a process of the command would; ``said`` is its standard input. Raises what the command lets pass."""
    words = [str(argument) for argument in arguments]
    done = CliRunner().invoke(app, words, input=said, env=environment, prog_name="manyhands")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)
