"""Determine the phone's state from pixels: keyboard, dialog, black page, home screen.

A launcher's page is recognized by its dock, because pixels do not show which app it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.black_pages import find_black_rows
from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import rows
from manyhands.actors.perception.dialog import find_dialog
from manyhands.actors.perception.keyboard import keyboard_shown
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

ASPECT = 1.3
DOCK = 0.74
"""A dock lies below this share of the height."""
EVEN = 0.35
"""The greatest difference of the distances between tiles, as a share of their average.

Wallpaper may be taken for part of a tile.
"""


def _find_black(rgb: Rgb, texts: Sequence[Element], keyboard: bool) -> Box | None:
    """Return the part of a picture, uint8 (height, width, 3), where a whole page is black. Return None without one."""
    for start, end in find_black_rows(rgb, keyboard):
        if not any(start <= text.centre[1] < end for text in texts):
            return Box(x1=0, y1=start, x2=rgb.shape[1], y2=end)
    return None


TILES = (3, 6)
"""The least and greatest number of apps in a dock."""
TILE = (0.09, 0.2)
"""The least and greatest side of a tile, as shares of the screen's width. Signs in an app's bar of tabs are smaller."""


def _is_home(icons: Sequence[Element], size: Size) -> bool:
    """Return whether there is a dock: evenly spaced tiles low on the screen, with other tiles in line above."""
    tiles = [icon for icon in icons if _is_tile(icon, size)]
    lines = [line for line in rows(tiles) if TILES[0] <= len(line) <= TILES[1]]
    docks = [line for line in lines if line[0].centre[1] >= DOCK * size.height and _is_even(line)]
    return any(_in_line(dock, tiles, size) for dock in docks)


def _is_tile(icon: Element, size: Size) -> bool:
    shorter, longer = sorted((icon.box.width, icon.box.height))
    return TILE[0] * size.width <= shorter and longer <= TILE[1] * size.width and longer <= ASPECT * shorter


def _is_even(line: Sequence[Element]) -> bool:
    steps = [right.centre[0] - left.centre[0] for left, right in itertools.pairwise(line)]
    return max(steps) - min(steps) <= EVEN * sum(steps) / len(steps)


def _in_line(dock: Sequence[Element], tiles: Sequence[Element], size: Size) -> bool:
    """Return whether another tile lies higher in the column of one of the dock's tiles."""
    near = 0.03 * size.width
    return any(
        other.centre[1] < one.box.y1 and abs(other.centre[0] - one.centre[0]) <= near for one in dock for other in tiles
    )


@dataclass(frozen=True, slots=True)
class ScreenState:
    """Hold the phone's state as a picture shows it, boxes in its pixels; see ``protocol.screens.screen.Screen``."""

    keyboard: bool
    dialog: Box | None = None
    black: Box | None = None
    home: bool = False


def read_state(rgb: Rgb, texts: Sequence[Element], icons: Sequence[Element]) -> ScreenState:
    """Determine the state from a picture, uint8 (height, width, 3), and its elements. Takes a few milliseconds."""
    size = Size(width=rgb.shape[1], height=rgb.shape[0])
    keyboard = keyboard_shown(texts, size, rgb)
    dialog = find_dialog(rgb, keyboard)
    return ScreenState(
        keyboard=keyboard,
        dialog=dialog,
        black=None if dialog is not None else _find_black(rgb, texts, keyboard),
        home=dialog is None and not keyboard and _is_home(icons, size),
    )
