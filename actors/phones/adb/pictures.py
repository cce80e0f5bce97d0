"""Decode frames, and know again those that came before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyhands.actors.frames import Frame, ModelImage, Rgb, content_id, encode_jpeg
from manyhands.actors.phones.adb.screencap import Form, read_frame
from manyhands.actors.phones.settling.changes import Grey, Thumbnail, grey, thumbnail
from manyhands.protocol.geometry import Size


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Hold a frame that was looked at. Of the last one everything but coloured pixels is kept, to know it again.

    ``came``: what the phone sent; of a raw frame, only until the screenshot is finished. ``rgb``: None where the PNG
    was known already, and once kept.
    """

    came: bytes | memoryview | None
    rgb: Rgb | None
    grey: Grey
    thumbnail: Thumbnail
    size: Size
    image: ModelImage | None = None

    def frame(self) -> Frame:
        """Return the frame to hand out."""
        if isinstance(self.came, bytes):
            return Frame("png", self.came)
        assert self.rgb is not None, "raw pixels are dropped only once the frame was handed out"
        return Frame("rgb", self.rgb)


def look_at(form: Form, data: memoryview, known: tuple[Picture, ...]) -> Picture:
    """Decode a frame, unless it is one of those known, byte for byte."""
    for picture in known:
        if picture.came is not None and _ends_with(data, picture.came):
            return picture
    frame = read_frame(form, data)
    rgb = frame.rgb()
    height, width = rgb.shape[:2]
    luminance = grey(rgb)
    came = frame.data if isinstance(frame.data, bytes) else data
    return Picture(came, rgb, luminance, thumbnail(luminance), Size(width=width, height=height))


def _ends_with(data: memoryview, known: bytes | memoryview) -> bool:
    """Return whether it is ``known``, perhaps after a warning."""
    # numpy compares eight bytes at a time, a memoryview one.
    if len(data) < len(known):
        return False
    data = data[len(data) - len(known) :]
    cut = len(known) // 8 * 8
    same = np.array_equal(np.frombuffer(data[:cut], np.uint64), np.frombuffer(known[:cut], np.uint64))
    return bool(same) and data[cut:] == known[cut:]


def image_of(picture: Picture, last: Picture | None) -> ModelImage:
    """Return the model's JPEG, made anew only for pixels that are new."""
    if picture.rgb is None:
        assert picture.image is not None, "a picture without pixels is one that was known"
        return picture.image
    content = content_id(picture.rgb)
    if last is not None and last.image is not None and last.image.content_id == content:
        return last.image
    return ModelImage(content, encode_jpeg(picture.rgb))
