"""The keys of a pad of digits are texts, whatever their font, and its icons stay icons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from manyhands.actors.frames import Frame, Rgb
from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.local_backends import local_backends
from manyhands.actors.perception.reading import Content, PageHistory, Stopwatch, read_frame
from manyhands.actors.perception.rows import RowHasher
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.pads import MOST_DIGITS, find_pad
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element
from manyhands.simulator.phone import fonts

WIDTH, HEIGHT, FONT = 1080, 2400, 84
DIALLER = ("123", "456", "789", "*0#")
CALCULATOR = ("C()÷", "789×", "456−", "123+", "0.%=")
LETTERS = (("", "ABC", "DEF"), ("GHI", "JKL", "MNO"), ("PQRS", "TUV", "WXYZ"), ("", "+", ""))
LOOKS = {"light": ((255, 255, 255), (30, 30, 30), None), "dark": ((18, 18, 18), (235, 235, 235), (60, 64, 70))}
"""The colours of the ground, of the ink, and of the disc under each key, if there is one."""


@pytest.fixture(scope="module")
def backends() -> Backends:
    return local_backends(PerceptionSettings())


def font(name: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size) if name == "pillow" else ImageFont.truetype(Path(fonts.__path__[0], name), size)


def pad(rows: Sequence[str], name: str, look: str, *, letters: bool = False) -> tuple[Rgb, dict[str, tuple[int, int]]]:
    """Draw a pad. Return the page, and the place of each key."""
    paper, ink, disc = LOOKS[look]
    image = Image.new("RGB", (WIDTH, HEIGHT), paper)
    draw = ImageDraw.Draw(image)
    draw.text((60, 160), "Create new contact", fill=ink, font=font(name, 56))
    places = {}
    for row, line in enumerate(rows):
        for column, key in enumerate(line):
            x, y = int((column + 0.5) * WIDTH / len(line)), 1000 + 250 * row
            if disc is not None:
                draw.ellipse((x - 85, y - 85, x + 85, y + 85), fill=disc)
            draw.text((x, y), key, fill=ink, font=font(name, FONT), anchor="mm")
            if letters:
                draw.text((x, y + 80), LETTERS[row][column], fill=ink, font=font(name, 28), anchor="mm")
            places[key] = (x, y)
    return np.array(image), places


def read(backends: Backends, page: Rgb, past: PageHistory | None = None) -> Content:
    return read_frame(backends, Frame("rgb", page), Size(width=WIDTH, height=HEIGHT), Stopwatch(), past)


def at(content: Content, place: tuple[int, int]) -> list[tuple[str, str]]:
    """Return kind and content of each element at a place. A point lies lower than the middle of its key."""
    (x, y), below = place, 45
    boxes = ((element, element.box) for element in content.elements)
    return [
        (element.kind, element.content)
        for element, box in boxes
        if box.x1 <= x < box.x2 and box.y1 - below <= y < box.y2 + 10
    ]


@pytest.mark.parametrize(
    ("rows", "name", "look", "letters"),
    [
        (DIALLER, "Roboto-Regular.ttf", "light", True),
        (DIALLER, "pillow", "dark", False),
        (CALCULATOR, "Roboto-Medium.ttf", "dark", False),
        (CALCULATOR, "NotoSansSC-Regular.otf", "light", False),
    ],
)
def test_every_key_of_a_pad_is_read_as_its_sign(
    backends: Backends, rows: Sequence[str], name: str, look: str, letters: bool
) -> None:
    page, places = pad(rows, name, look, letters=letters)
    content = read(backends, page)
    keys = {key: at(content, place) for key, place in places.items()}
    assert keys == {key: [("text", "-" if key == "−" else key)] for key in places}


def test_icons_of_a_pad_stay_icons(backends: Backends) -> None:
    page, _ = pad(("123", "456", "789", " 0 "), "Roboto-Regular.ttf", "light")
    image = Image.fromarray(page)
    draw = ImageDraw.Draw(image)
    for (x, y), name in (((180, 1750), "ring"), ((900, 1750), "cross")):
        if name == "ring":
            draw.ellipse((x - 36, y - 36, x + 36, y + 36), outline=(30, 30, 30), width=8)
        else:
            draw.line((x - 30, y - 30, x + 30, y + 30), fill=(30, 30, 30), width=8)
            draw.line((x - 30, y + 30, x + 30, y - 30), fill=(30, 30, 30), width=8)
    content = read(backends, np.array(image))
    assert at(content, (540, 1750)) == [("text", "0")]
    assert [kind for kind, _ in at(content, (180, 1750))] == ["icon"]
    assert [kind for kind, _ in at(content, (900, 1750))] == ["icon"]


def test_keys_of_an_earlier_page_are_kept_where_only_the_display_changes(backends: Backends) -> None:
    page, places = pad(DIALLER, "Roboto-Regular.ttf", "light")
    hasher = RowHasher()
    first = read(backends, page, PageHistory(hasher, (), 0.6))
    assert first.page is not None
    image = Image.fromarray(page)
    ImageDraw.Draw(image).text((300, 500), "555 0142", fill=(30, 30, 30), font=font("Roboto-Regular.ttf", 72))
    second = read(backends, np.array(image), PageHistory(hasher, (first.page,), 0.6))
    assert second.kind == "part"
    assert {key: at(second, place) for key, place in places.items()} == {key: [("text", key)] for key in places}


def text(content: str, x: int, y: int) -> Element:
    return Element(kind="text", box=Box(x1=x, y1=y, x2=x + 30, y2=y + 40), content=content, confidence=0.9)


@given(
    rows=st.sampled_from([("123", "456", "789"), ("789", "456", "123")]),
    left=st.integers(0, 500),
    top=st.integers(0, 500),
    across=st.integers(41, 400),
    down=st.integers(41, 400),
    missing=st.sets(st.sampled_from("123456789"), max_size=2),
    others=st.lists(st.builds(text, st.sampled_from("15+x0"), st.integers(0, 999), st.integers(0, 999)), max_size=6),
)
def test_a_pad_is_found_wherever_its_digits_are(
    rows: tuple[str, str, str],
    left: int,
    top: int,
    across: int,
    down: int,
    missing: set[str],
    others: list[Element],
) -> None:
    digits = [
        text(digit, left + column * across, top + row * down)
        for row, line in enumerate(rows)
        for column, digit in enumerate(line)
        if digit not in missing
    ]
    found = find_pad([*others, *digits])
    assert found is not None
    assert set(digits) <= set(found.keys)


def test_a_month_is_no_pad() -> None:
    month = [text(str(day + 1), 60 + 140 * (day % 7), 300 + 120 * (day // 7)) for day in range(31)]
    assert find_pad(month) is None


def test_a_screen_full_of_digits_has_no_pad() -> None:
    digits = [text(str(key + 1), 60 + 140 * (key % 3), 300 + 120 * (key // 3)) for key in range(9)]
    others = [text("5", 900, 900)] * (MOST_DIGITS - 9)
    assert find_pad([*digits, *others]) is not None
    assert find_pad([*digits, *others, text("5", 900, 900)]) is None
