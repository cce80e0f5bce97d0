"""python -m training.screens.reading --out DIR --part develop|choose|check --count N --seed S: renders pages to read.

A run that was stopped goes on where it stopped: each page depends on the part, the seed and its own number only.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from manyhands.protocol.errors import BadInput
from training.screens import labels as files
from training.screens.browser import RenderError
from training.screens.reading.labels import label
from training.screens.reading.pages import Pages
from training.screens.reading.parts import part, parts
from training.screens.reading.render import Browser

EVERY = 20
"""Labels are written after so many pages."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.screens.reading", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for pictures and labels.json")
    parser.add_argument("--part", choices=list(parts()), required=True)
    parser.add_argument("--count", type=int, default=100, help="pages in the folder at the end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args(arguments)
    try:
        _render(given)
    except (BadInput, RenderError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2 if isinstance(error, BadInput) else 1
    return 0


def _render(given: argparse.Namespace) -> None:
    given.out.mkdir(parents=True, exist_ok=True)
    made, same = json.dumps({"part": given.part, "seed": given.seed}), given.out / "made.json"
    if same.exists() and same.read_text() != made:
        raise BadInput(f"{given.out} holds pages made with {same.read_text()}: choose another folder")
    same.write_text(made)
    path = given.out / "labels.json"
    images = files.read(path)
    pages = Pages(part(given.part), given.seed)
    with sync_playwright() as playwright:
        browser = Browser(playwright, given.chromium)
        for number in range(len(images), given.count):
            page = pages.page(number)
            shot = browser.shoot(page)
            file = f"{given.part[0]}{number:05d}.png"
            (given.out / file).write_bytes(shot.picture)
            images.append(label(page, shot, file))
            if len(images) % EVERY == 0:
                files.write(path, images)
                print(f"{len(images)} of {given.count} pages", file=sys.stderr)  # noqa: T201
        browser.close()
    if images:
        files.write(path, images)


if __name__ == "__main__":
    sys.exit(main())
