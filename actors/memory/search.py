"""What is searched for in tips and shortcuts: English words, and pairs of Chinese characters. Pure."""

from __future__ import annotations

import re

_RUNS = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_MOST = 64
"""Words of a goal that are searched for."""


def indexed(text: str) -> str:
    """Return a text as it is indexed: words, each run of Chinese in pairs of characters, apart by blanks."""
    return " ".join(_terms(text))


def query(text: str) -> str:
    """Return what finds texts that have any word of this one; empty where it has none."""
    terms = list(dict.fromkeys(_terms(text)))[:_MOST]
    return " OR ".join(f'"{term}"' for term in terms)


def _terms(text: str) -> list[str]:
    found: list[str] = []
    for run in _RUNS.findall(text.casefold().replace("_", " ")):
        if _CHINESE.match(run) and len(run) > 1:
            found += [run[place : place + 2] for place in range(len(run) - 1)]
        else:
            found.append(run)
    return found
