"""Labelled screens of a virtual phone: what is drawn, and what a task needs of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from manyhands.evaluation.perception.labels import read_labels
from manyhands.evaluation.perception.scoring import score_screen
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from manyhands.simulator.suites.labelled import main

TASK = "dark_mode"


def test_screens_are_written_with_labels_that_a_scorer_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "--task", TASK, "--size", "540x1200"]) == 0
    assert capsys.readouterr().out == f"4 screens: {tmp_path / 'labels.json'}\n"
    screens = read_labels(tmp_path / "labels.json")
    needed = [[text.text for text in screen.texts if not text.minor] for screen in screens]
    assert needed == [[], ["Display"], ["Dark mode"], []]
    for screen in screens:
        picture = np.asarray(Image.open(tmp_path / screen.file))
        assert picture.shape == (1200, 540, 3)
        for text in screen.texts:
            x1, y1, x2, y2 = map(int, text.box)
            assert np.ptp(picture[y1:y2, x1:x2]) > 28, f"nothing is drawn at {text}"
        elements = [
            Element(kind="text", box=Box(x1=x1, y1=y1, x2=x2, y2=y2), content=text.text, confidence=1)
            for text in screen.texts
            for x1, y1, x2, y2 in [map(int, text.box)]
        ]
        tally = score_screen(screen, elements).tally
        assert tally.all_exact == tally.all_texts == len(screen.texts)
        assert tally.text_wrong == 0


def test_a_screen_that_two_tasks_show_is_there_once_with_what_both_need(tmp_path: Path) -> None:
    tasks = ["--task", TASK, "--task", "do_not_disturb"]
    assert main([str(tmp_path), *tasks, "--size", "540x1200"]) == 0
    needed = [
        {text.text for text in screen.texts if not text.minor} for screen in read_labels(tmp_path / "labels.json")
    ]
    assert needed.count({"Display", "Sound & vibration"}) == 1
    assert {"Dark mode"} in needed
    assert {"Do Not Disturb"} in needed


@pytest.mark.parametrize(
    ("arguments", "reason"), [(["--task", "no_such"], "no such task"), (["--size", "5x5"], "not WIDTHxHEIGHT")]
)
def test_bad_input_is_one_line(
    tmp_path: Path, arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert reason in line
    assert not (tmp_path / "labels.json").exists()
