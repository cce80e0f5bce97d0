"""Detecting a launcher's page by its dock. Pixels do not show which app it is."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from manyhands.actors.perception.arrangement import rows
from manyhands.protocol.geometry import Size
from manyhands.protocol.screens import Element

TILES = (3, 6)
"""Apps in a dock."""
TILE = (0.09, 0.2)
"""Side of a tile as a share of the width; signs in an app's bar of tabs are smaller."""
ASPECT = 1.3
DOCK = 0.74
"""A dock lies below this share of the height."""
EVEN = 0.35
"""Difference of the distances between tiles, as a share of their average, at most: wallpaper may be taken for a part of
one."""


def is_home(icons: Sequence[Element], size: Size) -> bool:
    """Return whether there is a dock: even tiles of one size, low on the screen, with others in line above."""
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
    """Return whether another tile stands higher in the column of one of the dock."""
    near = 0.03 * size.width
    return any(
        other.centre[1] < one.box.y1 and abs(other.centre[0] - one.centre[0]) <= near for one in dock for other in tiles
    )
