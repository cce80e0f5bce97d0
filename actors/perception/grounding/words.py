"""Map words for icons, in English and Chinese, to the names that ``IconNamer`` gives, and compare names."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

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
