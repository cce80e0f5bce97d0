"""python -m training.screens --out DIR --count N --seed S [--holdout]: renders labelled screens.

A run that was stopped goes on where it stopped: each screen depends on the seed and its own number only.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from manyhands.protocol.errors import BadInput
from training.screens import labels, sheet
from training.screens.browser import Browser, RenderError
from training.screens.grammar import Grammar
from training.screens.kits import Materials

EVERY = 25
"""Labels are written after so many screens."""
MOST_FAILED = 0.02
"""Share of pages that may fail before the run is given up."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.screens", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for pictures and labels.json")
    parser.add_argument("--count", type=int, default=100, help="screens in the folder at the end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--holdout", action="store_true", help="only the kits and icon sets that training never sees")
    parser.add_argument("--kit", help="only this kit")
    parser.add_argument("--png", action="store_true", help="lossless pictures instead of JPEG 92")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--sheet", type=Path, help="also draw a contact sheet of the last dozen, with their boxes")
    given = parser.parse_args(arguments)
    try:
        rendered = _render(given)
    except (BadInput, RenderError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2 if isinstance(error, BadInput) else 1
    if given.sheet:
        sheet.contact_sheet(given.out, rendered[-12:], given.sheet)
    return 0


def _render(given: argparse.Namespace) -> list[dict[str, object]]:
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "labels.json"
    made = json.dumps({"seed": given.seed, "holdout": given.holdout, "kit": given.kit})
    same = given.out / "made.json"
    if same.exists() and same.read_text() != made:
        raise BadInput(f"{given.out} holds screens made with {same.read_text()}: choose another folder")
    same.write_text(made)
    images = labels.read(path)
    materials = Materials(given.holdout)
    if given.kit:
        materials.kits = [kit for kit in materials.kits if kit.name == given.kit]
        if not materials.kits:
            raise BadInput(f"--kit {given.kit}: no such kit on this side of the hold-out (kits.yaml)")
    grammar = Grammar(given.seed, materials)
    kind = "png" if given.png else "jpeg"
    begun, before, failed = time.monotonic(), len(images), 0
    number = int(str(images[-1]["file"])[1:6]) + 1 if images else 0
    with sync_playwright() as playwright:
        browser = Browser(playwright, given.chromium, kind)
        while len(images) < given.count:
            try:
                shot = browser.shoot(grammar.page(number))
            except RenderError as error:
                failed += 1
                print(f"left out: {error}", file=sys.stderr)  # noqa: T201
                if failed > 3 + MOST_FAILED * number:
                    raise
            else:
                file = f"s{number:05d}.{'png' if given.png else 'jpg'}"
                (given.out / file).write_bytes(shot.picture)
                images.append(labels.label(grammar.page(number), shot, file))
            number += 1
            if number % EVERY == 0:
                labels.write(path, images)
                pace = (len(images) - before) / (time.monotonic() - begun) * 60
                print(f"{len(images)} of {given.count} screens, {pace:.0f} a minute", file=sys.stderr)  # noqa: T201
        browser.close()
    labels.write(path, images)
    return images


if __name__ == "__main__":
    sys.exit(main())
