"""The phone's state as a picture shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.state.dialog import find_dialog
from manyhands.actors.perception.state.home import is_home
from manyhands.actors.perception.state.keyboard import keyboard_shown
from manyhands.actors.perception.state.secure import find_black
from manyhands.protocol.geometry import Box, Size
from manyhands.protocol.screens import Element


@dataclass(frozen=True, slots=True)
class SeenState:
    """Hold the phone's state as a picture shows it, boxes in its pixels; see ``protocol.screens.Screen``."""

    keyboard: bool
    dialog: Box | None = None
    black: Box | None = None
    home: bool = False


def seen_state(rgb: Rgb, texts: Sequence[Element], icons: Sequence[Element]) -> SeenState:
    """Determine the state from a picture, uint8 (height, width, 3), and its elements, in a few milliseconds."""
    size = Size(width=rgb.shape[1], height=rgb.shape[0])
    keyboard = keyboard_shown(texts, size, rgb)
    dialog = find_dialog(rgb, keyboard)
    return SeenState(
        keyboard=keyboard,
        dialog=dialog,
        black=None if dialog is not None else find_black(rgb, texts, keyboard),
        home=dialog is None and not keyboard and is_home(icons, size),
    )
