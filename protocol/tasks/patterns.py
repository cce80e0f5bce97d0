"""Search texts for the regular expressions of tasks, in time that grows only with the length of the text.

Python's own ``re`` may take longer than any task for a pattern such as ``^(?:.|.|.)*!$``, and nothing else in the
process runs meanwhile. So these patterns run in RE2, which knows no lookaround and no back references. Letters and
digits of all scripts count, as in Python; only a word's edge (``\\b``) is that of ASCII. ``$`` is the end of the text.
"""

from __future__ import annotations

import re
from functools import lru_cache

import re2

LONGEST_PATTERN = 1000
"""The most characters of a pattern."""
MOST_STEPS = 20_000
"""The most steps of all patterns of a task, or of a schema, for each byte of a text."""
_MEMORY = 1 << 18
"""The most bytes of a compiled pattern. So a search of a long answer takes at most about a second."""
_CLASS_TOKEN = re.compile(r"\\u[0-9A-Fa-f]{4}|\\.|.", re.DOTALL)
_TOKEN = re.compile(r"\[\^?\]?|\{,(?=\d*\})|" + _CLASS_TOKEN.pattern, re.DOTALL)
"""A ``]`` that comes first in a class does not end it."""
_ALONE = {
    r"\w": r"[\pL\pN_]",
    r"\W": r"[^\pL\pN_]",
    r"\s": r"[\s\v\pZ]",
    r"\S": r"[^\s\v\pZ]",
    r"\Z": r"\z",
    "{,": "{0,",
}
_IN_CLASS = {r"\w": r"\pL\pN_", r"\s": r"\s\v\pZ", r"\b": r"\x08"}
_ANYWHERE = {r"\d": r"\p{Nd}", r"\D": r"\P{Nd}"}


class BadPattern(ValueError):
    """Signal a pattern that cannot be used, with the reason in one line."""


def pattern_size(pattern: str, ignore_case: bool = False) -> int:
    """Return the steps that a pattern may take for each byte of a text. Raises BadPattern if it cannot be used."""
    return int(_usable(pattern, ignore_case).programsize)


def holds_match(pattern: str, text: str, ignore_case: bool = False) -> bool:
    """Return whether a match of ``pattern`` is in ``text``. Raises BadPattern."""
    return _usable(pattern, ignore_case).search(text.encode("utf-8", "replace")) is not None


def _usable(pattern: str, ignore_case: bool) -> re2._Regexp:
    compiled = _compiled(pattern, ignore_case)
    if isinstance(compiled, str):
        raise BadPattern(compiled)
    return compiled


@lru_cache(maxsize=256)
def _compiled(pattern: str, ignore_case: bool) -> re2._Regexp | str:
    """Return a pattern compiled, or why it cannot be used: to find that out takes as long."""
    if len(pattern) > LONGEST_PATTERN:
        return f"a pattern of {len(pattern)} characters; at most {LONGEST_PATTERN} are allowed"
    options = re2.Options()
    options.log_errors, options.never_capture, options.max_mem = False, True, _MEMORY
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(_translate(pattern).encode("utf-8", "replace"), options)
    except re2.error as error:
        words = error.args[0] if error.args else "it cannot be read"
        reason = words.decode("utf-8", "replace") if isinstance(words, bytes) else str(words)
        return f"not a regular expression of RE2, which has no lookaround: {reason}"


def _translate(pattern: str) -> str:
    """Return a pattern of Python in RE2's syntax."""
    parts, at, is_class = [], 0, False
    while match := (_CLASS_TOKEN if is_class else _TOKEN).match(pattern, at):
        token, at = match[0], match.end()
        if len(token) == 6:
            token = rf"\x{{{token[2:]}}}"
        parts.append(_ANYWHERE.get(token) or (_IN_CLASS if is_class else _ALONE).get(token, token))
        is_class = token != "]" if is_class else token.startswith("[")
    return "".join(parts)
