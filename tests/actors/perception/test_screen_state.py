"""Keyboard, dialog, black page and home screen from the pixels of virtual phones and of drawn pictures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pytest
from PIL import ImageFont

from manyhands.actors.frames import Frame, Rgb
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.keyboard import has_rows_of_keys, keyboard_shown
from manyhands.actors.perception.reading import Stopwatch
from manyhands.actors.perception.screen_state import ScreenState, read_state
from manyhands.actors.perception.service import PerceptionService
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element
from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.perception.pictures import Page, screenshot_of, within

LATIN_IME = "com.android.inputmethod.latin/.LatinIME"
STATUS_BAR = 60
SIZE = Size(width=1080, height=2400)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A virtual phone and what its pixels say, once every transition has ended."""

    def __init__(self, finder: EdgeIconFinder, seed: int = 1, dark: bool = False) -> None:
        self._clock = Clock()
        self._finder = finder
        self.phone = VirtualPhone(seed, 720, 1600, 280, clock=self._clock, wall=lambda: datetime(2026, 3, 5, 14, 7))
        if dark:
            self.phone.put_setting("secure", "ui_night_mode", "2")
        self.phone.set_ime(LATIN_IME)

    def pixels(self) -> Rgb:
        for _ in range(2):
            self._clock.now += 10
            rgb = np.array(self.phone.frame().rgb)
        return rgb

    def seen(self) -> ScreenState:
        """By pixels alone: nothing is read."""
        rgb = self.pixels()
        return read_state(rgb, (), self._finder.find(rgb, ()))

    def open(self, name: str) -> None:
        app = next(app for app in self.phone.apps() if app.package.endswith(name))
        self.phone.launch(f"{app.package}/{app.activity}")
        self.pixels()

    def tap_text(self, *contents: str) -> None:
        box = next(box for content, box in self.phone.layout() if content in contents)
        self.phone.tap(box.x + box.w // 2, box.y + box.h // 2)


@pytest.fixture(params=[(1, False), (1001, False), (1, True)], ids=["light", "chinese", "dark"])
def watched(request: pytest.FixtureRequest, finder: EdgeIconFinder) -> Watched:
    return Watched(finder, *request.param)


def test_the_home_screen_is_known_by_its_dock_and_apps_are_none(watched: Watched) -> None:
    assert watched.seen() == ScreenState(keyboard=False, home=True)
    for name in (".settings", ".messaging", ".notes", ".browser"):
        watched.open(name)
        assert watched.seen() == ScreenState(keyboard=False)
    watched.phone.key(KEY_CODES["HOME"])
    assert watched.seen().home


def test_a_dialog_is_the_card_over_a_dimmed_page(watched: Watched) -> None:
    watched.open(".shop")  # which shows a dialog when it is opened first
    card = watched.seen().dialog
    assert card is not None
    written = [box for content, box in watched.phone.layout() if box.y > STATUS_BAR and content.strip()]
    assert len(written) >= 3
    for box in written:
        assert card.x1 <= box.x
        assert box.x + box.w <= card.x2
        assert card.y1 <= box.y
        assert box.y + box.h <= card.y2
    assert card.area < 0.5 * 720 * 1600
    watched.phone.key(KEY_CODES["HOME"])
    assert watched.seen().dialog is None


def test_keys_are_seen_where_nothing_is_read(watched: Watched) -> None:
    watched.tap_text("Search the web", "搜索网页")
    assert watched.seen().keyboard
    watched.tap_text("?123")
    assert watched.seen().keyboard
    assert watched.phone.keyboard_shown()


def test_a_page_that_is_black_between_the_bars_is_said_with_its_place(watched: Watched) -> None:
    watched.open(".settings")
    rgb = watched.pixels()
    rgb[60:1510] = 0
    black = read_state(rgb, (), ()).black
    assert black is not None
    assert (black.x1, black.x2) == (0, 720)
    assert black.y1 <= 60
    assert black.y2 >= 1510
    assert read_state(np.zeros_like(rgb), (), ()).black == Box(x1=0, y1=0, x2=720, y2=1600)


def test_a_black_page_with_something_on_it_is_none(watched: Watched) -> None:
    watched.open(".settings")
    rgb = watched.pixels()
    rgb[60:1510] = 0
    rgb[700:720, 300:310] = 90
    assert read_state(rgb, (), ()).black is None


async def test_a_screen_carries_what_is_seen(finder: EdgeIconFinder, service: PerceptionService) -> None:
    device = Watched(finder)
    rgb = device.pixels()
    screen = await service.perceive(screenshot_of(rgb), Frame("rgb", rgb), within(60))
    assert (screen.home, screen.dialog, screen.black) == (True, None, None)
    assert set(Stopwatch().laps) < set(screen.timings_ms)
    assert "state" in screen.timings_ms
    black = np.zeros_like(rgb)
    screen = await service.perceive(screenshot_of(black), Frame("rgb", black), within(60))
    assert screen.black == Box(x1=0, y1=0, x2=720, y2=1600)


# ---------------------------------------------------------------- drawn keyboards
def keyboard_page(rows: Sequence[str], outlined: bool = False) -> Rgb:
    """Rows of keys at the distances of a common keyboard, on the lower part of a page."""
    page = Page(720, 1600)
    page.text("A page with a line of text", (40, 300), 40)
    font = ImageFont.load_default(38)
    for number, row in enumerate(rows):
        pitch = 720 / max(len(rows[0]), len(row))
        for place, key in enumerate(row):
            x, y = round((place + 0.5) * pitch + (720 - len(row) * pitch) / 2), 1050 + 110 * number
            if outlined:
                page.draw.rounded_rectangle((x - pitch * 0.45, y - 46, x + pitch * 0.45, y + 46), 8, fill="white")
            page.draw.text((x, y), key, fill=(20, 20, 20), font=font, anchor="mm")
    return page.rgb


@pytest.mark.parametrize("outlined", [False, True])
@pytest.mark.parametrize(
    "rows",
    [("йцукенгшщзх", "фывапролджэ", "ячсмитьбю"), ("ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"), ("1234567890", "@#$%&-+()/")],
    ids=["cyrillic", "greek", "symbols"],
)
def test_keys_of_any_script_are_a_keyboard(rows: tuple[str, ...], outlined: bool) -> None:
    assert has_rows_of_keys(keyboard_page(rows, outlined))


def test_a_week_of_days_and_text_are_no_keys() -> None:
    assert not has_rows_of_keys(keyboard_page(("1234567", "8901234", "5678901")))
    page = Page(720, 1600)
    for line in range(6):
        page.text("the quick brown fox jumps over it", (30, 1000 + 60 * line), 40)
    assert not has_rows_of_keys(page.rgb)


def texts_at(rows: Sequence[Sequence[str]], step: int = 300) -> list[Element]:
    """A text for each key, in columns and rows of the lower half of a screen."""
    found = []
    for number, row in enumerate(rows):
        for place, content in enumerate(row):
            x, y = 100 + step * place, 1500 + 180 * number
            box = Box(x1=x, y1=y, x2=x + 60, y2=y + 60)
            found.append(Element(kind="text", box=box, content=content, confidence=0.99))
    return found


PAD = (("1", "2", "3", "-"), ("4", "5", "6"), ("7", "8", "9"), (",", "0", "."))


def test_a_pad_of_numbers_is_a_keyboard_and_a_calculator_and_a_dialler_are_none() -> None:
    assert keyboard_shown(texts_at(PAD), SIZE)
    assert not keyboard_shown(texts_at((PAD[2], PAD[1], PAD[0])), SIZE)
    assert not keyboard_shown(texts_at(PAD, step=120), SIZE)
    dialler = (("1", "2", "3"), ("", "ABC", "DEF"), ("4", "5", "6"), ("GHI", "JKL", "MNO"), ("7", "8", "9"))
    assert not keyboard_shown(texts_at(dialler), SIZE)


def test_keys_with_several_letters_are_a_keyboard() -> None:
    rows = (("分词", "ABC", "DEF"), ("GHI", "JKL", "MNO"), ("PQRS", "TUV", "WXYZ"))
    assert keyboard_shown(texts_at(rows), SIZE)
