"""Find picture files in folders, and read their pixels as a viewer shows them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from manyhands.actors.frames import MAX_PIXELS, Rgb
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import LONGEST_SIDE

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""Formats that are decoded. Pillow knows more, but some of them start other programs."""
SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"})
"""Suffixes of pictures in a folder. A file that is named explicitly may have any suffix."""
_GREY_16 = frozenset({"I", "I;16", "I;16L", "I;16B", "I;16N"})
_PAPER = (255, 255, 255)
"""The colour behind transparent pixels."""
_OPAQUE = 255
STRIP = 256
"""Rows that are converted to RGB at a time."""


def find_pictures(paths: Iterable[Path]) -> list[Path]:
    """Return files as given and the pictures in folders, sorted by name, without subfolders; each once.

    Raises BadInput for a path that does not exist, and for a folder without pictures.
    """
    pictures: dict[Path, None] = {}
    for path in paths:
        pictures |= dict.fromkeys(_pictures_in(path) if path.is_dir() else [_existing(path)])
    return list(pictures)


def _pictures_in(folder: Path) -> list[Path]:
    try:
        pictures = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror or error}") from error
    if not pictures:
        raise BadInput(f"{folder}: no pictures in this folder ({', '.join(sorted(SUFFIXES))})")
    return pictures


def _existing(path: Path) -> Path:
    if not path.exists():
        raise BadInput(f"{path}: No such file or folder")
    return path


def read_picture(path: Path) -> Rgb:
    """Return the pixels of a picture file, uint8 (height, width, 3), upright. Blocks; call it on one thread at a time.

    It applies the EXIF orientation, turns transparency white, takes the first picture of an animation, and reduces 16
    bits to 8. It does not decode a picture whose header declares more than MAX_PIXELS. Raises BadInput.
    """
    try:
        with path.open("rb") as file, _quiet(), Image.open(file, formats=FORMATS) as image:
            _check_size(path, *image.size)
            return _pixels(image)
    except BadInput:
        raise
    except UnidentifiedImageError as error:
        empty = path.stat().st_size == 0
        reason = "the file is empty" if empty else "not a picture that can be read (PNG, JPEG, WebP, GIF or BMP)"
        raise BadInput(f"{path}: {reason}") from error
    except Image.DecompressionBombError as error:
        raise BadInput(f"{path}: more than {MAX_PIXELS / 1e6:.0f} megapixels") from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except Exception as error:  # decoders raise all kinds of errors for damaged files
        raise BadInput(f"{path}: damaged ({type(error).__name__}: {error})") from error


def _quiet() -> warnings.catch_warnings[None]:
    """Silence Pillow's warnings: this module checks sizes itself, and damaged metadata does not matter."""
    return warnings.catch_warnings(action="ignore")


def _check_size(path: Path, width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise BadInput(
            f"{path}: {width}x{height} is {width * height / 1e6:.0f} megapixels; "
            f"at most {MAX_PIXELS / 1e6:.0f} are read"
        )
    if max(width, height) > LONGEST_SIDE:
        raise BadInput(f"{path}: {width}x{height}; a side has at most {LONGEST_SIDE} pixels: cut the picture")


def _pixels(image: Image.Image) -> Rgb:
    """Convert in strips, because whole copies of the largest pictures would take 130 MB each."""
    image.load()
    ImageOps.exif_transpose(image, in_place=True)
    width, height = image.size
    rgb = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, STRIP):
        bottom = min(top + STRIP, height)
        rgb[top:bottom] = _strip(image.crop((0, top, width, bottom)))
    return rgb


def _strip(image: Image.Image) -> Rgb:
    if image.mode in _GREY_16:
        deep = np.clip(np.asarray(image), 0, 0xFFFF).astype(np.uint16)
        return np.repeat((deep >> 8).astype(np.uint8)[:, :, None], 3, axis=2)
    if image.has_transparency_data:
        image = image.convert("RGBA")
        if np.asarray(image.getchannel("A")).min() < _OPAQUE:
            image = Image.alpha_composite(Image.new("RGBA", image.size, _PAPER), image)
    return np.asarray(image.convert("RGB"))
