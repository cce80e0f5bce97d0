"""Read exported rows, and vary them, so that a model learns to look things up on the screen, not by heart.

A row's list of elements gets other numbers. What the goal names on this screen often gets another name, everywhere in
the row. So a few hundred rows of few screens become as many as training takes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

GAPS = (1, 1, 1, 1, 2, 3)
"""How far the number of an element is from the one before. Elements that are not listed leave gaps on real screens."""
FIRST = (1, 1, 1, 2, 9, 17, 30)
RENAMED = 0.7
"""The share of copies in which names are other ones."""
KINDS = (
    *("amber", "blue", "broken", "calm", "clear", "cold", "copper", "daily", "deep", "early", "empty", "fast", "flat"),
    *("fresh", "gentle", "golden", "green", "heavy", "hidden", "high", "large", "late", "light", "little", "long"),
    *("main", "narrow", "new", "northern", "open", "plain", "quick", "quiet", "red", "round", "second", "short"),
    *("silver", "slow", "small", "soft", "southern", "steady", "strong", "sweet", "tall", "warm", "white", "wild"),
)
THINGS = (
    *("anchor", "apple", "basket", "bell", "bird", "boat", "bridge", "candle", "carpet", "castle", "cloud", "coast"),
    *("corner", "curtain", "desert", "drum", "engine", "feather", "field", "forest", "garden", "gate", "glass", "hill"),
    *("island", "kettle", "ladder", "lamp", "leaf", "market", "meadow", "mirror", "mountain", "needle", "ocean"),
    *("orchard", "paper", "pencil", "pepper", "pillow", "river", "saddle", "shadow", "spoon", "stone", "street"),
    *("table", "temple", "tower", "tunnel", "valley", "violin", "wagon", "window", "winter", "wool"),
)
_LIST = re.compile(r"(?<=<data>\n).*?(?=\n</data>\s*\Z)", re.DOTALL)
_ELEMENT = re.compile(r"^(.*) \[(\d+)\]((?: \([a-z, ]+\))?)$", re.MULTILINE)

_STATES = (" (on)", " (off)")


@dataclass(frozen=True, slots=True)
class Row:
    """Hold a call: the system text, the message, and the action of the reply."""

    system: str
    message: str
    action: dict[str, Any]

    def prompt(self) -> list[dict[str, str]]:
        """Return the messages before the reply."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.message}]

    def reply(self) -> str:
        """Return the reply. Its thought repeats what it acts on: a row with its number, or a text.

        A row that the goal names and that has a switch is repeated with the switch's state, so that what is to be done
        follows from the thought.
        """
        action, goal = self.action, self.message.partition("\n")[0]
        rows = list(_ELEMENT.finditer(self.message))
        switches = [
            f"{row[1]} [{row[2]}] is {switch[3].strip(' ()')}"
            for row, switch in pairwise(rows)
            if switch[3] in _STATES and row[1] in goal
        ]
        tapped = [f"{row[1]} [{row[2]}]" for row in rows if int(row[2]) == action.get("number")]
        thoughts = (*switches, *tapped, action.get("app"), action.get("text"), action["name"])
        return json.dumps({"thought": next(filter(None, thoughts)), "action": action}, ensure_ascii=False)


def read_rows(folders: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of exports in the format ``swift``. Raises ValueError for one that is no call of a plain chat."""
    for folder in folders:
        for file in sorted(folder.glob("train/*.jsonl")):
            for line in file.read_text().splitlines():
                row = json.loads(line)
                texts = [one["content"] for one in row["messages"]]
                if row["images"] or len(texts) != 3:
                    raise ValueError(f"{file}: export runs of plain chats, with --pictures none and without a planner")
                yield Row(texts[0], texts[1], json.loads(texts[2])["action"])


def vary(row: Row, random: Random) -> Row:
    """Return a row with other numbers, and often other names."""
    renamed = _rename(row, random) if random.random() < RENAMED else row
    return _number(renamed, random)


def _number(row: Row, random: Random) -> Row:
    numbers: dict[int, int] = {}
    number = random.choice(FIRST)

    def count(match: re.Match[str]) -> str:
        nonlocal number
        numbers[int(match[2])] = number
        line = f"{match[1]} [{number}]{match[3]}"
        number += random.choice(GAPS)
        return line

    message = _LIST.sub(lambda found: _ELEMENT.sub(count, found[0]), row.message)
    action = dict(row.action)
    if "number" in action:
        action["number"] = numbers[action["number"]]
    return Row(row.system, message, action)


def _rename(row: Row, random: Random) -> Row:
    goal, _, rest = row.message.partition("\n")
    listed = _LIST.search(rest)
    names = {one[1] for one in _ELEMENT.finditer(listed[0] if listed else "")} | {row.action.get("text", "")}
    front = re.search(r"^The app in front is <data>(.*)</data>\.$", rest, re.MULTILINE)
    apps = {row.action.get("app"), front[1] if front else None}
    message, action = row.message, dict(row.action)
    for name in sorted(names - apps, key=lambda name: (-len(name), name)):
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        if len(name) > 2 and word.search(goal):
            other = _name(name, random)
            message = word.sub(other, message)
            action |= {"text": other} if action.get("text") == name else {}
    return Row(row.system, message, action)


def _name(like: str, random: Random) -> str:
    """Return a name of one to three words, with a capital where ``like`` has one."""
    words = [random.choice(THINGS)]
    if random.random() < 0.7:
        words.insert(0, random.choice(KINDS))
    if random.random() < 0.25:
        words += [random.choice(("&", "of", "at the")), random.choice(THINGS)]
    name = " ".join(words)
    return name[0].upper() + name[1:] if like[0].isupper() else name
