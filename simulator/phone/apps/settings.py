"""Settings: pages of switches, a search over all of them, facts about the phone, the language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from manyhands.simulator.phone.apps.base import App, Page, System, View
from manyhands.simulator.phone.apps.host import note_once
from manyhands.simulator.phone.apps.preferences import LOCALE
from manyhands.simulator.phone.device import Link
from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.layout import Column, Gap, Icon, Node, Panel, Text
from manyhands.simulator.phone.ui.scene import Action
from manyhands.simulator.phone.ui.theme import rgb
from manyhands.simulator.phone.ui.widgets import Switch, list_row, top_bar

LINKS = "android.settings."


@dataclass(frozen=True, slots=True)
class Words:
    """A text in both languages."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Toggle:
    """A line with a switch for the setting ``key``."""

    key: str
    title: Words
    detail: Words = Words("", "")


@dataclass(frozen=True, slots=True)
class Fact:
    """A line that only says something."""

    title: Words
    detail: Words


@dataclass(frozen=True, slots=True)
class Locale:
    """A line that switches the phone's language."""

    value: str
    title: Words


@dataclass(frozen=True, slots=True)
class Section:
    """A page of lines. ``links``: the intents that open it, without ``android.settings.``."""

    glyph: str
    title: Words
    detail: Words
    lines: Sequence[Toggle | Fact | Locale]
    links: Sequence[str]


SECTIONS = (
    Section(
        "wifi",
        Words("Network & internet", "网络和互联网"),
        Words("Wi-Fi, mobile, airplane mode", "无线网络、移动网络、飞行模式"),
        (
            Toggle("wifi", Words("Wi-Fi", "无线网络"), Words("Connected to Harbor-5G", "已连接到港湾网络")),
            Toggle("mobile_data", Words("Mobile data", "移动数据")),
            Toggle(
                "airplane_mode", Words("Airplane mode", "飞行模式"), Words("Turns off all radios", "关闭所有无线连接")
            ),
            Fact(Words("Hotspot & tethering", "热点和网络共享"), Words("Off", "已关闭")),
        ),
        ("WIFI_SETTINGS", "WIRELESS_SETTINGS", "AIRPLANE_MODE_SETTINGS", "DATA_ROAMING_SETTINGS", "TETHER_SETTINGS"),
    ),
    Section(
        "more",
        Words("Connected devices", "已连接的设备"),
        Words("Bluetooth, pairing", "蓝牙、配对"),
        (Toggle("bluetooth", Words("Bluetooth", "蓝牙")),),
        ("BLUETOOTH_SETTINGS",),
    ),
    Section(
        "bell",
        Words("Notifications & status bar", "通知和状态栏"),
        Words("Network speed, battery percentage", "网速显示、电量百分比"),
        (
            Toggle(
                "network_speed_display",
                Words("Network speed display", "显示实时网速"),
                Words("Show the speed in the status bar", "在状态栏显示网络速度"),
            ),
            Toggle("battery_percentage", Words("Battery percentage", "电量百分比")),
        ),
        ("NOTIFICATION_SETTINGS", "ALL_APPS_NOTIFICATION_SETTINGS"),
    ),
    Section(
        "volume",
        Words("Sound & vibration", "声音和振动"),
        Words("Do Not Disturb, ringtone", "勿扰模式、铃声"),
        (
            Toggle(
                "do_not_disturb",
                Words("Do Not Disturb", "勿扰模式"),
                Words("Silence calls and alerts", "来电和通知静音"),
            ),
            Toggle("vibrate_on_ring", Words("Vibrate for calls", "响铃时振动")),
            Fact(Words("Phone ringtone", "手机铃声"), Words("Morning Bay", "清晨海湾")),
        ),
        ("SOUND_SETTINGS", "ZEN_MODE_SETTINGS"),
    ),
    Section(
        "sun",
        Words("Display", "显示"),
        Words("Dark mode, brightness", "深色模式、亮度"),
        (
            Toggle("dark_mode", Words("Dark mode", "深色模式"), Words("For all apps", "应用于所有应用")),
            Toggle("adaptive_brightness", Words("Adaptive brightness", "自动调节亮度")),
            Toggle("auto_rotate", Words("Auto-rotate screen", "自动旋转屏幕")),
            Fact(Words("Screen timeout", "自动息屏"), Words("After 30 minutes", "三十分钟后")),
        ),
        ("DISPLAY_SETTINGS", "DARK_THEME_SETTINGS", "AUTO_ROTATE_SETTINGS"),
    ),
    Section(
        "pin",
        Words("Location", "位置信息"),
        Words("Which apps may ask", "哪些应用可以使用"),
        (Toggle("location", Words("Use location", "使用位置信息")),),
        ("LOCATION_SOURCE_SETTINGS",),
    ),
    Section(
        "globe",
        Words("Languages", "语言"),
        Words("English, Chinese", "英语、中文"),
        (Locale("en-US", Words("English", "English")), Locale("zh-CN", Words("简体中文", "简体中文"))),
        ("LOCALE_SETTINGS",),
    ),
    Section(
        "info",
        Words("About phone", "关于手机"),
        Words("Model, version", "型号、版本"),
        (
            Fact(Words("Model", "型号"), Words("Manyhands Virtual Phone", "虚拟手机")),
            Fact(Words("Android version", "安卓版本"), Words("14", "14")),
            Fact(Words("Build number", "版本号"), Words("MV1.2024", "MV1.2024")),
            Fact(Words("Storage", "存储空间"), Words("41 GB of 128 GB used", "已用41GB，共128GB")),
        ),
        ("DEVICE_INFO_SETTINGS",),
    ),
)


class _SettingsPage(Page):
    def __init__(self, app: SettingsApp) -> None:
        super().__init__(app.os)
        self._app = app

    def _text(self, words: Words) -> str:
        return self.os.say(words.en, words.zh)

    def _entering(self, section: Section) -> Action:
        return lambda: self._app.enter(section)

    def _line(self, line: Toggle | Fact | Locale) -> Node:
        settings = self.os.settings
        if isinstance(line, Toggle):
            key, on = line.key, settings[line.key]
            detail = self._text(line.detail) if line.key != "wifi" or on else self.say("Off", "已关闭")
            return list_row(self._text(line.title), detail, end=Switch(on), tap=lambda: self._app.toggle(key))
        if isinstance(line, Locale):
            chosen = settings.language == line.value[:2]
            mark = Icon("check", 24, "accent") if chosen else None
            return list_row(self._text(line.title), end=mark, tap=lambda: settings.put(*LOCALE, line.value))
        return list_row(self._text(line.title), self._text(line.detail))


class SectionPage(_SettingsPage):
    """One section's lines."""

    name = "section"

    def __init__(self, app: SettingsApp, section: Section) -> None:
        super().__init__(app)
        self._section = section

    def view(self) -> View:
        lines = [self._line(line) for line in self._section.lines]
        group = Panel(Panel(Column(lines), fill="card", radius=20, pad=(0, 4, 0, 4)), pad=(12, 8, 12, 12))
        return View(group, top=top_bar(self._text(self._section.title), self.os.pop))


class SettingsHome(_SettingsPage):
    """The search field and the sections; while something is searched, the lines that match."""

    name = "settings"

    def __init__(self, app: SettingsApp) -> None:
        super().__init__(app)
        self._search = Field(purpose="search", submit=self._searched)

    def _searched(self, text: str) -> None:
        if text.strip():
            note_once(self._app.searches, text.strip())
        self.os.focus(None)

    def back(self) -> bool:
        if self._search.text:
            self._search.set("")
            return True
        return False

    def _found(self, asked: str) -> list[Node]:
        nodes = [
            list_row(self._text(line.title), self._text(section.title), section.glyph, tap=self._entering(section))
            for section in SECTIONS
            for line in (section, *section.lines)
            if asked in self._text(line.title).lower()
        ]
        missing: Node = Panel(Text(self.say("No results", "没有结果"), 17, align="center", colour="muted"), pad=30)
        return nodes or [missing]

    def view(self) -> View:
        asked = self._search.text.strip().lower()
        rows = self._found(asked) if asked else [self._row(section) for section in SECTIONS]
        hint = self.say("Search settings", "搜索设置项")
        field = Panel(self.input(self._search, hint, icon="search"), pad=(16, 2, 16, 10))
        group = Panel(Panel(Column(rows), fill="card", radius=20, pad=(0, 4, 0, 4)), pad=(12, 4, 12, 16))
        title = Panel(Text(self.say("Settings", "设置"), 30, bold=True), pad=(20, 14, 20, 8))
        return View(group, top=Column([title, field, Gap(2)]))

    def _row(self, section: Section) -> Node:
        title, detail = self._text(section.title), self._text(section.detail)
        return list_row(title, detail, section.glyph, tap=self._entering(section))


class SettingsApp(App):
    """Its data are the phone's settings, the pages visited and the searches made."""

    package, activity = "com.android.settings", "com.android.settings.Settings"
    label, label_zh, icon, colour = "Settings", "设置", "gear", rgb("56607a")

    def __init__(self, os: System) -> None:
        super().__init__(os)
        self.searches: list[str] = []
        self._pages: list[str] = []

    def first_pages(self) -> list[Page]:
        return [SettingsHome(self)]

    def opener(self, link: Link) -> Action | None:
        """``android.settings.SETTINGS`` and the pages that there are; others a real phone has."""
        asked = link.action.removeprefix(LINKS)
        if asked == link.action:
            return None
        if asked == "SETTINGS":
            return lambda: None
        section = next((section for section in SECTIONS if asked in section.links), None)
        return None if section is None else lambda: self.enter(section)

    def enter(self, section: Section) -> None:
        note_once(self._pages, section.title.en)
        self.os.push(SectionPage(self, section))

    def toggle(self, key: str) -> None:
        self.os.settings[key] = not self.os.settings[key]

    def state(self) -> dict[str, Any]:
        return {**self.os.settings.state(), "pages": list(self._pages), "searches": list(self.searches)}
