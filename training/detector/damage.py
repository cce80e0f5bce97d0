"""What happens to a screenshot's pixels between a phone and us, and what themes and filters make of its colours."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb


def damaged(picture: Rgb, rng: np.random.Generator) -> Rgb:
    """Return a changed copy: some of colours, contrast, blur, noise, JPEG. Boxes stay where they are."""
    out = picture.astype(np.float32)
    if rng.random() < 0.1:
        out = 255 - out
    if rng.random() < 0.5:
        out = _recoloured(out, rng)
    if rng.random() < 0.5:
        out = (out - 128) * rng.uniform(0.6, 1.2) + 128 + rng.uniform(-30, 30)
    if rng.random() < 0.1:
        out *= rng.uniform(0.35, 0.75)  # dimmed, as under a dialog
    if rng.random() < 0.15:
        out = cv2.GaussianBlur(out, (3, 3), rng.uniform(0.3, 0.8))
    if rng.random() < 0.15:
        out += rng.normal(0, rng.uniform(1, 6), out.shape)
    whole = np.clip(out, 0, 255).astype(np.uint8)
    return _compressed(whole, int(rng.integers(35, 95))) if rng.random() < 0.4 else whole


def _recoloured(picture: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Mix colours by a random matrix that keeps grey grey."""
    mix = np.eye(3) + rng.uniform(-0.35, 0.35, (3, 3))
    if rng.random() < 0.2:
        mix = np.full((3, 3), 1 / 3)
    mix /= mix.sum(axis=1, keepdims=True)
    return np.asarray(picture @ mix.T.astype(np.float32), np.float32)


def _compressed(picture: Rgb, quality: int) -> Rgb:
    _, data = cv2.imencode(".jpg", picture[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    read = cv2.imdecode(data, cv2.IMREAD_COLOR)
    assert read is not None, "what OpenCV wrote it reads"
    return np.asarray(read[:, :, ::-1], np.uint8)
