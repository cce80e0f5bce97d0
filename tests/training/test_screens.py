"""Labelled screens without a browser: pages by their seed, icon sets, labels from what a page reported, pictures."""

from __future__ import annotations

import io
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from manyhands.protocol.errors import BadInput
from training.screens import labels, photos
from training.screens.grammar import Grammar, Page
from training.screens.kits import HERE, IconSet, Materials, stem
from training.screens.look import Phone

SQUARE = '<path fill="currentColor" d="M4 4h16v16H4z"/>'
NAMES = ["arrow-left", "chevron-right", "search", "more", "close", "home", "home-outline", "menu", "share", "star"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The project's own kits and roles over a few made icons, as npm would lay them out."""
    for name in ("kits.yaml", "roles.yaml"):
        (tmp_path / name).write_text((HERE / name).read_text())
    for name in yaml.safe_load((HERE / "kits.yaml").read_text())["sets"]:
        modules = tmp_path / "node_modules" / "@iconify-json" / name
        modules.mkdir(parents=True)
        icons = {icon: {"body": SQUARE} for icon in NAMES}
        (modules / "icons.json").write_text(json.dumps({"icons": icons, "width": 24, "height": 24}))
    return tmp_path


def page_of(folder: Path, number: int, seed: int = 5, holdout: bool = False) -> Page:
    return Grammar(seed, Materials(holdout, folder)).page(number)


# ---------------------------------------------------------------------------- pages
def test_a_page_depends_on_its_seed_and_number_only(folder: Path) -> None:
    grammar = Grammar(5, Materials(False, folder))
    in_order = [grammar.page(number).markup for number in range(6)]
    assert [page_of(folder, number).markup for number in reversed(range(6))] == in_order[::-1]
    assert len(set(in_order)) == 6
    assert page_of(folder, 0, seed=6).markup != in_order[0]


def test_pages_use_every_kit_both_themes_and_both_languages(folder: Path) -> None:
    grammar = Grammar(1, Materials(False, folder))
    pages = [grammar.page(number) for number in range(150)]
    assert {page.kit.name for page in pages} == {kit.name for kit in Materials(False, folder).kits}
    assert {page.dark for page in pages} == {True, False}
    assert {page.language for page in pages} == {"en", "zh"}
    assert any("launcher" in page.tag for page in pages)
    assert any("dialog" in page.tag for page in pages)
    assert any("mh-keys" in page.after for page in pages)


def test_every_icon_that_a_page_names_comes_with_it(folder: Path) -> None:
    for number in range(30):
        page = page_of(folder, number)
        named = set((page.before + page.markup + page.after).split('data-glyph="')[1:])
        assert {part.split('"')[0] for part in named} <= set(page.glyphs)


@given(st.integers())
def test_phones_are_phones(seed: int) -> None:
    phone = Phone.drawn(Random(seed))
    assert 360 <= phone.width <= 430
    assert 2 <= phone.density <= 3.5
    assert 1.8 < phone.height / phone.width < 2.3


# ---------------------------------------------------------------------------- the hold-out
def test_no_kit_and_no_icon_set_is_on_both_sides(folder: Path) -> None:
    ours, held = Materials(False, folder), Materials(True, folder)
    assert not {kit.name for kit in ours.kits} & {kit.name for kit in held.kits}
    assert not set(ours.sets) & set(held.sets)
    assert len(held.kits) >= 1
    assert len([one for one in held.sets.values() if one.use == "glyph"]) >= 2


def test_hold_out_pages_show_held_out_icons_only(folder: Path) -> None:
    held = Materials(True, folder)
    grammar = Grammar(3, held)
    for number in range(30):
        page = grammar.page(number)
        assert {key.split(":")[0] for key in page.glyphs} <= set(held.sets)
        assert page.kit in held.kits


def test_missing_packages_are_named_with_what_to_do(tmp_path: Path) -> None:
    for name in ("kits.yaml", "roles.yaml"):
        (tmp_path / name).write_text((HERE / name).read_text())
    with pytest.raises(BadInput, match="npm ci"):
        Materials(False, tmp_path)


# ---------------------------------------------------------------------------- icons
@pytest.mark.parametrize(
    "name", ["home-outline", "home-filled", "baseline-home", "home-24-regular", "home-bold", "home"]
)
def test_a_name_without_its_style(name: str) -> None:
    assert stem(name) == "home"


def test_icons_with_ids_do_not_share_them() -> None:
    body = '<defs><mask id="a"/></defs><path mask="url(#a)" d="M0 0h9v9z"/>'
    icons = IconSet("made", "glyph", {"one": {"body": body}, "two": {"body": body}})
    one, two = icons.icon("one").svg, icons.icon("two").svg
    assert 'id="madeonea"' in one
    assert "url(#madeonea)" in one
    assert "madeonea" not in two


# ---------------------------------------------------------------------------- labels
DENSITY = 2.0


def shot_of(page: Page, draw: list[tuple[tuple[int, int, int, int], str]], **found: Any) -> labels.Shot:
    """A white screen with rectangles, and what its page would have reported, in CSS pixels."""
    image = Image.new("RGB", (400, 800), "white")
    for box, colour in draw:
        ImageDraw.Draw(image).rectangle(box, fill=colour)
    out = io.BytesIO()
    image.save(out, "PNG")
    return labels.Shot(out.getvalue(), {"icons": [], "texts": [], "cut": [], "ignore": []} | found)


def icon(box: list[float], **more: Any) -> dict[str, Any]:
    return {
        "set": "ion",
        "raw": "home-outline",
        "box": box,
        "seen": box,
        "share": 1.0,
        "dimmed": 0.0,
        "minor": False,
    } | more


@pytest.fixture
def page(folder: Path) -> Page:
    from dataclasses import replace

    return replace(page_of(folder, 0), phone=Phone(200, 400, DENSITY))


def test_boxes_are_in_pixels_of_the_picture(page: Page) -> None:
    shot = shot_of(page, [((20, 40, 59, 79), "black")], icons=[icon([10, 20, 30, 40])], ignore=[[0, 0, 50.2, 9.9]])
    image = labels.label(page, shot, "a.png")
    assert image["icons"] == [{"name": "home outline", "box": [20, 40, 60, 80], "set": "ion", "raw": "home-outline"}]
    assert image["ignore"] == [[0, 0, 100, 20]]
    assert (image["width"], image["height"]) == (400, 800)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "whole"),
        ({"share": 0.8}, "minor"),
        ({"dimmed": 0.5}, "minor"),
        ({"minor": True}, "minor"),
        ({"share": 0.3}, "ignore"),
    ],
)
def test_what_is_hidden_or_dimmed_is_minor_and_mostly_hidden_is_ignored(
    page: Page, more: dict[str, Any], expected: str
) -> None:
    shot = shot_of(page, [((20, 40, 59, 79), "black")], icons=[icon([10, 20, 30, 40], **more)])
    image = labels.label(page, shot, "a.png")
    found = "ignore" if image["ignore"] else "minor" if image["icons"][0].get("minor") else "whole"
    assert found == expected
    assert len(image["icons"]) + len(image["ignore"]) == 1


def test_an_icon_in_the_colour_of_its_ground_is_no_label(page: Page) -> None:
    shot = shot_of(page, [((20, 40, 59, 79), "#fafafa")], icons=[icon([10, 20, 30, 40])])
    assert labels.label(page, shot, "a.png")["icons"] == []


@pytest.mark.parametrize(("colour", "box"), [("#3050d0", [100, 100, 180, 180]), ("#fcfcfc", [120, 120, 160, 160])])
def test_a_tile_is_labelled_whole_and_a_pale_one_by_its_glyph(page: Page, colour: str, box: list[int]) -> None:
    drawn = [((100, 100, 179, 179), colour), ((120, 120, 159, 159), "black")]
    shot = shot_of(page, drawn, icons=[icon([50, 50, 90, 90], ink=[60, 60, 80, 80])])
    assert labels.label(page, shot, "a.png")["icons"][0]["box"] == box


def test_the_smallest_three_dots_stay_and_specks_go(page: Page) -> None:
    drawn = [((100, 100, 103, 127), "black"), ((200, 200, 203, 203), "black")]
    shot = shot_of(page, drawn, icons=[icon([50, 50, 52, 64]), icon([100, 100, 102, 102])])
    assert [row["box"] for row in labels.label(page, shot, "a.png")["icons"]] == [[100, 100, 104, 128]]


def test_labels_are_read_as_they_were_written(page: Page, tmp_path: Path) -> None:
    line = {
        "text": " 订单  12 ",
        "box": [10, 20, 60, 30],
        "seen": [10, 20, 60, 30],
        "share": 1,
        "dimmed": 0,
        "minor": False,
    }
    image = labels.label(page, shot_of(page, [((20, 40, 119, 59), "black")], texts=[line]), "a.png")
    assert image["texts"] == [{"text": "订单 12", "box": [20, 40, 120, 60]}]
    labels.write(tmp_path / "labels.json", [image])
    assert labels.read(tmp_path / "labels.json") == [image]
    assert labels.read(tmp_path / "none.json") == []


# ---------------------------------------------------------------------------- pictures
@pytest.mark.parametrize("draw", [photos.photo, photos.code])
def test_pictures_differ_by_seed_and_are_the_same_for_one(draw: Any) -> None:
    assert draw(7) == draw(7)
    assert len({draw(seed) for seed in range(8)}) == 8
    rgb = np.asarray(Image.open(io.BytesIO(draw(7))))
    assert rgb.shape[2] == 3
    assert rgb.std() > 1
