"""``manyhands bench export``: measure how long an export takes, whole and interrupted, and whether both are equal.

The run is made up. An export runs in a process of its own, by the command that people use.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import psutil
import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput

EXAMPLE = (
    "Example: manyhands bench export --episodes 1000 --steps 20 --out runs/bench_export. A run that is there already "
    "is used again. Exit codes: 0 measured, 1 the two exports differ, 2 bad input."
)
SOURCES = {"phones": "canned frames, a stand-in", "model": "none; requests and replies are made up"}
_POLL_S = 0.05


@dataclass(frozen=True)
class ExportLoad:
    episodes: int
    steps: int
    format: str
    out: Path


class ExportRound(Message):
    """Hold what one export took, over all its processes."""

    seconds: float
    cpu_s: float
    peak_mib: float
    """The most memory of one of its processes."""


class ExportFigures(Message):
    rows: int
    pictures: int
    whole: ExportRound
    interrupted: ExportRound
    """Killed once, halfway, and gone on with."""
    is_equal: bool
    """Whether both exports hold the same bytes."""


def command(
    episodes: Annotated[int, typer.Option("--episodes", min=1, help="Episodes of the run.")] = 1000,
    steps: Annotated[int, typer.Option("--steps", min=1, help="Steps of each, with three calls a step.")] = 20,
    format_name: Annotated[str, typer.Option("--format", help="As of manyhands export.")] = "llamafactory",
    out: Annotated[Path | None, typer.Option("--out", help="Where the run and the exports are kept.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure an export of a run that is made up: time, memory, and whether an interruption changes its bytes."""
    load = ExportLoad(episodes, steps, format_name, out or timed_folder("bench_export"))
    carry_out(lambda: _run(load, as_json), as_json)


async def _run(load: ExportLoad, as_json: bool) -> int:
    console = text_console(stderr=as_json)
    provenance = Provenance(SOURCES, this_machine(), load.out)
    figures = await measure(load, lambda line: console.print(line, markup=False))
    if as_json:
        settings = {"episodes": load.episodes, "steps": load.steps, "format": load.format}
        say_json({**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()})
    else:
        for name, one in (("whole", figures.whole), ("killed once", figures.interrupted)):
            console.print(f"{name}: {one.seconds:.0f} s, {one.cpu_s:.0f} s of CPU, {one.peak_mib:.0f} MiB at most")
        equal = "the same bytes" if figures.is_equal else "OTHER BYTES"
        console.print(f"{figures.rows:,} rows, {figures.pictures:,} pictures, both times {equal}")
        provenance.print(console)
    return 0 if figures.is_equal else 1


async def measure(load: ExportLoad, say: Callable[[str], None]) -> ExportFigures:
    """Make the run if it is not there, and export it twice. Raises BadInput if an export fails."""
    from manyhands.benchmarks.export_run import make_run

    run = load.out / f"run_{load.episodes}_{load.steps}"
    if not (run / "run.yaml").exists():
        say(f"makes {run}")
        await make_run(run, load.episodes, load.steps, SOURCES)
    outs = [load.out / name for name in ("whole", "interrupted")]
    for out in outs:
        shutil.rmtree(out, ignore_errors=True)
    say("exports it")
    whole = await asyncio.to_thread(_export, run, outs[0], load.format)
    say(f"took {whole.seconds:.0f} s; exports it again, and kills it halfway")
    first = await asyncio.to_thread(_export, run, outs[1], load.format, whole.seconds / 2)
    second = await asyncio.to_thread(_export, run, outs[1], load.format)
    state = [json.loads(line) for line in (outs[0] / "parts.jsonl").read_text().splitlines()[1:]]
    return ExportFigures(
        rows=sum(part["rows"] for part in state),
        pictures=sum(part["pictures"] for part in state),
        whole=whole,
        interrupted=ExportRound(
            seconds=first.seconds + second.seconds,
            cpu_s=first.cpu_s + second.cpu_s,
            peak_mib=max(first.peak_mib, second.peak_mib),
        ),
        is_equal=_digest(outs[0]) == _digest(outs[1]),
    )


def _export(run: Path, out: Path, format_name: str, kill_after_s: float | None = None) -> ExportRound:
    """Export in a process of its own. Blocks. Raises BadInput if it fails."""
    words = [sys.executable, "-m", "manyhands", "export", str(run), "--format", format_name, "--out", str(out)]
    log = out.with_suffix(".log")
    began = time.monotonic()
    with log.open("wb") as file:
        pid = os.posix_spawn(
            sys.executable, words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, file.fileno(), fd) for fd in (1, 2)]
        )
    process, peak, ended, limit = psutil.Process(pid), 0, 0, kill_after_s
    while not ended:
        with suppress(psutil.Error):  # not ru_maxrss: that of a new process begins with the memory of this one
            peak = max(peak, process.memory_info().rss)
        if limit is not None and time.monotonic() - began > limit:
            os.kill(pid, signal.SIGKILL)
            limit = None
        time.sleep(_POLL_S)
        ended, status, usage = os.wait4(pid, os.WNOHANG)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, None if kill_after_s is None else -signal.SIGKILL):
        raise BadInput(f"the export ended with {code}: {log.read_text(errors='replace')[-300:]}")
    cpu_s = usage.ru_utime + usage.ru_stime
    return ExportRound(seconds=time.monotonic() - began, cpu_s=cpu_s, peak_mib=peak / 2**20)


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            digest.update(f"{path.relative_to(folder)} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
