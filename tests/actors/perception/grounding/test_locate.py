"""Texts by string, icons by name, label, colour and place."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from manyhands.actors.frames import Frame, Rgb
from manyhands.actors.perception.grounding.locate import locate
from manyhands.actors.perception.service import PerceptionService
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Located, LocateQuery, Screen
from tests.actors.perception.pictures import Page, as_png, screenshot_of, within

SIZE = Size(width=1000, height=2000)


def element(kind: str, content: str, x: int, y: int, side: int = 80) -> Element:
    box = Box(x1=x, y1=y, x2=x + side, y2=y + side)
    return Element.model_validate({"kind": kind, "content": content, "box": box, "confidence": 0.9})


GEAR_TOP = element("icon", "settings", 900, 100)
GEAR_LOW = element("icon", "settings", 80, 1800)
BELL = element("icon", "bell", 780, 100)
TILE = element("icon", "", 400, 900, 150)
LABEL = element("text", "Calendar", 430, 1070)
NAMELESS = element("icon", "", 60, 100)
ELEMENTS = (GEAR_TOP, GEAR_LOW, BELL, TILE, LABEL, NAMELESS)


def picture() -> Rgb:
    """Grey, with a red bell and a blue gear at the top."""
    rgb = np.full((SIZE.height, SIZE.width, 3), 240, np.uint8)
    for icon, colour in ((BELL, (220, 30, 30)), (GEAR_TOP, (30, 60, 220)), (GEAR_LOW, (30, 30, 30))):
        rgb[icon.box.y1 + 20 : icon.box.y2 - 20, icon.box.x1 + 20 : icon.box.x2 - 20] = colour
    return rgb


def unseen() -> Rgb:
    raise AssertionError("nothing was asked that needs pixels")


def find(kind: str, words: str, *elements: Element, pixels: bool = False) -> Located:
    screen = Screen(content_id="0" * 32, size=SIZE, elements=elements or ELEMENTS, keyboard="hidden")
    return locate(screen, LocateQuery.model_validate({"kind": kind, "words": words}), picture if pixels else unseen)


def meant(located: Located) -> list[Element]:
    return [match.element for match in located.matches]


def test_words_in_a_longer_line_are_found_where_they_stand_each_time() -> None:
    content = "World Ａmericas 亚洲新闻 AMER ICAS"
    columns = tuple(100 + 20 * place + 10 for place in range(len(content)))
    box = Box(x1=100, y1=10, x2=100 + 20 * len(content), y2=50)
    row = Element(kind="text", box=box, content=content, confidence=0.9, columns=columns)
    assert [one.content for one in meant(find("text", "americas", row))] == ["Ａmericas", "AMER ICAS"]
    (news,) = meant(find("text", "新闻", row))
    assert (news.content, news.centre) == ("新闻", (465, 30))
    assert meant(find("text", "World", row.model_copy(update={"columns": ()}))) == [
        row.model_copy(update={"columns": ()})
    ]


def test_equal_texts_are_all_found_and_nothing_else() -> None:
    texts = [
        element("text", content, 100, 100 * row) for row, content in enumerate(("Save", "save ", "Save all", "Sane"))
    ]
    found = find("text", "SAVE", *texts)
    assert meant(found) == texts[:2]
    assert {match.ways for match in found.matches} == {("exact",)}
    assert find("text", "Ｗｉ－Ｆｉ", element("text", "Wi-Fi", 0, 0)).matches[0].ways == ("exact",)


def test_texts_that_hold_the_words_come_before_those_like_them() -> None:
    texts = [element("text", content, 100, 100 * row) for row, content in enumerate(("Save all", "Sava", "Open"))]
    assert [(match.element, match.ways) for match in find("text", "save", *texts).matches] == [
        (texts[0], ("contained",))
    ]
    assert [(match.element, match.ways) for match in find("text", "save", *texts[1:]).matches] == [
        (texts[1], ("similar",))
    ]
    assert find("text", "print", *texts).matches == ()


@pytest.mark.parametrize(
    "words", ["the gear, top right", "settings icon in the upper right corner", "右上角的齿轮图标"]
)
def test_an_icon_is_found_by_its_name_and_place(words: str) -> None:
    best = find("icon", words).matches[0]
    assert best.element == GEAR_TOP
    assert best.ways == ("name", "position")


def test_icons_of_one_name_are_all_found_without_a_place() -> None:
    assert meant(find("icon", "cog")) == [GEAR_TOP, GEAR_LOW]


def test_an_icon_is_found_by_the_text_under_it() -> None:
    found = find("icon", "calendar")
    assert [(match.element, match.ways) for match in found.matches] == [(TILE, ("label",))]


def test_an_icon_without_a_known_name_is_found_by_place_and_the_result_says_so() -> None:
    best = find("icon", "three fishes, top left").matches[0]
    assert best.element == NAMELESS
    assert best.ways == ("position",)
    assert best.score < 0.5 < find("icon", "the gear, top right").matches[0].score
    assert find("icon", "three fishes").matches == ()


@pytest.mark.parametrize("words", ["top left", "the icon in the top left corner"])
def test_where_no_name_is_asked_for_a_place_is_all(words: str) -> None:
    best = find("icon", words).matches[0]
    assert (best.element, best.ways, best.score) == (NAMELESS, ("position",), 1)


@pytest.mark.parametrize(
    ("words", "icon"), [("red icon at the top", BELL), ("蓝色的设置", GEAR_TOP), ("black gear", GEAR_LOW)]
)
def test_colours_tell_icons_apart(words: str, icon: Element) -> None:
    best = find("icon", words, pixels=True).matches[0]
    assert best.element == icon
    assert "colour" in best.ways


LABELS = ("Top News", "Right to Left", "Red Bull", "个人中心", "消息中心", "抖音上", "小红书", "News")


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("form", ["{}", "{} icon", "{}，屏幕底部"])
def test_words_for_places_and_colours_in_a_name_are_the_names(label: str, form: str) -> None:
    tiles = [element("icon", "", 100 * at, 1800) for at in range(len(LABELS))]
    under = [element("text", content, 100 * at, 1890) for at, content in enumerate(LABELS)]
    matches = find("icon", form.format(label), *tiles, *under).matches
    assert matches[0].element == tiles[LABELS.index(label)]
    assert matches[0].ways[0] == "label"
    assert matches[0].score == 1


def test_a_place_in_a_name_is_one_where_nothing_is_called_so() -> None:
    news = [element("icon", "news", 400, y) for y in (100, 1800)]
    assert [(match.element, match.ways) for match in find("icon", "top news", *news).matches] == [
        (news[0], ("name", "position"))
    ]
    misread = [element("icon", "", 400, 1800), element("text", "Top Newz", 400, 1890)]
    assert meant(find("icon", "top news", *misread)) == misread[:1]


def test_a_label_of_words_that_mean_nothing_is_no_name() -> None:
    signed = [element("icon", "", 400, 1800), element("text", "Button", 400, 1890)]
    assert find("icon", "calendar", *signed).matches == ()


async def test_the_service_reads_and_finds(service: PerceptionService) -> None:
    page = Page(480, 640)
    page.text("Connect", (60, 300), 40)
    page.draw.ellipse((380, 40, 440, 100), fill=(210, 30, 30))
    page.draw.ellipse((40, 540, 100, 600), fill=(30, 30, 210))
    shot, frame = screenshot_of(page.rgb), as_png(page.rgb)
    text, icon = await asyncio.gather(
        service.locate(shot, frame, LocateQuery(kind="text", words="connect"), within(60)),
        service.locate(shot, frame, LocateQuery(kind="icon", words="red dot"), within(60)),
    )
    assert text.matches[0].ways == ("exact",)
    assert abs(text.matches[0].element.centre[1] - 325) < 20
    assert abs(icon.matches[0].element.centre[0] - 410) <= 5
    assert icon.matches[0].ways == ("colour",)
    assert len(icon.matches) == 1
    with pytest.raises(PerceptionError):
        await service.locate(shot, Frame("png", b"damaged"), LocateQuery(kind="icon", words="red dot"), within(60))
