"""Interpret a description of an icon, in English or Chinese: its name, region and colour.

Words for icons are mapped to the names that ``IconNamer`` gives. Words for regions and colours may be parts of a name
(Top News, Red Bull). So a description has several interpretations. An icon's colour is its share of the icon's pixels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from typing import Literal

import cv2
import numpy as np

from manyhands.actors.frames import Rgb
from manyhands.protocol.screens.argument_types import Position
from manyhands.protocol.screens.geometry import Box

Across = Literal["left", "middle", "right"]
Down = Literal["top", "middle", "bottom"]

_ACROSS: dict[str, Across] = {
    "left": "left", "leftmost": "left", "right": "right", "rightmost": "right",
    "左": "left", "右": "right",
}  # fmt: skip
_DOWN: dict[str, Down] = {
    "top": "top", "upper": "top", "topmost": "top", "above": "top",
    "bottom": "bottom", "lower": "bottom", "bottommost": "bottom", "below": "bottom",
    "上": "top", "顶": "top", "下": "bottom", "底": "bottom",
}  # fmt: skip
_MIDDLE = ("middle", "centre", "center", "central", "中")
_PLACE_FILLING = r"(?:the|an?|at|in|on|of|to|side|corner|edge|screen|page|part)"
_WORD = "(?:" + "|".join(word for word in (*_ACROSS, *_DOWN, *_MIDDLE) if word.isascii()) + ")"
_ENGLISH = re.compile(rf"(?<!\S)(?:{_PLACE_FILLING} )*{_WORD}(?: (?:{_PLACE_FILLING}|{_WORD}))*(?!\S)")
_CORNER = "(?:[左右][上下顶底]中?|[上下顶底][左右中]|中[上下左右])"
_CHINESE = re.compile(
    "(?:位于|在)?(?:(?:屏幕|页面)的?)?最?"
    f"(?:(?:{_CORNER}|[左右上下顶底])(?:[方边侧角部面端]+(?:正?中[间央])?|正?中[间央])的?|正中[心间央]?的?|中[间央部]的?|{_CORNER}的)"
    rf"|(?:屏幕|页面)的?最?{_CORNER}的?"
    rf"|(?<!\S)最?[左右上下顶底中]的|(?<!\S)(?:{_CORNER}|[左右上下顶底中])(?!\S)"
)
"""A single Chinese character for a place is part of many words (线上, 个人中心). It needs 角, 侧, 方 or the like."""

COLOURS: dict[str, str] = {
    "red": "red 红色 红", "orange": "orange 橙色 橙 橘色", "yellow": "yellow golden 黄色 黄",
    "green": "green 绿色 绿", "blue": "blue 蓝色 蓝", "purple": "purple violet 紫色 紫",
    "pink": "pink magenta 粉色 粉 粉红色", "black": "black 黑色 黑", "white": "white 白色 白",
    "grey": "grey gray 灰色 灰",
}  # fmt: skip
_COLOUR_OF = {word: colour for colour, words in COLOURS.items() for word in words.split()}

SIMILAR = 0.8
"""Two words mean the same from this share of common letters on."""
_BREAKS = re.compile(r"[\s,.;:()，。、；：（）-]+")
_FILLING = re.compile(
    r"\b(?:icon|button|symbol|sign|logo|image of|shaped|coloured|colored)\b|图标|按钮|标志|形状?的?"
    r"|\b(?:at|in|on|of) (?:the |a )?(?:side|corner|edge|screen|page)\b|在?(?:屏幕|页面)[上中里]?的|的"
    r"|^(?:the|an?) (?=.)"
)

_SAME: dict[str, str] = {
    "settings": "gear cog cogwheel preferences options 设置 齿轮",
    "search": "magnifier magnifying-glass lens find 搜索 放大镜 查找",
    "more": "three-dots dots ellipsis kebab overflow 更多 三点 三个点",
    "menu": "hamburger three-lines drawer 菜单 三条线",
    "close": "x cross dismiss cancel 关闭 叉 叉号 取消",
    "add": "plus new create 添加 加号 加 新建",
    "back": "arrow-left left-arrow return 返回 后退",
    "forward": "arrow-right right-arrow 前进",
    "home": "house 主页 首页 房子",
    "delete": "trash bin trash-can garbage remove 删除 垃圾桶",
    "share": "分享 转发",
    "cart": "shopping-cart trolley 购物车",
    "edit": "pencil pen compose 编辑 铅笔 笔",
    "star": "favourite favorite rating 星 星星 收藏",
    "heart": "like love 心 爱心 喜欢",
    "bell": "notification notifications 铃铛 通知",
    "person": "user profile account avatar me 用户 头像 我 我的",
    "camera": "相机 拍照 照相机",
    "microphone": "mic voice 麦克风 语音 话筒",
    "play": "triangle 播放",
    "pause": "暂停",
    "next track": "next skip 下一首",
    "previous track": "previous 上一首",
    "download": "下载",
    "refresh": "reload sync 刷新",
    "check": "tick checkmark done confirm 对勾 勾 完成 确定",
    "lock": "padlock 锁",
    "phone": "call telephone handset 电话",
    "mail": "email envelope letter 邮件 信封",
    "message": "chat sms bubble speech 消息 短信 聊天",
    "calendar": "date 日历",
    "clock": "time 时钟 时间",
    "location": "pin marker place 位置 定位",
    "image": "picture photo gallery 图片 相册 照片",
    "emoji": "smiley smile face 表情 笑脸",
    "send": "paper-plane 发送 纸飞机",
    "filter": "funnel 筛选 漏斗",
    "bookmark": "书签",
    "globe": "earth world 地球",
    "scan": "扫一扫 扫描",
    "qr code": "qr 二维码",
    "info": "information about 信息",
    "help": "question 帮助 问号",
}
NAME_OF = {alias.replace("-", " "): name for name, aliases in _SAME.items() for alias in aliases.split()}
"""The icon names, each found by the other words for the same icon."""
ENOUGH = 0.12
"""An icon counts as having a colour if at least this share of its box has the colour. Strokes are thin."""
MOST = 4
"""Up to so many words for regions and colours, every combination of them may be part of the name. Beyond that, either
all of them are, or none."""


def plain_words(text: str) -> str:
    """Return the text lower-cased, with one blank between words."""
    return " ".join(_BREAKS.sub(" ", text.casefold()).split())


def meant_name(description: str) -> str:
    """Return the name of an icon with this description. Return the description if no other word is known for it."""
    plain = " ".join(_FILLING.sub(" ", plain_words(description)).split())
    return NAME_OF.get(plain, plain)


def same(called: str, name: str) -> float:
    """Return 1 if two names mean the same, else 0, also for an empty name."""
    return float(bool(name) and meant_name(called) == meant_name(name))


def holds(called: str, name: str) -> float:
    """Return 1 if two names mean the same, 0.9 if the words of ``name`` are among those of ``called``, else 0."""
    called, name = meant_name(called), meant_name(name)
    if called == name:
        return float(bool(name))
    return 0.9 if name and set(name.split()) <= set(called.split()) else 0.0


def alike(one: str, other: str) -> float:
    """Return how similar two names are: 1 for equal ones, 0.9 if one's words are among the other's."""
    one, other = meant_name(one), meant_name(other)
    if not one or not other:
        return 0.0
    if one == other:
        return 1.0
    words, others = set(one.split()), set(other.split())
    if words <= others or others <= words:
        return 0.9
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return 0.9 * ratio if ratio >= SIMILAR else 0.0


_COLOUR = re.compile(
    rf"(?<!\S)(?:{'|'.join(word for word in _COLOUR_OF if word.isascii())})(?!\S)"
    rf"|(?:{'|'.join(word for word in _COLOUR_OF if len(word) > 1 and not word.isascii())})的?"
    rf"|(?:{'|'.join(word for word in _COLOUR_OF if len(word) == 1)})的"
    rf"|(?<![^\s的])(?:{'|'.join(word for word in _COLOUR_OF if len(word) == 1)})"
    rf"(?=(?:{'|'.join(word for word in NAME_OF if not word.isascii())})?(?!\S))"
)
"""A single Chinese character for a colour is part of many words (小红书, 蓝牙). It needs 色, 的 or a known name."""

_HUES = {
    "red": ((0, 8), (172, 180)),
    "orange": ((9, 20),),
    "yellow": ((21, 34),),
    "green": ((35, 85),),
    "blue": ((86, 128),),
    "purple": ((129, 150),),
    "pink": ((151, 171),),
}
"""OpenCV's hues, 0 to 180."""
SATURATED, LIT = 70, 60
DARK, LIGHT = 60, 215


def colour_share(rgb: Rgb, box: Box, colour: str) -> float:
    """Return how much of an icon's box has the colour, 0 to 1. ``ENOUGH`` of it, or more, gives 1.

    ``rgb``: uint8 (height, width, 3). ``colour``: a key of ``COLOURS``.
    """
    crop = rgb[max(box.y1, 0) : box.y2, max(box.x1, 0) : box.x2]
    if crop.size == 0:
        return 0.0
    hsv = cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_RGB2HSV)
    hue, saturation, value = hsv[..., 0], hsv[..., 1], hsv[..., 2]
    vivid = (saturation >= SATURATED) & (value >= LIT)
    if colour == "black":
        mask = value <= DARK
    elif colour == "white":
        mask = ~vivid & (value >= LIGHT)
    elif colour == "grey":
        mask = ~vivid & (value > DARK) & (value < LIGHT)
    else:
        mask = vivid & np.logical_or.reduce([(hue >= first) & (hue <= last) for first, last in _HUES[colour]])
    return min(1.0, float(mask.mean()) / ENOUGH)


def _colours_in(text: str) -> list[re.Match[str]]:
    """Return the words that may name a colour in ``text``, as made by ``plain_words``."""
    return list(_COLOUR.finditer(text))


def colour_of(matches: Sequence[re.Match[str]]) -> str | None:
    """Return the first colour of these, a key of ``COLOURS``. Return None if there is none."""
    return next((_COLOUR_OF[part[0].removesuffix("的")] for part in matches), None)


@dataclass(frozen=True, slots=True)
class ScreenRegion:
    """Mark a third of the screen in each direction; None means anywhere."""

    across: Across | None = None
    down: Down | None = None

    def fit(self, x: float, y: float) -> float:
        """Return 1 inside the region, falling to 0 half a screen away. ``x``, ``y``: shares of width and height."""
        across = {"left": 0, "middle": 1, "right": 2}.get(self.across or "")
        down = {"top": 0, "middle": 1, "bottom": 2}.get(self.down or "")
        return _within(x, across) * _within(y, down)


def _within(share: float, third: int | None) -> float:
    if third is None:
        return 1.0
    first, last = third / 3, (third + 1) / 3
    outside = max(first - share, share - last, 0.0)
    return max(0.0, 1 - 2 * outside)


def place_at(position: Position) -> ScreenRegion:
    """Return the region that a position names. A position of one word leaves the other direction open."""
    return _place(position.split())


def _places_in(text: str) -> list[re.Match[str]]:
    """Return the words that may name a region in ``text``, which is in lower case with single blanks."""
    return [*_ENGLISH.finditer(text), *_CHINESE.finditer(text)]


def place_of(matches: Sequence[re.Match[str]]) -> ScreenRegion | None:
    """Return the region that these words name together. Return None without any words."""
    words = [word for part in matches for word in (part[0].split() if part.re is _ENGLISH else part[0])]
    return _place(words) if matches else None


def _place(words: Sequence[str]) -> ScreenRegion:
    across = next((_ACROSS[word] for word in words if word in _ACROSS), None)
    down = next((_DOWN[word] for word in words if word in _DOWN), None)
    if any(word in _MIDDLE for word in words):
        across, down = across or "middle", down or "middle"
    return ScreenRegion(across, down)


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Hold one interpretation of a description. ``name`` is empty if all words are for regions and colours."""

    name: str
    place: ScreenRegion | None
    colour: str | None


def interpretations(description: str) -> list[Interpretation]:
    """Return interpretations: first with all words as the name, last with as many as possible as region and colour."""
    text = plain_words(description)
    places, colours = _places_in(text), _colours_in(text)
    words = sorted(places + colours, key=re.Match.start)
    counts = range(len(words) + 1) if len(words) <= MOST else (0, len(words))
    readings = []
    for count in counts:
        for subset in combinations(words, count):
            place = place_of([part for part in subset if part in places])
            readings.append(
                Interpretation(_without(text, subset), place, colour_of([part for part in subset if part in colours]))
            )
    return readings


def _without(text: str, matches: Sequence[re.Match[str]]) -> str:
    """Return ``text`` without the spans of ``matches``, which are in order and do not overlap."""
    rest, at = [], 0
    for part in matches:
        rest.append(text[at : part.start()])
        at = part.end()
    return meant_name(" ".join([*rest, text[at:]]))
