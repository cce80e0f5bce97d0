"""The backends that settings name, for one worker after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from actors.frames import Rgb
from actors.perception.backends import Backends, IconFinder
from actors.perception.batching import Batcher
from actors.perception.icons.edges import EdgeIconFinder
from actors.perception.icons.ultralytics import UltralyticsIconFinder
from actors.perception.icons.yolo import YoloIconFinder
from actors.perception.recognition import BatchedRecognizer, recognition_batcher
from actors.perception.settings import PerceptionSettings
from actors.perception.text.engines import LineFinder, Reading, Recognizer
from actors.perception.text.rapid import RapidRecognizer, rapid_detector
from actors.perception.text.reader import LineReader, LineSettings


@dataclass(frozen=True, slots=True)
class _TextEngine:
    """What text engines differ in. Each call makes a network of its own."""

    finder: Callable[[], LineFinder]
    recognizer: Callable[[int], Recognizer]
    """By the crops of one shape that it is to recognise at once."""
    lines: LineSettings
    clock: Callable[[], float]
    """By which batch sizes are measured."""


def local_backends(settings: PerceptionSettings) -> Backends:
    """Of one worker that shares nothing. Raises PerceptionError where an engine or its models are missing."""
    engine = _text_engine(settings)
    text = LineReader(engine.finder(), engine.recognizer(1), engine.lines)
    return Backends(text=text, icons=_icon_finder(settings))


class LocalBackends:
    """Those of all workers of one service: they share a recognition network where batches pay.

    Pickles until it is first called.
    """

    def __init__(self) -> None:
        self._decided = False
        self._batcher: Batcher[Rgb, Reading] | None = None

    def __call__(self, settings: PerceptionSettings) -> Backends:
        """Not for two threads at a time. Raises what ``local_backends`` raises."""
        engine = _text_engine(settings)
        if not self._decided:
            self._batcher = recognition_batcher(engine.recognizer, settings.recognition, engine.clock)
            self._decided = True
        if self._batcher is None:
            return local_backends(settings)
        text = LineReader(engine.finder(), BatchedRecognizer(self._batcher), engine.lines)
        return Backends(text=text, icons=_icon_finder(settings), batchers=(self._batcher,))


def _text_engine(settings: PerceptionSettings) -> _TextEngine:
    rapid = settings.text
    return _TextEngine(
        finder=lambda: rapid_detector(rapid),
        recognizer=lambda size: RapidRecognizer(rapid, size),
        lines=rapid.lines,
        clock=time.process_time,
    )


def _icon_finder(settings: PerceptionSettings) -> IconFinder:
    if settings.icon_engine == "edges":
        return EdgeIconFinder(settings.edges)
    if settings.icon_engine == "yolo":
        return YoloIconFinder(settings.icons)
    return UltralyticsIconFinder(settings.icons)
