"""Fonts come from the package only, and have every character that the phone shows by itself."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from PIL import ImageFont

from manyhands.simulator.phone.fonts.make_fonts import CONTENT_SUFFIXES, gb2312_level_1
from manyhands.simulator.phone.ui import fonts
from manyhands.simulator.phone.ui.fonts import FONT_FOLDER, FontBook, coverage
from tests.simulator.phone.hand import Hand

PACKAGE = Path(fonts.__file__).parents[1]
DRAWING = [*(PACKAGE / "ui").glob("*.py"), *(PACKAGE / "apps").glob("*.py"), PACKAGE / "virtual_phone.py"]


def test_every_font_that_is_loaded_lies_in_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Path] = []
    real = ImageFont.truetype

    def watched(font: str, *args: object, **kwargs: object) -> ImageFont.FreeTypeFont:
        loaded.append(Path(font))
        return real(font, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(ImageFont, "truetype", watched)
    monkeypatch.setattr("manyhands.simulator.phone.virtual_phone.shared_fonts", FontBook)
    for seed in (0, 1000):
        hand = Hand(seed)
        for app in hand.phone.apps():
            hand.phone.launch(app.package)
            hand.wait()
            hand.phone.frame()
    assert {path.name for path in loaded} == {fonts.LATIN, fonts.LATIN_BOLD, fonts.WIDE}
    assert {path.parent for path in loaded} == {FONT_FOLDER}


def test_no_drawing_code_names_another_source_of_fonts() -> None:
    forbidden = re.compile(r"load_default|load_path|putText|/usr/share|fontconfig|fc-match")
    assert [path.name for path in DRAWING if forbidden.search(path.read_text(encoding="utf-8"))] == []
    loaders = [path.name for path in DRAWING if "truetype(" in path.read_text(encoding="utf-8")]
    assert loaders == ["fonts.py"]


def test_the_fonts_are_small_and_carry_their_licences() -> None:
    files = [path for path in FONT_FOLDER.iterdir() if path.suffix in {".ttf", ".otf"}]
    assert len(files) == 3
    assert sum(path.stat().st_size for path in FONT_FOLDER.iterdir()) < 2_000_000
    assert "Apache License" in (FONT_FOLDER / "LICENSE-Roboto.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE" in (FONT_FOLDER / "LICENSE-NotoSansSC.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [fonts.LATIN, fonts.LATIN_BOLD, fonts.WIDE])
def test_the_list_of_characters_is_what_the_font_has(name: str) -> None:
    with TTFont(FONT_FOLDER / name) as font:
        assert {chr(code) for code in font.getBestCmap()} == coverage(name)


def test_every_character_of_the_content_is_in_the_fonts() -> None:
    shown = {
        character
        for path in PACKAGE.parent.rglob("*")
        if path.suffix in CONTENT_SUFFIXES and path.parent.name in {"apps", "content", "ui", "suites"}
        for character in path.read_text(encoding="utf-8")
        if character.isprintable()
    }
    drawable = coverage(fonts.LATIN) | coverage(fonts.WIDE)
    assert {character for character in shown if ord(character) < 0x2E80 or character.isalnum()} - drawable == set()
    assert gb2312_level_1() <= coverage(fonts.WIDE)


def test_lines_are_no_wider_than_asked_and_keep_every_word() -> None:
    book = FontBook()
    text = "The meeting time is 10:15. Bring an umbrella! 你好，世界。averyveryverylongwordwithoutspaces"
    lines = book.wrap(text, 40, False, 400)
    assert all(book.width(line, 40) <= 400 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert not any(line.startswith(("，", "。", ",", ".")) for line in lines)


def test_text_cut_short_ends_in_an_ellipsis() -> None:
    book = FontBook()
    lines = book.wrap("one two three four five six seven", 40, False, 200, 2)
    assert len(lines) == 2
    assert lines[-1].endswith("…")
    assert book.width(lines[-1], 40) <= 200


def test_masks_are_cached_within_a_budget() -> None:
    book = FontBook(budget=100_000)
    first = book.mask("hello", 40)
    assert book.mask("hello", 40) is first
    for index in range(200):
        book.mask(f"line {index}", 40)
    assert book.mask("hello", 40) is not first


def test_an_emoji_is_drawn_as_a_box_and_takes_room() -> None:
    book = FontBook()
    assert book.width("a😀b", 40) > book.width("ab", 40)
    assert book.mask("😀", 40).any()
    assert book.width("é", 40) == book.width("e\u0301", 40)


def test_a_text_of_any_length_is_broken_quickly() -> None:
    """What a client lets a phone show was measured whole, again and again: seconds, and half a gigabyte kept."""
    book = FontBook()
    started = time.process_time()
    (line,) = book.wrap("1" * 200_000, 40, False, 800, most=1)
    assert line.endswith("1…")
    assert time.process_time() - started < 0.5
    assert "".join(book.wrap("1" * 20_000, 40, False, 800)) == "1" * 20_000


def test_the_last_line_ends_in_an_ellipsis_where_text_is_left() -> None:
    book = FontBook()
    lines = book.wrap("one two three four\nfive", 40, False, 200)
    assert len(lines) == 3
    assert book.wrap("one two three four\nfive", 40, False, 200, most=len(lines)) == lines
    cut = book.wrap("one two three four\nfive", 40, False, 200, most=2)
    assert (cut[0], cut[1][-1]) == (lines[0], "…")
