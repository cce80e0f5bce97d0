"""Make whole text readers of one engine."""

from __future__ import annotations

from manyhands.actors.perception.text.paddle import PaddleLineFinder, PaddleRecognizer, PaddleTextSettings
from manyhands.actors.perception.text.rapid import RapidRecognizer, RapidTextSettings, rapid_detector
from manyhands.actors.perception.text.reader import LineReader


def rapid_reader(settings: RapidTextSettings) -> LineReader:
    return LineReader(rapid_detector(settings), RapidRecognizer(settings), settings.lines)


def paddle_reader(settings: PaddleTextSettings) -> LineReader:
    return LineReader(PaddleLineFinder(settings), PaddleRecognizer(settings), settings.lines)
