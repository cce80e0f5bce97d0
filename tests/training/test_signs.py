"""What signs and letters are learned from. Nothing here needs torch, icon sets or fonts from npm."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.perception.onnx import SIDE, CropClassifier
from manyhands.actors.perception.text.signs import MADE_BY, WEIGHTS
from training.names.classes import Classes
from training.names.drawings import FONTS, controls
from training.names.samples import Drawings
from training.signs.drawings import LETTERS, NAMES, Halves, drawn_text, is_lettered
from training.signs.fonts import CHINESE, HERE, LATIN, LIKE_SIGNS, Font, chinese_fonts, common_characters, latin_fonts

ROBOTO = Font(FONTS / "Roboto-Regular.ttf")


def test_the_shipped_weights_know_these_two() -> None:
    assert CropClassifier(WEIGHTS, 1, MADE_BY).names == NAMES


@pytest.mark.parametrize(
    "name", ["letter-a-bold", "number-7", "a-large-small", "text-outline", "x-circle", "currency-eur"]
)
def test_icons_that_are_letters_are_neither(name: str) -> None:
    assert is_lettered(Classes.load().plain(name))


@pytest.mark.parametrize("name", ["arrow-up-right", "user-outlined", "pause-24-regular", "music-fill", "search"])
def test_other_icons_are_signs(name: str) -> None:
    assert not is_lettered(Classes.load().plain(name))


def test_texts_are_drawn_tight_and_blanks_not_at_all() -> None:
    raster = drawn_text("Ag7", ROBOTO)
    assert raster is not None
    assert raster.label == LETTERS
    ink = raster.pixels > 60
    assert min(ink.any(axis=0)[:3].sum(), ink.any(axis=1)[:3].sum()) >= 1
    assert drawn_text("   ", ROBOTO) is None


def test_characters_of_a_font_are_those_its_files_name(tmp_path: Path) -> None:
    for name in CHINESE:
        files = tmp_path / name / "files"
        files.mkdir(parents=True)
        face = "@font-face {{src: url(./files/{0}-{1}-400-normal.woff2) format('woff2'); unicode-range: {2};}}\n"
        faces = (("1", "U+4e00-4e05,U+0041"), ("2", "U+6211"), ("latin", "U+0000-00FF"))
        (tmp_path / name / "400.css").write_text("".join(face.format(name, part, codes) for part, codes in faces))
        for part, _ in faces:
            (files / f"{name}-{part}-400-normal.woff2").touch()
    found = chinese_fonts(tmp_path)
    assert [font.characters for font in found] == ["丁丂七丄丅", "我"] * 2
    assert not LIKE_SIGNS & set("".join(font.characters for font in found))


def test_fonts_that_are_not_installed_say_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="npm ci"):
        latin_fonts("train", tmp_path)


def test_the_phones_own_characters_are_many_and_like_no_sign() -> None:
    characters = common_characters().characters
    assert len(characters) > 500
    assert not LIKE_SIGNS & set(characters)


def test_every_font_is_installed_from_the_lock_without_a_registry_in_it() -> None:
    wanted = json.loads((HERE / "package.json").read_text())["dependencies"]
    lock = (HERE / "package-lock.json").read_text()
    used = {*CHINESE, *(name for names in LATIN.values() for name in names)}
    assert set(wanted) == {f"@fontsource/{name}" for name in used}
    assert set(wanted) == set(json.loads(lock)["packages"][""]["dependencies"])
    assert "resolved" not in lock
    assert not set(LATIN["train"]) & set(LATIN["holdout"])


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_equal_seeds_give_equal_crops(seed: int) -> None:
    signs = list(controls(np.random.default_rng(3), 1))
    texts = [raster for text in ("A", "8", "Go") if (raster := drawn_text(text, ROBOTO)) is not None]
    labels = np.repeat([0, 1], [len(signs), len(texts)])
    part = Drawings([*signs, *texts], labels, NAMES)
    crops, numbers = Halves(part, seed).batch(12)
    again, _ = Halves(part, seed).batch(12)
    assert crops.shape == (12, SIDE, SIDE, 3)
    assert (crops == again).all()
    assert set(numbers.tolist()) <= {0, 1}


def test_signs_and_letters_come_alike_often() -> None:
    signs = list(controls(np.random.default_rng(3), 5))
    text = drawn_text("A", ROBOTO)
    assert text is not None
    part = Drawings([*signs, text], np.repeat([0, 1], [len(signs), 1]), NAMES)
    assert abs(Halves(part, 1).batch(200)[1].mean() - 0.5) < 0.12
