"""``manyhands bench export``: measure how long an export takes, whole and interrupted, and whether both are equal.

The run is made up, through the store that real runs write with: canned frames that all differ, and prompts of a real
length. An export runs in a process of its own, by the command that people use.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import psutil
import typer
import yaml

from manyhands.actors.frames import Frame, content_id
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.base import Ending, Message, Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    Planned,
    Record,
    Reflected,
    ScreenCaptured,
    Span,
)
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.phones import Receipt
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import Decision, Plan, Reflection, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.canned.frames import PAGES, Page, page, stamped

EXAMPLE = (
    "Example: manyhands bench export --episodes 1000 --steps 20 --out runs/bench_export. A run that is there already "
    "is used again. Exit codes: 0 measured, 1 the two exports differ, 2 bad input."
)
SIZE = Size(width=1080, height=2400)
SOURCES = {"phones": "canned frames, a stand-in", "model": "none; requests and replies are made up"}
_POLL_S = 0.05
_SYSTEM = "You are one of several roles that together operate an Android phone for a user. " * 75
_SCREEN = "\n".join(f"{row} ({row * 40},{row * 30}) text that a screen shows in row {row}" for row in range(1, 40))
_REPLIES = {
    Role.PLAN: {"thought": "t", "plan": "1. Look", "change": "keep", "subgoal": "Look", "status": "continue"},
    Role.DECIDE: {"thought": "t", "action": {"name": "Tap", "x": 250, "y": 50}, "expectation": "e"},
    Role.REFLECT: {"outcome": "A", "error": "", "progress": "Looked"},
}


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
    run = load.out / f"run_{load.episodes}_{load.steps}"
    if not (run / "run.yaml").exists():
        say(f"makes {run}")
        await make_run(run, load.episodes, load.steps)
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


# ---------------------------------------------------------------------------- the run
async def make_run(folder: Path, episodes: int, steps: int) -> None:
    """Make the folder of a run in which every screen differs. Its run.yaml is written last."""
    _begin(folder)
    pages = [page(SIZE.width, SIZE.height, number) for number in range(PAGES)]
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    try:
        ahead = await asyncio.to_thread(_frames, pages, 0, steps)
        for number in range(episodes):
            frames = ahead
            making = asyncio.to_thread(_frames, pages, number + 1, steps)
            ahead, _ = await asyncio.gather(making, store.put_screens(tuple(frames), *frames.values()))
            episode = f"task{number}-1-{number:06x}"
            await store.append(episode, _records(number, episode, tuple(frames)), 0, 1)
    finally:
        await store.stop()
    sources = {"phones_source": SOURCES["phones"], "model_source": SOURCES["model"]}
    asked = {"run_id": folder.name, "phones": ["canned"], **sources, "settings": {"dialect": "qwen3-vl"}}
    (folder / "run.yaml").write_text(yaml.safe_dump(asked), encoding="utf-8")


def _frames(pages: Sequence[Page], number: int, steps: int) -> dict[str, Frame]:
    """Return the frames of an episode by content id. Blocks."""
    frames: dict[str, Frame] = {}
    for step in range(steps + 1):
        frame = stamped(pages[step % PAGES], number * (steps + 1) + step)
        frames[content_id(frame.rgb)] = Frame("png", bytes(frame.png or b""))
    return frames


def _begin(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _records(number: int, episode: str, contents: Sequence[str]) -> list[Record]:
    """Return the records of an episode. ``contents``: the content ids of its screens."""
    goal = f"Look up price number {number}"
    started = EpisodeStarted(
        at=number,
        run="bench",
        episode=episode,
        attempt=1,
        task=TaskSpec(id=f"task{number}", goal=goal),
        serial="canned",
        epoch=1,
        profile="e",
        schedule="serial",
        memory=LongTermMemory(),
    )
    records: list[Record] = [_captured(0, contents[0])]
    plan = Plan(thought="t", text="1. Look", subgoal=Subgoal(id=1, text="Look"), change="keep", status="continue")
    verdict = Reflection(outcome=Outcome.A, error="", progress="Looked", made_by="model")
    for step, (before, after) in enumerate(itertools.pairwise(contents)):
        span, key = Span(start=step, end=step + 1), f"{episode}:{step}"
        tap = Tap(x=270, y=120)
        records += [
            Planned(step=step, span=span, plan=plan, calls=(_call(Role.PLAN, goal, step, before),)),
            ActionDecided(
                step=step,
                span=span,
                decision=Decision(thought="t", action=tap, expectation="e"),
                calls=(_call(Role.DECIDE, goal, step, before),),
            ),
            ActionSent(at=step, step=step, key=key, action=tap),
            ActionReceived(step=step, receipt=Receipt(key=key, status="done", sent_at=step, ms=1)),
            Acted(step=step, span=span),
            _captured(step + 1, after),
            Reflected(
                step=step, span=span, reflection=verdict, calls=(_call(Role.REFLECT, goal, step, before, after),)
            ),
        ]
    end = EpisodeEnded(
        at=number + 1, ending=Ending.FINISHED, reason="", steps=len(contents) - 1, verified=None, rubrics={}
    )
    return [started, *records, end]


def _captured(step: int, content: str) -> ScreenCaptured:
    shot = Screenshot(content_id=content, size=SIZE, serial="canned", taken_at=step, capture_ms=1)
    return ScreenCaptured(step=step, span=Span(start=step, end=step), screenshot=shot)


def _call(role: Role, goal: str, step: int, *contents: str) -> ModelCall:
    pictures = [{"type": "image_url", "image_url": {"url": f"manyhands:{content}"}} for content in contents]
    words = {"type": "text", "text": f"{goal}\nStep {step}\n{_SCREEN}\nYou are the {role.spec.agent}."}
    messages = [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": [*pictures, words]}]
    return ModelCall(
        role=role,
        server="http://canned",
        request={"model": "canned", "messages": messages, "temperature": 0.0},
        reply=json.dumps(_REPLIES[role]),
        usage=Usage(input_tokens=6000, output_tokens=60),
        started_at=step,
        latency_ms=1,
        reply_type={Role.PLAN: "PlanReply", Role.DECIDE: "DecideReply", Role.REFLECT: "ReflectReply"}[role],
    )
