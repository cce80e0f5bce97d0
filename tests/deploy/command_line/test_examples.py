"""The examples of the public API run and do what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.actors.frames import encode_png
from manyhands.simulator.phone.virtual_phone import VirtualPhone

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("example", "says"),
    [
        ("one_goal.py", ("finished after 3 steps",)),
        ("two_goals.py", ("goal-1: finished", "goal-2: finished")),
        ("batch.py", ("2 of 2 verified",)),
    ],
)
def test_example(example: str, says: tuple[str, ...], adb_server: tuple[str, int], tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "MANYHANDS_ADB_PORT": str(adb_server[1]),
        "MANYHANDS_STATE_DIR": str(tmp_path / "state"),
        "MANYHANDS_OUT": str(tmp_path / "run"),
    }
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / example)], capture_output=True, text=True, timeout=220, env=environment
    )
    assert done.returncode == 0, done.stderr
    for words in says:
        assert words in done.stdout


def locate_example(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / "locate.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=110)


def test_the_example_of_locating_finds_what_a_phone_shows(tmp_path: Path) -> None:
    phone = VirtualPhone(1, 720, 1600, 280)
    picture = tmp_path / "home.png"
    picture.write_bytes(encode_png(phone.frame().rgb))
    done = locate_example(picture, "text", "settings")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    x, y, *said = line.split()
    assert said == ["Settings", "1.00", "exact"]
    box = next(box for content, box in phone.layout() if content == "Settings")
    assert abs(int(x) - box.x - box.w / 2) < 10
    assert abs(int(y) - box.y - box.h / 2) < 20
    nothing = locate_example(picture, "text", "Quarterly dividends")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "fits text 'Quarterly dividends'" in nothing.stderr


@pytest.mark.parametrize("arguments", [(), ("gone.png",), ("gone.png", "text", "a"), ("gone.png", "icon", "")])
def test_the_example_of_locating_says_what_is_wrong_with_its_arguments(arguments: tuple[str, ...]) -> None:
    done = locate_example(*arguments)
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr
