"""Make the backends that the settings name, for one worker after another."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.backends import Backends, IconFinder, IconNamer
from manyhands.actors.perception.batching import Batcher
from manyhands.actors.perception.icons.combined import CombinedIconFinder, Detector
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.icons.grounding_dino import (
    GroundingDinoIconFinder,
)
from manyhands.actors.perception.icons.icon_namer import OnnxIconNamer
from manyhands.actors.perception.icons.ultralytics import UltralyticsIconFinder
from manyhands.actors.perception.icons.yolo import YoloIconFinder
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.engines import (
    BatchedRecognizer,
    LineFinder,
    RecognizedText,
    Recognizer,
    recognition_batcher,
)
from manyhands.actors.perception.text.normalization import GapJudge
from manyhands.actors.perception.text.paddle import PaddleLineFinder, PaddleRecognizer
from manyhands.actors.perception.text.rapid import RapidRecognizer, rapid_detector
from manyhands.actors.perception.text.reader import LineReader, LineSettings
from manyhands.actors.perception.text.signs import sign_judge


@dataclass(frozen=True, slots=True)
class _TextEngine:
    """Hold what differs between text engines. Each call makes a new network."""

    finder: Callable[[], LineFinder]
    recognizer: Callable[[int], Recognizer]
    """Make a recognizer. The argument is the number of crops of one shape that it recognizes at once."""
    lines: LineSettings
    clock: Callable[[], float]
    """The clock for measuring batch sizes."""


def local_backends(settings: PerceptionSettings) -> Backends:
    """Make the backends of one worker that shares nothing. Raises PerceptionError without an engine or a model."""
    engine = _text_engine(settings)
    text = LineReader(engine.finder(), engine.recognizer(1), engine.lines)
    return Backends(text, _icon_finder(settings), _icon_namer(settings))


class LocalBackends:
    """Make the backends of all workers of one service. They share a recognition network if batches pay.

    Can be pickled until it is first called.
    """

    def __init__(self) -> None:
        self._decided = False
        self._batcher: Batcher[Rgb, RecognizedText] | None = None

    def __call__(self, settings: PerceptionSettings) -> Backends:
        """Make one worker's backends. Not thread-safe. Raises the errors of ``local_backends``."""
        engine = _text_engine(settings)
        finder, icons, names = engine.finder(), _icon_finder(settings), _icon_namer(settings)
        judge, gaps = sign_judge(engine.lines.signs), GapJudge(engine.lines.split)
        if not self._decided:  # The batcher is made last: if something else cannot be made, no thread is left behind.
            self._batcher = recognition_batcher(engine.recognizer, settings.recognition, engine.clock)
            self._decided = True
        if self._batcher is None:
            return Backends(LineReader(finder, engine.recognizer(1), engine.lines, judge, gaps), icons, names)
        text = LineReader(finder, BatchedRecognizer(self._batcher), engine.lines, judge, gaps)
        return Backends(text, icons, names, batcher=self._batcher)


def _text_engine(settings: PerceptionSettings) -> _TextEngine:
    if settings.text_engine == "rapid":
        rapid = settings.text
        return _TextEngine(
            finder=lambda: rapid_detector(rapid),
            recognizer=lambda size: RapidRecognizer(rapid, size),
            lines=rapid.lines,
            clock=time.process_time,
        )
    paddle = settings.paddle
    return _TextEngine(
        finder=lambda: PaddleLineFinder(paddle),
        recognizer=lambda size: PaddleRecognizer(paddle.model_copy(update={"batch_size": size})),
        lines=paddle.lines,
        clock=time.process_time if paddle.device.startswith("cpu") else time.perf_counter,
    )


def _icon_finder(settings: PerceptionSettings) -> IconFinder:
    if settings.icon_finder == "edges":
        return EdgeIconFinder(settings.edges)
    if settings.icon_finder == "detector":
        return _detector(settings)
    least = settings.both.least
    icons = settings.icons.model_copy(update={"confidence": least})
    dino = settings.grounding_dino.model_copy(update={"box_threshold": least})
    lowered = settings.model_copy(update={"icons": icons, "grounding_dino": dino})
    return CombinedIconFinder(_detector(lowered), EdgeIconFinder(settings.edges), settings.both)


class _IconDetector(IconFinder, Detector, Protocol):
    """Find icons by a detector, with regard to texts or without."""


def _detector(settings: PerceptionSettings) -> _IconDetector:
    if settings.icon_engine == "grounding_dino":
        return GroundingDinoIconFinder(settings.grounding_dino)
    return YoloIconFinder(settings.icons) if settings.icon_engine == "yolo" else UltralyticsIconFinder(settings.icons)


def _icon_namer(settings: PerceptionSettings) -> IconNamer | None:
    """Make the namer. Return None if names are off."""
    return OnnxIconNamer(settings.names) if settings.names.on else None
