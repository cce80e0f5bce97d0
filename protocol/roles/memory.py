"""Define long-term memory as messages: tips and shortcuts (Mobile-Agent-E, section 3)."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.screens.geometry import Size

MOST_TIPS, LONGEST_TIP = 500, 1000
"""The most tips that an episode gets, and the most characters of one tip."""
MOST_SHORTCUTS, MOST_STEPS = 100, 12
SHORTCUT_NAME, ARGUMENT_NAME = r"^[A-Za-z][A-Za-z0-9_]{0,99}$", r"^[A-Za-z_][A-Za-z0-9_]{0,49}$"
LONGEST_TEXT = 1000
"""The most characters of a shortcut's description, and of its precondition."""


class ShortcutStep(Message):
    """Be one atomic action of a shortcut.

    If a value of the step names an argument of the shortcut, the argument's value replaces it.
    """

    name: str
    arguments_map: dict[str, str | int | float | bool] = Field(default_factory=dict)


class Shortcut(Message):
    """Be a named sequence of actions. It may be used when its precondition holds on the screen."""

    name: str = Field(pattern=SHORTCUT_NAME)
    arguments: tuple[str, ...] = ()
    description: str = Field(default="", max_length=LONGEST_TEXT)
    precondition: str = Field(default="", max_length=LONGEST_TEXT)
    steps: tuple[ShortcutStep, ...] = Field(min_length=1, max_length=MOST_STEPS)


class SeenOn(Message):
    """Hold where a shortcut was seen to work: facts that can be compared with a screen without a model."""

    size: Size | None = None
    """The size of the screen on which the shortcut was learned."""
    app: str = ""
    """The package in front before the first action; empty if it does not matter or is unknown."""
    app_version: str = ""
    texts: tuple[str, ...] = ()
    """Texts that were on the screen before the first action in every successful use so far."""


class OfferedShortcut(Message):
    """Hold a shortcut of the memory service, as an episode gets it."""

    id: str
    """``ID@VERSION``."""
    shortcut: Shortcut
    seen_on: SeenOn


class LongTermMemory(Message):
    """Hold the tips and shortcuts that an episode knows from its start."""

    tips: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    version: int = 0
    """The version of the memory from which they were read; 0 if they come from no memory."""
    tip_ids: tuple[str, ...] = ()
    """The ids of the tips, in the same order; empty if they have none."""
    shortcut_ids: tuple[str, ...] = ()
    """``ID@VERSION`` of the shortcuts, in the same order; empty if they have none."""
    seen_on: tuple[SeenOn, ...] = ()
    """Where the shortcuts were seen to work, in the same order; empty if that is unknown."""

    def offered(self, name: str) -> OfferedShortcut | None:
        """Return the shortcut of this name with its id; None if there is none or it has no id."""
        names = [shortcut.name for shortcut in self.shortcuts]
        if name not in names or len(self.shortcut_ids) < len(names):
            return None
        place = names.index(name)
        seen_on = self.seen_on[place] if place < len(self.seen_on) else SeenOn()
        return OfferedShortcut(id=self.shortcut_ids[place], shortcut=self.shortcuts[place], seen_on=seen_on)
