"""Reading one frame, start to end, on a worker's thread."""

from __future__ import annotations

import time
from dataclasses import dataclass

from actors.frames import Frame
from actors.perception.arrangement import merge
from actors.perception.backends import Backends
from actors.perception.keyboard import keyboard_shown
from protocol.errors import ManyhandsError, PerceptionError
from protocol.geometry import Size
from protocol.screens import Element


@dataclass(frozen=True, slots=True)
class Content:
    """What pixels hold, whatever a phone says of them. ``timings_ms``: queue, decode, text, icons, merge."""

    elements: tuple[Element, ...]
    keyboard_in_pixels: bool
    timings_ms: dict[str, float]


class Stopwatch:
    """Milliseconds between calls of ``lap``, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now


def read_frame(backends: Backends, frame: Frame, size: Size, watch: Stopwatch) -> Content:
    """Raises PerceptionError: for a damaged frame, one of another size, and whatever a backend raises."""
    try:
        rgb = frame.rgb()
        watch.lap("decode")
        if rgb.shape != (size.height, size.width, 3):
            raise PerceptionError(f"the frame has shape {rgb.shape}, its screenshot says {size.width}x{size.height}")
        texts = backends.text.read(rgb)
        watch.lap("text")
        icons = backends.icons.find(rgb, texts)
        watch.lap("icons")
    except PerceptionError:
        raise
    except ManyhandsError as error:
        raise PerceptionError(f"the frame cannot be read: {error}") from error
    except Exception as error:  # engines raise types of their own, and OpenCV's
        raise PerceptionError(f"a perception backend failed: {type(error).__name__}: {error}") from error
    elements = merge(texts, icons)
    shown = keyboard_shown(texts, size)
    watch.lap("merge")
    return Content(elements, shown, watch.laps)
