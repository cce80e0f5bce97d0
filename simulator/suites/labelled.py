"""Write labelled screens of a virtual phone, taken while it plays the reference operations of the everyday suite.

    python -m manyhands.simulator.suites.labelled FOLDER [--task ID] [--size 1080x2400]

This command writes one PNG for each different screen, and ``labels.json`` for ``manyhands perceive --score
FOLDER/labels.json`` (docs/perception.md describes the format). The texts that a task needs are main labels: those that
its operations tap, and those that it types later. All other texts are minor labels. Icons are not labelled, so the
whole screen is a region in which found icons are ignored.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec, select
from manyhands.simulator.fleet.virtual_fleet import parse_size
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.serving.command_line import refuse
from manyhands.simulator.suites import load_suite
from manyhands.simulator.suites.play import PlayedPhone, meant

SHORTEST = 3
"""The fewest characters of a text that counts as needed because a later typed text contains it."""
_TOUCHES = re.compile(r"^(?:tap|long press) (.+)$")


@dataclass(slots=True)
class LabelledPage:
    """Hold a screen at rest. ``needed``: the indices of the texts that a task needs."""

    rgb: NDArray[np.uint8]
    texts: list[tuple[str, Box]]
    needed: set[int] = field(default_factory=set)

    def need(self, wanted: Iterable[int]) -> None:
        self.needed.update(wanted)

    def touched_by(self, operation: str) -> list[int]:
        """Return a list with the index of the text that an operation touches; empty if it touches no text."""
        found = _TOUCHES.match(operation)
        return meant(self.texts, found[1]) if found else []

    def repeated_in(self, typed: str) -> list[int]:
        return [n for n, (text, _) in enumerate(self.texts) if len(text.strip()) >= SHORTEST and text.strip() in typed]

    def label(self, file: str) -> dict[str, Any]:
        """Return the screen's entry in the label file. ``file``: the name of its picture."""
        height, width = self.rgb.shape[:2]
        texts = [
            {"text": text, "box": [box.x, box.y, box.x + box.w, box.y + box.h], "minor": number not in self.needed}
            for number, (text, box) in enumerate(self.texts)
        ]
        whole = [0, 0, width, height]
        return {"file": file, "width": width, "height": height, "texts": texts, "icons": [], "ignore": [whole]}


def pages_of(task: TaskSpec, size: tuple[int, int]) -> Iterator[LabelledPage]:
    """Yield the screen before each reference operation of a task, and the one after the last. Raises CannotPlay."""
    played = PlayedPhone(task.reset_seed or 0, *size)
    operations = (*task.human_operations, "wait")
    for number, operation in enumerate(operations):
        page = LabelledPage(played.at_rest(), [(text, box) for text, box in played.phone.layout() if text.strip()])
        to_come = "\n".join(line.removeprefix("type ") for line in operations[number:] if line.startswith("type "))
        page.need([*page.touched_by(operation), *page.repeated_in(to_come)])
        yield page
        played.play(operation)


def labelled_pages(tasks: Iterable[TaskSpec], size: tuple[int, int]) -> list[LabelledPage]:
    """Return every different screen once, with the texts that any of the tasks needs."""
    found: dict[bytes, LabelledPage] = {}
    for task in tasks:
        for page in pages_of(task, size):
            key = hashlib.blake2b(page.rgb.tobytes(), digest_size=16).digest()
            found.setdefault(key, page).need(page.needed)
    return list(found.values())


def write_labelled(pages: Sequence[LabelledPage], folder: Path) -> Path:
    """Write pictures and labels into ``folder``, and return the path of the label file.

    Raises BadInput if they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        images = []
        for number, page in enumerate(pages):
            name = f"{number:03}.png"
            Image.fromarray(page.rgb).save(folder / name, compress_level=1)
            images.append(page.label(name))
        path = folder / "labels.json"
        notes = "Texts as a virtual phone drew them; main labels are those that a task needs."
        path.write_text(json.dumps({"notes": notes, "images": images}, ensure_ascii=False, indent=1), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror or error}") from error
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return the exit code: 0 written, 2 bad input."""
    parser = argparse.ArgumentParser(prog="python -m manyhands.simulator.suites.labelled", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--task", action="append", default=[], metavar="ID", help="of the suite; repeatable; all if none"
    )
    parser.add_argument("--size", default="1080x2400", help="of the phone, in pixels")
    options = parser.parse_args(arguments)
    try:
        pages = labelled_pages(select(load_suite(), options.task), parse_size(options.size))
        path = write_labelled(pages, options.folder)
    except (BadInput, ValueError) as error:
        return refuse(BadInput(f"--size: {error}") if isinstance(error, ValueError) else error)
    sys.stdout.write(f"{len(pages)} screens: {path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
