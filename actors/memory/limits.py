"""How much a scope may know, and about how many tokens it takes to tell it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from manyhands.protocol.memory import MOST_SHORTCUTS, MOST_TIPS, Shortcut

MOST_TIPS_OF_A_SCOPE = 200
MOST_TOKENS_OF_A_SCOPE = 8000
"""Of its tips."""
MOST_SHORTCUTS_OF_A_SCOPE = 60
MOST_IMPORTED_TIPS, MOST_IMPORTED_SHORTCUTS = MOST_TIPS, MOST_SHORTCUTS
"""People may fill a scope further than learners."""
NEARLY_FULL = 0.9
"""From this share of a limit on a learner is asked to condense."""
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LINE = 4
"""A line's number and break."""


def tokens(text: str) -> int:
    """Return about how many tokens a text has: one for each Chinese character, and for each four of others."""
    chinese = len(_CHINESE.findall(text))
    return chinese + -(-(len(text) - chinese) // 4)


def tokens_of_tip(text: str) -> int:
    """Return about how many tokens a prompt has of a tip."""
    return _LINE + tokens(text)


def tokens_of_shortcut(one: Shortcut) -> int:
    """Return about how many tokens a prompt has of a shortcut."""
    return 2 * _LINE + tokens(" ".join((one.name, *one.arguments, one.description, one.precondition)))


def too_much(tips: Iterable[str]) -> str:
    """Return which limit the tips of a scope go beyond; empty where they do not."""
    texts = list(tips)
    spent = sum(map(tokens_of_tip, texts))
    if len(texts) > MOST_TIPS_OF_A_SCOPE:
        return f"{MOST_TIPS_OF_A_SCOPE} tips"
    return f"about {MOST_TOKENS_OF_A_SCOPE} tokens of tips" if spent > MOST_TOKENS_OF_A_SCOPE else ""


def condense(tips: Iterable[str]) -> bool:
    """Return whether the learner is to be asked for fewer or shorter tips of its scope than it is shown."""
    texts = list(tips)
    spent = sum(map(tokens_of_tip, texts))
    return len(texts) > NEARLY_FULL * MOST_TIPS_OF_A_SCOPE or spent > NEARLY_FULL * MOST_TOKENS_OF_A_SCOPE
