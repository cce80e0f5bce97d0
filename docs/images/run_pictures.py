"""``make pictures``: pictures of a run for README and docs, from a run of the demo's tasks.

``docs/images/display.svg`` is the live display as it is on a terminal when half of the tasks have ended, exported by
rich; ``report.png`` and ``film.png`` are the run's page and an episode's in its report, in a headless Chromium. All
show stand-ins: virtual phones and the rehearsed model.

Usage: ``python docs/images/run_pictures.py /usr/bin/chromium``
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
from importlib import resources
from io import StringIO
from pathlib import Path

from PIL import Image
from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME

from manyhands import Fleet
from manyhands.deploy.command_line.display import REFRESH_S, RunDisplay
from manyhands.deploy.settings.models import REHEARSED
from manyhands.evaluation.report.report_folder import write_report
from manyhands.protocol.runs.progress import RunProgress
from manyhands.protocol.tasks.task import read_tasks, select

HERE = Path(__file__).parent
PHONES = 4
COLUMNS, ROWS = 100, 24
"""Of the terminal on which the display is drawn."""
REPORT_SIZE = (1200, 920)
"""The part of a page that is shown, from its top: width and height in pixels."""
FILMED, STEP = "hotel_message", 3
"""The task whose episode is shown, and the step."""
COLOURS = 128
LOADED_MS = 5000
"""Of the page's own clock, after which the picture is taken."""
BROWSER_TIMEOUT_S = 120


async def main(chromium: str) -> None:
    with resources.as_file(resources.files("manyhands.simulator.suites") / "everyday.yaml") as path:
        tasks = select(read_tasks(path), [], ["demo"])
    async with Fleet(phones=[f"virtual:{PHONES}"], mllm_url=[REHEARSED], name="demo") as fleet:
        console = Console(
            record=True, force_terminal=True, file=StringIO(), width=COLUMNS, height=ROWS, highlight=False, emoji=False
        )
        display = RunDisplay(console, fleet.progress, goals={task.id: task.goal for task in tasks})
        batch = asyncio.create_task(fleet.run_batch(tasks))
        while not batch.done():
            progress = await fleet.progress()
            display.picture(progress)  # it learns how long the episodes run
            if 2 * progress.done.tasks >= progress.total and len(progress.running) == PHONES:
                _draw_display(console, display, progress)
                break
            await asyncio.wait({batch}, timeout=REFRESH_S)
        await batch
    await asyncio.to_thread(_draw_report, fleet.folder, chromium)


def _draw_display(console: Console, display: RunDisplay, progress: RunProgress) -> None:
    console.print(display.picture(progress))
    svg = console.export_svg(title="manyhands demo", theme=SVG_EXPORT_THEME)
    # rich gives a text of Chinese characters, which take two cells each, half of its length.
    svg = re.sub(r' textLength="[^"]*"(?=[^>]*>[^<]*[\u2e80-\uffef])', "", svg)
    # Without the fonts that rich names on the network: a page that shows the picture loads nothing more.
    (HERE / "display.svg").write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8")


def _draw_report(run: Path, chromium: str) -> None:
    written = write_report(run)
    episode = next(task.episodes[-1] for task in written.report.tasks if task.row.id == FILMED)
    address = written.page.as_uri()
    _draw_page(address, "report.png", chromium)
    _draw_page(f"{address}#/episodes/{episode.id}?step={STEP}", "film.png", chromium)


def _draw_page(address: str, name: str, chromium: str) -> None:
    width, height = REPORT_SIZE
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / name
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--user-data-dir={folder}/profile", f"--window-size={width},{height}", f"--screenshot={shot}"]
        command += [f"--virtual-time-budget={LOADED_MS}"]
        subprocess.run([*command, address], check=True, timeout=BROWSER_TIMEOUT_S, capture_output=True)
        Image.open(shot).convert("RGB").quantize(COLOURS).save(HERE / name, optimize=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
