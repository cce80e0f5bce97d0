"""Choose what a model is asked to click: texts and icons whose place on a screen is known."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from manyhands.actors.frames import ModelImage, Rgb, content_id, decode_jpeg, decode_png, encode_jpeg
from manyhands.benchmarks.model.recording import PromptRecording
from manyhands.evaluation.perception.labels import LabelledScreen, Rect, read_labels, rect_of
from manyhands.protocol.errors import BadInput, CaptureFailed
from manyhands.protocol.journals.records import ScreenCaptured
from manyhands.protocol.screens.geometry import Size

TargetKind = Literal["text", "icon"]
MOST_OF_SCREEN = 8
"""The most targets on one screen, so that a crowded screen does not outweigh the others."""
SHORTEST_TEXT = 2
LEAST_SIDE = 12.0
"""Boxes of fewer pixels on a side are left out: a finger cannot hit them."""


@dataclass(frozen=True, slots=True)
class TargetScreen:
    """Hold a screen on which targets lie."""

    name: str
    image: ModelImage
    size: Size


@dataclass(frozen=True, slots=True)
class ClickTarget:
    """Hold one thing to click."""

    screen: TargetScreen
    kind: TargetKind
    name: str
    box: Rect

    @property
    def description(self) -> str:
        """Return the target in words, for a question."""
        return f'the text "{self.name}"' if self.kind == "text" else f"the icon: {self.name}"


def labelled_targets(path: Path, most: int) -> tuple[ClickTarget, ...]:
    """Return targets of a file of labelled screens. Blocks. Raises BadInput.

    Minor labels are left out, and names that occur more than once on their screen.
    """
    return _choose((_of_screen(path.parent, screen) for screen in read_labels(path)), most)


def recorded_targets(recordings: Sequence[PromptRecording], most: int) -> tuple[ClickTarget, ...]:
    """Return texts that perception has read on recorded screens. Blocks. They are as right as that reading."""
    targets_by_screen: dict[str, list[ClickTarget]] = {}
    for recording in recordings:
        screens = _screens_of_steps(recording)
        for call in recording.calls:
            texts = [element for element in call.known.elements if element.kind == "text"]
            own = screens.get((call.episode, call.step))
            png = (
                recording.folder.screen_png(own) if texts and own is not None and own not in targets_by_screen else None
            )
            if own is not None and png is not None:
                screen = _screen(own, decode_png(png))
                targets_by_screen[own] = list(
                    _unique([ClickTarget(screen, "text", one.content, rect_of(one.box)) for one in texts])
                )
    return _choose(targets_by_screen.values(), most)


def _screens_of_steps(recording: PromptRecording) -> dict[tuple[str, int], str]:
    """Return the content id of the screenshot of each step of each episode."""
    return {
        (episode, record.step): record.screenshot.content_id
        for episode, scan in recording.folder.journals.items()
        for record in scan.records
        if isinstance(record, ScreenCaptured)
    }


def _of_screen(folder: Path, labelled: LabelledScreen) -> list[ClickTarget]:
    path = folder / labelled.file
    try:
        data = path.read_bytes()
        rgb = decode_jpeg(data) if data.startswith(b"\xff\xd8") else decode_png(data)
    except OSError as error:
        raise BadInput(f"--screens: {path}: {error.strerror or error}") from error
    except CaptureFailed as error:
        raise BadInput(f"--screens: {path}: {error}") from error
    height, width = rgb.shape[:2]
    if (width, height) != (labelled.width, labelled.height):
        raise BadInput(
            f"--screens: {path}: has {width} x {height} pixels, labelled {labelled.width} x {labelled.height}"
        )
    screen = _screen(labelled.file, rgb)
    texts = [ClickTarget(screen, "text", one.text, one.box) for one in labelled.texts if not one.minor]
    icons = [ClickTarget(screen, "icon", one.name, one.box) for one in labelled.icons if not one.minor]
    return list(_unique([*texts, *icons]))


def _screen(name: str, rgb: Rgb) -> TargetScreen:
    image = ModelImage(content_id=content_id(rgb), jpeg=encode_jpeg(rgb))
    return TargetScreen(name, image, Size(width=rgb.shape[1], height=rgb.shape[0]))


def _unique(targets: Sequence[ClickTarget]) -> Iterator[ClickTarget]:
    """Yield the targets that can be meant only once on their screen, and that a finger can hit."""
    names = Counter(target.name.casefold() for target in targets)
    for target in targets:
        is_large = min(target.box.x2 - target.box.x1, target.box.y2 - target.box.y1) >= LEAST_SIDE
        if names[target.name.casefold()] == 1 and len(target.name.strip()) >= SHORTEST_TEXT and is_large:
            yield target


def _choose(screens: Iterable[Sequence[ClickTarget]], most: int) -> tuple[ClickTarget, ...]:
    """Return ``most`` targets at most, the same ones each time: screens in turn, so that each has some."""
    draw = random.Random(0)
    by_screen = [draw.sample(list(targets), min(len(targets), MOST_OF_SCREEN)) for targets in screens]
    in_turn = [targets[number] for number in range(MOST_OF_SCREEN) for targets in by_screen if number < len(targets)]
    return tuple(in_turn[:most])
