"""The service on real pixels, and how it shares, refuses, cancels and ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import cv2
import numpy as np
import pytest

from manyhands.actors.frames import Frame, Rgb, encode_png
from manyhands.actors.perception.backends import Backends, UnreadPart
from manyhands.actors.perception.batching import BatchSettings
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.page_cache import IncrementalSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.reader import LineReader
from manyhands.protocol.errors import ActorLost, DeadlinePassed, Overloaded, PerceptionError
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen
from tests.actors.perception.pictures import Page, as_png, sample, screenshot_of, within


async def test_a_screen_has_texts_icons_and_times_of_its_parts(service: PerceptionService) -> None:
    page = Page(480, 260)
    page.text("Messages", (140, 40), 36)
    page.draw.ellipse((30, 25, 90, 85), fill=(20, 110, 200))
    screen = await service.perceive(screenshot_of(page.rgb), as_png(page.rgb), within(60))
    assert [(element.kind, element.content) for element in screen.elements] == [("icon", ""), ("text", "Messages")]
    assert {"queue", "decode", "compare", "text", "icons", "merge"} <= set(screen.timings_ms)
    assert screen.timings_ms["text"] > 0
    assert not screen.cached
    assert screen.keyboard == "hidden"


async def test_unchanged_pixels_are_not_read_again(service: PerceptionService) -> None:
    rgb = sample("Unchanged")
    first = await service.perceive(screenshot_of(rgb), as_png(rgb), within(60))
    second = await service.perceive(screenshot_of(rgb), as_png(rgb), within(60))
    assert (first.cached, second.cached) == (False, True)
    assert second.elements == first.elements
    assert second.timings_ms == {}
    counts = await service.counts()
    assert (counts.read, counts.remembered) == (1, 1)


async def test_what_the_phone_says_of_its_keyboard_is_believed(service: PerceptionService) -> None:
    rgb = sample("Keyboard")
    said = await service.perceive(screenshot_of(rgb, "shown"), as_png(rgb), within(60))
    unsaid = await service.perceive(screenshot_of(rgb), as_png(rgb), within(60))
    assert (said.keyboard, unsaid.keyboard) == ("shown", "hidden")


async def test_raw_frames_and_frames_that_cannot_be_written_to_are_read(service: PerceptionService) -> None:
    rgb = sample("Read only")
    rgb.flags.writeable = False
    screen = await service.perceive(screenshot_of(rgb), Frame("rgb", rgb), within(60))
    assert [element.content for element in screen.elements] == ["Read only"]


async def test_a_damaged_frame_is_a_typed_error_and_not_remembered(service: PerceptionService) -> None:
    rgb = sample("Damaged")
    whole = encode_png(rgb)
    broken = bytearray(whole)
    broken[len(broken) // 2] ^= 0xFF
    for data in (b"", b"no picture", whole[: len(whole) // 2], bytes(broken)):
        with pytest.raises(PerceptionError, match="cannot be read"):
            await service.perceive(screenshot_of(rgb), Frame("png", data), within(60))
    assert (await service.counts()).failed == 4
    screen = await service.perceive(screenshot_of(rgb), Frame("png", whole), within(60))
    assert [element.content for element in screen.elements] == ["Damaged"]


async def test_a_frame_of_another_size_is_refused(service: PerceptionService) -> None:
    rgb = sample("Other size")
    with pytest.raises(PerceptionError, match="320x96"):
        await service.perceive(screenshot_of(rgb), as_png(sample("Other size", 340)), within(60))


# ---------------------------------------------------------------- with a reader that waits to be let go
class GatedReader:
    """A text reader that answers when its gate is open, and notes what it began to read."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.begun: list[int] = []
        self._lock = threading.Lock()
        self.meeting: threading.Barrier | None = None

    def read(self, rgb: Rgb, part: UnreadPart | None = None) -> list[Element]:
        shade = int(rgb[0, 0, 0])
        with self._lock:
            self.begun.append(shade)
        if self.meeting is not None:
            self.meeting.wait(30)
        if not self.gate.wait(30):
            raise TimeoutError("the test never opened the gate")
        box = Box(x1=0, y1=0, x2=10, y2=10)
        return [Element(kind="text", box=box, content=f"shade {shade}", confidence=1)]


def shade(value: int) -> Rgb:
    return np.full((20, 20, 3), value, np.uint8)


async def ask(service: PerceptionService, value: int, seconds: float = 30, speculative: bool = False) -> str:
    rgb = shade(value)
    context = within(seconds).model_copy(update={"speculative": speculative})
    screen = await service.perceive(screenshot_of(rgb), Frame("rgb", rgb), context)
    return screen.elements[0].content


async def begun(reader: GatedReader, value: int) -> None:
    """Waits until the reader has begun with ``value``."""
    async with asyncio.timeout(30):
        while value not in reader.begun:
            await asyncio.sleep(0.001)


class Gated:
    def __init__(self, finder: EdgeIconFinder) -> None:
        self.reader = GatedReader()
        self.finder = finder
        self.services: list[PerceptionService] = []

    async def service(self, **settings: float) -> PerceptionService:
        made = PerceptionService(
            PerceptionSettings.model_validate(settings), lambda _: Backends(text=self.reader, icons=self.finder)
        )
        await made.start()
        self.reader.begun.clear()
        self.services.append(made)
        return made


@pytest.fixture
async def gated(finder: EdgeIconFinder) -> AsyncIterator[Gated]:
    made = Gated(finder)
    yield made
    made.reader.gate.set()
    for service in made.services:
        await service.stop()


async def test_requests_for_the_same_pixels_share_one_reading(gated: Gated) -> None:
    service = await gated.service(workers=2)
    gated.reader.gate.clear()
    asked = [asyncio.create_task(ask(service, 7)) for _ in range(5)]
    await begun(gated.reader, 7)
    gated.reader.gate.set()
    assert await asyncio.gather(*asked) == ["shade 7"] * 5
    assert gated.reader.begun == [7]
    counts = await service.counts()
    assert (counts.read, counts.shared) == (1, 4)


async def test_workers_read_different_pixels_at_the_same_time(gated: Gated) -> None:
    """Each reading waits at a meeting point for another one: with fewer than two threads none would pass."""
    service = await gated.service(workers=2)
    gated.reader.meeting = threading.Barrier(2)
    answers = await asyncio.gather(*(ask(service, value) for value in range(1, 5)))
    assert answers == ["shade 1", "shade 2", "shade 3", "shade 4"]


async def test_a_deadline_ends_the_call_and_the_reading_is_still_remembered(gated: Gated) -> None:
    service = await gated.service(workers=1)
    gated.reader.gate.clear()
    with pytest.raises(DeadlinePassed, match="e1 step 0"):
        await ask(service, 7, seconds=0.05)
    gated.reader.gate.set()
    assert await ask(service, 7) == "shade 7"
    assert gated.reader.begun == [7]


async def test_a_deadline_that_has_passed_begins_nothing(gated: Gated) -> None:
    service = await gated.service(workers=1)
    with pytest.raises(DeadlinePassed):
        await ask(service, 7, seconds=-1)
    assert gated.reader.begun == []


async def test_a_cancelled_request_in_the_queue_is_never_read(gated: Gated) -> None:
    service = await gated.service(workers=1)
    gated.reader.gate.clear()
    first = asyncio.create_task(ask(service, 1))
    await begun(gated.reader, 1)
    queued = asyncio.create_task(ask(service, 2))
    await asyncio.sleep(0)
    queued.cancel()
    with pytest.raises(asyncio.CancelledError):
        await queued
    gated.reader.gate.set()
    assert await first == "shade 1"
    assert await ask(service, 3) == "shade 3"
    assert gated.reader.begun == [1, 3]
    assert (await service.counts()).dropped == 1


async def test_a_request_that_others_wait_for_outlives_the_one_that_began_it(gated: Gated) -> None:
    service = await gated.service(workers=1)
    gated.reader.gate.clear()
    blocker = asyncio.create_task(ask(service, 1))
    await begun(gated.reader, 1)
    beginner, joiner = asyncio.create_task(ask(service, 2)), asyncio.create_task(ask(service, 2))
    await asyncio.sleep(0)
    beginner.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beginner
    gated.reader.gate.set()
    assert [await blocker, await joiner] == ["shade 1", "shade 2"]


async def test_pixels_dropped_from_the_queue_can_be_asked_for_again_at_once(gated: Gated) -> None:
    service = await gated.service(workers=1)
    gated.reader.gate.clear()
    blocker = asyncio.create_task(ask(service, 1))
    await begun(gated.reader, 1)
    with pytest.raises(DeadlinePassed):
        await ask(service, 2, seconds=0.02)
    again = asyncio.create_task(ask(service, 2))
    await asyncio.sleep(0)
    gated.reader.gate.set()
    assert [await blocker, await again] == ["shade 1", "shade 2"]


async def test_more_than_may_wait_is_refused_by_type(gated: Gated) -> None:
    service = await gated.service(workers=1, waiting=1)
    gated.reader.gate.clear()
    admitted = [asyncio.create_task(ask(service, value)) for value in (1, 2)]
    await begun(gated.reader, 1)
    with pytest.raises(Overloaded, match="2 pictures"):
        await ask(service, 3)
    gated.reader.gate.set()
    assert await asyncio.gather(*admitted) == ["shade 1", "shade 2"]
    assert await ask(service, 3) == "shade 3"
    assert (await service.counts()).refused == 1


async def asked(service: PerceptionService, value: int, speculative: bool = False) -> asyncio.Task[str]:
    """In the service's hands, though not answered."""
    task = asyncio.create_task(ask(service, value, speculative=speculative))
    await asyncio.sleep(0)
    return task


async def test_what_is_needed_is_read_before_what_is_speculative(gated: Gated) -> None:
    service = await gated.service(workers=1)
    gated.reader.gate.clear()
    tasks = [await asked(service, 1)]
    await begun(gated.reader, 1)
    tasks += [await asked(service, value, speculative=value in (2, 3, 5)) for value in (2, 3, 4, 5, 6)]
    tasks.append(await asked(service, 5))  # needed after all, and it has waited longer than 6
    assert (await service.counts()).waiting == 5
    gated.reader.gate.set()
    await asyncio.gather(*tasks)
    assert gated.reader.begun == [1, 4, 5, 6, 2, 3]


async def test_in_a_full_queue_what_is_speculative_makes_room(gated: Gated) -> None:
    service = await gated.service(workers=1, waiting=2)
    gated.reader.gate.clear()
    running = await asked(service, 1)
    await begun(gated.reader, 1)
    speculative = [await asked(service, value, speculative=True) for value in (2, 3)]
    needed = await asked(service, 4)
    with pytest.raises(Overloaded):
        await speculative[1]
    with pytest.raises(Overloaded):
        await ask(service, 5, speculative=True)
    gated.reader.gate.set()
    assert await asyncio.gather(running, needed, speculative[0]) == ["shade 1", "shade 4", "shade 2"]
    assert gated.reader.begun == [1, 4, 2]
    assert (await service.counts()).refused == 2


async def test_nobody_waits_for_longer_than_is_set(gated: Gated) -> None:
    service = await gated.service(workers=1, longest_wait_s=0.05)
    gated.reader.gate.clear()
    running = await asked(service, 1)
    await begun(gated.reader, 1)
    with pytest.raises(Overloaded, match=r"waited 0\.05 s"):
        await ask(service, 2)
    gated.reader.gate.set()
    assert await running == "shade 1"
    assert await ask(service, 2) == "shade 2"
    counts = await service.counts()
    assert (counts.refused, counts.waiting, counts.reading) == (1, 0, 0)


async def test_stages_and_waits_are_counted(gated: Gated) -> None:
    service = await gated.service(workers=1)
    screens = []
    for value in (1, 2):
        rgb = shade(value)
        screens.append(await service.perceive(screenshot_of(rgb), Frame("rgb", rgb), within(30)))
    counts = await service.counts()
    assert (counts.workers, counts.read, sum(counts.waits)) == (1, 2, 2)
    assert set(counts.stage_ms) == set(screens[0].timings_ms)
    for stage, ms in counts.stage_ms.items():
        assert ms == pytest.approx(sum(screen.timings_ms[stage] for screen in screens))


async def test_the_memory_keeps_what_was_used_last(gated: Gated) -> None:
    service = await gated.service(workers=1, remembered=2)
    for value in (1, 2, 1, 3, 1, 2):
        await ask(service, value)
    assert gated.reader.begun == [1, 2, 3, 2]


async def test_stopping_ends_what_waits_and_refuses_what_comes(gated: Gated) -> None:
    service = await gated.service(workers=1)
    gated.reader.gate.clear()
    running, waiting = asyncio.create_task(ask(service, 1)), asyncio.create_task(ask(service, 2))
    await begun(gated.reader, 1)
    stopping = asyncio.create_task(service.stop())
    with pytest.raises(ActorLost):
        await waiting
    gated.reader.gate.set()
    assert await running == "shade 1"
    await stopping
    with pytest.raises(ActorLost):
        await ask(service, 3)


class BrokenReader:
    def read(self, rgb: Rgb, part: UnreadPart | None = None) -> list[Element]:
        if rgb.shape[0] == 20:
            raise RuntimeError("out of memory")
        return []


async def test_what_a_backend_raises_becomes_typed(finder: EdgeIconFinder) -> None:
    service = PerceptionService(PerceptionSettings(workers=1), lambda _: Backends(BrokenReader(), finder))
    await service.start()
    with pytest.raises(PerceptionError, match="RuntimeError: out of memory"):
        await ask(service, 1, seconds=60)
    await service.stop()


async def test_a_service_whose_backends_cannot_be_made_does_not_start() -> None:
    def none_here(_: PerceptionSettings) -> Backends:
        raise PerceptionError("no models here")

    service = PerceptionService(PerceptionSettings(workers=2), none_here)
    with pytest.raises(PerceptionError, match="no models here"):
        await service.start()
    with pytest.raises(ActorLost):
        await ask(service, 1)


# ---------------------------------------------------------------- reading in part
LINES = ("Battery", "Storage", "Display", "Sound", "Network", "Privacy", "Accounts", "About phone")


def listed(lines: Sequence[str], down: int = 0) -> Rgb:
    """A page of lines under a heading that stays, the list ``down`` pixels lower."""
    page = Page(480, 960)
    for row, content in enumerate(lines):
        page.text(content, (40, 150 + 100 * row + down), 36)
    page.draw.rectangle((0, 0, 480, 110), fill=(250, 250, 250))
    page.text("Settings", (40, 40), 40)
    return page.rgb


async def seen(service: PerceptionService, rgb: Rgb) -> Screen:
    return await service.perceive(screenshot_of(rgb), as_png(rgb), within(60))


def texts_of(screen: Screen) -> list[str]:
    return [element.content for element in screen.elements if element.kind == "text"]


async def test_only_what_changed_is_read_and_the_screen_is_that_of_a_reading_in_full(
    service: PerceptionService, reader: LineReader
) -> None:
    await seen(service, listed(LINES))
    changed = listed([*LINES[:5], "Security", *LINES[6:]])
    screen = await seen(service, changed)
    assert texts_of(screen) == [text.content for text in reader.read(changed)]
    assert 0 < screen.read_share < 0.1
    counts = await service.counts()
    assert (counts.read, counts.full, counts.part) == (2, 1, 1)


async def test_a_scrolled_list_is_read_where_it_is_new(service: PerceptionService, reader: LineReader) -> None:
    await seen(service, listed(LINES))
    scrolled = listed(["", *LINES[2:], "Languages"], down=37)
    screen = await seen(service, scrolled)
    assert sorted(texts_of(screen)) == sorted(text.content for text in reader.read(scrolled))
    assert 0 < screen.read_share < 0.3
    assert (await service.counts()).scrolled == 1


async def test_rows_of_several_pages_are_put_together_without_reading(service: PerceptionService) -> None:
    one, other = listed(LINES), listed([*LINES[:6], "Updates", "Help"])
    await seen(service, one)
    await seen(service, other)
    mixed = other.copy()
    mixed[:740] = one[:740]
    mixed[740:840] = one[740:840]
    screen = await seen(service, mixed)
    assert texts_of(screen) == ["Settings", *LINES[:7], "Help"]
    assert (screen.read_share, (await service.counts()).unchanged) == (0, 1)


async def test_a_phone_knows_only_its_own_pages(service: PerceptionService) -> None:
    await seen(service, listed(LINES))
    rgb = listed([*LINES[:5], "Security", *LINES[6:]])
    other = screenshot_of(rgb).model_copy(update={"serial": "another"})
    assert (await service.perceive(other, as_png(rgb), within(60))).read_share == 1


async def test_reading_in_part_can_be_turned_off(reader: LineReader, finder: EdgeIconFinder) -> None:
    settings = PerceptionSettings(workers=1, incremental=IncrementalSettings(on=False))
    service = PerceptionService(settings, lambda _: Backends(text=reader, icons=finder))
    await service.start()
    for number in range(2):
        screen = await seen(service, listed([*LINES[:7], f"Android {number}"]))
        assert screen.read_share == 1
        assert "compare" not in screen.timings_ms
    await service.stop()


async def test_opencv_has_no_threads_beside_the_workers(reader: LineReader, finder: EdgeIconFinder) -> None:
    cv2.setNumThreads(3)
    service = PerceptionService(PerceptionSettings(workers=2), lambda _: Backends(text=reader, icons=finder))
    await service.start()
    await service.stop()
    assert cv2.getNumThreads() == 1


@pytest.mark.parametrize("size", [1, 8])
async def test_a_service_that_was_stopped_can_be_started_again(size: int) -> None:
    service = PerceptionService(PerceptionSettings(workers=1, remembered=0, recognition=BatchSettings(size=size)))
    for _ in range(2):
        await service.start()
        assert texts_of(await seen(service, sample("Again"))) == ["Again"]
        await service.stop()
