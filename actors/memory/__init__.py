"""Long-term memory: what an episode knows from the start, and how a shortcut becomes atoms."""

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
