"""What a detector is trained on: labels from folders, windows of screens, damage and distractors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from manyhands.actors.frames import Rgb
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from tests.examples import examples
from training.detector.damage import damaged
from training.detector.distractors import PAINTERS, distracted
from training.detector.labels import TrainingScreen, read_folders
from training.detector.measure import measured, summary
from training.detector.samples import HEIGHT, WIDTH, Samples

RED = (220, 30, 30)


def boxes(*each: tuple[float, ...]) -> np.ndarray:
    return np.array(each, np.float32).reshape(-1, 4)


def labelled(folder: Path, places: list[tuple[int, int, int, int]]) -> list[TrainingScreen]:
    """A white screen with red squares, which are its icons."""
    picture = np.full((2280, 1080, 3), 255, np.uint8)
    for x1, y1, x2, y2 in places:
        picture[y1:y2, x1:x2] = RED
    Image.fromarray(picture).save(folder / "screen.png")
    icons = [{"name": "square", "box": list(place)} for place in places]
    image = {"file": "screen.png", "width": 1080, "height": 2280, "icons": icons}
    (folder / "labels.json").write_text(json.dumps({"images": [image]}))
    return read_folders([folder])


def test_labels_are_read_from_folders_within_folders(tmp_path: Path) -> None:
    inner = tmp_path / "part" / "one"
    inner.mkdir(parents=True)
    image = {
        "file": "screen.png",
        "width": 20,
        "height": 40,
        "icons": [{"name": "a", "box": [1, 2, 3, 4]}, {"name": "b", "box": [5, 6, 7, 8], "minor": True}],
        "texts": [{"text": "t", "box": [9, 10, 11, 12]}],
        "ignore": [[0, 0, 20, 2]],
    }
    lost = {"file": "lost.png", "width": 20, "height": 40}
    (inner / "labels.json").write_text(json.dumps({"images": [image, lost]}))
    Image.new("RGB", (20, 40)).save(inner / "screen.png")
    (screen,) = read_folders([tmp_path])
    assert screen.path == inner / "screen.png"
    assert screen.icons.tolist() == [[1, 2, 3, 4]]
    assert screen.minor.tolist() == [[5, 6, 7, 8]]
    assert screen.texts.tolist() == [[9, 10, 11, 12]]
    assert screen.ignored.tolist() == [[0, 0, 20, 2]]


@pytest.mark.parametrize("content", ["{", "[]", '{"images": [{"icons": []}]}'])
def test_labels_of_another_form_are_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "labels.json").write_text(content)
    with pytest.raises(BadInput, match=r"labels\.json"):
        read_folders([tmp_path])


def test_a_folder_without_screens_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no labelled screens"):
        read_folders([tmp_path])


def test_boxes_of_a_window_lie_on_its_icons(tmp_path: Path) -> None:
    places = [(100 + 250 * x, 100 + 200 * y, 180 + 250 * x, 180 + 200 * y) for x in range(4) for y in range(11)]
    samples, rng = Samples(labelled(tmp_path, places)), np.random.default_rng(1)
    for _ in range(20):
        picture, icons, neutral = samples.window(rng)
        assert picture.shape == (HEIGHT, WIDTH, 3)
        assert len(icons) > 3
        for x1, y1, x2, y2 in np.concatenate([icons, neutral]):
            assert 0 <= x1 < x2 <= WIDTH
            assert 0 <= y1 < y2 <= HEIGHT
        for x1, y1, x2, y2 in icons:
            middle = picture[int((y1 + y2) / 2), int((x1 + x2) / 2)].astype(int)
            assert np.abs(middle - RED).max() < 40
        red = (np.abs(picture.astype(int) - RED).max(axis=2) < 40).sum()
        assert red == pytest.approx(
            sum((b[2] - b[0]) * (b[3] - b[1]) for b in np.concatenate([icons, neutral])), rel=0.2
        )


def test_the_same_seed_draws_the_same_samples(tmp_path: Path) -> None:
    screens = labelled(tmp_path, [(100, 100, 200, 200), (500, 900, 600, 1000)])
    one, other = Samples(screens), Samples(screens)
    one.draw(np.random.default_rng(3))
    for seed in range(5):
        first, second = one.draw(np.random.default_rng(seed)), other.draw(np.random.default_rng(seed))
        assert (first.picture == second.picture).all()
        assert (first.icons == second.icons).all()


@settings(max_examples=examples(40))
@given(st.integers(0, 10_000), st.integers(8, 80), st.integers(8, 80))
def test_damage_keeps_a_pictures_form(seed: int, height: int, width: int) -> None:
    picture = np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(np.uint8)
    before = picture.copy()
    out = damaged(picture, np.random.default_rng(seed))
    assert out.shape == picture.shape
    assert out.dtype == np.uint8
    assert (picture == before).all()


@pytest.mark.parametrize("paint", PAINTERS)
def test_every_painter_paints_on_its_ground_only(paint: object) -> None:
    for seed in range(5):
        picture = np.full((140, 160, 3), 250, np.uint8)
        paint(picture[20:120, 30:130], np.random.default_rng(seed))  # type: ignore[operator]
        assert (picture[20:120, 30:130] != 250).any()
        picture[20:120, 30:130] = 250
        assert (picture == 250).all()


@settings(max_examples=examples(40))
@given(st.integers(0, 10_000))
def test_distractors_leave_what_is_on_the_screen(seed: int) -> None:
    picture = np.full((700, 360, 3), 240, np.uint8)
    busy = boxes((20, 20, 340, 120), (200, 300, 230, 330))
    picture[20:120, 20:340] = 90
    out = distracted(picture, busy, np.random.default_rng(seed))
    assert (out[20:120, 20:340] == 90).all()
    assert (out[300:330, 200:230] == 240).all()


def test_icons_are_counted_as_by_the_scorer(tmp_path: Path) -> None:
    image = {
        "file": "screen.png",
        "width": 400,
        "height": 400,
        "icons": [
            {"name": "a", "box": [0, 0, 10, 10]},
            {"name": "b", "box": [50, 0, 60, 10]},
            {"name": "c", "box": [100, 0, 110, 10], "minor": True},
        ],
        "texts": [{"text": "t", "box": [300, 0, 350, 20]}],
        "ignore": [[0, 100, 50, 150]],
    }
    (tmp_path / "labels.json").write_text(json.dumps({"images": [image, {**image, "file": "lost.png"}]}))
    Image.new("RGB", (400, 400)).save(tmp_path / "screen.png")
    asked: list[Element] = []

    def find(rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        asked.extend(texts)
        found = ((0, 0, 10, 9), (52, 2, 57, 7), (101, 1, 109, 9), (10, 110, 20, 120), (200, 200, 220, 220))
        return [
            Element(kind="icon", box=Box(x1=a, y1=b, x2=c, y2=d), content="", confidence=1.0) for a, b, c, d in found
        ]

    tally = measured([tmp_path], find)
    assert [text.box for text in asked] == [Box(x1=300, y1=0, x2=350, y2=20)]
    assert (tally.icons, tally.hit, tally.hit_iou, tally.icon_right, tally.icon_false) == (2, 2, 1, 3, 1)
    assert summary(tally) == "2 icons: recall 100.0 %, at IoU 0.5 50.0 %, precision 75.0 %"


def test_measuring_nothing_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no labelled screens"):
        measured([tmp_path], lambda rgb, texts: [])
