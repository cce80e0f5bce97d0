"""Read pictures of a phone's ``screencap``, check that they are whole, and learn which form the phone returns faster.

A lost phone looks like the end of the output. So both forms are checked to be complete: a PNG by its last chunk, a raw
frame by its length. An incomplete picture is an error, never a picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np

from manyhands.actors.frames import Frame, Rgb
from manyhands.actors.phones.adb.errors import NoPicture
from manyhands.protocol.errors import CaptureFailed

Form = Literal["png", "raw"]
FORMS: tuple[Form, Form] = ("raw", "png")
COMMANDS: dict[Form, str] = {"png": "screencap -p", "raw": "screencap"}

_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"
_MAX_PREAMBLE = 2048
"""Some phones with two displays print a warning before the picture."""
_RGBA_8888, _RGBX_8888 = 1, 2
_RAW_HEADERS = (12, 16)
"""Width, height and format; since Android 9 also the colour space. 32-bit little-endian numbers."""


def read_frame(form: Form, data: memoryview) -> Frame:
    """Return the lossless frame in ``screencap``'s whole output; a PNG unchanged, a raw frame as RGB.

    Raises CaptureFailed for anything that is not a whole picture.
    """
    return _read_png(data) if form == "png" else Frame("rgb", _read_raw(data))


def raw_bytes(width: int, height: int) -> int:
    """Return the length of a raw frame, to read it into one buffer."""
    return _RAW_HEADERS[-1] + 4 * width * height


def _read_png(data: memoryview) -> Frame:
    start = bytes(data[:_MAX_PREAMBLE]).find(_PNG_START)
    _refuse_words(data)
    if start < 0:
        raise CaptureFailed(f"screencap gave no PNG but {_excerpt(data)}")
    if bytes(data[-len(_PNG_END) :]) != _PNG_END:
        raise CaptureFailed(f"screencap gave a PNG that is cut off after {len(data)} bytes")
    return Frame("png", bytes(data[start:]))


def _read_raw(data: memoryview) -> Rgb:
    _refuse_words(data)
    if len(data) < _RAW_HEADERS[0]:
        raise CaptureFailed(f"screencap gave no raw frame but {_excerpt(data)}")
    width, height, form = (int(number) for number in np.frombuffer(data[:12], "<u4"))
    header = len(data) - 4 * width * height
    if form not in (_RGBA_8888, _RGBX_8888) or header not in _RAW_HEADERS or not width or not height:
        raise CaptureFailed(f"screencap gave no whole raw RGBA frame but {_excerpt(data)}")
    pixels = np.frombuffer(data[header:], np.uint8).reshape(height, width, 4)
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGBA2RGB), dtype=np.uint8)


def _refuse_words(data: memoryview) -> None:
    """Raise NoPicture if the output is a text alone."""
    words = bytes(data[: _MAX_PREAMBLE + 1])
    if (
        words.strip()
        and len(words) <= _MAX_PREAMBLE
        and words.isascii()
        and words.decode("ascii").replace("\n", "").isprintable()
    ):
        raise NoPicture(f"screencap says {_excerpt(data)}")


def _excerpt(data: memoryview) -> str:
    start = bytes(data[:60])
    return f"{len(data)} bytes" + (f" ({start.decode('ascii')!r})" if start.isascii() and start else "")


@dataclass(slots=True)
class FormChoice:
    """Learn which form a phone returns faster, decoding included. Both are tried at first, and occasionally again.

    Times are seconds. A form that failed is used again only if the other form has failed too, or when it is due for
    another try.
    """

    first_tries: int = 2
    again_after: int = 400
    _seconds: dict[Form, float] = field(default_factory=dict)
    _tries: dict[Form, int] = field(default_factory=lambda: dict.fromkeys(FORMS, 0))
    _since_trial: int = 0

    def next(self) -> Form:
        """Return the form of the next capture."""
        untried = [form for form in FORMS if self._tries[form] < self.first_tries]
        if untried:
            return min(untried, key=lambda form: self._tries[form])
        best = min(FORMS, key=lambda form: self._seconds.get(form, float("inf")))
        if self._since_trial >= self.again_after:
            return next(form for form in FORMS if form != best)
        return best

    def count_capture(self, form: Form, seconds: float) -> None:
        """Count a capture in this form that succeeded."""
        average = self._seconds.get(form)
        trial = self._tries[form] < self.first_tries
        if average is None or average == float("inf"):
            self._seconds[form] = seconds
        else:
            self._seconds[form] = min(average, seconds) if trial else 0.8 * average + 0.2 * seconds
        self._count(form)

    def failed(self, form: Form) -> None:
        """Count a capture in this form that returned no picture."""
        self._seconds[form] = float("inf")
        self._tries[form] = self.first_tries
        self._count(form)

    def _count(self, form: Form) -> None:
        best = min(FORMS, key=lambda each: self._seconds.get(each, float("inf")))
        self._tries[form] += 1
        self._since_trial = 0 if form != best else self._since_trial + 1
