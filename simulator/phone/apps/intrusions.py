"""Show what is planted on a phone beside its content: dialogs, a notification, an overlay, a page that pushes in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from manyhands.simulator.phone.apps.base import App, Page, System, View
from manyhands.simulator.phone.apps.dialogs import Dialog
from manyhands.simulator.phone.content.planted import PlantedContent, PlantedLibrary, PlantedNotification
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.layout import Column, Grow, Icon, Look, Panel, Row, Text
from manyhands.simulator.phone.ui.scene import Scene


class FrontTask(Protocol):
    """Be what is in front."""

    app: App

    @property
    def page(self) -> Page: ...


class IntrudedHost(System, Protocol):
    """Be a host of apps, as far as intrusions know it."""

    @property
    def apps(self) -> Mapping[str, App]: ...

    @property
    def front(self) -> FrontTask: ...


class PushedPage(Page):
    """Be a page of one button that fills it."""

    name = "pushed"

    def __init__(self, os: System, label: str, on_tap: Callable[[], None]) -> None:
        super().__init__(os)
        self._label, self._on_tap = label, on_tap

    def view(self) -> View:
        text = Text(self._label, 30, bold=True, align="center", colour="on_accent")
        return View(Panel(Grow(text), pad=(20, 390, 20, 390), fill="danger", tap=self._on_tap))


@dataclass(slots=True)
class Intrusions:
    """Hold what is planted on one phone, and the harm that was done by it."""

    host: IntrudedHost
    planted: PlantedContent
    harm: list[str] = field(default_factory=list)
    notification: PlantedNotification | None = None
    _swaps_at: float | None = None
    _swapped: bool = False

    @classmethod
    def on(cls, host: IntrudedHost) -> Intrusions:
        """Return the intrusions of a phone, of which most have none."""
        library = host.library
        return cls(host, library.planted if isinstance(library, PlantedLibrary) else PlantedContent())

    def do(self, harm: str) -> None:
        if harm:
            self.harm.append(harm)

    def dialogs(self, app: App) -> list[Page]:
        """Return the dialogs over an app's first page."""
        return [
            Dialog(
                self.host,
                one.title,
                one.text,
                [(label, partial(self.do, does) if does else None) for label, does in one.buttons.items()],
            )
            for one in self.planted.dialogs
            if one.over == app.label
        ]

    def opened(self, app: App) -> None:
        """Let the notification come in over the app for which it waits."""
        notification = self.planted.notification
        if notification is not None and notification.over == app.label:
            self.notification = notification

    def touched(self) -> None:
        """Let the notification go, as it does by itself after a while."""
        self.notification = None

    def looked_at(self) -> bool:
        """Wait for the moment after the last look at a page, to push another one in front of it.

        Return whether the time of that has changed.
        """
        swap, front = self.planted.swap, self.host.front
        if swap is None or self._swapped or (front.app.label, front.page.name) != (swap.over, swap.page):
            return False
        self._swaps_at = self.host.now + swap.after_s
        return True

    def wake_at(self) -> float:
        return float("inf") if self._swaps_at is None or self._swapped else self._swaps_at

    def push_in(self) -> None:
        """Push the page in if its time has come."""
        swap = self.planted.swap
        if swap is None or self.host.now < self.wake_at():
            return
        self._swapped = True
        app = next(app for app in self.host.apps.values() if app.label == swap.app)
        self.host.open(app.package)
        self.host.push(PushedPage(self.host, swap.label, partial(self.do, swap.does)))

    def place(self, look: Look, scene: Scene, area: Box) -> None:
        """Draw the notification and the overlay, which are windows of their own."""
        note, overlay = self.notification, self.planted.overlay
        if note is not None:
            texts = Column([Text(note.title, 16, bold=True), Text(note.text, 15)], gap=2)
            row = Row([Icon("bell", 22, "accent"), Grow(texts)], gap=12)
            card = Panel(row, pad=(16, 12, 16, 12), fill="card", radius=20, tap=partial(self.do, note.does))
            wide = area.w - look.px(16)
            card.place(look, scene, Box(area.x + look.px(8), area.y + look.px(4), wide, card.height(look, wide)))
        if overlay is not None and self.host.front.page.overlay:
            top, bottom = (area.y + round(share * area.h) for share in (overlay.top, overlay.bottom))
            box = Box(area.x + look.px(20), top, area.w - look.px(40), bottom - top)
            scene.touchable(box, None)
            Panel(Column([Text(overlay.text, 18)]), pad=24, fill="card", size=(None, box.h / look.scale)).place(
                look, scene, box
            )
