"""What the Makefile says of itself, and that nothing it installs stays after ``make clean``."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "--no-print-directory", *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def environments() -> set[str]:
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    return {line.rstrip("/") for line in ignored if line.startswith(".venv")}


def test_help_is_about_targets_only(environments: set[str]) -> None:
    lines = make("help").stdout.splitlines()
    targets = [line for line in lines if line.startswith("make ")]
    rest = " ".join(lines[len(targets) :])
    assert lines[: len(targets)] == targets
    assert len(targets) > 8
    assert set(re.findall(r"\.venv(?:-\w+)?", rest)) == environments


def test_clean_removes_every_environment(environments: set[str]) -> None:
    (command,) = make("--dry-run", "clean").stdout.splitlines()
    assert environments <= set(command.split())


def test_a_chromium_that_is_missing_fails_the_tests_that_need_it() -> None:
    stamp = ".venv-screens/.installed"
    done = make("--assume-old", stamp, "test-icon-screens", "CHROMIUM=/nowhere/chromium")
    assert done.returncode != 0
    assert "/nowhere/chromium is missing" in done.stdout
