"""Screens of many phones at once: different ones, read for real, and compared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from actors.perception.batching import BatchSettings
from actors.perception.settings import PerceptionSettings
from deploy.bench.perceive_at_once import Asked, different_screens, measure_at_once
from evaluation.bench.at_once import as_pass, differing, ratio
from protocol.geometry import Box
from protocol.screens import Element
from tests.actors.perception.pictures import as_png, sample, screenshot_of


def test_screens_are_different_ones_of_different_phones() -> None:
    screens = different_screens(5)
    assert len({screen.shot.content_id for screen in screens}) == len({screen.shot.serial for screen in screens}) == 5
    for screen in screens:
        assert screen.frame.rgb().shape == (screen.shot.size.height, screen.shot.size.width, 3)


@pytest.mark.parametrize("size", [1, 8])
async def test_a_few_screens_both_ways(size: int) -> None:
    pages = [sample(word) for word in ("Battery", "Storage", "Display")]
    screens = [Asked(screenshot_of(rgb), as_png(rgb)) for rgb in pages]
    said: list[str] = []
    settings = PerceptionSettings(workers=2, recognition=BatchSettings(size=size))
    figures = await measure_at_once(screens, settings, said.append)
    assert (figures.screens, figures.workers, figures.differing) == (3, 2, 0)
    assert figures.ratio is not None
    assert figures.one_by_one.wait_p95_s < figures.at_once.wait_p95_s <= figures.at_once.answer_p95_s
    assert list(figures.batches) == (["recognition"] if size > 1 else [])
    assert said == ["reading 3 screens one at a time", "reading 3 screens at once"]


def test_the_command_takes_the_settings_of_runs(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("perception: {names: {on: false}, recognition: {size: 1}}\nperception_wait_s: 7\n")
    command = [sys.executable, "-m", "deploy.cli", "bench", "at-once", "--screens", "1", "--workers", "1", "--json"]
    done = subprocess.run([*command, "--config", config], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    used = json.loads(done.stdout)["settings"]
    assert (used["names"]["on"], used["recognition"]["size"], used["longest_wait_s"]) == (False, 1, 7)


def test_what_counts_as_not_read_alike() -> None:
    box = Box(x1=0, y1=0, x2=10, y2=10)
    page = (Element(kind="text", box=box, content="OK", confidence=0.9),)
    changes = ({"content": "0K"}, {"kind": "icon"}, {"box": Box(x1=1, y1=0, x2=10, y2=10)}, {"confidence": 0.8})
    others = [tuple(element.model_copy(update=change) for element in page) for change in changes]
    rounded = tuple(element.model_copy(update={"confidence": 0.9001}) for element in page)
    assert differing([page] * 6, [*others, (), page * 2]) == 6
    assert differing([page, page, None, page], [page, rounded, page, None]) == 0


def test_both_ways_are_compared_only_where_the_work_was_the_same() -> None:
    one, two = (as_pass(seconds, 1, [0.1], [0.2], refused=0) for seconds in (2, 3))
    assert ratio(one, two) == 1.5
    assert ratio(one, two.model_copy(update={"refused": 1})) is None
    assert ratio(one.model_copy(update={"refused": 1}), two) is None


def test_a_refused_screen_is_no_success() -> None:
    command = [sys.executable, "-m", "deploy.cli", "bench", "at-once", "--screens", "3", "--workers", "1"]
    done = subprocess.run([*command, "--wait", "0.01"], capture_output=True, text=True, timeout=100)
    assert done.returncode == 1, done.stderr
    assert "all at once by one at a time: not said" in done.stdout


async def test_screens_that_wait_for_too_long_are_refused_and_told() -> None:
    screens = [Asked(screenshot_of(rgb), as_png(rgb)) for rgb in map(sample, ("Battery", "Storage", "Display"))]
    settings = PerceptionSettings(workers=1, longest_wait_s=0.001, recognition=BatchSettings(size=1))
    figures = await measure_at_once(screens, settings, lambda _: None)
    assert (figures.one_by_one.refused, figures.at_once.refused, figures.differing) == (0, 2, 0)
    assert figures.ratio is None
    assert figures.at_once.wait_p95_s < figures.at_once.answer_p95_s
