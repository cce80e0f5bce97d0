"""``manyhands perceive`` as people call it, with the real engine on drawn pictures."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from manyhands.actors.frames import decode_jpeg, encode_jpeg
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.perception.drawing import COLOURS, draw_elements, prepare_drawings
from manyhands.deploy.perception.reader import PictureReader
from manyhands.protocol.errors import BadInput, Overloaded
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.pictures import Page
from tests.deploy.command_line.called import manyhands

SIZE = (540, 960)
TEXTS = {"Airplane mode": (60, 120), "Bluetooth": (60, 260)}
SWITCH = (430, 250, 500, 300)


def page() -> tuple[Page, dict[str, list[int]]]:
    """A page of settings, and the boxes of its ink."""
    made = Page(*SIZE)
    boxes = {text: list(made.text(text, at, 36)) for text, at in TEXTS.items()}
    made.draw.ellipse(SWITCH, fill=(30, 90, 200))
    return made, boxes


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    folder = tmp_path / "shots"
    folder.mkdir()
    made, boxes = page()
    Image.fromarray(made.rgb).save(folder / "settings.png")
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(made.rgb).transpose(Image.Transpose.ROTATE_90).save(folder / "turned.jpg", quality=95, exif=exif)
    (folder / "broken.png").write_bytes((folder / "settings.png").read_bytes()[:500])
    images = [
        {
            "file": name,
            "width": SIZE[0],
            "height": SIZE[1],
            "texts": [{"text": text, "box": box} for text, box in boxes.items()],
            "icons": [{"name": "switch", "box": SWITCH}],
        }
        for name in ("settings.png", "turned.jpg")
    ]
    (folder / "labels.json").write_text(json.dumps({"images": images}))
    return folder


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_text("perception: {names: {weights: gone.onnx}, remembered: 9}\nperception_threads: 2\n")
    return path


def perceive(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return manyhands("perceive", *arguments)


def texts_of(image: dict[str, Any]) -> list[str]:
    return [element["content"] for element in image["elements"] if element["kind"] == "text"]


def test_a_folder_is_read_and_drawn_and_what_cannot_be_read_is_said(shots: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    done = perceive(shots, "--json", "--draw", drawn)
    assert done.returncode == 1
    assert [line.rsplit("/", 1)[-1] for line in done.stderr.splitlines()] == [
        "broken.png",
        "settings.png",
        "turned.jpg",
    ]
    told = json.loads(done.stdout)
    broken, settings, turned = told["images"]
    assert (broken["code"], broken["elements"]) == ("bad_input", [])
    assert "broken.png" in broken["error"]
    assert texts_of(settings) == texts_of(turned) == list(TEXTS)
    assert settings["size"] == turned["size"] == list(SIZE)
    (icon,) = (element for element in settings["elements"] if element["kind"] == "icon")
    assert np.abs(np.subtract(icon["box"], SWITCH)).max() <= 8
    assert set(icon) == {"kind", "content", "name", "box", "confidence", "words"}
    (title,) = (element for element in settings["elements"] if element["content"] == "Airplane mode")
    assert [word["content"] for word in title["words"]] == ["Airplane", "mode"]
    assert title["words"][0]["box"][0] == title["box"][0] < title["words"][1]["box"][0] < title["box"][2]
    assert settings["seconds"] == pytest.approx(sum(settings["timings_ms"].values()) / 1000)
    assert {"decode", "text", "icons"} <= set(settings["timings_ms"])
    assert settings["cpu_seconds"] > 0
    assert told["memory_mb"] > 50
    assert sorted(path.name for path in drawn.iterdir()) == ["settings.png", "turned.png"]
    before = np.asarray(Image.open(shots / "settings.png"))
    after = np.asarray(Image.open(drawn / "settings.png"))
    assert after.shape == before.shape
    assert (after != before).any()


def test_texts_and_a_table(shots: Path) -> None:
    for name, size in (("dot.png", (1, 1)), ("line.png", (1080, 1))):
        Image.new("RGB", size, (90, 90, 90)).save(shots / name)
    done = perceive(
        shots / "settings.png", shots / "turned.jpg", shots / "dot.png", shots / "line.png", "--workers", "2"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Airplane mode") == 2
    assert "540x960, 3 elements, keyboard hidden" in done.stdout
    assert "dot.png: 1x1, 0 elements" in done.stdout
    assert "line.png: 1080x1, 0 elements" in done.stdout
    assert done.stdout.index("settings.png") < done.stdout.index("turned.jpg")


def test_labelled_pictures_are_scored(shots: Path) -> None:
    done = perceive("--score", shots / "labels.json", "--json")
    assert done.returncode == 0, done.stderr
    score = json.loads(done.stdout)["score"]
    assert [row["score"]["file"] for row in score["screens"]] == ["settings.png", "turned.jpg"]
    assert (score["shares"]["text_exact"], score["shares"]["icon_recall"]) == (1, 1)
    assert score["box_errors_px"]["icon_centre"]["p50"] < 5
    assert {"text", "icons", "total", "cpu"} <= set(score["stages_ms"])
    assert score["memory_mb"] > 50


def test_pictures_are_read_with_the_engines_of_the_settings(shots: Path, config: Path) -> None:
    done = perceive(shots / "settings.png", "--config", config)
    assert done.returncode == 2, "no such weights: bad input"
    assert "gone.onnx" in done.stderr
    config.write_text(config.read_text().replace("weights: gone.onnx", "on: false"))
    done = perceive(shots / "settings.png", "--config", config, "--json")
    assert done.returncode == 0, done.stderr
    used = json.loads(done.stdout)["settings"]
    assert (used["names"]["on"], used["workers"]) == (False, 2)
    assert (used["remembered"], used["incremental"]["on"]) == (0, False), "files are no phone's history"


def test_a_drawing_that_cannot_be_written_loses_nothing_of_what_was_read(shots: Path, tmp_path: Path) -> None:
    (tmp_path / "drawn" / "settings.png").mkdir(parents=True)
    done = perceive(shots / "settings.png", shots / "turned.jpg", "--json", "--draw", tmp_path / "drawn")
    assert done.returncode == 1
    settings, turned = json.loads(done.stdout)["images"]
    assert texts_of(settings) == texts_of(turned) == list(TEXTS)
    assert "settings.png: Is a directory" in settings["drawing_error"]
    assert (settings["drawing"], settings["error"], turned["drawing_error"]) == (None, None, None)
    assert Path(turned["drawing"]).is_file()


def test_a_labelled_picture_that_is_not_there_was_found_empty(shots: Path) -> None:
    (shots / "turned.jpg").unlink()
    done = perceive("--score", shots / "labels.json", "--json")
    assert done.returncode == 1, done.stderr
    there, gone = json.loads(done.stdout)["score"]["screens"]
    assert (there["shares"]["text_exact"], gone["shares"]["text_exact"]) == (1, 0)
    assert "turned.jpg: No such file" in gone["error"]
    (shots / "settings.png").unlink()
    assert perceive("--score", shots / "labels.json").returncode == 2


async def test_a_picture_that_the_service_refuses_is_an_answer_too(shots: Path) -> None:
    async with PictureReader(PerceptionSettings(workers=1, waiting=0)) as reader:
        found = await asyncio.gather(reader.read(shots / "settings.png"), reader.read(shots / "turned.jpg"))
    assert [type(read.error) for read in found] == [type(None), Overloaded]


async def test_with_jpeg_the_pixels_are_those_that_come_from_a_site(shots: Path) -> None:
    async with PictureReader(PerceptionSettings(), jpeg=True) as reader:
        read = await reader.read(shots / "settings.png")
    drawn = np.asarray(Image.open(shots / "settings.png").convert("RGB"))
    assert read.rgb is not None
    assert np.array_equal(read.rgb, decode_jpeg(encode_jpeg(drawn)))
    assert not np.array_equal(read.rgb, drawn)
    assert read.screen is not None
    assert [element.content for element in read.screen.elements if element.kind == "text"] == list(TEXTS)


def test_a_score_is_a_table_with_what_was_missed(shots: Path) -> None:
    labels = json.loads((shots / "labels.json").read_text())
    labels["images"][0]["texts"].append({"text": "Not there", "box": [10, 800, 90, 830]})
    labels["images"][1]["width"] = 1080
    (shots / "labels.json").write_text(json.dumps(labels))
    done = perceive(shots / "settings.png", shots / "turned.jpg", "--score", shots / "labels.json")
    assert done.returncode == 1, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["settings.png", "3", "66.7", "66.7", "100.0", "1", "100.0"] in [row[:7] for row in rows]
    assert ["settings.png", "text", "Not", "there"] in rows
    assert ["turned.jpg", "2", "0.0"] in [row[:3] for row in rows]
    assert "its label says 1080x960" in done.stdout
    assert "memory: " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "name screenshots"),
        (("{shots}/gone.png",), "gone.png: No such file"),
        (("{shots}/../empty",), "no pictures in this folder"),
        (("{shots}", "--draw", "{shots}"), "holds pictures that are to be read"),
        (("{shots}", "--draw", "{shots}/settings.png"), "--draw"),
        (("--score", "{shots}/gone.json"), "gone.json: No such file"),
        (("--score", "{shots}/settings.png"), "no labels"),
        (("{shots}/broken.png", "--score", "{shots}/labels.json"), "none of these pictures is labelled"),
        (("{shots}", "--config", "{shots}/../misspelt.yaml"), "did you mean 'text_engine'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_read(shots: Path, arguments: tuple[str, ...], reason: str) -> None:
    (shots.parent / "empty").mkdir()
    (shots.parent / "misspelt.yaml").write_text("perception: {text_engin: rapid}\n")
    done = perceive(*(argument.format(shots=shots) for argument in arguments))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert reason in line


# ---------------------------------------------------------------------------- drawings
def test_drawings_have_boxes_in_two_colours_and_touch_nothing_far_away(tmp_path: Path) -> None:
    rgb = np.full((200, 300, 3), 255, np.uint8)
    elements = [
        Element(kind="text", box=Box(x1=20, y1=60, x2=120, y2=90), content="Wi-Fi", confidence=1),
        Element(kind="icon", box=Box(x1=200, y1=60, x2=240, y2=100), content="gear", confidence=1),
        Element(kind="icon", box=Box(x1=0, y1=0, x2=0, y2=0), content="设置", confidence=1),
    ]
    draw_elements(rgb, elements, tmp_path / "one.png")
    drawn = np.asarray(Image.open(tmp_path / "one.png"))
    assert (drawn[60, 70] == COLOURS["text"]).all()
    assert (drawn[99, 220] == COLOURS["icon"]).all()
    assert (drawn[75, 70] == 255).all()
    assert (drawn[150:, :] == 255).all()
    assert (rgb == 255).all()


def test_drawings_of_the_same_name_do_not_meet(tmp_path: Path) -> None:
    pictures = [tmp_path / "a" / "one.png", tmp_path / "b" / "one.jpg", tmp_path / "b" / "two.png"]
    drawings = prepare_drawings(tmp_path / "out", pictures)
    assert [path.name for path in drawings.values()] == ["one.png", "one-2.png", "two.png"]
    with pytest.raises(BadInput, match="holds pictures"):
        prepare_drawings(tmp_path / "b", pictures)


def test_nothing_is_drawn_over_what_a_link_leads_to(tmp_path: Path) -> None:
    for name in ("elsewhere", "drawn", "links"):
        (tmp_path / name).mkdir()
    original = tmp_path / "elsewhere" / "one.png"
    Image.new("RGB", (8, 8)).save(original)
    (tmp_path / "links" / "one.png").symlink_to(original)
    with pytest.raises(BadInput, match="holds pictures"):
        prepare_drawings(tmp_path / "links", [tmp_path / "links" / "one.png"])
    with pytest.raises(BadInput, match="is a link"):
        prepare_drawings(tmp_path / "links", [original])
    assert prepare_drawings(tmp_path / "drawn", [tmp_path / "links" / "one.png"])
