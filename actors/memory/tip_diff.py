"""Find what a learner's list of tips changes in the list that it saw, and apply that to the current list.

A learner answers with all tips, as in the paper (Mobile-Agent-E, equation 8). Other lessons may have changed the scope
meanwhile. A tip that the learner left as it was stays as it is now. A tip that the learner left out is removed, unless
another lesson has reworded it since. A tip that the learner reworded is replaced, unless another lesson has reworded it
since; then both stay. A tip that the learner added is added, unless the scope now has the same or nearly the same tip
(``are_equivalent``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

NEARLY = 0.85
"""Two tips may say the same if at least this share of their words is equal. In Chinese, characters count instead of
words."""
_WORDS = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]")
_DECISIVE = re.compile(
    r"not?|never|none|nothing|don|doesn|isn|aren|won|can|cannot|without|unless|except|only|instead|avoid|before|after|"
    r"on|off|up|down|left|right|top|bottom|above|below|first|last|enable|disable|open|close|"
    r"[不没无别勿未非前后上下左右开关]"
)
"""If two tips differ in one of these words, they may say the opposite."""
_EMPTY = re.compile(r"an?|the|please|just|always|simply|that|this|these|those|is|are|be|its?|your?|then|also")
_STEM = 4
"""Two words that begin with so many equal letters count as forms of one word."""


@dataclass(frozen=True, slots=True)
class TipState:
    """Hold a tip in its current version, with its scope."""

    id: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class TipChange:
    """Hold a change. ``id`` is empty for a new tip, ``text`` is empty for a tip to remove."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class TipUnchanged:
    """Hold a text of the list that is not added, because a tip already says the same."""

    id: str
    """The id of that tip; empty if that tip is a new one of the same list."""
    text: str


def comparison_words(text: str) -> tuple[str, ...]:
    """Return the words of a tip for comparison, without case. For Chinese, return the characters."""
    return tuple(_WORDS.findall(text.casefold()))


def similarity(one: str, other: str) -> float:
    """Return how much two tips have in common, from 0 to 1. Return 0 if it is clearly less than ``NEARLY``."""
    return _similarity(comparison_words(one), comparison_words(other))


def _similarity(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    if first == second:
        return 1.0
    both = len(first) + len(second)
    if 2 * min(len(first), len(second)) < NEARLY * both or max(len(first), len(second)) > 400:
        return 0.0
    if 2 * (Counter(first) & Counter(second)).total() < NEARLY * both:  # a bound that ignores the order of words
        return 0.0
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def are_equivalent(one: str, other: str) -> bool:
    """Return whether one of two tips is enough.

    Equal words in the same order are enough. Otherwise the tips must be alike (``NEARLY``) and differ in no number and
    in no word that may turn a tip into its opposite. If each has words that the other lacks, these must be forms of one
    word: another word may be the name of another app. Equal words in another order are not enough.
    """
    likeness = similarity(one, other)
    if likeness == 1.0 or likeness < NEARLY:
        return likeness == 1.0
    first, second = Counter(comparison_words(one)), Counter(comparison_words(other))
    more, less = set((first - second).keys()), set((second - first).keys())
    if not more | less or any(_DECISIVE.fullmatch(word) or not word.isalpha() for word in more | less):
        return False
    content_words, otherwise = ([word for word in some if not _EMPTY.fullmatch(word)] for some in (more, less))
    return not (content_words and otherwise) or all(any(_forms(a, b) for b in otherwise) for a in content_words)


def _forms(one: str, other: str) -> bool:
    return len(one) >= _STEM and one[:_STEM] == other[:_STEM] and abs(len(one) - len(other)) <= _STEM


def diff_tips(
    shown_tips: Sequence[TipState], answered: Sequence[str], now: Mapping[str, TipState]
) -> tuple[Sequence[TipChange], Sequence[TipUnchanged]]:
    """Return what an answered list changes in a scope, and which texts of the list add nothing.

    ``shown_tips``: the scope's tips as the learner saw them. ``now``: all current tips by id, of all scopes.
    """
    unmatched = dict(enumerate(answered))
    words = {place: comparison_words(text) for place, text in unmatched.items()}
    text_by_tip: dict[str, str] = {}
    for tip in shown_tips:
        of_tip = comparison_words(tip.text)
        unchanged = next((place for place in unmatched if words[place] == of_tip), None)
        if unchanged is not None:
            text_by_tip[tip.id] = unmatched.pop(unchanged)
    for tip in shown_tips:
        if tip.id not in text_by_tip:
            of_tip = comparison_words(tip.text)
            likeness = {place: _similarity(of_tip, words[place]) for place in unmatched}
            best = max(likeness, key=lambda place: (likeness[place], -place), default=None)
            if best is not None and likeness[best] >= NEARLY:
                text_by_tip[tip.id] = unmatched.pop(best)
    changes: list[TipChange] = []
    same: list[TipUnchanged] = []
    added = [text for _, text in sorted(unmatched.items())]
    for tip in shown_tips:
        stands = now.get(tip.id)
        untouched = stands is not None and stands.version == tip.version
        if tip.id not in text_by_tip:
            if untouched:
                changes.append(TipChange(tip.id, ""))
        elif " ".join(text_by_tip[tip.id].split()) != " ".join(tip.text.split()):
            if untouched:
                changes.append(TipChange(tip.id, text_by_tip[tip.id]))
            else:
                added.append(text_by_tip[tip.id])
    removed = {change.id for change in changes if not change.text}
    standing = {tip.id: tip.text for tip in now.values() if tip.id not in removed}
    standing |= {change.id: change.text for change in changes if change.text}
    for text in added:
        equal = next((id for id, other in standing.items() if are_equivalent(text, other)), None)
        if equal is not None:
            same.append(TipUnchanged(equal if equal in now else "", text))
        else:
            changes.append(TipChange("", text))
            standing[f"new {len(standing)}"] = text
    return changes, same
