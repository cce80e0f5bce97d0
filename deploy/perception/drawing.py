"""Draw the boxes of texts and icons on pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from manyhands.actors.frames import Rgb
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.screen import Element

COLOURS = {"text": (0, 114, 178), "icon": (213, 94, 0)}
"""Blue and vermilion, which people with colour blindness can tell apart as well."""
_LINE = 0.0022
_LETTERS = 0.016
"""The width of lines, and the height of letters in tags, as shares of the picture's shorter side."""


def prepare_drawings(folder: Path, pictures: Iterable[Path]) -> dict[Path, Path]:
    """Make ``folder``, and return the path in it for the drawing of each picture.

    Raises BadInput in three cases: the folder cannot be made; it holds one of the pictures (the file or a link to it),
    which a drawing would overwrite; a drawing's path is a link.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--draw {folder}: {error.strerror or error}") from error
    target = folder.resolve()
    drawings: dict[Path, Path] = {}
    names: set[str] = set()
    for picture in pictures:
        if target in (picture.resolve().parent, picture.parent.resolve()):
            raise BadInput(f"--draw {folder}: holds pictures that are to be read ({picture.name}); name another folder")
        name, number = picture.stem, 1
        while name in names:
            number += 1
            name = f"{picture.stem}-{number}"
        names.add(name)
        drawings[picture] = folder / f"{name}.png"
        if drawings[picture].is_symlink():
            raise BadInput(f"--draw {folder}: {name}.png is a link to another file; remove it, or name another folder")
    return drawings


def draw_elements(rgb: Rgb, elements: Sequence[Element], path: Path) -> None:
    """Write a PNG with boxes: texts blue, icons vermilion. Each box has its number, and an icon's box its name too.

    Numbers count from 1 in the order of ``elements``. Blocks. Raises BadInput if the file cannot be written.
    """
    picture = Image.fromarray(rgb)
    draw = ImageDraw.Draw(picture)
    shorter = min(picture.size)
    line = max(1, round(_LINE * shorter))
    font = ImageFont.load_default(max(8, round(_LETTERS * shorter)))
    for element in elements:
        box = element.box
        draw.rectangle((box.x1, box.y1, max(box.x1, box.x2 - 1), max(box.y1, box.y2 - 1)), None, _colour(element), line)
    for number, element in enumerate(elements, 1):
        named = element.kind == "icon" and element.content
        _tag(draw, element, f"{number} {element.content}" if named else str(number), font)
    try:
        picture.save(path, compress_level=1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error


def _tag(
    draw: ImageDraw.ImageDraw, element: Element, words: str, font: ImageFont.ImageFont | ImageFont.FreeTypeFont
) -> None:
    """Draw a tag above the left corner of the box, but within the picture."""
    _, _, right, bottom = draw.textbbox((0, 0), words, font=font)
    x = max(0, min(element.box.x1, round(draw.im.size[0] - right)))
    y = max(0, round(element.box.y1 - bottom))
    draw.rectangle((x, y, x + right, y + bottom), fill=_colour(element))
    draw.text((x, y), words, fill=(255, 255, 255), font=font)


def _colour(element: Element) -> tuple[int, int, int]:
    return COLOURS[element.kind]
