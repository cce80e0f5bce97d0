"""Build the system's own surfaces: status bar, navigation bar, toast, dialog card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.layout import Center, Column, Gap, Grow, Icon, Look, Node, Panel, Row, Text, Tone
from manyhands.simulator.phone.ui.scene import Action, Scene

STATUS_DP, NAV_DP = 32, 46
NET_SPEED = "2.4 KB/s"


@dataclass(frozen=True, slots=True)
class Status:
    """Hold what the status bar shows. ``clock`` is already formatted."""

    clock: str
    airplane: bool
    wifi: bool
    do_not_disturb: bool
    net_speed: bool
    battery: int
    battery_percentage: bool


def status_bar(status: Status, ink: Tone) -> Node:
    signs: list[Node] = []
    if status.net_speed:
        signs.append(Text(NET_SPEED, 13, colour=ink, lines=1))
    if status.do_not_disturb:
        signs.append(Icon("dnd", 16, ink))
    if status.airplane:
        signs.append(Icon("airplane", 16, ink))
    if status.wifi:
        signs.append(Icon("wifi", 17, ink))
    if not status.airplane:
        signs.append(Icon("signal", 15, ink))
    signs.append(Icon("battery", 17, ink))
    if status.battery_percentage:
        signs.append(Text(f"{status.battery}%", 13, colour=ink, lines=1))
    clock = Text(status.clock, 15, bold=True, colour=ink, lines=1)
    return Panel(Row([clock, Grow(Gap(1)), *signs], gap=6), pad=(24, 0, 22, 0), size=(None, STATUS_DP))


def navigation_bar(back: Action, home: Action, recents: Action, ink: Tone) -> Node:
    def key(name: str, tap: Action, size: float) -> Node:
        return Grow(Panel(Center(Icon(name, size, ink)), size=(None, NAV_DP), tap=tap))

    return Row([key("nav-back", back, 19), key("home", home, 24), key("nav-recents", recents, 21)])


def place_toast(look: Look, scene: Scene, text: str, area: Box) -> None:
    """Place a rounded note above the lower edge of ``area``."""
    node = Panel(Text(text, 15, colour="page", lines=3), pad=(22, 11, 22, 12), fill="ink", radius=24)
    wide = node.width(look, area.w - look.px(48))
    tall = node.height(look, wide)
    node.place(look, scene, Box(area.x + (area.w - wide) // 2, area.bottom - tall - look.px(28), wide, tall))


def dialog_card(title: str, body: Sequence[Node], buttons: Sequence[Node]) -> Node:
    """Return a card for the middle of the screen, with buttons at its lower right."""
    parts: list[Node] = [Text(title, 20, bold=True), Gap(8), *body, Gap(14), Row([Grow(Gap(1)), *buttons], gap=4)]
    return Panel(Column(parts), pad=(24, 22, 18, 16), fill="card", radius=26)
