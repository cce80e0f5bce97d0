"""A contact sheet: labelled screens side by side with their boxes, for looking at them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

WIDTH = 480
"""Pixels of a screen on the sheet."""
COLUMNS = 4


def contact_sheet(folder: Path, images: Sequence[dict[str, Any]], out: Path) -> None:
    """Draw a sheet of screens: icons red, minor ones orange, texts blue, ignored places green."""
    tiles = []
    for image in images:
        with Image.open(folder / image["file"]) as picture:
            scale = WIDTH / picture.width
            small = picture.convert("RGB").resize((WIDTH, round(picture.height * scale)), Image.Resampling.LANCZOS)
        draw = ImageDraw.Draw(small)
        for row, colour in [
            *((box, "#20b040") for box in image["ignore"]),
            *((text["box"], "#3070ff") for text in image["texts"]),
            *((icon["box"], "#ff9020" if icon.get("minor") else "#ff2020") for icon in image["icons"]),
        ]:
            draw.rectangle([value * scale for value in row], outline=colour)
        tiles.append(small)
    rows = [tiles[start : start + COLUMNS] for start in range(0, len(tiles), COLUMNS)]
    height = sum(max(tile.height for tile in row) for row in rows)
    sheet = Image.new("RGB", (WIDTH * COLUMNS, height), "white")
    y = 0
    for row in rows:
        for number, tile in enumerate(row):
            sheet.paste(tile, (number * WIDTH, y))
        y += max(tile.height for tile in row)
    sheet.save(out)
