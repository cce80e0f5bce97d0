"""Long-term memory: what an episode knows from the start, and how a shortcut becomes atoms."""

from actors.memory.initial import initial_memory
from actors.memory.shortcuts import ShortcutUnusable, expand_shortcut

__all__ = ["ShortcutUnusable", "expand_shortcut", "initial_memory"]
