"""Pictures that stand for photographs: procedural, so that nothing is downloaded and no right is touched."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Rgb = NDArray[np.uint8]
SIDE = 480


def photo(seed: int) -> bytes:
    """Draw a JPEG of 480x480: gradient, clouds, landscape, shapes, blocks, stripes, or a face-like portrait."""
    rng = np.random.default_rng(seed)
    kinds = (_gradient, _clouds, _landscape, _shapes, _blocks, _stripes, _portrait, _product)
    return _jpeg(kinds[int(rng.integers(len(kinds)))](rng))


def code(seed: int) -> bytes:
    """Draw a JPEG that looks like a QR code without being one."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 2, (29, 29)).astype(np.uint8)
    finder = np.zeros((8, 8), np.uint8)
    finder[:7, :7] = 1
    finder[1:6, 1:6] = 0
    finder[2:5, 2:5] = 1
    cells[:8, :8], cells[:8, -8:], cells[-8:, :8] = finder, finder[:, ::-1], finder[::-1]
    dots = np.kron(1 - cells, np.ones((12, 12), np.uint8)) * 255
    return _jpeg(np.repeat(dots[:, :, None], 3, 2))


def _jpeg(rgb: Rgb) -> bytes:
    out = io.BytesIO()
    Image.fromarray(rgb).save(out, "JPEG", quality=85)
    return out.getvalue()


def _colour(rng: np.random.Generator) -> NDArray[np.float64]:
    return rng.uniform(0, 255, 3)


def _gradient(rng: np.random.Generator) -> Rgb:
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    angle = rng.uniform(0, 2 * np.pi)
    t = np.clip(0.5 + (x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle), 0, 1)[:, :, None]
    return _mixed(rng, t)


def _mixed(rng: np.random.Generator, share: NDArray[np.float64]) -> Rgb:
    return np.asarray((1 - share) * _colour(rng) + share * _colour(rng), np.uint8)


def _noise(rng: np.random.Generator, octaves: int = 5) -> NDArray[np.float64]:
    total = np.zeros((SIDE, SIDE))
    for octave in range(octaves):
        cells = 3 * 2**octave
        small = Image.fromarray((rng.random((cells, cells)) * 255).astype(np.uint8))
        total += np.asarray(small.resize((SIDE, SIDE), Image.Resampling.BICUBIC), float) / 255 / 2**octave
    return np.asarray((total - total.min()) / (np.ptp(total) + 1e-9))


def _clouds(rng: np.random.Generator) -> Rgb:
    t = _noise(rng)[:, :, None] ** rng.uniform(0.6, 2)
    return _mixed(rng, t)


def _landscape(rng: np.random.Generator) -> Rgb:
    out = _gradient(rng).astype(float)
    for layer in range(int(rng.integers(2, 5))):
        ridge = SIDE * (0.35 + 0.15 * layer) + 60 * (_noise(rng, 4)[layer] - 0.5)
        below = np.arange(SIDE)[:, None] > ridge[None, :]
        out[below] = _colour(rng) * (0.5 + 0.5 * _noise(rng, 3)[below][:, None])
    return out.astype(np.uint8)


def _shapes(rng: np.random.Generator) -> Rgb:
    image = Image.fromarray(_gradient(rng))
    draw = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(4, 30))):
        x, y, w, h = rng.uniform(-60, SIDE), rng.uniform(-60, SIDE), rng.uniform(10, 200), rng.uniform(10, 200)
        fill = tuple(int(v) for v in _colour(rng))
        (draw.ellipse if rng.random() < 0.5 else draw.rectangle)((x, y, x + w, y + h), fill=fill)
    return np.asarray(image.filter(ImageFilter.GaussianBlur(float(rng.choice([0, 0, 2, 6])))))


def _blocks(rng: np.random.Generator) -> Rgb:
    cells = int(rng.integers(3, 14))
    small = Image.fromarray(rng.integers(0, 255, (cells, cells, 3)).astype(np.uint8))
    return np.asarray(small.resize((SIDE, SIDE), Image.Resampling.NEAREST))


def _stripes(rng: np.random.Generator) -> Rgb:
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    wave = (np.sin((x * rng.uniform(-1, 1) + y * rng.uniform(-1, 1)) * rng.uniform(0.02, 0.3)) + 1) / 2
    mixed = np.clip(wave + 0.4 * _noise(rng), 0, 1)[:, :, None]
    return _mixed(rng, mixed)


def _portrait(rng: np.random.Generator) -> Rgb:
    image = Image.fromarray(_clouds(rng))
    draw = ImageDraw.Draw(image)
    skin = tuple(int(v) for v in rng.uniform([120, 80, 60], [250, 215, 190]))
    hair, shirt = (tuple(int(v) for v in _colour(rng)) for _ in range(2))
    draw.ellipse((80, 330, 400, 640), fill=shirt)
    draw.ellipse((140, 70, 340, 330), fill=hair)
    draw.ellipse((160, 110, 320, 350), fill=skin)
    for x in (200, 264):
        draw.ellipse((x, 200, x + 18, 214), fill=(30, 30, 30))
    draw.arc((205, 250, 275, 300), 20, 160, fill=(150, 50, 50), width=5)
    return np.asarray(image.filter(ImageFilter.GaussianBlur(1.5)))


def _product(rng: np.random.Generator) -> Rgb:
    image = Image.new("RGB", (SIDE, SIDE), tuple(int(v) for v in rng.uniform(225, 255, 3)))
    draw = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(2, 6))):
        x, y = rng.uniform(100, 200, 2)
        fill = tuple(int(v) for v in _colour(rng))
        draw.rounded_rectangle(
            (x, y, x + rng.uniform(40, 240), y + rng.uniform(40, 240)), rng.uniform(2, 60), fill=fill
        )
    return np.asarray(image)
