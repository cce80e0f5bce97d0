"""Read screens both as the perception service does and in full, on one thread of this process."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

import cv2

from manyhands.actors.frames import Frame, content_id, encode_png
from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.incremental.remembered import ReadPictures
from manyhands.actors.perception.local import local_backends
from manyhands.actors.perception.reading import Content, Stopwatch, read_frame
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.rapid import RapidTextSettings
from manyhands.deploy.benchmarks.perceive.figures import ScreenRead, SizeFigures, compare_icons, compare_texts
from manyhands.deploy.benchmarks.tasks import everyday
from manyhands.deploy.command_line.output import counted
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.fleet import REHEARSED
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.geometry import Size
from manyhands.protocol.messages import CallContext
from manyhands.protocol.records import Captured
from manyhands.protocol.screens import Screenshot
from manyhands.simulator.suites.play import PlayedPhone

TASKS = ("dark_mode", "settings_search", "reply_unread", "two_notes", "lakers_note", "errand_cart")
"""Tasks of the everyday suite: settings, messages, notes, web and shopping."""
OPERATIONS = (
    "open Settings", "swipe up", "swipe down", "tap Display", "tap Dark mode", "back", "home",
    "open Notes", "home", "open Messages", "home", "open Settings",
)  # fmt: skip
"""What the virtual phone is made to show for figures by size."""
PATIENCE_S = 600.0
SETTINGS = PerceptionSettings(workers=1)

Say = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PerceiveLoad:
    """What is read."""

    run: RunFolder | None
    """The run whose screens are read; None to play ``tasks`` for one."""
    tasks: tuple[str, ...]
    sizes: tuple[Size, ...]
    threads: tuple[int, ...]
    forget: bool
    """Start each episode without what was read in those before it."""
    adb_port: int | None
    out: Path


@dataclass(frozen=True, slots=True)
class Measured:
    """What was read, and what it cost."""

    run: RunFolder
    sizes: Sequence[SizeFigures]
    screens: Sequence[ScreenRead]


async def measure(load: PerceiveLoad, say: Say) -> Measured:
    """Read pages by size, then the screens of a run. Raises BadInput, and what Fleet raises."""
    by_size = []
    for size, threads in itertools.product(load.sizes, load.threads):
        say(f"reading pages of {size.width}x{size.height}, {counted(threads, 'thread')}")
        by_size.append(await measure_size(size, threads))
    run = load.run or await _record_run(load, say)
    return Measured(run, by_size, await asyncio.to_thread(read_run, run, load.forget, say))


def cpu_ms(work: Callable[[], T]) -> tuple[T, float]:
    """Return what ``work`` gives, and the CPU that this process used meanwhile, all threads together."""
    begin = time.process_time()
    made = work()
    return made, (time.process_time() - begin) * 1000


class PartReader:
    """What the service does with the screens of one phone, without its threads and queue."""

    def __init__(self, settings: PerceptionSettings, backends: Backends) -> None:
        self._backends = backends
        self._pictures = ReadPictures(settings.incremental, settings.remembered)

    def read(self, picture: str, frame: Frame, size: Size, serial: str) -> tuple[Content, bool]:
        """Return the content of the picture with the id ``picture``, and whether its pixels were remembered."""
        known = self._pictures.known(picture, serial)
        if known is not None:
            return known, True
        content = read_frame(self._backends, frame, size, Stopwatch(), self._pictures.past(serial))
        self._pictures.add(picture, (serial,), content)
        return content, False


@dataclass(frozen=True, slots=True)
class Shown:
    """A screen of a run."""

    episode: str
    step: int
    screenshot: Screenshot
    png: bytes


def screens_of(run: RunFolder) -> Iterator[Shown]:
    """Yield all screens whose picture is there, by episode in the order of their starts, in each by step."""
    for episode, scan in run.journals.items():
        for record in scan.records:
            if isinstance(record, Captured):
                png = run.screen_png(record.screenshot.content_id)
                if png is not None:
                    yield Shown(episode, record.step, record.screenshot, png)


def read_run(run: RunFolder, forget: bool, say: Say) -> list[ScreenRead]:
    """Read each screen both ways. ``forget``: start each episode without what was read in those before it.

    A picture that comes again is read in full once: what that cost then counts each time.
    """
    cv2.setNumThreads(1)
    backends = local_backends(SETTINGS)
    in_full: dict[str, tuple[Content, float]] = {}
    reader = PartReader(SETTINGS, backends)
    episode, found = "", list[ScreenRead]()
    for shown in screens_of(run):
        if shown.episode != episode:
            say(f"reading the screens of {shown.episode}")
            if forget:
                reader = PartReader(SETTINGS, backends)
            episode = shown.episode
        found.append(_read_both(shown, reader, backends, in_full))
    return found


def _read_both(
    shown: Shown, reader: PartReader, backends: Backends, in_full: dict[str, tuple[Content, float]]
) -> ScreenRead:
    shot, frame = shown.screenshot, Frame("png", shown.png)
    if shot.content_id not in in_full:
        in_full[shot.content_id] = cpu_ms(lambda: read_frame(backends, frame, shot.size, Stopwatch()))
    full, full_ms = in_full[shot.content_id]
    (part, remembered), part_ms = cpu_ms(lambda: reader.read(shot.content_id, frame, shot.size, shot.serial))
    _, decode_ms = cpu_ms(frame.rgb)
    texts, missing, added = compare_texts(full.elements, part.elements)
    return ScreenRead(
        episode=shown.episode,
        step=shown.step,
        how="remembered" if remembered else part.kind,
        read_share=0.0 if remembered else part.read_share,
        full_ms=full_ms,
        part_ms=part_ms,
        decode_ms=decode_ms,
        texts=texts,
        icons=compare_icons(full.elements, part.elements),
        missing=tuple(sorted(missing.elements())),
        added=tuple(sorted(added.elements())),
    )


async def _record_run(load: PerceiveLoad, say: Say) -> RunFolder:
    """Play tasks on one virtual phone with the rehearsed model. Raises BadInput, and what Fleet raises."""
    chosen = everyday(load.tasks)
    flags = {"phones": ["virtual:1"], "mllm_url": [REHEARSED], "out": load.out, "adb_port": load.adb_port}
    say(f"playing {counted(len(chosen), 'task')} on a virtual phone with the rehearsed model")
    async with Fleet(load_settings(flags)) as fleet:
        await fleet.run_batch(chosen)
        return RunFolder(fleet.folder)


# ---------------------------------------------------------------------------- by size
def pages_of(size: Size) -> list[Frame]:
    """Return what a virtual phone shows after each operation, as PNG; its clock is ours, so no page is in motion."""
    played, frames = PlayedPhone(0, size.width, size.height), []
    for operation in ("wait", *OPERATIONS):
        played.play(operation)
        frames.append(Frame("png", encode_png(played.at_rest())))
    return frames


async def measure_size(size: Size, threads: int) -> SizeFigures:
    """Measure costs on the pages of a virtual phone; the engine has ``threads`` threads."""
    cv2.setNumThreads(1)
    settings = PerceptionSettings(workers=1, text=RapidTextSettings(threads=threads))
    backends = local_backends(settings)
    reader = PartReader(settings, backends)
    full, part, decoded, same_rows = list[_Cost](), list[_Cost](), list[_Cost](), list[_Cost]()
    pages = pages_of(size)
    read_frame(backends, pages[0], size, Stopwatch())  # the first one warms up
    for number, frame in enumerate(pages):
        decoded.append(_cost(frame.rgb)[1])
        full.append(_cost(partial(read_frame, backends, frame, size, Stopwatch()))[1])
        part.append(_cost(partial(reader.read, str(number), frame, size, "phone"))[1])
        # Another id: the same pixels as a picture that is not remembered, of which all rows are.
        raw = Frame("rgb", frame.rgb())
        same_rows.append(_cost(partial(reader.read, f"{number}!", raw, size, "phone"))[1])
    return SizeFigures(
        size=f"{size.width}x{size.height}",
        threads=threads,
        pages=len(pages),
        decode_cpu_ms=median(cost.cpu_ms for cost in decoded),
        full_cpu_ms=median(cost.cpu_ms for cost in full),
        full_ms=median(cost.ms for cost in full),
        part_cpu_ms=median(cost.cpu_ms for cost in part),
        part_ms=median(cost.ms for cost in part),
        unchanged_ms=await _unchanged_ms(settings, backends, pages[0], size),
        same_rows_cpu_ms=median(cost.cpu_ms for cost in same_rows),
    )


@dataclass(frozen=True, slots=True)
class _Cost:
    ms: float
    cpu_ms: float


def _cost(work: Callable[[], T]) -> tuple[T, _Cost]:
    begin = time.perf_counter()
    made, used = cpu_ms(work)
    return made, _Cost((time.perf_counter() - begin) * 1000, used)


async def _unchanged_ms(settings: PerceptionSettings, backends: Backends, frame: Frame, size: Size) -> float:
    """Ask the service again for a picture that it has read; return the median time."""
    service = PerceptionService(settings, lambda _: backends)
    await service.start()
    shot = Screenshot(content_id=content_id(frame.rgb()), size=size, serial="phone", taken_at=0, capture_ms=0)
    times = []
    for _ in range(21):
        begin = time.perf_counter()
        context = CallContext(episode="-", step=0, deadline=time.time() + PATIENCE_S)
        await service.perceive(shot, frame, context)
        times.append((time.perf_counter() - begin) * 1000)
    await service.stop()
    return median(times[1:])
