"""Pixels as they travel beside messages, and the one place where they are encoded and decoded."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from protocol.errors import CaptureFailed

Rgb = NDArray[np.uint8]
JPEG_QUALITY = 85
_FAST_PNG = (cv2.IMWRITE_PNG_COMPRESSION, 1, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_SUB)
"""One filter for all rows: OpenCV else tries five for each, which takes twice as long and saves at most 5 %."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A lossless picture of a screen as it came from the phone: PNG bytes, or raw RGB of shape (h, w, 3)."""

    form: Literal["png", "rgb"]
    data: bytes | Rgb

    def rgb(self) -> Rgb:
        """Decoded pixels, uint8 (height, width, 3). Raises CaptureFailed for bytes that are no PNG."""
        if isinstance(self.data, bytes):
            return decode_png(self.data)
        return self.data

    def png(self) -> bytes:
        """As it came, or a fast PNG of a raw frame."""
        if isinstance(self.data, bytes):
            return self.data
        return encode_png(self.data)


@dataclass(frozen=True, slots=True)
class ModelImage:
    """The one JPEG that all roles send, made once at capture. ``content_id`` is that of the pixels."""

    content_id: str
    jpeg: bytes


def content_id(rgb: Rgb) -> str:
    """BLAKE2b-128 over width, height and RGB bytes, in hex."""
    height, width = rgb.shape[:2]
    digest = hashlib.blake2b(f"{width}x{height}:".encode(), digest_size=16)
    digest.update(np.ascontiguousarray(rgb).data)
    return digest.hexdigest()


def decode_png(data: bytes) -> Rgb:
    """Raises CaptureFailed unless ``data`` is a whole picture."""
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB) if data else None
    if picture is None:
        raise CaptureFailed(f"{len(data)} bytes are not a picture")
    return np.asarray(picture, dtype=np.uint8)


def encode_png(rgb: Rgb) -> bytes:
    """A PNG at the fastest useful compression."""
    done, data = cv2.imencode(".png", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), _FAST_PNG)
    if not done:
        raise CaptureFailed(f"cannot encode a picture of shape {rgb.shape}")
    return bytes(data.tobytes())


def encode_jpeg(rgb: Rgb) -> bytes:
    """The JPEG for the model: quality 85, chroma halved. Equal pixels give equal bytes."""
    done, data = cv2.imencode(".jpg", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise CaptureFailed(f"cannot encode a picture of shape {rgb.shape}")
    return bytes(data.tobytes())
