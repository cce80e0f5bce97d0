"""Views of virtual phones: the texts that tasks need and the controls are exact, and what apps draw is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from manyhands.actors.frames import Frame
from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.reading import Stopwatch, read_frame
from manyhands.actors.perception.text.reader import LineReader
from manyhands.actors.perception.view_tree import TreeReading, complete, read_tree
from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.view_tree import read_views
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element
from manyhands.simulator.phone.device import VIEW, Link
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.shell.commands.uiautomator import as_xml, compressed
from manyhands.simulator.suites import load_suite
from manyhands.simulator.suites.labelled import LabelledPage
from manyhands.simulator.suites.play import PlayedPhone
from tests.simulator.phone.hand import Hand

BARS = (84, 2270)
"""Between the system's bars, in pixels."""


async def told_by(phone: VirtualPhone) -> TreeReading:
    async def ask(line: str) -> ShellResult:
        return ShellResult(as_xml(compressed(phone.hierarchy()), "app").encode(), b"", 0)

    return read_tree(await read_views(ask), Size(width=phone.width, height=phone.height))


def read(phone: VirtualPhone, reader: LineReader, finder: EdgeIconFinder) -> tuple[Element, ...]:
    size = Size(width=phone.width, height=phone.height)
    rgb = np.array(phone.frame().rgb)
    return read_frame(Backends(text=reader, icons=finder), Frame("rgb", rgb), size, Stopwatch()).elements


def at(elements: tuple[Element, ...], box: Box) -> list[Element]:
    x, y = box.x + box.w // 2, box.y + box.h // 2
    return [one for one in elements if one.box.x1 <= x < one.box.x2 and one.box.y1 <= y < one.box.y2]


def has_line(element: Element, line: str) -> bool:
    """Whether a line is the element's text, or one of the lines that it is drawn in."""
    return f" {' '.join(line.split())} " in f" {element.content} "


def needed(task_seed: int, operations: tuple[str, ...]) -> Iterator[tuple[VirtualPhone, LabelledPage, list[int]]]:
    """Each screen before an operation, its texts, and which of them the operation touches."""
    played = PlayedPhone(task_seed, 1080, 2400)
    for number, operation in enumerate(operations):
        page = LabelledPage(played.at_rest(), [(text, box) for text, box in played.phone.layout() if text.strip()])
        touched = page.touched_by(operation)
        to_come = "\n".join(line for line in operations[number:] if line.startswith("type "))
        page.need([*touched, *page.repeated_in(to_come)])
        yield played.phone, page, touched
        played.play(operation)


async def test_texts_that_tasks_need_and_controls_are_exact() -> None:
    texts, controls = Counter[bool](), Counter[bool]()
    for task in load_suite():
        for phone, page, touched in needed(task.reset_seed or 0, (*task.human_operations, "wait")):
            if not page.needed:
                continue
            elements = (await told_by(phone)).elements
            for number in page.needed:
                text, box = page.texts[number]
                hits = [one for one in at(elements, box) if has_line(one, text)]
                texts[bool(hits)] += 1
                if number in touched:
                    target = phone.touched_at(box.x + box.w // 2, box.y + box.h // 2)
                    assert target is not None
                    sides = (target.x, target.y, target.right, target.bottom)
                    found = [one.control.box for one in hits if one.control is not None]
                    controls[sides in [(one.x1, one.y1, one.x2, one.y2) for one in found]] += 1
    assert (texts[False], controls[False]) == (0, 0)
    assert texts[True] > 100
    assert controls[True] > 80


def settings_page() -> Hand:
    hand = Hand()
    hand.tap("Settings")
    hand.tap("Display")
    return hand


def a_map() -> Hand:
    hand = Hand()
    hand.phone.open_link(Link(VIEW, "geo:0,0?q=Harbor%20Museum"))
    hand.wait()
    return hand


@pytest.mark.parametrize("place", [Hand, settings_page, a_map])
async def test_both_have_every_text_once(place: Callable[[], Hand], reader: LineReader, finder: EdgeIconFinder) -> None:
    phone = place().phone
    elements = complete(await told_by(phone), read(phone, reader, finder))
    drawn = Counter(text for text, box in phone.layout() if BARS[0] < box.y < BARS[1])
    inside = [one for one in elements if BARS[0] < one.centre[1] < BARS[1] and one.kind == "text"]
    assert Counter(one.content for one in inside) == drawn


async def test_what_an_app_draws_by_itself_is_read(reader: LineReader, finder: EdgeIconFinder) -> None:
    phone = a_map().phone
    tree = await told_by(phone)
    drawn = {"East Street", "River Road", "Zoom in", "Zoom out", "Scale 12"}
    assert not drawn & {one.content for one in tree.elements}
    sources = {one.content: one.source for one in complete(tree, read(phone, reader, finder)) if one.kind == "text"}
    assert sources["Harbor Museum"] == "accessibility"
    assert {sources.get(text) for text in drawn} == {"vision"}
