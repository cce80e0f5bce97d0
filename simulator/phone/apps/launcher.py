"""Implement the home screen: date, icons, a dock, a search pill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from manyhands.simulator.phone.apps.base import App, Page, System, View
from manyhands.simulator.phone.ui.layout import Center, Column, Gap, Grow, Icon, Node, Panel, Row, Text
from manyhands.simulator.phone.ui.theme import rgb
from manyhands.simulator.phone.ui.widgets import AppIcon

WHITE = rgb("ffffff")
COLUMNS = 4
DAYS_ZH = "一二三四五六日"


def date_line(moment: datetime, chinese: bool) -> str:
    """Return ``Thursday, June 5`` or ``6月5日 星期四``."""
    if chinese:
        return f"{moment.month}月{moment.day}日 星期{DAYS_ZH[moment.weekday()]}"
    return f"{moment:%A, %B} {moment.day}"


class HomePage(Page):
    """Show icons in rows of four, the four icons of the dock, and a pill that opens the browser's search."""

    name = "home"

    def __init__(self, os: System, launcher: Launcher) -> None:
        super().__init__(os)
        self._launcher = launcher

    def _cell(self, app: App) -> Node:
        label = Text(app.title, 13.5, lines=1, align="center", colour=WHITE)
        icon = AppIcon(app.icon, app.colour, 58)
        return Grow(Panel(Column([icon, Gap(5), label]), pad=(2, 6, 2, 6), tap=lambda: self.os.open(app.package)))

    def _rows(self, apps: Sequence[App]) -> list[Node]:
        rows: list[Node] = []
        for start in range(0, len(apps), COLUMNS):
            cells = [self._cell(app) for app in apps[start : start + COLUMNS]]
            cells += [Grow(Gap(1))] * (COLUMNS - len(cells))
            rows += [Row(cells), Gap(10)]
        return rows

    def view(self) -> View:
        moment = self._launcher.wall()
        chinese = self.say("en", "zh") == "zh"
        apps = [app for app in self._launcher.installed().values() if not isinstance(app, Launcher)]
        dock = [app for app in apps if app.package in self._launcher.dock]
        grid = [app for app in apps if app not in dock]
        heading: list[Node] = [
            Gap(30),
            Center(Text(f"{moment:%H:%M}", 64, lines=1, colour=WHITE)),
            Center(Text(date_line(moment, chinese), 18, lines=1, colour=WHITE)),
            Gap(44),
        ]
        body = Panel(Column([*heading, *self._rows(grid)]), pad=(12, 0, 12, 0))
        hint = Text(self.say("Search the web", "搜索网页"), 16, colour=rgb("4a4e5a"), lines=1)
        pill = Panel(
            Row([Icon("search", 22, rgb("2258c9")), Grow(hint), Icon("mic", 22, rgb("4a4e5a"))], gap=12),
            pad=(18, 13, 18, 13),
            fill=rgb("f3f4f8"),
            radius=28,
            tap=self._launcher.search,
        )
        bottom = Panel(Column([Row([self._cell(app) for app in dock]), Gap(8), pill, Gap(14)]), pad=(12, 0, 12, 0))
        return View(body, bottom=bottom, ground="wallpaper")


class Launcher(App):
    """Be the app of the home screen, to which Home leads."""

    package = "com.manyhands.launcher"
    activity = "com.manyhands.launcher.HomeActivity"
    label, label_zh = "Launcher", "桌面"
    icon, colour = "home", rgb("5b5f6b")

    def __init__(
        self,
        os: System,
        wall: Callable[[], datetime],
        installed: Callable[[], Mapping[str, App]],
        search: Callable[[], None],
        dock: Sequence[str],
    ) -> None:
        super().__init__(os)
        self.wall, self.installed, self.search, self.dock = wall, installed, search, dock

    def first_pages(self) -> list[Page]:
        return [HomePage(self.os, self)]
