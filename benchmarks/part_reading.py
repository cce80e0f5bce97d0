"""Read screens both as the perception service does and in full, on one thread of this process."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Literal, TypeVar

import cv2

from manyhands.actors.frames import Frame
from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.local_backends import local_backends
from manyhands.actors.perception.page_cache import ContentCache
from manyhands.actors.perception.reading import Content, Stopwatch, read_frame
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.benchmarks.testbed import everyday
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.evaluation.perception.labels import SAME_PLACE, iou, rect_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import ScreenCaptured
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Screenshot
from manyhands.protocol.utilities.terminal_text import count_noun

How = Literal["full", "part", "scrolled", "unchanged", "remembered"]
"""The service's own kinds of reading. ``remembered``: the same pixels were read before."""


class Agreement(Message):
    """Hold how two readings of one picture agree: the elements in ``common``, and how many each reading has."""

    common: int
    in_full: int
    in_part: int

    @property
    def f1(self) -> float:
        """Return the F1 of the two readings; 1 if neither has any element."""
        everything = self.in_full + self.in_part
        return 2 * self.common / everything if everything else 1.0


class ScreenRead(Message):
    """Hold one screen of an episode, read both ways. Times are CPU times of all threads of the process."""

    episode: str
    step: int
    how: How
    read_share: float
    full_ms: float
    """A reading in full, including decoding."""
    part_ms: float
    """The service's reading, including decoding."""
    decode_ms: float
    texts: Agreement
    icons: Agreement
    missing: tuple[str, ...] = ()
    """Texts that only the reading in full has."""
    added: tuple[str, ...] = ()
    """Texts that only the service's reading has."""


class EpisodeFigures(Message):
    """Hold the figures over all screens, in the order in which the phone showed them."""

    screens: int
    by_how: dict[str, int]
    full_ms: float
    """Median cost of a reading in full."""
    part_ms: float
    """Median cost of the service's reading."""
    cost_ratio: float
    """Median over the screens of the service's cost divided by the cost of a reading in full."""
    cost_ratio_undecoded: float
    """The same median, with the cost of decoding left out of both costs."""
    cost_ratio_mean: float
    """Total cost of the service's readings, divided by that of all readings in full."""
    text_f1: float
    """Over all screens together, by exact strings."""
    text_f1_worst: float
    icon_f1: float
    read_share: float
    """Median share of the rows that had to be read."""


def compare_texts(
    in_full: Iterable[Element], in_part: Iterable[Element]
) -> tuple[Agreement, Counter[str], Counter[str]]:
    """Compare texts as multisets of exact strings. Also return those that only the first or only the second has."""
    one = Counter(element.content for element in in_full if element.kind == "text")
    other = Counter(element.content for element in in_part if element.kind == "text")
    agreed = Agreement(common=(one & other).total(), in_full=one.total(), in_part=other.total())
    return agreed, one - other, other - one


def compare_icons(in_full: Iterable[Element], in_part: Iterable[Element]) -> Agreement:
    """Pair the icons of both readings: in order, each with the first icon at the same place that has no partner yet."""
    one = [rect_of(element.box) for element in in_full if element.kind == "icon"]
    other = [rect_of(element.box) for element in in_part if element.kind == "icon"]
    free, common = list(other), 0
    for box in one:
        partner = next((candidate for candidate in free if iou(box, candidate) >= SAME_PLACE), None)
        if partner is not None:
            free.remove(partner)
            common += 1
    return Agreement(common=common, in_full=len(one), in_part=len(other))


def episode_figures(screens: Sequence[ScreenRead]) -> EpisodeFigures:
    """Compute the figures. Raises BadInput if there are no screens."""
    if not screens:
        raise BadInput("the run has no screens; name one that has (runs/.../screens/*.png)")
    return EpisodeFigures(
        screens=len(screens),
        by_how=dict(sorted(Counter(screen.how for screen in screens).items())),
        full_ms=median(screen.full_ms for screen in screens),
        part_ms=median(screen.part_ms for screen in screens),
        cost_ratio=median(screen.part_ms / screen.full_ms for screen in screens),
        cost_ratio_undecoded=median(_undecoded_ratio(screen) for screen in screens),
        cost_ratio_mean=mean(screen.part_ms for screen in screens) / mean(screen.full_ms for screen in screens),
        text_f1=_together([screen.texts for screen in screens]).f1,
        text_f1_worst=min(screen.texts.f1 for screen in screens),
        icon_f1=_together([screen.icons for screen in screens]).f1,
        read_share=median(screen.read_share for screen in screens),
    )


def _undecoded_ratio(screen: ScreenRead) -> float:
    """Return the ratio of costs without decoding. Pixels that were seen before are not decoded."""
    decoded = 0.0 if screen.how == "remembered" else screen.decode_ms
    return max(screen.part_ms - decoded, 0.0) / max(screen.full_ms - screen.decode_ms, 0.001)


def _together(agreements: Sequence[Agreement]) -> Agreement:
    return Agreement(
        common=sum(item.common for item in agreements),
        in_full=sum(item.in_full for item in agreements),
        in_part=sum(item.in_part for item in agreements),
    )


TASKS = ("dark_mode", "settings_search", "reply_unread", "two_notes", "lakers_note", "errand_cart")
"""Tasks of the everyday suite: settings, messages, notes, web and shopping."""
SETTINGS = PerceptionSettings(workers=1)

Say = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PerceiveLoad:
    """Say which screens are read, and how."""

    run: RunFolder | None
    """The run whose screens are read; None to play ``tasks`` and read that run."""
    tasks: tuple[str, ...]
    forget: bool
    """Whether each episode starts without what was read in earlier ones."""
    adb_port: int | None
    out: Path


async def measure(load: PerceiveLoad, say: Say) -> tuple[RunFolder, list[ScreenRead]]:
    """Read the screens of a run; return the run and the screens. Raises BadInput, and what Fleet raises."""
    run = load.run or await _record_run(load, say)
    return run, await asyncio.to_thread(read_run, run, load.forget, say)


def cpu_ms(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of ``work``, and the CPU time (ms) of all threads of this process meanwhile."""
    begin = time.process_time()
    result = work()
    return result, (time.process_time() - begin) * 1000


class PartReader:
    """Read the screens of one phone as the service does, but without its threads and queue."""

    def __init__(self, settings: PerceptionSettings, backends: Backends) -> None:
        self._backends = backends
        self._pictures = ContentCache(settings.incremental, settings.remembered)

    def read(self, picture: str, frame: Frame, size: Size, serial: str) -> tuple[Content, bool]:
        """Return the content of the picture with the id ``picture``, and whether its pixels were remembered."""
        cached_read = self._pictures.known(picture, serial)
        if cached_read is not None:
            return cached_read, True
        content = read_frame(self._backends, frame, size, Stopwatch(), self._pictures.past(serial))
        self._pictures.add(picture, (serial,), content)
        return content, False


@dataclass(frozen=True, slots=True)
class RecordedScreen:
    """Hold a screen of a run."""

    episode: str
    step: int
    screenshot: Screenshot
    png: bytes


def screens_of(run: RunFolder) -> Iterator[RecordedScreen]:
    """Yield all screens whose picture exists: episodes in the order of their starts, each in the order of its steps."""
    for episode, scan in run.journals.items():
        for record in scan.records:
            if isinstance(record, ScreenCaptured):
                png = run.screen_png(record.screenshot.content_id)
                if png is not None:
                    yield RecordedScreen(episode, record.step, record.screenshot, png)


def read_run(run: RunFolder, forget: bool, say: Say) -> list[ScreenRead]:
    """Read each screen both ways. ``forget``: start each episode without what was read in earlier ones.

    A picture that comes again is read in full only once. The cost of this reading then counts each time.
    """
    cv2.setNumThreads(1)
    backends = local_backends(SETTINGS)
    in_full: dict[str, tuple[Content, float]] = {}
    reader = PartReader(SETTINGS, backends)
    episode, reads = "", list[ScreenRead]()
    for screen in screens_of(run):
        if screen.episode != episode:
            say(f"reading the screens of {screen.episode}")
            if forget:
                reader = PartReader(SETTINGS, backends)
            episode = screen.episode
        reads.append(_read_both(screen, reader, backends, in_full))
    return reads


def _read_both(
    screen: RecordedScreen, reader: PartReader, backends: Backends, in_full: dict[str, tuple[Content, float]]
) -> ScreenRead:
    shot, frame = screen.screenshot, Frame("png", screen.png)
    if shot.content_id not in in_full:
        in_full[shot.content_id] = cpu_ms(lambda: read_frame(backends, frame, shot.size, Stopwatch()))
    full, full_ms = in_full[shot.content_id]
    (part, remembered), part_ms = cpu_ms(lambda: reader.read(shot.content_id, frame, shot.size, shot.serial))
    _, decode_ms = cpu_ms(frame.rgb)
    texts, missing, added = compare_texts(full.elements, part.elements)
    return ScreenRead(
        episode=screen.episode,
        step=screen.step,
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
    specs = everyday(load.tasks)
    flags = {"phones": ["virtual:1"], "mllm_url": [REHEARSED], "out": load.out, "adb_port": load.adb_port}
    say(f"playing {count_noun(len(specs), 'task')} on a virtual phone with the rehearsed model")
    async with Fleet(load_settings(flags)) as fleet:
        await fleet.run_batch(specs)
        return RunFolder(fleet.folder)
