"""Decode frames, and recognise repeated ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyhands.actors.frames import Frame, ModelImage, Rgb, content_id, encode_jpeg
from manyhands.actors.phones.settling.changes import Grey, Thumbnail, grey, thumbnail
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.screens.geometry import Size

SHORTEST_SIDE = 32
"""The least pixels of a screen's side: a watch has some 200, and no model recognises anything on fewer."""


@dataclass(frozen=True, slots=True, eq=False)
class DecodedFrame:
    """Hold a frame and the data by which it is compared.

    Of the last screenshot's frame, everything but the coloured pixels is kept.

    ``received``: the bytes that the phone sent; for raw pixels, only until the screenshot is finished. ``rgb`` is None
    if the bytes were already known, and after the screenshot.
    """

    received: bytes | memoryview | None
    rgb: Rgb | None
    grey: Grey
    thumbnail: Thumbnail
    size: Size
    image: ModelImage | None = None

    def frame(self) -> Frame:
        """Return the frame to hand out."""
        if isinstance(self.received, bytes):
            return Frame("png", self.received)
        assert self.rgb is not None, "raw pixels are dropped only once the frame was handed out"
        return Frame("rgb", self.rgb)


def find_known(received: memoryview, earlier: tuple[DecodedFrame, ...]) -> DecodedFrame | None:
    """Return the known frame whose bytes arrived again, perhaps after a warning; None if there is none."""
    return next((each for each in earlier if each.received is not None and _ends_with(received, each.received)), None)


def decode_frame(frame: Frame, received: memoryview | None = None) -> DecodedFrame:
    """Decode a frame. ``received``: the bytes of a frame in raw pixels, if it should be recognised later.

    Raises CaptureFailed for bytes that are no picture, and for a picture that is no screen.
    """
    rgb = frame.rgb()
    height, width = rgb.shape[:2]
    if min(height, width) < SHORTEST_SIDE:
        raise CaptureFailed(f"a picture of {width}x{height} is no screen, whose sides have {SHORTEST_SIDE} at least")
    luminance = grey(rgb)
    own = frame.data if isinstance(frame.data, bytes) else received
    return DecodedFrame(own, rgb, luminance, thumbnail(luminance), Size(width=width, height=height))


def _ends_with(data: memoryview, ending: bytes | memoryview) -> bool:
    """Return whether ``data`` is ``ending``, perhaps after a warning."""
    # numpy compares eight bytes at a time, a memoryview compares one
    if len(data) < len(ending):
        return False
    data = data[len(data) - len(ending) :]
    cut = len(ending) // 8 * 8
    same = np.array_equal(np.frombuffer(data[:cut], np.uint64), np.frombuffer(ending[:cut], np.uint64))
    return bool(same) and data[cut:] == ending[cut:]


def make_model_image(frame: DecodedFrame, last: DecodedFrame | None) -> ModelImage:
    """Return the model's JPEG of a frame, or that of ``last`` if the pixels are the same."""
    if frame.rgb is None:
        assert frame.image is not None, "a frame without pixels is one that was known"
        return frame.image
    content = content_id(frame.rgb)
    if last is not None and last.image is not None and last.image.content_id == content:
        return last.image
    return ModelImage(content, encode_jpeg(frame.rgb))
