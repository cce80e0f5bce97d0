"""Which icons get which name, the crops that are learned from, how answers are counted. Nothing here needs torch."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.icons.icon_namer import WEIGHTS, NameSettings, OnnxIconNamer
from manyhands.actors.perception.onnx import SIDE
from training.names.classes import CLASSES as CLASSES_FILE
from training.names.classes import OTHER, Classes
from training.names.crops import CropMaker
from training.names.drawings import controls, letters
from training.names.icon_sets import IconSet, icon_sets, icons_of
from training.names.measure import Answers
from training.names.rasters import Raster
from training.names.samples import CHOICES, drawings

CLASSES = Classes.load()
PERMISSIVE = {"MIT", "Apache-2.0", "ISC", "CC0-1.0"}


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("magnifying-glass-bold", "search"),
        ("search-24-regular", "search"),
        ("outline-arrow-back-ios", "chevron left"),
        ("arrow-left", "back"),
        ("dots-vertical", "more"),
        ("ellipsis-vertical-circle", "more"),
        ("plus-circle-outline", "add"),
        ("baseline-shopping-cart", "cart"),
        ("heart-fill", "heart"),
        ("wifi-strength-4", "wifi"),
        ("battery-80", "battery"),
        ("toggle-on", "switch on"),
        ("gear-six-duotone", "settings"),
    ],
)
def test_names_of_sets_get_their_class(name: str, label: str) -> None:
    assert CLASSES.of("mdi", name) == label


@pytest.mark.parametrize("name", ["giraffe", "microscope", "volcano-outline"])
def test_what_has_none_of_our_names_is_other(name: str) -> None:
    assert CLASSES.of("mdi", name) == OTHER


@pytest.mark.parametrize("name", ["heart-broken", "bell-badge-outline", "cart-remove", "folder-zip"])
def test_what_is_too_like_a_class_is_left_out(name: str) -> None:
    assert CLASSES.of("mdi", name) is None


def test_names_that_mislead_in_one_set_are_left_out_there() -> None:
    assert CLASSES.of("hugeicons", "arrow-left-01") is None
    assert CLASSES.of("lucide", "arrow-left-01") == "back"


def test_there_are_enough_names_and_each_is_plain_words() -> None:
    assert len(CLASSES.names) > 80
    assert CLASSES.names[-1] == OTHER
    assert all(re.fullmatch(r"[a-z]+( [a-z]+)*", name) for name in CLASSES.names)


def test_the_shipped_weights_know_these_names() -> None:
    namer = OnnxIconNamer(NameSettings())
    assert namer.classifier.names == CLASSES.names
    assert 0.3 < namer.threshold < 1
    assert WEIGHTS.stat().st_size < 2 * 1024 * 1024


@given(st.text(alphabet="abcdefghijklmnop-_0123456789", min_size=1, max_size=30))
def test_plain_names_stay_as_they_are(name: str) -> None:
    words = CLASSES.plain(name)
    assert CLASSES.plain("-".join(words)) == words


def test_a_damaged_file_of_classes_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "classes.yaml"
    rest = "style_before: round\nstyle_after: fill\nframes: circle\ncommon: a\nexcept: {mdi: x}\n"
    path.write_text("classes: {search: '(('}\n" + rest)
    with pytest.raises(ValueError, match="'search'"):
        Classes.load(path)
    path.write_text("classes: {search: search}\n")
    with pytest.raises(ValueError, match="style_before"):
        Classes.load(path)


def test_sets_are_permissive_and_those_held_out_are_in_no_other_part() -> None:
    sets = icon_sets()
    assert {one.licence for one in sets} <= PERMISSIVE
    assert len({one.name for one in sets}) == len(sets)
    assert sum(one.use == "train" for one in sets) >= 6
    assert sum(one.use == "holdout" for one in sets) >= 2


def test_every_set_is_installed_from_the_lock_without_a_registry_in_it() -> None:
    folder = Path(__file__).parents[2] / "training" / "names"
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    lock = (folder / "package-lock.json").read_text()
    assert {f"@iconify-json/{one.name}" for one in icon_sets()} == set(wanted)
    assert set(wanted) == set(json.loads(lock)["packages"][""]["dependencies"])
    assert "resolved" not in lock


def a_set(folder: Path) -> IconSet:
    (folder / "tiny").mkdir()
    icons = {
        "search": {"body": '<path fill="currentColor" d="M0 0h9v9z"/>'},
        "giraffe": {"body": "<circle r='3'/>", "width": 32},
        "bell-off-2": {"body": "<g/>"},
        "heart": {"body": "<path d='M1 1h3z'/><animate/>"},
    }
    aliases = {"magnify": {"parent": "search"}, "back": {"parent": "search", "hFlip": True}, "zoo": {"parent": "none"}}
    (folder / "tiny" / "icons.json").write_text(json.dumps({"icons": icons, "aliases": aliases, "height": 24}))
    return IconSet("tiny", "train", "MIT")


def test_icons_of_a_set_have_a_class_and_are_whole_pictures(tmp_path: Path) -> None:
    found = {one.name: one for one in icons_of(a_set(tmp_path), CLASSES, 1, tmp_path)}
    assert {one.label for one in found.values()} == {"search", OTHER, "bell off"}
    assert len([one for one in found.values() if one.label == "search"]) == 1, "an alias is the same drawing"
    assert 'viewBox="0 0 32 24"' in found["giraffe"].svg
    searched = next(one for one in found.values() if one.label == "search")
    assert 'fill="#000"' in searched.svg


def test_a_set_that_is_not_installed_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="npm ci"):
        list(icons_of(IconSet("none", "train", "MIT"), CLASSES, 1, tmp_path))


@pytest.fixture
def choices(tmp_path: Path) -> Path:
    """What drawings are made by, but without icon sets: controls and letters are left."""
    folder = tmp_path / "choices"
    folder.mkdir()
    for name in CHOICES:
        shutil.copy(CLASSES_FILE.parent / name, folder)
    (folder / "sets.yaml").write_text("{}\n")
    return folder


def test_drawings_are_kept_until_what_they_are_made_by_changes(choices: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    first, again = (drawings("choose", 1, kept, choices) for _ in range(2))
    (file,) = kept.iterdir()
    assert [one.name for one in first.rasters] == [one.name for one in again.rasters]
    assert len(first.rasters) == len(first.labels) > 0
    for name in CHOICES:
        before = len(list(kept.iterdir()))
        with (choices / name).open("a") as changed:
            changed.write("\n")
        drawings("choose", 1, kept, choices)
        assert len(list(kept.iterdir())) == before + 1, name
    assert file.is_file()


def test_a_set_that_came_since_is_drawn_too(choices: Path, tmp_path: Path) -> None:
    drawings("choose", 1, tmp_path / "kept", choices)
    (choices / "sets.yaml").write_text("tiny: {use: choose, licence: MIT}\n")
    with pytest.raises(FileNotFoundError, match="tiny"):
        drawings("choose", 1, tmp_path / "kept", choices)


@pytest.fixture(scope="module")
def some() -> list[Raster]:
    random = np.random.default_rng(3)
    return [*controls(random, 3), *letters(random, 10)]


def test_crops_have_the_namers_shape_and_equal_seeds_give_equal_crops(some: list[Raster]) -> None:
    one, other = CropMaker(4, some), CropMaker(4, some)
    crops = np.array([one.crop(raster) for raster in some] + [one.photo_bit()])
    again = np.array([other.crop(raster) for raster in some] + [other.photo_bit()])
    assert crops.shape == (len(some) + 1, SIDE, SIDE, 3)
    assert crops.dtype == np.uint8
    assert (crops == again).all()
    assert (crops != np.array([CropMaker(5, some).crop(raster) for raster in [*some, some[0]]])).any()


def test_drawings_as_thin_as_a_line_can_be_drawn() -> None:
    lines = [
        Raster("drawn", name, OTHER, np.full(shape, 255, np.uint8)) for name, shape in (("|", (96, 2)), ("-", (2, 96)))
    ]
    maker = CropMaker(2, lines)
    assert {maker.crop(line).shape for line in lines * 150} == {(SIDE, SIDE, 3)}


def test_an_icon_can_be_seen_in_its_crop(some: list[Raster]) -> None:
    maker = CropMaker(1, some)
    seen = [np.ptp(maker.crop(raster)[6:26, 6:26].mean(axis=2)) for raster in some * 8]
    assert np.quantile(seen, 0.1) > 30


def answers(rows: list[tuple[float, float, float]], labels: list[int]) -> Answers:
    return Answers(np.array(rows, np.float32), np.array(labels), ("add", "back", OTHER))


def test_figures_count_names_given_and_names_right() -> None:
    four = answers([(0.9, 0.1, 0), (0.6, 0.3, 0.1), (0.2, 0.7, 0.1), (0.1, 0.1, 0.8)], [0, 1, 1, 2])
    figures = four.figures(0.5)
    assert (figures.icons, figures.right, figures.named) == (4, pytest.approx(2 / 3), 0.75)
    assert figures.precision == pytest.approx(2 / 3)
    strict = four.figures(0.65)
    assert (strict.named, strict.precision) == (0.5, 1.0)
    assert four.by_name(0.65)["back"].named == 0.5


def test_the_threshold_is_the_least_at_which_enough_is_right() -> None:
    four = answers([(0.9, 0.1, 0), (0.6, 0.3, 0.1), (0.2, 0.7, 0.1), (0.52, 0.0, 0.48)], [0, 1, 1, 2])
    threshold = four.threshold_for(0.9, 0.25)
    assert 0.6 <= threshold <= 0.62
    assert four.figures(threshold, 0.25).precision == 1.0
    assert answers([(0.999, 0, 0)], [1]).threshold_for(0.9, 0.0) == 0.99
