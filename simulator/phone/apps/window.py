"""Lay out everything on the screen: the page in front, dialogs, keyboard, app switcher, bars, toast."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from manyhands.simulator.phone.apps.base import Page, View
from manyhands.simulator.phone.apps.host import Host, Task
from manyhands.simulator.phone.apps.preferences import ADB_IME
from manyhands.simulator.phone.ui import chrome
from manyhands.simulator.phone.ui.fonts import FontBook
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.keyboard import ENTER, ERASE, Mode, adb_line, next_mode, qwerty
from manyhands.simulator.phone.ui.layout import Column, Gap, Grow, Icon, Look, Node, Panel, Row, Scroll, Text, Tone
from manyhands.simulator.phone.ui.outline import Outline
from manyhands.simulator.phone.ui.scene import Fill, Gradient, Scene, Scroller, Shade
from manyhands.simulator.phone.ui.theme import DARK, LIGHT, Colour, Theme, rgb
from manyhands.simulator.phone.ui.widgets import AppIcon, button
from manyhands.simulator.phone.views import LAYOUT, ViewNode

WALLPAPERS: dict[bool, tuple[Colour, ...]] = {
    False: (rgb("2b3f73"), rgb("4a5f9e"), rgb("7d6fa8"), rgb("3a4a7c")),
    True: (rgb("11182c"), rgb("1d2a4a"), rgb("33284a"), rgb("141a2e")),
}
NARROWEST_DP = 320


def minute_of(moment: datetime) -> float:
    """Return the seconds until the clock shows the next minute."""
    return 60 - moment.second - moment.microsecond / 1e6


class Window:
    """Lay out the screen of one phone: ``width`` x ``height`` pixels with ``density`` dots per inch."""

    def __init__(
        self, host: Host, size: tuple[int, int], density: int, fonts: FontBook, wall: Callable[[], datetime]
    ) -> None:
        self._host, self._fonts, self._wall = host, fonts, wall
        self.screen = Box(0, 0, *size)
        # With a density that is too high for the width, a row would not fit. Then everything is drawn smaller.
        self.scale = min(density / 160, size[0] / NARROWEST_DP)
        """Pixels per dp."""
        self._mode: Mode = "letters"
        self._cards = Scroller(horizontal=True)
        self._reveal_for: object = None

    @property
    def theme(self) -> Theme:
        return DARK if self._host.settings["dark_mode"] else LIGHT

    # ------------------------------------------------------------------ the whole
    def scene(self) -> Scene:
        """Return everything that is shown now. If the focused field has changed, scroll it into view first."""
        if not self._host.awake:
            dark = Scene(self.screen, self.screen)
            dark.black_out()
            return dark
        field = self._host.field
        wanted = (field, field.text if field else "", self._host.keyboard)
        if wanted != self._reveal_for:
            self._reveal_for = wanted
            self._reveal()
        return self._lay_out(whole=False)

    def hierarchy(self) -> ViewNode:
        """Return the views of the window in front: the page, or a dialog over it, without bars, keyboard and toast."""
        outline = Outline(self.screen, self._host.say)
        self._lay_out(whole=False, outline=outline)
        return outline.root

    @property
    def secure(self) -> bool:
        """Return whether the page in front, or below a dialog, forbids screenshots."""
        return not self._host.switcher and self._host.front.pages[self._base(self._host.front)].secure

    def _lay_out(self, whole: bool, outline: Outline | None = None) -> Scene:
        look = Look(self.scale, self.theme, self._fonts, self._host.now)
        scene = Scene(self.screen, self.screen, whole=whole, outline=outline)
        status, nav = look.px(chrome.STATUS_DP), look.px(chrome.NAV_DP)
        area = self.screen.inset(0, status, 0, nav)
        if self._host.switcher:
            self._place_switcher(look, scene, area)
            ink: Tone = "ink"
        else:
            area = self._place_task(look, scene, area, self._host.front)
            ink = rgb("ffffff") if self._ground(self._host.front) == "wallpaper" else "ink"
        scene.outline = None  # bars, toasts and what others put over an app are other windows
        self._host.intrusions.place(look, scene, self.screen.inset(0, status, 0, nav))
        self._place_bars(look, scene, status, nav, ink)
        toast = self._host.toast_shown()
        if toast:
            chrome.place_toast(look, scene, toast[0], area)
            scene.changes_at(toast[1])
        scene.changes_at(self._host.now + minute_of(self._wall()))
        scene.changes_at(self._host.intrusions.wake_at())
        return scene

    def _reveal(self) -> None:
        """Scroll so that the caret is visible above the keyboard."""
        scene = self._lay_out(whole=True)
        if self._host.keyboard and scene.caret and scene.caret_in:
            box, scroller = scene.caret_in
            margin = round(12 * self.scale)
            below = scene.caret.bottom + margin - box.bottom
            above = scene.caret.y - margin - box.y
            scroller.by(below if below > 0 else min(0, above))

    # ------------------------------------------------------------------ a task's pages
    @staticmethod
    def _base(task: Task) -> int:
        """Return the index of the page below the dialogs in front."""
        index = len(task.pages) - 1
        while index > 0 and task.pages[index].overlay:
            index -= 1
        return index

    def _ground(self, task: Task) -> Tone:
        return task.pages[self._base(task)].view().ground

    def _place_task(self, look: Look, scene: Scene, area: Box, task: Task) -> Box:
        base = self._base(task)
        dialogs = task.pages[base + 1 :]
        keyboard = self._keyboard(look)
        tall = keyboard.height(look, area.w) if keyboard else 0
        inner = area.inset(0, 0, 0, tall)
        self._place_page(look, scene, inner, task.pages[base])
        if self.secure:
            scene.black_out()  # only this window: dialogs, keyboard, bars and toasts are other windows
        for dialog in dialogs:
            self._place_dialog(look, scene, inner, dialog)
        if keyboard:
            scene.outline = None
            below = Box(area.x, inner.bottom, area.w, tall)
            scene.touchable(below, None)
            keyboard.place(look, scene, below)
        return inner

    def _place_page(self, look: Look, scene: Scene, area: Box, page: Page) -> None:
        view = page.view()
        self._place_ground(look, scene, view)
        if page.loading:
            scene.changes_at(page.ready_at)
        top = view.top.height(look, area.w) if view.top else 0
        bottom = view.bottom.height(look, area.w) if view.bottom else 0
        body = area.inset(0, top, 0, bottom)
        Scroll(view.body, page.scroller).place(look, scene, body)
        if view.top:
            self._place_part(look, scene, view.top, Box(area.x, area.y, area.w, top))
        if view.bottom:
            self._place_part(look, scene, view.bottom, Box(area.x, body.bottom, area.w, bottom))
        if view.floating:
            wide = view.floating.width(look, area.w)
            tall = view.floating.height(look, wide)
            edge = look.px(20)
            view.floating.place(look, scene, Box(area.right - wide - edge, body.bottom - tall - edge, wide, tall))

    @staticmethod
    def _place_part(look: Look, scene: Scene, node: Node, box: Box) -> None:
        scene.touchable(box, None)
        node.place(look, scene, box)

    def _place_ground(self, look: Look, scene: Scene, view: View) -> None:
        if view.ground == "wallpaper":
            scene.add(Gradient(self.screen, self.screen, WALLPAPERS[look.theme.dark]))
            scene.paper = None
        else:
            scene.paper = look.colour(view.ground)
            scene.add(Fill(self.screen, self.screen, scene.paper))

    def _place_dialog(self, look: Look, scene: Scene, area: Box, page: Page) -> None:
        scene.add(Shade(self.screen, self.screen, look.theme.scrim, 0.5))
        scene.modal(self.screen, self._host.pop if page.cancelable else None)
        node = page.view().body
        wide = min(area.w - look.px(48), look.px(400))
        tall = min(node.height(look, wide), area.h - look.px(24))
        box = area.middle(wide, tall)
        scene.touchable(box, None)
        if scene.outline is not None:
            scene.outline.restart(box)
        Scroll(node, page.scroller).place(look, scene, box)

    # ------------------------------------------------------------------ system surfaces
    def _keyboard(self, look: Look) -> Node | None:
        field = self._host.field
        if field is None or not self._host.keyboard:
            self._mode = "letters"
            return None
        if self._host.settings.ime == ADB_IME:
            return adb_line()
        return qwerty(self._mode, field.purpose, self._press)

    def _press(self, name: str) -> None:
        field = self._host.field
        if field is None:
            return
        if name == ENTER:
            field.enter()
        elif name == ERASE:
            field.erase()
        elif len(name) == 1:
            field.insert(name)
        self._mode = next_mode(self._mode, name)

    def _place_bars(self, look: Look, scene: Scene, status: int, nav: int, ink: Tone) -> None:
        settings, paper = self._host.settings, scene.paper
        if self._host.front.page.overlay and not self._host.switcher:
            scene.paper, ink = None, rgb("ffffff")
        signs = chrome.Status(
            clock=f"{self._wall():%H:%M}",
            airplane=settings["airplane_mode"],
            wifi=settings["wifi"],
            do_not_disturb=settings["do_not_disturb"],
            net_speed=settings["network_speed_display"],
            battery=self._host.battery.level,
            battery_percentage=settings["battery_percentage"],
        )
        chrome.status_bar(signs, ink).place(look, scene, Box(0, 0, self.screen.w, status))
        bar = Box(0, self.screen.h - nav, self.screen.w, nav)
        if self._host.keyboard:
            scene.paper = look.theme.keys
            scene.add(Fill(bar, scene.clip, look.theme.keys))
            ink = "ink"
        host = self._host
        chrome.navigation_bar(host.back, host.home, host.toggle_switcher, ink).place(look, scene, bar)
        scene.paper = paper

    # ------------------------------------------------------------------ app switcher
    def _place_switcher(self, look: Look, scene: Scene, area: Box) -> None:
        scene.paper = look.theme.sunken
        scene.add(Fill(self.screen, self.screen, look.theme.sunken))
        tasks = list(reversed(self._host.tasks))
        if not tasks:
            text = Text(self._host.say("No recent items", "没有最近的项目"), 18, align="center", colour="muted")
            text.place(look, scene, Box(area.x, area.y + area.h // 2, area.w, look.px(30)))
            return
        low = look.px(70)
        cards = area.inset(0, look.px(40), 0, low)
        wide = min(look.px(250), round(area.w * 0.68))
        gap = look.px(18)
        edge = (area.w - wide) // 2
        self._cards.fit(2 * edge + len(tasks) * (wide + gap) - gap, area.w)
        scene.scrollers.append((cards, self._cards))
        for index, task in enumerate(tasks):
            x = edge + index * (wide + gap) - self._cards.offset
            self._place_task_card(look, scene, Box(x, cards.y, wide, cards.h), task)
        label = self._host.say("Clear all", "全部清除")
        clear = button(label, self._host.close_all, filled=False)
        text_w = clear.width(look, area.w)
        clear.place(look, scene, Box((area.w - text_w) // 2, cards.bottom + look.px(10), text_w, look.px(48)))

    def _place_task_card(self, look: Look, scene: Scene, box: Box, task: Task) -> None:
        host, app = self._host, task.app
        scene.touchable(box, lambda: host.open(app.package), None, lambda: host.close(app.package))
        with scene.group(LAYOUT, box, clickable=True, focusable=True):
            close = Panel(Icon("close", 18, "muted"), pad=8, tap=lambda: host.close(app.package))
            title = Grow(Text(app.title, 17, bold=True, lines=1))
            head = Row([AppIcon(app.icon, app.colour, 32), title, close], gap=10)
            tall = look.px(44)
            head.place(look, scene, Box(box.x, box.y, box.w, tall))
            body = Box(box.x, box.y + tall, box.w, box.h - tall)
            summary: list[Node] = [Gap(24), AppIcon(app.icon, app.colour, 72), Gap(16)]
            summary.append(Text(app.title, 18, align="center", colour="muted", lines=1))
            Panel(Column(summary), fill="page", radius=24).place(look, scene, body)
