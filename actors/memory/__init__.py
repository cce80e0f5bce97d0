"""Long-term memory: what an episode knows from the start, and how a shortcut becomes atoms."""

from manyhands.actors.memory.initial import initial_memory
from manyhands.actors.memory.shortcuts import ShortcutUnusable, expand_shortcut

__all__ = ["ShortcutUnusable", "expand_shortcut", "initial_memory"]
