"""Icons by their likeness to a description, with a tiny CLIP: trained weights are not run here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from manyhands.actors.perception.grounding.clip import LONGEST, ClipMatcher, ClipTokens
from manyhands.actors.perception.grounding.locate import locate
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, LocateQuery, Screen
from tests.actors.perception.grounding.tiny_clip import write

SIZE = Size(width=300, height=300)
PLACES = {"red": (10, 10), "lime": (130, 130), "blue": (250, 250)}


def picture() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    rgb = np.zeros((300, 300, 3), np.uint8)
    for channel, (x, y) in enumerate(PLACES.values()):
        rgb[y : y + 40, x : x + 40, channel] = 255
    return rgb


def box(colour: str) -> Box:
    x, y = PLACES[colour]
    return Box(x1=x, y1=y, x2=x + 40, y2=y + 40)


def screen() -> Screen:
    """Icons without a name."""
    icons = tuple(Element(kind="icon", box=box(colour), content="", confidence=1) for colour in PLACES)
    return Screen(content_id="0" * 32, size=SIZE, elements=icons, keyboard="hidden")


@pytest.mark.parametrize("colour", PLACES)
def test_the_likest_icon_comes_first_and_says_so(tmp_path: Path, colour: str) -> None:
    matcher = ClipMatcher(write(tmp_path))
    query = LocateQuery(kind="icon", words=f"A {colour.upper()} icon!")
    found = locate(screen(), query, picture, matcher).matches
    assert found[0].element.box == box(colour)
    assert found[0].ways == ("likeness",)
    assert sum(one.score for one in found) == pytest.approx(1, abs=1e-3)


def test_only_icons_at_the_place_are_compared(tmp_path: Path) -> None:
    matcher = ClipMatcher(write(tmp_path))
    query = LocateQuery(kind="icon", words="red", position="bottom right")
    (first, *_) = locate(screen(), query, picture, matcher).matches
    assert first.element.box != box("red")
    assert first.ways == ("likeness", "position")
    alone = screen().model_copy(update={"elements": screen().elements[:1]})
    assert locate(alone, query, picture, matcher).matches == ()


def test_any_weights_of_that_shape_give_shares(tmp_path: Path) -> None:
    vocabulary = json.loads((write(tmp_path) / "tokenizer.json").read_text())["model"]["vocab"]
    words = np.random.default_rng(0).normal(size=(len(vocabulary), 3)).astype(np.float32)
    matcher = ClipMatcher(write(tmp_path, words))
    boxes = [box(colour) for colour in PLACES] * 7
    shares = matcher.likeness(picture(), boxes, "a purple bell 图标")
    assert shares.shape == (21,)
    assert float(shares.sum()) == pytest.approx(1, abs=1e-3)
    assert matcher.likeness(picture(), [], "red").shape == (0,)
    with pytest.raises(PerceptionError, match="lies outside its picture"):
        matcher.likeness(picture(), [Box(x1=400, y1=0, x2=410, y2=9)], "red")


def test_texts_are_tokens_between_start_and_end(tmp_path: Path) -> None:
    file = write(tmp_path) / "tokenizer.json"
    vocabulary = json.loads(file.read_text())["model"]["vocab"]
    tokens = ClipTokens(file)
    start, end = vocabulary["<|startoftext|>"], vocabulary["<|endoftext|>"]
    assert tokens.of("Red  blue") == [start, vocabulary["red</w>"], vocabulary["blue</w>"], end]
    assert tokens.of("rex") == [start, vocabulary["re"], vocabulary["x</w>"], end]
    assert len(tokens.of("red " * 100)) == LONGEST


async def test_what_is_no_clip_is_refused_when_the_service_starts(tmp_path: Path) -> None:
    whole = write(tmp_path / "clip")
    (whole / "text_model.onnx").unlink()
    with pytest.raises(PerceptionError, match=r"there is no network at .*text_model\.onnx"):
        ClipMatcher(whole)
    other = write(tmp_path / "other", output="hidden")
    with pytest.raises(PerceptionError, match="no output image_embeds; it has hidden"):
        ClipMatcher(other).likeness(picture(), [box("red")], "red")
    (other / "preprocessor_config.json").write_text('{"size": "large"}')
    with pytest.raises(PerceptionError, match="does not say how CLIP's pictures are prepared"):
        ClipMatcher(other)
    settings = PerceptionSettings.model_validate({"clip": {"folder": str(tmp_path / "nothing")}, "workers": 1})
    with pytest.raises(PerceptionError, match="is no tokenizer of CLIP"):
        await PerceptionService(settings).start()
