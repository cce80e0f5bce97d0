"""Make up a large memory: 500 tips and 60 shortcuts, English and Chinese. Ten tasks need some of these lessons.

The other lessons mention the same apps and pages as the needed ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from manyhands.protocol.roles.memory import Shortcut, ShortcutStep

TIPS, SHORTCUTS = 500, 60


@dataclass(frozen=True, slots=True)
class RequiredKnowledge:
    """Hold what a task needs to know: a tip and, for some tasks, the name of a shortcut."""

    tip: str
    shortcut: str = ""


NEEDED: Mapping[str, RequiredKnowledge] = {
    "dark_mode": RequiredKnowledge("Dark mode is a switch on the page Display, below the fold.", "Turn_On_Dark_Mode"),
    "greeting": RequiredKnowledge(
        "A greeting in Messages goes off by the arrow beside its field; Enter breaks the line."
    ),
    "reply_unread": RequiredKnowledge(
        "An unread message is bold in the list; its amount stands at the end of the text."
    ),
    "tidy_notes": RequiredKnowledge(
        "A note is deleted by a long press in the list and Delete, twice.", "Delete_The_Note"
    ),
    "lakers_note": RequiredKnowledge("The final score of a game is the first result of a web search, above the news."),
    "laptop_cart": RequiredKnowledge(
        "The list does not tell a laptop's GPU; open it before you add it to the cart.", "Filter_Laptops"
    ),
    "network_speed_zh": RequiredKnowledge("实时网速的开关在通知栏页面的最下面，要先滚动。"),
    "weather_note_zh": RequiredKnowledge("查看天气时，今天的气温在页面顶部，下面是明天的。"),
    "great_wall_zh": RequiredKnowledge("搜索长城，它的长度写在第一条结果里，不用打开页面。"),
    "headphones_cart_zh": RequiredKnowledge("蓝牙耳机要先打开商品页，才能加入购物车。", "Add_Headphones"),
}
"""Knowledge by the ids of tasks of the everyday suite."""
_ROUTINES: Mapping[str, tuple[str, str]] = {
    "Turn_On_Dark_Mode": ("Turn on the dark mode of the system.", "The start page of the settings is shown."),
    "Delete_The_Note": ("Delete the note with this title.", "The list of notes is shown."),
    "Filter_Laptops": ("Show laptops under a price that have a GPU.", "The results of a search for laptops are shown."),
    "Add_Headphones": ("把蓝牙耳机加入购物车。", "商品页已经打开。"),
}
_ENGLISH = (
    "In {app}, page {number}, the {thing} hides behind the {other}; close the {other} and wait for {seconds} s.",
    "{app} sorts its {thing} by {other} until option {number} is off; look at the top for {seconds} s.",
    "When {app} shows dialog {number}, the {thing} below it takes no tap; leave the {other} alone for {seconds} s.",
)
_CHINESE = (
    "{app}第{number}页的{thing}被{other}挡住，先关掉{other}，再等{seconds}秒。",
    "{app}按{other}排列{thing}，第{number}个选项关掉以后才会改变，等{seconds}秒。",
)
_APPS = ("Settings", "Messages", "Notes", "Shop", "Browser", "Calendar", "Maps", "Music", "Files", "Clock")
_APPS_ZH = ("设置", "短信", "笔记", "商城", "浏览器", "日历", "地图", "音乐", "文件", "时钟")
_THINGS = ("title", "banner", "filter", "menu", "sale", "picture", "calendar", "address", "player", "counter", "badge")
_THINGS_ZH = ("标题", "横幅", "筛选", "菜单", "促销", "图片", "日程", "地址", "播放器", "计数", "标记")


def many_tips() -> tuple[str, ...]:
    """Return all tips. Those that tasks need are spread evenly among the others."""
    needed, filler = [one.tip for one in NEEDED.values()], _filler()
    found: list[str] = []
    between = (TIPS - len(needed)) // len(needed)
    for tip in needed:
        found += [*itertools.islice(filler, between), tip]
    return (*found, *itertools.islice(filler, TIPS - len(found)))


def many_shortcuts() -> tuple[Shortcut, ...]:
    """Return all shortcuts. Those that tasks need come last."""
    others = [
        _typing(
            f"Fill_{_APPS[number % 10]}_{number}",
            f"Fill the {_THINGS[number % 11]} of form {number} in {_APPS[number % 10]}.",
            f"Form {number} is shown and its {_THINGS[number % 11]} has the focus.",
            number,
        )
        for number in range(SHORTCUTS - len(_ROUTINES))
    ]
    needed = [
        _typing(name, description, precondition, SHORTCUTS + number)
        for number, (name, (description, precondition)) in enumerate(_ROUTINES.items())
    ]
    return (*others, *needed)


def _filler() -> Iterator[str]:
    return map(_tip, itertools.count())


def _tip(number: int) -> str:
    chinese = number % 2 == 1
    patterns, apps, things = (_CHINESE, _APPS_ZH, _THINGS_ZH) if chinese else (_ENGLISH, _APPS, _THINGS)
    half = number // 2
    return patterns[half % len(patterns)].format(
        app=apps[half % 10], thing=things[half % 11], other=things[(half + 4) % 11], number=number, seconds=half % 7 + 1
    )


def _typing(name: str, description: str, precondition: str, number: int) -> Shortcut:
    """Return a shortcut. No two do the same."""
    return Shortcut(
        name=name,
        arguments=("words",),
        description=description,
        precondition=precondition,
        steps=(
            ShortcutStep(name="Click_Text", arguments_map={"text": f"Field {number}"}),
            ShortcutStep(name="Type", arguments_map={"text": "words"}),
            ShortcutStep(name="Enter"),
        ),
    )
