"""How many tokens tips and shortcuts take in a prompt, before any model counts them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.actors.memory.limits import tokens_of_shortcut, tokens_of_tip
from manyhands.protocol.lessons import KnownShortcut, KnownTip, MemorySnapshot


def tokens_of(known: KnownTip | KnownShortcut) -> int:
    """Return about how many tokens a brief has of a tip or a shortcut."""
    return tokens_of_tip(known.text) if isinstance(known, KnownTip) else tokens_of_shortcut(known.shortcut)


def tokens_of_all(snapshot: MemorySnapshot) -> int:
    """Return about how many tokens a brief has of a whole snapshot."""
    return sum(map(tokens_of, snapshot.tips)) + sum(map(tokens_of, snapshot.shortcuts))


def within(snapshot: MemorySnapshot, budget: int) -> MemorySnapshot:
    """Return what is known initially, and of the rest, the first first, what fits a budget of tokens beside it."""
    left = budget - sum(tokens_of(one) for one in snapshot.tips if one.initial)
    left -= sum(tokens_of(one) for one in snapshot.shortcuts if one.initial)
    kept: set[str] = set()
    for one in _in_turns(snapshot):
        if tokens_of(one) <= left:
            kept.add(one.id)
            left -= tokens_of(one)
    return snapshot.model_copy(
        update={
            "tips": tuple(one for one in snapshot.tips if one.initial or one.id in kept),
            "shortcuts": tuple(one for one in snapshot.shortcuts if one.initial or one.id in kept),
        }
    )


def best_first(snapshot: MemorySnapshot, found: MemorySnapshot) -> MemorySnapshot:
    """Return a snapshot in the order of what a search found, and then what it did not find; the initial first."""
    tips = {one.id: place for place, one in enumerate(found.tips)}
    shortcuts = {one.id: place for place, one in enumerate(found.shortcuts)}
    return snapshot.model_copy(
        update={
            "tips": tuple(sorted(snapshot.tips, key=lambda one: tips.get(one.id, len(tips)))),
            "shortcuts": tuple(sorted(snapshot.shortcuts, key=lambda one: shortcuts.get(one.id, len(shortcuts)))),
        }
    )


def _in_turns(snapshot: MemorySnapshot) -> Iterable[KnownTip | KnownShortcut]:
    """Yield tips and shortcuts by turns, so that neither fills the budget alone."""
    tips = [one for one in snapshot.tips if not one.initial]
    shortcuts = [one for one in snapshot.shortcuts if not one.initial]
    for place in range(max(len(tips), len(shortcuts))):
        if place < len(shortcuts):
            yield shortcuts[place]
        if place < len(tips):
            yield tips[place]
