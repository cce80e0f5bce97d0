"""When a phone's pictures are read in full, though pages of it are known."""

from __future__ import annotations

from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.page_cache import IncrementalSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.reader import LineReader
from manyhands.protocol.screens.screen import Screen
from tests.actors.perception.pictures import Page, as_png, screenshot_of, within


def page(number: int) -> Page:
    made = Page(480, 480)
    for row, words in enumerate(("Battery", "Storage", "Display", f"Android {number}")):
        made.text(words, (40, 60 + 100 * row), 36)
    return made


async def test_a_page_that_comes_again_and_again_does_not_put_off_a_reading_in_full(
    reader: LineReader, finder: EdgeIconFinder
) -> None:
    settings = PerceptionSettings(workers=1, incremental=IncrementalSettings(deepest=2))
    service = PerceptionService(settings, lambda _: Backends(text=reader, icons=finder))
    await service.start()

    async def seen(number: int) -> Screen:
        rgb = page(number).rgb
        return await service.perceive(screenshot_of(rgb), as_png(rgb), within(60))

    shares = []
    for number in (1, 2, 3, 4, 5):
        shares.append((await seen(number)).read_share)
        assert (await seen(1)).cached
    await service.stop()
    assert [share == 1 for share in shares] == [True, False, False, True, False]
