"""What an agent that is alone keeps in mind: written into its own answers, and read out of them at the next step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from manyhands.simulator.rehearsal.wording import Way

_PART = re.compile(r"\[part (\d+) (first|instead)\]")
_LIST = {name: re.compile(rf"\[{name} ([^\]]*)\]") for name in ("done", "kept")}
_BETWEEN, _IS = " ;; ", " = "
_BRACKETS = str.maketrans("[]\n", "() ")


@dataclass(frozen=True, slots=True)
class Memory:
    """Where in its script it stands, what is done, and what it has noted, by label."""

    index: int = 0
    way: Way = "first"
    done: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    def written(self) -> str:
        """Return it as words in one line, from which ``remembered`` reads it."""
        parts = [f"[part {self.index + 1} {self.way}]"]
        if self.done:
            parts.append(f"[done {_BETWEEN.join(map(_plain, self.done))}]")
        if self.notes:
            kept = _BETWEEN.join(f"{_plain(label)}{_IS}{_plain(value)}" for label, value in self.notes.items())
            parts.append(f"[kept {kept}]")
        return " ".join(parts)


def remembered(text: str) -> Memory:
    """Read what ``Memory.written`` wrote somewhere in ``text``; a fresh one where it wrote nothing."""
    part = _PART.search(text)
    if part is None:
        return Memory()
    notes = (one.partition(_IS) for one in _items("kept", text))
    return Memory(
        index=int(part[1]) - 1,
        way="instead" if part[2] == "instead" else "first",
        done=tuple(_items("done", text)),
        notes={label: value for label, _, value in notes if value},
    )


def _items(name: str, text: str) -> list[str]:
    found = _LIST[name].search(text)
    return found[1].split(_BETWEEN) if found else []


def _plain(text: str) -> str:
    return text.translate(_BRACKETS).strip()
