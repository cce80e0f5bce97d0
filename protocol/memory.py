"""Long-term memory as messages: tips and shortcuts (Mobile-Agent-E, section 3)."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.geometry import Size

MOST_TIPS, LONGEST_TIP = 500, 1000
"""That an episode may be told, and the characters of one."""
MOST_SHORTCUTS, MOST_STEPS = 100, 12
SHORTCUT_NAME, ARGUMENT_NAME = r"^[A-Za-z][A-Za-z0-9_]{0,99}$", r"^[A-Za-z_][A-Za-z0-9_]{0,49}$"
LONGEST_TEXT = 1000
"""The characters of a shortcut's description, and of its precondition."""


class ShortcutStep(Message):
    """Describe one atom of a shortcut. A value that names one of the shortcut's arguments is replaced by it."""

    name: str
    arguments_map: dict[str, str | int | float | bool] = Field(default_factory=dict)


class Shortcut(Message):
    """Name a sequence of actions that may be used when its precondition holds on the screen."""

    name: str = Field(pattern=SHORTCUT_NAME)
    arguments: tuple[str, ...] = ()
    description: str = Field(default="", max_length=LONGEST_TEXT)
    precondition: str = Field(default="", max_length=LONGEST_TEXT)
    steps: tuple[ShortcutStep, ...] = Field(min_length=1, max_length=MOST_STEPS)


class SeenOn(Message):
    """Say where a shortcut was seen to work: what can be held against a screen without a model."""

    size: Size | None = None
    """Of the screen that it was learned on."""
    app: str = ""
    """The package that was in front before its first action; empty where that does not matter, or nobody knows."""
    app_version: str = ""
    texts: tuple[str, ...] = ()
    """Texts that stood on the screen before its first action in every success so far."""


class OfferedShortcut(Message):
    """Hold a shortcut that the memory service knows, as an episode is told it."""

    id: str
    """``ID@VERSION``."""
    shortcut: Shortcut
    seen_on: SeenOn


class LongTermMemory(Message):
    """Hold what an episode knows from the start."""

    tips: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    version: int = 0
    """That of the memory which it was read from; 0 where it was learned nowhere."""
    tip_ids: tuple[str, ...] = ()
    """By the tips' places; empty where they have none."""
    shortcut_ids: tuple[str, ...] = ()
    """``ID@VERSION``, by the shortcuts' places; empty where they have none."""
    seen_on: tuple[SeenOn, ...] = ()
    """By the shortcuts' places; empty where nobody has seen them."""

    def offered(self, name: str) -> OfferedShortcut | None:
        """Return a shortcut that has an id, by its name; None for others."""
        names = [shortcut.name for shortcut in self.shortcuts]
        if name not in names or len(self.shortcut_ids) < len(names):
            return None
        place = names.index(name)
        seen_on = self.seen_on[place] if place < len(self.seen_on) else SeenOn()
        return OfferedShortcut(id=self.shortcut_ids[place], shortcut=self.shortcuts[place], seen_on=seen_on)
