"""Grounding DINO from a local folder finds what transformers itself says, and says what is wrong with a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor, BertConfig

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.icons.boxes import iou
from manyhands.actors.perception.icons.grounding_dino import GroundingDinoIconFinder, GroundingDinoIconSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.icons.drawn import page_of_icons
from tests.actors.perception.pictures import as_png, sample, screenshot_of, within

SIZES = [(270, 600), (600, 270)]


def finder(folder: Path, **given: object) -> GroundingDinoIconFinder:
    return GroundingDinoIconFinder(GroundingDinoIconSettings.model_validate({"folder": folder, **given}))


def page(size: tuple[int, int]) -> Rgb:
    return page_of_icons(*size)[0].rgb


def by_transformers(folder: Path, rgb: Rgb, words: str, threshold: float) -> list[tuple[float, Box]]:
    """What the package's own reading of the same network says, the surest first, clipped to the picture."""
    processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
    model = AutoModelForZeroShotObjectDetection.from_pretrained(folder, local_files_only=True).eval()
    given = processor(images=rgb, text=words, return_tensors="pt")
    with torch.inference_mode():
        found = model(**given)
    height, width = rgb.shape[:2]
    (read,) = processor.post_process_grounded_object_detection(
        found, given["input_ids"], threshold=threshold, target_sizes=[(height, width)]
    )
    corners = np.clip(np.rint(read["boxes"].numpy()), 0, [width, height] * 2).astype(int).tolist()
    boxes = [Box(x1=x1, y1=y1, x2=x2, y2=y2) for x1, y1, x2, y2 in corners]
    return sorted(zip(read["scores"].tolist(), boxes, strict=True), key=lambda one: -one[0])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("words", ["icon", "icon . button"])
def test_boxes_are_those_that_transformers_reads_but_each_place_once(
    weights: Path, size: tuple[int, int], words: str
) -> None:
    theirs = by_transformers(weights, page(size), f"{words} .", 0.5)
    ours = finder(weights, words=words, box_threshold=0.5, overlap=0.3).detect(page(size))
    assert ours
    assert [icon.confidence for icon in ours] == sorted((icon.confidence for icon in ours), reverse=True)
    for icon in ours:
        assert icon.kind == "icon"
        assert icon.content == ""
        assert any(_near(icon.box, box) and icon.confidence == pytest.approx(sure, abs=1e-4) for sure, box in theirs)
    for _, box in theirs:
        assert box.area == 0 or any(_near(icon.box, box) or iou(icon.box, box) > 0.25 for icon in ours)


def _near(one: Box, other: Box) -> bool:
    return np.abs(np.subtract([one.x1, one.y1, one.x2, one.y2], [other.x1, other.y1, other.x2, other.y2])).max() <= 1


def test_a_higher_threshold_leaves_the_surest(weights: Path) -> None:
    every = finder(weights, box_threshold=0.05).detect(page(SIZES[0]))
    middle = every[len(every) // 2].confidence
    some = finder(weights, box_threshold=middle).detect(page(SIZES[0]))
    assert 0 < len(some) < len(every)
    assert all(icon.confidence > middle for icon in some)


def test_what_is_looked_for_is_what_the_words_say(weights: Path) -> None:
    icons, buttons = (finder(weights, words=words).detect(page(SIZES[0])) for words in ("icon", "button"))
    assert [icon.confidence for icon in icons] != [icon.confidence for icon in buttons]
    assert finder(weights, words="Icon. ").detect(page(SIZES[0])) == icons


def test_what_is_a_text_is_no_icon_and_the_limit_holds(weights: Path) -> None:
    found = finder(weights).find(page(SIZES[0]), [])
    assert len(found) > 2
    text = Element(kind="text", box=found[0].box, content="a longer text", confidence=0.99)
    assert found[0] not in finder(weights).find(page(SIZES[0]), [text])
    assert finder(weights, limit=2).find(page(SIZES[0]), []) == found[:2]


@pytest.mark.parametrize("icon_finder", ["detector", "both"])
async def test_the_service_reads_texts_and_finds_icons(weights: Path, icon_finder: str) -> None:
    chosen = {"folder": weights, "box_threshold": 0.3}
    settings = PerceptionSettings.model_validate(
        {"workers": 2, "icon_finder": icon_finder, "icon_engine": "grounding_dino", "grounding_dino": chosen}
    )
    service = PerceptionService(settings)
    await service.start()
    try:
        rgb = sample("Battery")
        screen = await service.perceive(screenshot_of(rgb), as_png(rgb), within(100))
    finally:
        await service.stop()
    assert "Battery" in [element.content for element in screen.elements if element.kind == "text"]
    if icon_finder == "detector":
        assert any(element.kind == "icon" for element in screen.elements)


# ---------------------------------------------------------------------------- what is wrong with a folder
@pytest.fixture
def copied(weights: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(weights, tmp_path / "copied"))


def test_weights_that_lack_a_part_are_refused_by_its_name(copied: Path) -> None:
    parts = load_file(copied / "model.safetensors")
    lost = next(name for name in parts if "encoder" in name and name.endswith("weight"))
    save_file(
        {name: part for name, part in parts.items() if name != lost}, copied / "model.safetensors", {"format": "pt"}
    )
    with pytest.raises(PerceptionError, match=r"lacks 1 of the network's weights, such as \S+"):
        finder(copied)


def test_another_network_is_refused_by_its_name(tmp_path: Path) -> None:
    BertConfig().save_pretrained(tmp_path)
    with pytest.raises(PerceptionError, match="holds a network 'bert', none of grounding-dino, mm-grounding-dino"):
        finder(tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "processor_config.json", "tokenizer.json"])
def test_a_file_that_is_missing_is_refused_with_the_folder(copied: Path, name: str) -> None:
    (copied / name).unlink()
    (copied / "vocab.txt").unlink(missing_ok=True)
    with pytest.raises(PerceptionError, match=rf"grounding_dino\.folder {copied}"):
        finder(copied)


def test_words_that_the_network_never_learned_are_refused(weights: Path) -> None:
    with pytest.raises(
        PerceptionError, match=r"does not know all of 'icon \. sprocket \.': change grounding_dino\.words"
    ):
        finder(weights, words="icon . sprocket")


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_damaged_file_is_refused_with_the_folder(copied: Path, name: str) -> None:
    (copied / name).write_bytes(b"{ damaged")
    with pytest.raises(PerceptionError, match=rf"grounding_dino\.folder {copied}"):
        finder(copied)


def test_a_folder_that_brings_code_is_not_run(copied: Path) -> None:
    config = json.loads((copied / "config.json").read_text())
    code = {"AutoConfig": "own.Own", "AutoModelForZeroShotObjectDetection": "own.Own"}
    (copied / "config.json").write_text(json.dumps(config | {"auto_map": code}))
    mark = copied / "ran"
    (copied / "own.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    finder(copied)
    assert not mark.exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there_is_named(weights: Path) -> None:
    with pytest.raises(PerceptionError, match="cannot be used on cuda"):
        finder(weights, device="cuda")
