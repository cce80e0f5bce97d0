"""Hold the pixels that travel beside messages. No other module encodes or decodes pictures.

This module also makes the pictures that are parts of a screenshot (``protocol.screens.crops``). Equal JPEGs of a
screenshot give equal JPEGs of a part, byte for byte."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.screens.crops import Crop, PromptPicture
from manyhands.protocol.screens.geometry import LONGEST_SIDE, Box, Size

Rgb = NDArray[np.uint8]
MAX_PIXELS = 6144 * 4096
"""The most pixels of a picture that is decoded. This is four times the largest phone's screen; decoding takes less than
700 MB (docs/perception.md). A larger picture is refused before decoding, because a few kilobytes may claim gigabytes.
"""
JPEG_QUALITY = 85
PREVIEW_WIDTH = 540
THUMBNAIL_WIDTH, THUMBNAIL_QUALITY = 180, 70
"""The width in pixels of the small JPEG of a screen, and its quality."""
_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_SIZE = struct.Struct(">4sII")
"""The layout of a PNG's first chunk, without its length: type, width and height."""
_JPEG_START = b"\xff\xd8"
_JPEG_SEGMENT = struct.Struct(">BBHBHH")
"""The layout of a JPEG segment: a mark, its kind, and the segment's length. In a frame header, bits, height and width
follow."""
_JPEG_HEADERS = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The kinds of segments that are frame headers. The other kinds of that range are tables."""
_JPEG_TABLES = frozenset({0xC4, 0xDB, 0xDD, 0xFE, *range(0xE0, 0xF0)})
"""The kinds of segments that may come before the frame header: tables, comments and data of applications. Segments of
other kinds have no length. Decoders read on right after them, where they might find another frame header than we do."""
_NO_FILTER = (cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE) if hasattr(cv2, "IMWRITE_PNG_FILTER") else ()
"""Turns off PNG's row filters, which OpenCV has from 4.12 on; PaddleOCR needs 4.10. By default OpenCV tries five
filters for each row, which takes two to three times as long. Unfiltered screens of text and plain colours are smaller;
those with photographs are up to a third larger."""
_DECODING: int = getattr(cv2, "IMREAD_COLOR_RGB", cv2.IMREAD_COLOR)
"""Decodes to RGB directly, from OpenCV 4.11 on. Older versions decode to BGR, and the channels are swapped
afterwards."""
_FAST_PNG = (cv2.IMWRITE_PNG_COMPRESSION, 1, *_NO_FILTER)
RED = (220, 0, 0)
WHITE = (255, 255, 255)
PAINT = 128
"""The grey of what is painted over."""
_PAINTED_TEXT = b"tEXtComment\0Manyhands painted over it"
_PAINTED = struct.pack(">I", len(_PAINTED_TEXT) - 4) + _PAINTED_TEXT + struct.pack(">I", zlib.crc32(_PAINTED_TEXT))
"""The chunk of a PNG that says so. It stands before the last chunk, which has ``_PNG_END`` bytes."""
_PNG_END = 12
LINE_SHARE, LETTER_SHARE = 240, 12
"""The size of what is drawn on a crop: its shorter side is 240 line widths, or 12 letter heights."""


Form = Literal["png", "jpeg", "rgb"]


@dataclass(frozen=True, slots=True)
class Frame:
    """Hold a picture of a screen in the form in which it came.

    A local phone gives PNG bytes, or raw RGB of shape (h, w, 3). A site elsewhere gives the JPEG that its gateway made.
    In every form, ``rgb`` returns the pixels.
    """

    form: Form
    data: bytes | Rgb

    def rgb(self) -> Rgb:
        """Decode to uint8 (height, width, 3).

        Raises CaptureFailed for bytes that are no picture of this form, for pixels of another type, and for no pixels
        or too many.
        """
        if isinstance(self.data, bytes):
            return decode_jpeg(self.data) if self.form == "jpeg" else decode_png(self.data)
        _check_raw(self.data)
        return self.data

    def png(self) -> bytes:
        """Return the PNG bytes if the frame came as a PNG; otherwise encode the result of ``rgb``.

        Raises CaptureFailed like ``rgb``.
        """
        if self.form == "png" and isinstance(self.data, bytes):
            return self.data
        return encode_png(self.rgb())


@dataclass(frozen=True, slots=True)
class ModelImage:
    """Hold the JPEG of a screenshot that all roles send. It is made once, at capture. ``content_id``: of the pixels."""

    content_id: str
    jpeg: bytes


def content_id(rgb: Rgb) -> str:
    """Return the content id of pixels: BLAKE3, 128 bits in hex, over width, height and RGB bytes."""
    height, width = rgb.shape[:2]
    digest = blake3(f"{width}x{height}:".encode())
    digest.update(np.ascontiguousarray(rgb).data)
    return str(digest.hexdigest(length=16))


def decode_png(data: bytes) -> Rgb:
    """Decode a PNG. Raises CaptureFailed unless the PNG is whole and its header has a size within the limits.

    A phone's frame is already upright. So an orientation in the metadata is ignored, and so is the alpha channel.
    """
    _check_size(*_size_of_png(data))
    return _decoded(data)


def decode_jpeg(data: bytes) -> Rgb:
    """Decode a JPEG. Raises CaptureFailed unless the JPEG is whole and its header has a size within the limits."""
    _check_size(*_size_of_jpeg(data))
    return _decoded(data)


def _decoded(data: bytes) -> Rgb:
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), _DECODING | cv2.IMREAD_IGNORE_ORIENTATION)
        if picture is not None and _DECODING == cv2.IMREAD_COLOR:
            picture = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB, picture)
    except cv2.error as error:
        raise CaptureFailed(f"{len(data)} bytes are not a picture: {error}") from error
    if picture is None:
        raise CaptureFailed(f"{len(data)} bytes are not a whole picture")
    return np.asarray(picture, dtype=np.uint8)


def _size_of_png(data: bytes) -> tuple[int, int]:
    """Return width and height from a PNG's header."""
    start = len(_PNG_START)
    if not data.startswith(_PNG_START) or len(data) < start + 4 + _PNG_SIZE.size:
        raise CaptureFailed(f"{len(data)} bytes are not a PNG")
    chunk, width, height = _PNG_SIZE.unpack_from(data, start + 4)
    if chunk != b"IHDR":
        raise CaptureFailed(f"{len(data)} bytes are a PNG without a header")
    return width, height


def _size_of_jpeg(data: bytes) -> tuple[int, int]:
    """Return width and height from a JPEG's frame header. It comes after other segments, each with its length."""
    at = len(_JPEG_START)
    while data.startswith(_JPEG_START) and len(data) >= at + _JPEG_SEGMENT.size and data[at] == 0xFF:
        _, marker, length, _, height, width = _JPEG_SEGMENT.unpack_from(data, at)
        if marker in _JPEG_HEADERS:
            return width, height
        if marker not in _JPEG_TABLES:
            break
        at += 2 + length
    raise CaptureFailed(f"{len(data)} bytes are not a JPEG")


def _check_raw(rgb: Rgb) -> None:
    if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3:
        raise CaptureFailed(f"pixels of type {rgb.dtype} and shape {rgb.shape} are no raw frame")
    _check_size(rgb.shape[1], rgb.shape[0])


def _check_size(width: int, height: int) -> None:
    if not 0 < width <= LONGEST_SIDE or not 0 < height <= LONGEST_SIDE or width * height > MAX_PIXELS:
        raise CaptureFailed(
            f"a picture of {width}x{height} is not read: at most {LONGEST_SIDE} pixels a side, {MAX_PIXELS} in all"
        )


def encode_png(rgb: Rgb) -> bytes:
    """Encode a PNG at the fastest useful compression."""
    is_encoded, data = cv2.imencode(".png", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), _FAST_PNG)
    if not is_encoded:
        raise CaptureFailed(f"cannot encode a picture of shape {rgb.shape}")
    return bytes(data.tobytes())


def encode_jpeg(rgb: Rgb, quality: int = JPEG_QUALITY) -> bytes:
    """Encode a JPEG, by default that for the model: quality 85, chroma halved. Equal pixels give equal bytes."""
    is_encoded, data = cv2.imencode(".jpg", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not is_encoded:
        raise CaptureFailed(f"cannot encode a picture of shape {rgb.shape}")
    return bytes(data.tobytes())


def make_thumbnail(rgb: Rgb) -> bytes:
    """Return a small JPEG of a screen, for lists and walls of screens. Equal pixels give equal bytes."""
    return encode_jpeg(_narrow(rgb, THUMBNAIL_WIDTH), THUMBNAIL_QUALITY)


def make_preview(rgb: Rgb) -> bytes:
    """Return a JPEG of a screen for people, 540 pixels wide at most."""
    return encode_jpeg(_narrow(rgb, PREVIEW_WIDTH), THUMBNAIL_QUALITY)


def paint_over(rgb: Rgb, boxes: Iterable[Box]) -> Rgb:
    """Return pixels in which boxes are grey; ``rgb`` stays as it is. What of a box is off the screen is left out."""
    painted = rgb.copy()
    for box in boxes:
        painted[max(0, box.y1) : max(0, box.y2), max(0, box.x1) : max(0, box.x2)] = PAINT
    return painted


def paint_frame(frame: Frame, boxes: Iterable[Box]) -> Frame:
    """Return a PNG in which boxes are painted over, and that says so: its pixels are not those of its content id.

    Blocks. Raises CaptureFailed.
    """
    png = encode_png(paint_over(frame.rgb(), boxes))
    return Frame("png", png[:-_PNG_END] + _PAINTED + png[-_PNG_END:])


def is_painted(png: bytes) -> bool:
    """Return whether ``paint_frame`` made a PNG."""
    return png[:-_PNG_END].endswith(_PAINTED)


def _narrow(rgb: Rgb, most: int) -> Rgb:
    height, width = rgb.shape[:2]
    if width <= most:
        return rgb
    size = most, max(1, round(height * most / width))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)


# ---------------------------------------------------------------------------- pictures made of a screenshot
def make_image(image: ModelImage, picture: PromptPicture) -> ModelImage:
    """Return the picture that ``picture`` names, made from ``image``, the picture of its screenshot. Blocks.

    Raises CaptureFailed.
    """
    if picture.content_id == picture.source:
        return image
    return ModelImage(picture.content_id, make_jpeg(image.jpeg, picture))


def make_jpeg(jpeg: bytes, picture: PromptPicture) -> bytes:
    """Return the JPEG of the picture that ``picture`` names, made from ``jpeg``, that of its screenshot. Blocks.

    Raises CaptureFailed.
    """
    rgb = decode_jpeg(jpeg)
    height, width = rgb.shape[:2]
    if picture.crop is not None:
        return encode_jpeg(_cropped(rgb, picture.crop))
    size = picture.size(Size(width=width, height=height))
    return encode_jpeg(np.asarray(cv2.resize(rgb, (size.width, size.height), interpolation=cv2.INTER_AREA), np.uint8))


def _cropped(rgb: Rgb, crop: Crop) -> Rgb:
    """Return the crop. Its box is drawn, and its number is written in white on red in the box's left top corner."""
    part, marked = crop.part, crop.marked
    cut = np.ascontiguousarray(rgb[part.y1 : part.y2, part.x1 : part.x2])
    if cut.size == 0:
        raise CaptureFailed(f"there are no pixels at {part.x1, part.y1, part.x2, part.y2}")
    line = max(2, min(cut.shape[:2]) // LINE_SHARE)
    corners = (marked.x1 - part.x1, marked.y1 - part.y1), (marked.x2 - part.x1 - 1, marked.y2 - part.y1 - 1)
    cv2.rectangle(cut, *corners, RED, line)
    letter = max(12, min(cut.shape[:2]) // LETTER_SHARE)
    scale = cv2.getFontScaleFromHeight(cv2.FONT_HERSHEY_SIMPLEX, letter, 2 * line)
    (wide, high), below = cv2.getTextSize(str(crop.number), cv2.FONT_HERSHEY_SIMPLEX, scale, 2 * line)
    cv2.rectangle(cut, (0, 0), (wide + letter, high + below + letter // 2), RED, cv2.FILLED)
    at = letter // 2, high + below // 2
    cv2.putText(cut, str(crop.number), at, cv2.FONT_HERSHEY_SIMPLEX, scale, WHITE, 2 * line, cv2.LINE_AA)
    return cut
