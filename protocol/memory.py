"""Long-term memory as messages: tips and shortcuts (Mobile-Agent-E, section 3)."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Message


class ShortcutStep(Message):
    """Describe one atom of a shortcut. A value that names one of the shortcut's arguments is replaced by it."""

    name: str
    arguments_map: dict[str, str | int | float | bool] = Field(default_factory=dict)


class Shortcut(Message):
    """Name a sequence of actions that may be used when its precondition holds on the screen."""

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,99}$")
    arguments: tuple[str, ...] = ()
    description: str = ""
    precondition: str = ""
    steps: tuple[ShortcutStep, ...] = Field(min_length=1, max_length=12)


class LongTermMemory(Message):
    """Hold what an episode knows from the start."""

    tips: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
