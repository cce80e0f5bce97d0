"""python -m training.reading --out DIR --part develop|choose|check --count N --seed S: renders pages to read.

Needs a Chromium and Playwright (make reading-pages).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from training.reading.designs import FONTS, PARTS
from training.reading.pages import page

HERE = Path(__file__).parent


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.reading", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for pictures and labels.json")
    parser.add_argument("--part", choices=PARTS, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args(arguments)
    if not Path(given.chromium).exists():
        print(f"error: {given.chromium} is missing: install Chromium, or name it with --chromium", file=sys.stderr)  # noqa: T201
        return 2
    known = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=True).stdout
    missing = sorted({family for pair in FONTS[given.part] for family in pair if family not in known})
    if missing:
        print(f"error: no font {', '.join(missing)}; docs/training.md names their packages", file=sys.stderr)  # noqa: T201
        return 2
    given.out.mkdir(parents=True, exist_ok=True)
    images = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=given.chromium, args=["--hide-scrollbars", "--font-render-hinting=none", "--disable-gpu"]
        )
        for number in range(given.count):
            made = page(given.part, given.seed, number)
            design = made.design
            tab = browser.new_page(
                viewport={"width": design.width, "height": design.height}, device_scale_factor=design.density
            )
            tab.set_content(made.document)
            tab.evaluate("() => document.fonts.ready")
            lines = tab.evaluate((HERE / "collect.js").read_text(encoding="utf-8"))
            file = f"{given.part}{number:05d}.png"
            tab.screenshot(path=given.out / file)
            tab.close()
            images.append(made.labels(file, lines))
        browser.close()
    (given.out / "labels.json").write_text(
        json.dumps({"part": given.part, "seed": given.seed, "images": images}, ensure_ascii=False), encoding="utf-8"
    )
    print(f"{len(images)} pages in {given.out}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
