"""Answer as the retriever: choose the tips and shortcuts that share words with the goal."""

from __future__ import annotations

import re
from collections.abc import Mapping

from manyhands.protocol.roles.learners import RecallReply
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.prompt import Reading

_WORD = re.compile(r"[a-z]{4,}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_ORDINARY = frozenset(
    ["that", "this", "with", "then", "from", "into", "have", "what", "when", "where", "which", "says", "there", "tell"]
)
_STEM = 5
"""Words are compared by so many letters: "message" and "messages", "delete" and "deleting" are equal."""


def recall(reading: Reading) -> RecallReply:
    """Return the numbers of the tips, and the names of the shortcuts, that share words with the goal."""
    wanted = words(reading.text(Section.GOAL))
    tips = [str(number) for number, tip in enumerate(reading.tips, start=1) if words(tip) & wanted]
    return RecallReply(tips=", ".join(tips), shortcuts=", ".join(_chosen(reading.shortcuts_told, wanted)))


def _chosen(told: Mapping[str, str], wanted: set[str]) -> list[str]:
    return [name for name, text in told.items() if words(f"{name.replace('_', ' ')} {text}") & wanted]


def words(text: str) -> set[str]:
    """Return the beginnings of English words, and all pairs of adjacent Chinese characters."""
    english = {word[:_STEM] for word in _WORD.findall(text.casefold()) if word not in _ORDINARY}
    runs = _CHINESE.findall(text)
    return english | {run[place : place + 2] for run in runs for place in range(len(run) - 1)}
