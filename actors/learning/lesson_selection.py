"""Select lessons within a budget of tokens. The tokens are estimated without a model's tokenizer. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manyhands.actors.memory.rules import tokens_of_shortcut, tokens_of_tip
from manyhands.protocol.roles.lessons import KnownShortcut, KnownTip, MemorySnapshot
from manyhands.protocol.runs.episode_settings import EpisodeSettings


def count_entry_tokens(entry: KnownTip | KnownShortcut) -> int:
    """Estimate the tokens of a tip or a shortcut in a prompt."""
    return tokens_of_tip(entry.text) if isinstance(entry, KnownTip) else tokens_of_shortcut(entry.shortcut)


def count_tokens(snapshot: MemorySnapshot) -> int:
    """Estimate the tokens of a whole snapshot in a prompt."""
    return sum(map(count_entry_tokens, snapshot.tips)) + sum(map(count_entry_tokens, snapshot.shortcuts))


def fit_budget(snapshot: MemorySnapshot, budget: int) -> MemorySnapshot:
    """Return the initial lessons, and as many of the others, in order, as fit into the rest of the budget of tokens."""
    remaining = budget - sum(count_entry_tokens(one) for one in snapshot.tips if one.initial)
    remaining -= sum(count_entry_tokens(one) for one in snapshot.shortcuts if one.initial)
    ids: set[str] = set()
    for one in _alternate(snapshot):
        if count_entry_tokens(one) <= remaining:
            ids.add(one.id)
            remaining -= count_entry_tokens(one)
    return snapshot.model_copy(
        update={
            "tips": tuple(one for one in snapshot.tips if one.initial or one.id in ids),
            "shortcuts": tuple(one for one in snapshot.shortcuts if one.initial or one.id in ids),
        }
    )


def rank_by_search(snapshot: MemorySnapshot, matches: MemorySnapshot) -> MemorySnapshot:
    """Sort a snapshot by the rank of its lessons in a search. Lessons that the search did not find come last."""
    tips = {one.id: place for place, one in enumerate(matches.tips)}
    shortcuts = {one.id: place for place, one in enumerate(matches.shortcuts)}
    return snapshot.model_copy(
        update={
            "tips": tuple(sorted(snapshot.tips, key=lambda one: tips.get(one.id, len(tips)))),
            "shortcuts": tuple(sorted(snapshot.shortcuts, key=lambda one: shortcuts.get(one.id, len(shortcuts)))),
        }
    )


def without_ablated(snapshot: MemorySnapshot, settings: EpisodeSettings) -> MemorySnapshot:
    """Return a snapshot without ablated lists, so that these use none of the budget. Initial lessons stay."""
    initial_entries: dict[str, Any] = {}
    if not settings.has("tips"):
        initial_entries["tips"] = tuple(one for one in snapshot.tips if one.initial)
    if not settings.has("shortcuts"):
        initial_entries["shortcuts"] = tuple(one for one in snapshot.shortcuts if one.initial)
    return snapshot.model_copy(update=initial_entries)


def count_lessons(snapshot: MemorySnapshot) -> int:
    """Return the number of tips and shortcuts."""
    return len(snapshot.tips) + len(snapshot.shortcuts)


def _alternate(snapshot: MemorySnapshot) -> Iterable[KnownTip | KnownShortcut]:
    """Yield shortcuts and tips alternately, so that neither kind fills the budget alone."""
    tips = [one for one in snapshot.tips if not one.initial]
    shortcuts = [one for one in snapshot.shortcuts if not one.initial]
    for place in range(max(len(tips), len(shortcuts))):
        if place < len(shortcuts):
            yield shortcuts[place]
        if place < len(tips):
            yield tips[place]
