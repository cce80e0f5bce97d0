"""Words for icons and colours, in English and Chinese, and the names that ``IconNamer`` gives."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

SIMILAR = 0.8
"""Share of common letters from which two words mean the same."""
_FILLING = re.compile(
    r"\b(?:icon|button|symbol|sign|logo|image of|shaped|coloured|colored)\b|图标|按钮|标志|形状?的?|的"
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
_NAME_OF = {alias.replace("-", " "): name for name, aliases in _SAME.items() for alias in aliases.split()}

COLOURS: dict[str, str] = {
    "red": "red 红色 红", "orange": "orange 橙色 橙 橘色", "yellow": "yellow golden 黄色 黄",
    "green": "green 绿色 绿", "blue": "blue 蓝色 蓝", "purple": "purple violet 紫色 紫",
    "pink": "pink magenta 粉色 粉 粉红色", "black": "black 黑色 黑", "white": "white 白色 白",
    "grey": "grey gray 灰色 灰",
}  # fmt: skip
_COLOUR_OF = {word: colour for colour, words in COLOURS.items() for word in words.split()}
_LONGEST_FIRST = sorted(_COLOUR_OF, key=len, reverse=True)


def split_colour(description: str) -> tuple[str | None, str]:
    """The first colour that a description names, and its other words; None: it names no colour."""
    for word in _LONGEST_FIRST:
        pattern = rf"\b{word}\b" if word.isascii() else word
        found = re.search(pattern, description)
        if found:
            return _COLOUR_OF[word], " ".join((description[: found.start()] + " " + description[found.end() :]).split())
    return None, description


def meant_name(description: str) -> str:
    """What an icon that is described so is called; the description itself where there is no other word for it."""
    plain = " ".join(_FILLING.sub(" ", description.replace("-", " ")).split())
    return _NAME_OF.get(plain, plain)


def alike(one: str, other: str) -> float:
    """How far two names are the same, 0 to 1: 1 for equal ones, 0.9 where one's words are among the other's."""
    if not one or not other:
        return 0.0
    one, other = meant_name(one.casefold()), meant_name(other.casefold())
    if one == other:
        return 1.0
    words, others = set(one.split()), set(other.split())
    if words <= others or others <= words:
        return 0.9
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return 0.9 * ratio if ratio >= SIMILAR else 0.0
