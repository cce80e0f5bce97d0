"""``python docs/images/failures.py build/screens/holdout``: pictures of what goes wrong, for docs/perception.md.

The folder is that of ``make icon-screens``; its screens are the same where Chromium and the fonts are. Texts that were
found are blue, icons vermilion, labels that were missed green, by perception with its default settings.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.perception.drawing import COLOURS
from manyhands.deploy.perception.reader import PictureReader
from manyhands.evaluation.perception.labels import read_labels
from manyhands.evaluation.perception.scoring import score_screen
from manyhands.protocol.screens.screen import Element

HERE = Path(__file__).parent
MISSED = (0, 158, 115)
CUTS = {
    "failure-column": ("s00120.jpg", (560, 730, 880, 1090)),
    "failure-keys": ("s00048.jpg", (300, 1960, 1080, 2230)),
}
"""By the picture's name: the screen, and what is cut out of it (left, top, right, bottom)."""
COLOURS_KEPT = 200
LINE = 3


async def main(folder: Path) -> None:
    labels = {screen.file: screen for screen in read_labels(folder / "labels.json")}
    async with PictureReader(PerceptionSettings(workers=1)) as reader:
        for name, (file, cut) in CUTS.items():
            read = await reader.read(folder / file)
            if read.rgb is None or read.screen is None:
                raise SystemExit(f"{file}: {read.error}")
            score = score_screen(labels[file], read.screen.elements)
            missed = [text.box for text in score.missed_texts] + [icon.box for icon in score.missed_icons]
            picture = _annotated(read.rgb, read.screen.elements, missed).crop(cut)
            picture.quantize(COLOURS_KEPT).save(HERE / f"{name}.png", optimize=True)


def _annotated(rgb: Rgb, elements: Sequence[Element], missed: Sequence[Sequence[float]]) -> Image.Image:
    picture = Image.fromarray(np.ascontiguousarray(rgb))
    draw = ImageDraw.Draw(picture)
    for element in elements:
        box = element.box
        draw.rectangle((box.x1, box.y1, box.x2, box.y2), outline=COLOURS[element.kind], width=LINE)
    for x1, y1, x2, y2 in missed:
        draw.rectangle((x1 - LINE, y1 - LINE, x2 + LINE, y2 + LINE), outline=MISSED, width=LINE)
    return picture


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
