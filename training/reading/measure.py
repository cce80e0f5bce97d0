"""python -m training.reading.measure DIR [--engine ours|rapidocr]: how well pages are read, by kind.

``exact``: labels read exactly; ``right``: found texts that are like the label on which they stand (both by the scorer
of ``manyhands perceive --score``). ``merged``: labels that were read in one text with another; ``cut``: labels read in
several; ``lost``: words that are in no text that was found over them. ``taps``: of the words that were found with a
place, those whose middle lies on the word. Each look at the check part is noted in docs/measurements/reading-check.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.local import local_backends
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.evaluation.perception.boxes import Rect, rect_of
from manyhands.evaluation.perception.labels import LabelledScreen
from manyhands.evaluation.perception.likeness import plain
from manyhands.evaluation.perception.scoring import score_screen
from manyhands.protocol.geometry import Box
from manyhands.protocol.screens import Element

LOG = Path(__file__).parents[2] / "docs" / "measurements" / "reading-check.md"
"""Has a line for each time that the check part was scored."""
Read = Callable[[Rgb], Sequence[Element]]


@dataclass
class Counts:
    """Count labels, words and findings of pages."""

    pages: int = 0
    labels: int = 0
    exact: int = 0
    found: int = 0
    right: int = 0
    merged: int = 0
    cut: int = 0
    words: int = 0
    lost: int = 0
    placed: int = 0
    tapped: int = 0
    cpu_s: float = 0.0

    def add(self, other: Counts) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def shares(self) -> dict[str, float]:
        """Return what is told of it, in per cent, and seconds of CPU for a page."""
        return {
            "exact": _share(self.exact, self.labels),
            "right": _share(self.right, self.found),
            "merged": _share(self.merged, self.labels),
            "cut": _share(self.cut, self.labels),
            "lost": _share(self.lost, self.words),
            "taps": _share(self.tapped, self.placed),
            "cpu_s": round(self.cpu_s / max(self.pages, 1), 2),
        }


def measure(image: dict[str, Any], texts: Sequence[Element]) -> Counts:
    """Count what became of one page's labels."""
    tally = score_screen(LabelledScreen.model_validate(image), texts).tally
    counts = Counts(1, tally.texts, tally.exact, tally.text_right + tally.text_wrong, tally.text_right)
    found = [(rect_of(text.box), plain(text.content), text) for text in texts]
    labels = [(Rect(*label["box"]), plain(label["text"])) for label in image["texts"]]
    for box, text in labels:
        over = [said for rect, said, _ in found if rect.has_centre_of(box)]
        inside = sorted((rect.x1, said) for rect, said, _ in found if box.has_centre_of(rect) and said)
        if text in over:
            continue
        held = [(rect, said) for rect, said, _ in found if rect.has_centre_of(box) and text in said]
        counts.merged += any(
            other != text and other in said and rect.has_centre_of(place)
            for rect, said in held
            for place, other in labels
        )
        counts.cut += len(inside) > 1 and "".join(said for _, said in inside) == text
    parts = [(rect_of(word.box), plain(word.content)) for text in texts for word in (text.words or (text,))]
    for label in image["texts"]:
        for word in label["words"]:
            box, said = Rect(*word["box"]), plain(word["text"])
            if not said:
                continue
            counts.words += 1
            counts.lost += not any(said in text and rect.has_centre_of(box) for rect, text, _ in found)
            placed = [rect for rect, text in parts if text == said and rect.y1 < (box.y1 + box.y2) / 2 < rect.y2]
            near = min(placed, key=lambda rect: abs(rect.x1 + rect.x2 - box.x1 - box.x2), default=None)
            if near is not None and len(said) > 1:
                counts.placed += 1
                counts.tapped += box.has_centre_of(near)
    return counts


def ours() -> Read:
    """Read as a run does, with default settings."""
    reader = local_backends(PerceptionSettings()).text
    return reader.read


def rapidocr() -> Read:
    """Read with RapidOCR as it comes."""
    from rapidocr import RapidOCR

    engine = RapidOCR(params={"Global.log_level": "error", "EngineConfig.onnxruntime.intra_op_num_threads": 1})

    def read(rgb: Rgb) -> list[Element]:
        said = engine(np.ascontiguousarray(rgb[:, :, ::-1]))
        texts = []
        for corners, text, sure in zip(
            *((said.boxes, said.txts, said.scores) if said.txts else ((), (), ())), strict=True
        ):
            (x1, y1), (x2, y2) = np.min(corners, axis=0), np.max(corners, axis=0)
            box = Box(x1=int(x1), y1=int(y1), x2=int(x2), y2=int(y2))
            texts.append(Element(kind="text", box=box, content=text, confidence=min(float(sure), 1.0)))
        return texts

    return read


ENGINES: dict[str, Callable[[], Read]] = {"ours": ours, "rapidocr": rapidocr}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.reading.measure", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="ours")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    read = ENGINES[given.engine]()
    by_kind: defaultdict[str, Counts] = defaultdict(Counts)
    labelled = json.loads((given.folder / "labels.json").read_text(encoding="utf-8"))
    for image in labelled["images"]:
        rgb = np.asarray(Image.open(given.folder / image["file"]).convert("RGB"))
        began = time.process_time()
        texts = read(rgb)
        spent = time.process_time() - began
        counts = measure(image, texts)
        counts.cpu_s = spent
        by_kind[image["kind"]].add(counts)
        by_kind["all"].add(counts)
    if labelled["part"] == "check":
        _log(given.engine, by_kind["all"])
    if given.json:
        print(json.dumps({kind: {**asdict(counts), **counts.shares} for kind, counts in by_kind.items()}))  # noqa: T201
        return 0
    names = list(Counts().shares)
    print(f"{'kind':10s} {'labels':>6s} " + " ".join(f"{name:>6s}" for name in names))  # noqa: T201
    for kind, counts in sorted(by_kind.items(), key=lambda one: one[0] == "all"):
        print(f"{kind:10s} {counts.labels:6d} " + " ".join(f"{counts.shares[name]:6.2f}" for name in names))  # noqa: T201
    return 0


def _log(engine: str, counts: Counts) -> None:
    """Note that the check part was looked at: it says how good something is only as long as nothing is made for it."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    told = " | ".join(f"{share:.2f}" for share in counts.shares.values())
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"| {date.today()} | {commit.stdout.strip()} | {engine} | {counts.pages} | {told} |\n")


def _share(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 100.0


if __name__ == "__main__":
    sys.exit(main())
