"""Evaluate conditions of scripts, which are short texts.

A condition is one of the following, or one of these with ``!`` (not) before it, or several with `` || `` (or) between
them::

    Save                 a text reads so (with small misreadings)
    *Lumen Air*          a text contains it
    /\\$[0-9.]+/          a text matches the regular expression
    Display @top         a text reads so, and is in this part of the screen: top, middle, body or bottom; the two forms
                         above may end in a part of the screen, too
    keyboard             the keyboard is shown
    noted:Price          the notes have a line ``Price: ...``
    typed:TEXT           the history says that TEXT was typed, and the screen shows it
    shows:TEXT           most of TEXT is on the screen, on any number of lines
    on:ROW, off:ROW      the switch in the row with the text ROW (only for roles that see the image)
    turned:ROW           this switch has changed in the latest action (only for the reflector)
    tapped:TEXT          TEXT was tapped: in the latest action (reflector), or by the history (operator)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from manyhands.protocol.utilities.yaml_document import read_yaml
from manyhands.simulator.rehearsal.matching import coverage, is_part, is_same, likeness
from manyhands.simulator.rehearsal.pages import Line, Sight

SHOWN = 0.6
"""A text counts as shown if this share of it can be read, because a long text scrolls out of its field."""
_PLACES = {
    "top": (0.0, 1.0, 0.04, 0.12),
    "middle": (0.0, 1.0, 0.12, 0.9),
    "body": (0.0, 1.0, 0.16, 0.93),
    "bottom": (0.0, 1.0, 0.8, 1.0),
}
"""Left, right, top, bottom, as shares of the screen."""
_PLACED = re.compile(rf"^(.*) @({'|'.join(_PLACES)})$", re.DOTALL)
EMPTY_FIELD = r"/^(Q )?(Search|Type a|Write something|Title|Text message|搜索|输入|写点什么|标题|短信)/"
"""A pattern of the hints in empty fields."""
WORDS = Path(__file__).parent / "scripts" / "words.yaml"
"""Chinese words and sentences for English ones."""
IMAGE_KINDS = ("on:", "off:", "turned:")


def all_hold(conditions: Iterable[str], sight: Sight) -> bool:
    return all(holds(condition, sight) for condition in conditions)


def holds(condition: str, sight: Sight) -> bool:
    """Return whether the condition is known to hold."""
    return any(_one_holds(part.strip(), sight) for part in condition.split(" || "))


def _one_holds(condition: str, sight: Sight) -> bool:
    if condition.startswith("!"):
        return not _one_holds(condition[1:].strip(), sight)
    if condition == "keyboard":
        return sight.keyboard is True
    kind, mark, rest = condition.partition(":")
    if mark and kind in _KINDS:
        return _KINDS[kind](rest.strip(), sight)
    return bool(find(condition, sight.lines))


@cache
def read_words() -> Mapping[str, str]:
    """Return the Chinese words for the English ones. Raises BadInput."""
    document = read_yaml(WORDS)
    document.refuse(())
    words: dict[str, str] = document.data
    return words


@cache
def in_other_language(text: str) -> str | None:
    """Return an English text in Chinese, or a Chinese one in English, if it is a known word of the phone."""
    words = read_words()
    return words.get(text) or next((english for english, chinese in words.items() if chinese == text), None)


def find(pattern: str, lines: Iterable[Line]) -> list[Line]:
    """Return the lines that a text pattern means, the most similar first, then from top to bottom.

    Words of the phone are found in the other language, too: an earlier task may have changed the phone's language.
    """
    placed = _PLACED.match(pattern)
    if placed:
        pattern = placed[1]
        left, right, top, bottom = _PLACES[placed[2]]
        lines = [line for line in lines if left <= line.x <= right and top <= line.y <= bottom]
    if len(pattern) > 2 and pattern[0] == pattern[-1] == "/":
        found = [(0.0, line) for line in lines if re.search(pattern[1:-1], line.text, re.IGNORECASE)]
    elif len(pattern) > 2 and pattern[0] == pattern[-1] == "*":
        found = [(0.0, line) for line in lines if any(is_part(word, line.text) for word in _wordings(pattern[1:-1]))]
    else:
        words = _wordings(pattern)
        alike = (
            (max(likeness(word, line.text) for word in words if is_same(word, line.text)), line)
            for line in lines
            if any(is_same(word, line.text) for word in words)
        )
        found = [(-score, line) for score, line in alike]
    return [line for _, line in sorted(found, key=lambda entry: (entry[0], entry[1].y, entry[1].x))]


def _wordings(text: str) -> tuple[str, ...]:
    other = in_other_language(text)
    return (text,) if other is None else (text, other)


def is_shown(text: str, sight: Sight) -> bool:
    return coverage(text, (line.text for line in sight.lines)) >= SHOWN


def _noted(label: str, sight: Sight) -> bool:
    return label in sight.notes


def _typed(text: str, sight: Sight) -> bool:
    return text in sight.typed and is_shown(text, sight)


def _switch(row: str, sight: Sight, on: bool) -> bool:
    rows = find(row, sight.lines)
    return bool(rows) and sight.page is not None and sight.page.switch_is_on(rows[0]) is on


def _turned(row: str, sight: Sight) -> bool:
    if sight.page is None or sight.before is None:
        return False
    now, then = find(row, sight.page.lines), find(row, sight.before.lines)
    return bool(now and then) and sight.page.switch_is_on(now[0]) is not sight.before.switch_is_on(then[0])


_KINDS: dict[str, Callable[[str, Sight], bool]] = {
    "noted": _noted,
    "typed": _typed,
    "shows": is_shown,
    "on": lambda row, sight: _switch(row, sight, True),
    "off": lambda row, sight: _switch(row, sight, False),
    "turned": _turned,
    "tapped": lambda text, sight: bool(find(text, [Line(tapped, 0.5, 0.5) for tapped in sight.tapped])),
}
