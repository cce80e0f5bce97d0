"""Keep long-term memory: the tips and shortcuts of earlier tasks, in one file. Expand shortcuts into atoms."""

from manyhands.actors.memory.files import initial_memory, read_shortcuts, read_tips, write_shortcuts, write_tips
from manyhands.actors.memory.shortcuts import ShortcutAction, ShortcutUnusable, expand_shortcut, has_places, offered_on

__all__ = [
    "ShortcutAction",
    "ShortcutUnusable",
    "expand_shortcut",
    "has_places",
    "initial_memory",
    "offered_on",
    "read_shortcuts",
    "read_tips",
    "write_shortcuts",
    "write_tips",
]
