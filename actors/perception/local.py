"""The backends that run anywhere: RapidOCR and edges."""

from __future__ import annotations

import time

from actors.frames import Rgb
from actors.perception.backends import Backends
from actors.perception.batching import Batcher
from actors.perception.icons.edges import EdgeIconFinder
from actors.perception.recognition import BatchedRecognizer, recognition_batcher
from actors.perception.settings import PerceptionSettings
from actors.perception.text.engines import Reading
from actors.perception.text.rapid import RapidRecognizer, rapid_detector, rapid_reader
from actors.perception.text.reader import LineReader


def local_backends(settings: PerceptionSettings) -> Backends:
    """Of one worker that shares nothing."""
    return Backends(text=rapid_reader(settings.text), icons=EdgeIconFinder(settings.icons))


class LocalBackends:
    """Makes those of one worker after the other, for one service; they share a network where batches pay.

    Pickles until it is first called.
    """

    def __init__(self) -> None:
        self._decided = False
        self._batcher: Batcher[Rgb, Reading] | None = None

    def __call__(self, settings: PerceptionSettings) -> Backends:
        """Not for two threads at a time. Raises PerceptionError where there is no RapidOCR or model."""
        if not self._decided:
            self._batcher = recognition_batcher(
                lambda size: RapidRecognizer(settings.text, batch=size), settings.recognition, time.process_time
            )
            self._decided = True
        if self._batcher is None:
            return local_backends(settings)
        text = LineReader(rapid_detector(settings.text), BatchedRecognizer(self._batcher), settings.text.lines)
        return Backends(text=text, icons=EdgeIconFinder(settings.icons), batchers=(self._batcher,))
