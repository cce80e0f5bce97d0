"""Implement small apps that make the phone look complete: a clock, a calendar with today's date, and others."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, unquote

from manyhands.simulator.phone.apps.base import App, Page, System, View
from manyhands.simulator.phone.apps.launcher import date_line
from manyhands.simulator.phone.device import VIEW, Link
from manyhands.simulator.phone.ui.layout import Column, Gap, Grow, Icon, Node, Panel, Row, Surface, Text
from manyhands.simulator.phone.ui.scene import Action
from manyhands.simulator.phone.ui.theme import rgb
from manyhands.simulator.phone.ui.widgets import button, card, top_bar

FIRST_ZOOM, MOST_ZOOM = 12, 20


class PlainPage(Page):
    """Show the app's title and its content."""

    def __init__(self, app: PlainApp) -> None:
        super().__init__(app.os)
        self._app = app

    def view(self) -> View:
        return View(Column([Gap(12), *self._app.content()]), top=top_bar(self._app.title))


class PlainApp(App):
    """Be an app of one page, which shows a large glyph and a line of text."""

    empty, empty_zh = "Nothing here yet", "暂无内容"

    def first_pages(self) -> list[Page]:
        return [PlainPage(self)]

    def content(self) -> list[Node]:
        glyph = Row([Grow(Gap(1)), Icon(self.icon, 96, self.colour), Grow(Gap(1))])
        return [Gap(120), glyph, Gap(24), Text(self.say(self.empty, self.empty_zh), 18, align="center")]


class _TimedApp(PlainApp):
    def __init__(self, os: System, wall: Callable[[], datetime]) -> None:
        super().__init__(os)
        self.wall = wall


class Clock(_TimedApp):
    package, activity = "com.android.deskclock", "com.android.deskclock.DeskClock"
    label, label_zh, icon, colour = "Clock", "时钟", "clock", rgb("3d5afe")

    def content(self) -> list[Node]:
        moment = self.wall()
        chinese = self.say("en", "zh") == "zh"
        return [
            Gap(100),
            Text(f"{moment:%H:%M}", 72, align="center", lines=1),
            Gap(8),
            Text(date_line(moment, chinese), 18, align="center", colour="muted"),
        ]


class Calendar(_TimedApp):
    package, activity = "com.android.calendar", "com.android.calendar.AllInOneActivity"
    label, label_zh, icon, colour = "Calendar", "日历", "calendar", rgb("1b8a5a")

    def content(self) -> list[Node]:
        moment = self.wall()
        chinese = self.say("en", "zh") == "zh"
        month = f"{moment.year}年{moment.month}月" if chinese else f"{moment:%B %Y}"
        names = "一二三四五六日" if chinese else "MTWTFSS"
        rows: list[Node] = [Row([Grow(Text(name, 14, colour="muted", align="center")) for name in names])]
        for week in calendar.Calendar().monthdayscalendar(moment.year, moment.month):
            rows.append(Row([Grow(self._day(day, day == moment.day)) for day in week]))
        today = self.say("Today is ", "今天是") + date_line(moment, chinese)
        return [card([Text(month, 22, bold=True), Gap(8), *rows]), Gap(16), card([Text(today, 17)])]

    @staticmethod
    def _day(day: int, today: bool) -> Node:
        text = Text(str(day) if day else " ", 16, bold=today, align="center", colour="on_accent" if today else "ink")
        return Panel(text, pad=(0, 9, 0, 9), fill="accent" if today else None, radius=22)

    def state(self) -> dict[str, Any]:
        moment = self.wall()
        day, month = moment.day, f"{moment:%B}"
        written = [f"{month} {day}", f"{day} {month}", f"{month[:3]} {day}", f"{moment.month}月{day}日"]
        written += [f"{moment.month}/{day}", f"{moment:%m/%d}", f"{moment:%Y-%m-%d}"]
        return {"today": f"{moment:%Y-%m-%d}", "written": written}


class Camera(PlainApp):
    package, activity = "com.android.camera", "com.android.camera.CameraActivity"
    label, label_zh, icon, colour = "Camera", "相机", "camera", rgb("455a64")
    empty, empty_zh = "The lens is covered", "镜头被遮住了"


class Maps(PlainApp):
    package, activity = "com.manyhands.maps", "com.manyhands.maps.MapsActivity"
    label, label_zh, icon, colour = "Maps", "地图", "pin", rgb("c0392b")
    empty, empty_zh = "No offline maps", "没有离线地图"
    system = False

    def __init__(self, os: System) -> None:
        super().__init__(os)
        self._place = ""
        self._zoom = FIRST_ZOOM

    def opener(self, link: Link) -> Action | None:
        """Open ``geo:LATITUDE,LONGITUDE`` or ``geo:0,0?q=WORDS``: show the place's name, and the same small map."""
        if link.action != VIEW or link.scheme != "geo":
            return None
        position, _, query = link.uri.partition(":")[2].partition("?")
        return lambda: self._find(parse_qs(query).get("q", [""])[0] or unquote(position))

    def _find(self, place: str) -> None:
        self._place, self._zoom = place, FIRST_ZOOM

    def content(self) -> list[Node]:
        if not self._place:
            return super().content()
        return [card([Text(self._place, 22, bold=True, lines=3)]), Gap(16), Surface(card(self._map()))]

    def _map(self) -> list[Node]:
        """Return what the map shows. It is drawn, so accessibility services do not see it."""
        closer = button(self.say("Zoom in", "放大"), lambda: self._zoom_by(1))
        farther = button(self.say("Zoom out", "缩小"), lambda: self._zoom_by(-1))
        return [
            Text(self.say("East Street", "东街"), 18, colour="muted", align="center", lines=1),
            Gap(40),
            Row([Grow(Gap(1)), Icon(self.icon, 48, self.colour), Grow(Gap(1))]),
            Gap(40),
            Text(self.say("River Road", "河路"), 18, colour="muted", align="center", lines=1),
            Gap(24),
            Text(self.say(f"Scale {self._zoom}", f"比例 {self._zoom}"), 18, lines=1),
            Gap(16),
            Row([Grow(closer), Grow(farther)], gap=16),
        ]

    def _zoom_by(self, steps: int) -> None:
        self._zoom = max(1, min(self._zoom + steps, MOST_ZOOM))

    def state(self) -> dict[str, Any]:
        return {"place": self._place, "zoom": self._zoom} if self._place else {}


class Photos(PlainApp):
    package, activity = "com.manyhands.photos", "com.manyhands.photos.PhotosActivity"
    label, label_zh, icon, colour = "Photos", "相册", "photo", rgb("c27c0e")
    empty, empty_zh = "No photos yet", "还没有照片"
    system = False
