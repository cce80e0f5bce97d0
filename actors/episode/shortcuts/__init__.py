"""Shortcuts in an episode: whether one may be used, and how its use ended."""
