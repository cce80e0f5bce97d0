"""python -m training.screens.reading.score DIR: how pages are read, by kind, by our reader and by RapidOCR as it comes.

Runs in the project's environment. Each use of the part check leaves a line in docs/measurements/perception-check.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from rapidocr import RapidOCR

from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.perception.reader import PictureReader
from manyhands.evaluation.perception.labels import LabelledScreen, read_labels
from manyhands.evaluation.perception.lines import LineTally, tally_lines
from manyhands.evaluation.perception.report import shares_of
from manyhands.evaluation.perception.scoring import Tally, score_screen
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

Reader = Literal["ours", "rapid"]
LOG = Path(__file__).parents[3] / "docs" / "measurements" / "perception-check.md"
ALL = "all"
HEAD = ("kind", "pages", "labels", "exact", "precision", "merged", "cut", "words lost", "icons", "at IoU", "precision")


class KindScore(Message):
    """Hold the figures of one reader on one kind of page."""

    kind: str
    pages: int = 0
    tally: Tally = Tally()
    lines: LineTally = LineTally()

    def plus(self, other: KindScore) -> KindScore:
        return KindScore(
            kind=self.kind,
            pages=self.pages + other.pages,
            tally=self.tally.plus(other.tally),
            lines=self.lines.plus(other.lines),
        )

    def cells(self) -> list[str]:
        """Return the row of a table, in the order of HEAD."""
        shares, lines = shares_of(self.tally), self.lines
        return [
            self.kind,
            str(self.pages),
            str(lines.labels),
            _percent(shares.text_exact),
            _percent(shares.text_precision),
            _percent(_share(lines.merged, lines.labels)),
            _percent(_share(lines.cut, lines.labels)),
            _percent(_share(lines.lost, lines.words)),
            _percent(shares.icon_recall),
            _percent(shares.icon_recall_iou),
            _percent(shares.icon_precision),
        ]


def score_page(screen: LabelledScreen, elements: Sequence[Element]) -> KindScore:
    return KindScore(
        kind=screen.kind, pages=1, tally=score_screen(screen, elements).tally, lines=tally_lines(screen, elements)
    )


def by_kind(pages: Iterable[KindScore]) -> list[KindScore]:
    """Add up pages by their kinds, in alphabetical order, and all of them at the end."""
    sums, everything = dict[str, KindScore](), KindScore(kind=ALL)
    for page in pages:
        sums[page.kind] = sums.get(page.kind, KindScore(kind=page.kind)).plus(page)
        everything = everything.plus(page)
    return [*(sums[kind] for kind in sorted(sums)), everything]


def table(rows: Sequence[KindScore]) -> str:
    """Return a table in Markdown; shares in per cent."""
    lines = [HEAD, ["---"] * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def log_use(path: Path, when: datetime, commit: str, figures: dict[Reader, KindScore]) -> None:
    """Add a line about a use of the part check to its log."""
    row = ["", f"{when:%Y-%m-%d %H:%M}", commit]
    for reader, score in figures.items():
        cells = score.cells()
        row.append(f"{reader}: " + ", ".join(f"{name} {cell}" for name, cell in zip(HEAD[1:], cells[1:], strict=True)))
    with path.open("a", encoding="utf-8") as file:
        file.write(" | ".join(row).strip() + " |\n")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.screens.reading.score", description=__doc__)
    parser.add_argument("folder", type=Path, help="what python -m training.screens.reading made")
    parser.add_argument("--reader", choices=("ours", "rapid", "both"), default="both")
    parser.add_argument("--pages", type=int, help="only the first so many; the kinds take turns")
    parser.add_argument(
        "--misses", type=Path, help="also write the texts that were not read exactly to this file, as JSON"
    )
    given = parser.parse_args(arguments)
    try:
        part = json.loads((given.folder / "made.json").read_text())["part"]
        screens = read_labels(given.folder / "labels.json")[: given.pages]
    except (OSError, BadInput) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    if part == "check" and given.misses:
        print("error: --misses: nobody looks at what was missed on the part check", file=sys.stderr)  # noqa: T201
        return 2
    readers: tuple[Reader, ...] = ("ours", "rapid") if given.reader == "both" else (given.reader,)
    totals = dict[Reader, KindScore]()
    misses = dict[str, object]()
    for reader in readers:
        elements = (
            asyncio.run(_all(_ours(given.folder, screens))) if reader == "ours" else _rapid(given.folder, screens)
        )
        rows = by_kind(map(score_page, screens, elements))
        totals[reader] = rows[-1]
        print(f"\n{part}, {reader}\n\n{table(rows)}", flush=True)  # noqa: T201
        misses[reader] = [
            {
                "kind": screen.kind,
                **score_screen(screen, found).model_dump(include={"file", "missed_texts", "wrong_texts"}),
            }
            for screen, found in zip(screens, elements, strict=True)
        ]
    if given.misses:
        given.misses.write_text(json.dumps(misses, ensure_ascii=False, indent=1), "utf-8")
    if part == "check":
        log_use(LOG, datetime.now(UTC), _commit(), totals)
    return 0


async def _all(found: AsyncIterator[list[Element]]) -> list[list[Element]]:
    return [elements async for elements in found]


async def _ours(folder: Path, screens: Sequence[LabelledScreen]) -> AsyncIterator[list[Element]]:
    """Read with the defaults of ``manyhands perceive``. Raises the error of a picture that cannot be read."""
    async with PictureReader(PerceptionSettings()) as reader:
        async with aclosing(reader.read_all(folder / screen.file for screen in screens)) as pictures:
            async for picture in pictures:
                if picture.screen is None:
                    raise picture.error or BadInput(f"{picture.path}: no screen")
                yield list(picture.screen.elements)


def _rapid(folder: Path, screens: Sequence[LabelledScreen]) -> list[list[Element]]:
    """Read with RapidOCR as it comes: its own settings, its own boxes, no icons."""
    engine = RapidOCR(params={"Global.log_level": "error"})
    return [_elements(engine(str(folder / screen.file)), screen) for screen in screens]


def _elements(read: object, screen: LabelledScreen) -> list[Element]:
    boxes, texts, scores = (getattr(read, name) for name in ("boxes", "txts", "scores"))
    if boxes is None or texts is None:
        return []
    found = list[Element]()
    for corners, text, score in zip(boxes, texts, scores, strict=True):
        (x1, y1), (x2, y2) = corners.min(axis=0), corners.max(axis=0)
        left, top = max(0, int(x1)), max(0, int(y1))
        right, bottom = min(screen.width, round(x2)), min(screen.height, round(y2))
        if right > left and bottom > top and text:
            box = Box(x1=left, y1=top, x2=right, y2=bottom)
            found.append(Element(kind="text", content=text, box=box, confidence=min(max(float(score), 0.0), 1.0)))
    return found


def _commit() -> str:
    """Return the commit of the checkout, marked where files differ from it."""
    here = Path(__file__).parent
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=here, capture_output=True, text=True, check=True
    )
    return said.stdout.strip()


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


if __name__ == "__main__":
    sys.exit(main())
