"""python -m training.gaps.examples FOLDER OUT.npz: the blanks in lines that the text detector finds, and what they are.

Runs in the project's environment, on a folder that python -m training.screens.reading made.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from manyhands.actors.perception.text.gaps import COLUMNS, Surroundings
from manyhands.actors.perception.text.ink import ink_of
from manyhands.actors.perception.text.rapid import RapidTextSettings, rapid_detector
from manyhands.evaluation.perception.labels import LabelledIcon, LabelledText, read_labels
from manyhands.protocol.errors import BadInput

EVERY = 20


class Span(NamedTuple):
    """Hold the columns of a label on one level of the page."""

    left: float
    right: float


def separates(texts: list[Span], others: list[Span], x1: float, x2: float, reach: float) -> bool | None:
    """Return whether a blank from ``x1`` to ``x2`` stands between two labels, and not within one.

    None where there is no label on both sides within ``reach``: nothing is known of it then.
    """
    middle = (x1 + x2) / 2
    if any(text.left < middle < text.right for text in texts):
        return False
    before = any(x1 - reach < each.right <= middle for each in (*texts, *others))
    after = any(middle <= each.left < x2 + reach for each in (*texts, *others))
    return True if before and after else None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.gaps.examples", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args(arguments)
    finder = rapid_detector(RapidTextSettings())
    figures, answers, pages, kinds = [np.empty((0, COLUMNS), np.float32)], list[bool](), list[int](), list[str]()
    try:
        screens = read_labels(given.folder / "labels.json")
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    for number, screen in enumerate(screens):
        picture = cv2.imread(str(given.folder / screen.file))
        if picture is None:
            print(f"error: {given.folder / screen.file} cannot be read", file=sys.stderr)  # noqa: T201
            return 2
        rgb = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        lines = finder.lines(rgb)
        inks = [ink_of(rgb[line.y1 : line.y2, line.x1 : line.x2]) for line in lines]
        page = Surroundings(rgb, lines, inks)
        for place, (line, ink) in enumerate(zip(lines, inks, strict=True)):
            texts, icons = (_spans(labels, (line.y1 + line.y2) / 2) for labels in (screen.texts, screen.icons))
            for blank, row in zip(ink.blanks(), page.figures(place), strict=True):
                x1, x2 = line.x1 + ink.glyphs[blank].right, line.x1 + ink.glyphs[blank + 1].left
                answer = separates(texts, icons, x1, x2, line.height)
                if answer is not None:
                    figures.append(row[None])
                    answers.append(answer)
                    pages.append(number)
                    kinds.append(screen.kind)
        if (number + 1) % EVERY == 0:
            print(f"{number + 1} of {len(screens)} pages, {len(answers)} blanks", file=sys.stderr)  # noqa: T201
    given.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        given.out, figures=np.concatenate(figures), answers=np.array(answers), pages=np.array(pages), kinds=kinds
    )
    return 0


def _spans(labels: Iterable[LabelledText | LabelledIcon], level: float) -> list[Span]:
    """Return the labels over a level of the page."""
    return [Span(each.box.x1, each.box.x2) for each in labels if each.box.y1 < level < each.box.y2]


if __name__ == "__main__":
    sys.exit(main())
