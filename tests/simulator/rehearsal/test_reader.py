"""The rehearsed model's own eyes, with real OCR, and an episode in which nothing but pixels is seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from manyhands.actors.frames import Frame, content_id, encode_jpeg
from manyhands.actors.perception.local_backends import local_backends
from manyhands.actors.perception.reading import Stopwatch, read_frame
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.protocol.screens.screen import Element
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.rehearsal import RehearsalSettings, rehearse
from manyhands.simulator.rehearsal.conditions import find
from manyhands.simulator.rehearsal.reader import OcrReader, ReaderLost, UnreadableImage
from tests.simulator.rehearsal.eyes import look_with_jpeg
from tests.simulator.rehearsal.loop import SIZE, Episode
from tests.simulator.rehearsal.parts import text_image
from tests.simulator.suites.tasks import TASKS


@pytest.fixture
async def reader() -> AsyncIterator[OcrReader]:
    started = OcrReader(processes=1, cached_pages=4)
    await started.start()
    yield started
    await started.stop()


async def test_a_phones_texts_are_read_where_they_stand(reader: OcrReader) -> None:
    phone = VirtualPhone(0, clock=lambda: 100.0)
    phone.launch("com.android.settings")
    page = await reader.read(encode_jpeg(phone.frame().rgb))
    for text, box in phone.layout():
        line = find(text, page.lines)[0]
        assert abs(line.x - (box.x + box.w / 2) / phone.width) < 0.02, text
        assert abs(line.y - (box.y + box.h / 2) / phone.height) < 0.01, text
    assert page.sketch.shape == (600, 270, 3)


async def test_an_image_is_read_once_however_many_ask(reader: OcrReader) -> None:
    first, second = text_image("Hello there"), text_image("Good evening")
    pages = await asyncio.gather(*(reader.read(image) for image in (first, first, second, first)))
    await reader.read(second)
    assert [page.lines[0].text for page in pages] == ["Hello there", "Hello there", "Good evening", "Hello there"]
    assert reader.images_read == 2


async def test_a_caller_that_gives_up_leaves_the_reading_to_the_next(reader: OcrReader) -> None:
    image = text_image("Still here")
    hasty = asyncio.create_task(reader.read(image))
    await asyncio.sleep(0)
    hasty.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hasty
    assert (await reader.read(image)).lines[0].text == "Still here"
    assert reader.images_read == 1


async def test_bytes_that_are_no_image_and_a_reader_that_died_are_told_apart(reader: OcrReader) -> None:
    with pytest.raises(UnreadableImage):
        await reader.read(b"no image")
    assert (await reader.read(text_image("Well"))).lines
    reader._workers[0]._process.kill()
    for image in (text_image("One"), text_image("Two")):
        with pytest.raises(ReaderLost):
            await reader.read(image)


async def test_a_task_is_done_by_pixels_and_http_alone() -> None:
    task = next(task for task in TASKS if task.id == "reply_unread")
    backends = await asyncio.to_thread(local_backends, PerceptionSettings())
    seen: dict[str, tuple[Element, ...]] = {}

    async def read(rgb: Any) -> tuple[Element, ...]:
        name = content_id(rgb)
        if name not in seen:
            content = await asyncio.to_thread(read_frame, backends, Frame("rgb", rgb), SIZE, Stopwatch())
            seen[name] = content.elements
        return seen[name]

    async with rehearse(RehearsalSettings()) as server, aiohttp.ClientSession() as session:

        async def ask(body: bytes, headers: dict[str, str]) -> str:
            async with session.post(f"{server.url}/chat/completions", data=body, headers=headers) as response:
                return str((await response.json())["choices"][0]["message"]["content"])

        result = await Episode(task, ask, lambda phone: look_with_jpeg(phone, read)).play()
    assert result.ending == "finished", str(result)
    assert result.verified, str(result)
