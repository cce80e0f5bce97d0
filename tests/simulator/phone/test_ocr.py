"""A real text reader reads the screens: English and Chinese, light and dark."""

from __future__ import annotations

import pytest
from rapidocr import RapidOCR

from tests.simulator.phone.hand import Hand


@pytest.fixture(scope="module")
def reader() -> RapidOCR:
    return RapidOCR(params={"Global.use_cls": False, "Global.log_level": "error"})


def read(reader: RapidOCR, hand: Hand) -> str:
    found = reader(hand.phone.frame().rgb[:, :, ::-1])
    return "\n".join(found.txts or ())


def squeezed(text: str) -> str:
    """Without spaces and with the marks of one width: what a reader may well confuse."""
    return "".join(text.split()).translate(str.maketrans("，。！？：", ",.!?:"))


def share_read(reader: RapidOCR, hand: Hand) -> float:
    """The share of the drawn lines that the reader found word for word."""
    shown = [squeezed(text) for text in hand.texts()]
    text = squeezed(read(reader, hand))
    return sum(line in text for line in shown) / len(shown)


def test_english_on_light_ground(reader: RapidOCR) -> None:
    hand = Hand()
    labels = ["Shop", "Clock", "Calendar", "Camera", "Maps", "Photos", "Messages", "Browser", "Notes", "Settings"]
    home = read(reader, hand).split("\n")
    assert [label for label in labels if label not in home] == []
    hand.open("Notes")
    hand.tap("Meeting with Ben")
    hand.tap("Thursday")
    hand.type(" Cost: $48.20")
    assert "ADB Keyboard {ON}" in read(reader, hand)
    assert share_read(reader, hand) >= 0.9


def test_chinese_on_dark_ground(reader: RapidOCR) -> None:
    hand = Hand(1000)
    hand.phone.put_setting("secure", "ui_night_mode", "2")
    hand.open("商城")
    hand.tap("不用了")
    hand.tap("允许")
    assert share_read(reader, hand) >= 0.85
    hand.open("短信")
    text = squeezed(read(reader, hand))
    assert [name for name in ("短信", "陈晓雨", "王海涛", "妈妈", "新消息") if name not in text] == []
