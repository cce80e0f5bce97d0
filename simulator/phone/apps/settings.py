"""Implement Settings: pages of switches, a search over all of them, facts about the phone, the language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from manyhands.simulator.phone.apps.base import App, Page, SearchPage, System, View, note_once
from manyhands.simulator.phone.apps.preferences import LOCALE
from manyhands.simulator.phone.device import Link
from manyhands.simulator.phone.ui.layout import Column, Gap, Icon, Node, Panel, Text
from manyhands.simulator.phone.ui.scene import Action
from manyhands.simulator.phone.ui.theme import rgb
from manyhands.simulator.phone.ui.widgets import Switch, heading, list_row, top_bar

LINKS = "android.settings."


Words = tuple[str, str]
"""A text in English and in Chinese."""


@dataclass(frozen=True, slots=True)
class Toggle:
    """Be a line with a switch for the setting ``key``."""

    key: str
    title: Words
    detail: Words = ("", "")


@dataclass(frozen=True, slots=True)
class Fact:
    """Be a line that does nothing when tapped."""

    title: Words
    detail: Words


@dataclass(frozen=True, slots=True)
class Locale:
    """Be a line that switches the phone's language."""

    value: str
    title: Words


@dataclass(frozen=True, slots=True)
class Section:
    """Be a page of lines. ``links``: the intents that open it, without ``android.settings.``."""

    glyph: str
    title: Words
    detail: Words
    lines: Sequence[Toggle | Fact | Locale]
    links: Sequence[str]


SECTIONS = (
    Section(
        "wifi",
        ("Network & internet", "网络和互联网"),
        ("Wi-Fi, mobile, airplane mode", "无线网络、移动网络、飞行模式"),
        (
            Toggle("wifi", ("Wi-Fi", "无线网络"), ("Connected to Harbor-5G", "已连接到港湾网络")),
            Toggle("mobile_data", ("Mobile data", "移动数据")),
            Toggle("airplane_mode", ("Airplane mode", "飞行模式"), ("Turns off all radios", "关闭所有无线连接")),
            Fact(("Hotspot & tethering", "热点和网络共享"), ("Off", "已关闭")),
        ),
        ("WIFI_SETTINGS", "WIRELESS_SETTINGS", "AIRPLANE_MODE_SETTINGS", "DATA_ROAMING_SETTINGS", "TETHER_SETTINGS"),
    ),
    Section(
        "more",
        ("Connected devices", "已连接的设备"),
        ("Bluetooth, pairing", "蓝牙、配对"),
        (Toggle("bluetooth", ("Bluetooth", "蓝牙")),),
        ("BLUETOOTH_SETTINGS",),
    ),
    Section(
        "bell",
        ("Notifications & status bar", "通知和状态栏"),
        ("Network speed, battery percentage", "网速显示、电量百分比"),
        (
            Toggle(
                "network_speed_display",
                ("Network speed display", "显示实时网速"),
                ("Show the speed in the status bar", "在状态栏显示网络速度"),
            ),
            Toggle("battery_percentage", ("Battery percentage", "电量百分比")),
        ),
        ("NOTIFICATION_SETTINGS", "ALL_APPS_NOTIFICATION_SETTINGS"),
    ),
    Section(
        "volume",
        ("Sound & vibration", "声音和振动"),
        ("Do Not Disturb, ringtone", "勿扰模式、铃声"),
        (
            Toggle("do_not_disturb", ("Do Not Disturb", "勿扰模式"), ("Silence calls and alerts", "来电和通知静音")),
            Toggle("vibrate_on_ring", ("Vibrate for calls", "响铃时振动")),
            Toggle("vibration_mode", ("Vibration mode", "震动模式"), ("No sounds, only vibration", "不响铃，只震动")),
            Fact(("Phone ringtone", "手机铃声"), ("Morning Bay", "清晨海湾")),
        ),
        ("SOUND_SETTINGS", "ZEN_MODE_SETTINGS"),
    ),
    Section(
        "sun",
        ("Display", "显示"),
        ("Dark mode, brightness", "深色模式、亮度"),
        (
            Toggle("dark_mode", ("Dark mode", "深色模式"), ("For all apps", "应用于所有应用")),
            Toggle("adaptive_brightness", ("Adaptive brightness", "自动调节亮度")),
            Toggle("auto_rotate", ("Auto-rotate screen", "自动旋转屏幕")),
            Fact(("Screen timeout", "自动息屏"), ("After 30 minutes", "三十分钟后")),
        ),
        ("DISPLAY_SETTINGS", "DARK_THEME_SETTINGS", "AUTO_ROTATE_SETTINGS"),
    ),
    Section(
        "pin",
        ("Location", "位置信息"),
        ("Which apps may ask", "哪些应用可以使用"),
        (Toggle("location", ("Use location", "使用位置信息")),),
        ("LOCATION_SOURCE_SETTINGS",),
    ),
    Section(
        "globe",
        ("Languages", "语言"),
        ("English, Chinese", "英语、中文"),
        (Locale("en-US", ("English", "English")), Locale("zh-CN", ("简体中文", "简体中文"))),
        ("LOCALE_SETTINGS",),
    ),
    Section(
        "info",
        ("About phone", "关于手机"),
        ("Model, version", "型号、版本"),
        (
            Fact(("Model", "型号"), ("Manyhands Virtual Phone", "虚拟手机")),
            Fact(("Android version", "安卓版本"), ("14", "14")),
            Fact(("Build number", "版本号"), ("MV1.2024", "MV1.2024")),
            Fact(("Storage", "存储空间"), ("41 GB of 128 GB used", "已用41GB，共128GB")),
        ),
        ("DEVICE_INFO_SETTINGS",),
    ),
)


def _in_a_card(rows: Sequence[Node], above: float, below: float) -> Node:
    return Panel(Panel(Column(rows), fill="card", radius=20, pad=(0, 4, 0, 4)), pad=(12, above, 12, below))


class SectionPage(Page):
    """Show the lines of one section."""

    name = "section"

    def __init__(self, app: SettingsApp, section: Section) -> None:
        super().__init__(app.os)
        self._app, self._section = app, section

    @property
    def about(self) -> str:
        return self._section.title[0]

    def view(self) -> View:
        group = _in_a_card([self._line(line) for line in self._section.lines], 8, 12)
        return View(group, top=top_bar(self.say(*self._section.title), self.os.pop))

    def _line(self, line: Toggle | Fact | Locale) -> Node:
        settings = self.os.settings
        if isinstance(line, Toggle):
            key, on = line.key, settings[line.key]
            detail = self.say(*line.detail) if line.key != "wifi" or on else self.say("Off", "已关闭")
            return list_row(self.say(*line.title), detail, end=Switch(on), tap=lambda: self._app.toggle(key))
        if isinstance(line, Locale):
            chosen = settings.language == line.value[:2]
            mark = Icon("check", 24, "accent") if chosen else None
            return list_row(self.say(*line.title), end=mark, tap=lambda: settings.put(*LOCALE, line.value))
        return list_row(self.say(*line.title), self.say(*line.detail))


class SettingsHome(SearchPage):
    """Show the search field and the sections, or the lines that match a search."""

    name = "settings"

    def __init__(self, app: SettingsApp) -> None:
        super().__init__(app.os, app.searches)
        self._app = app

    def _found(self) -> list[Node]:
        nodes = [
            self._row(section, self.say(*line.title), self.say(*section.title))
            for section in self._app.sections()
            for line in (section, *section.lines)
            if self.asked in self.say(*line.title).lower()
        ]
        missing: Node = Panel(Text(self.say("No results", "没有结果"), 17, align="center", colour="muted"), pad=30)
        return nodes or [missing]

    def view(self) -> View:
        sections = self._app.sections()
        everything = [self._row(section, self.say(*section.title), self.say(*section.detail)) for section in sections]
        field = self.input(self.search, self.say("Search settings", "搜索设置项"), icon="search")
        top = Column([heading(self._app.title), Panel(field, pad=(16, 2, 16, 10)), Gap(2)])
        return View(_in_a_card(self._found() if self.asked else everything, 4, 16), top=top)

    def _row(self, section: Section, title: str, detail: str) -> Node:
        return list_row(title, detail, section.glyph, tap=lambda: self._app.enter(section))


class SettingsApp(App):
    """Hold the pages visited and the searches. The phone's settings are its other data."""

    package, activity = "com.android.settings", "com.android.settings.Settings"
    label, label_zh, icon, colour = "Settings", "设置", "gear", rgb("56607a")

    def __init__(self, os: System) -> None:
        super().__init__(os)
        self.searches: list[str] = []
        self._pages: list[str] = []

    def first_pages(self) -> list[Page]:
        return [SettingsHome(self)]

    def opener(self, link: Link) -> Action | None:
        """Open ``android.settings.SETTINGS`` and the sections' pages. Other pages do not exist on virtual phones."""
        asked = link.action.removeprefix(LINKS)
        if asked == link.action:
            return None
        if asked == "SETTINGS":
            return lambda: None
        if asked == "APP_SEARCH_SETTINGS":
            return lambda: self.os.push(SettingsHome(self))
        section = next((section for section in self.sections() if asked in section.links), None)
        return None if section is None else lambda: self.enter(section)

    def sections(self) -> list[Section]:
        """Return the sections with the lines that each of them has on this phone."""
        place = self.os.library.section_of
        lines = [(place(line.title[0], one.title[0]), line) for one in SECTIONS for line in one.lines]
        return [
            replace(section, lines=[line for at, line in lines if at == section.title[0]])
            for section in SECTIONS
            if place(section.title[0], section.title[0])
        ]

    def enter(self, section: Section) -> None:
        note_once(self._pages, section.title[0])
        self.os.push(SectionPage(self, section))

    def toggle(self, key: str) -> None:
        self.os.settings[key] = not self.os.settings[key]

    def state(self) -> dict[str, Any]:
        return {**self.os.settings.state(), "pages": list(self._pages), "searches": list(self.searches)}

    def lasting_state(self) -> dict[str, Any]:
        return {"settings": self.os.settings.state()}
