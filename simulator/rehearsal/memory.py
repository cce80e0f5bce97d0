"""Hold the memory of a single agent. The agent writes the memory into its answers, and reads it in the next step."""

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
    """Hold the agent's place in its script, what is done, and its notes by label."""

    index: int = 0
    way: Way = "first"
    done: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    def written(self) -> str:
        """Return the memory as words on one line, which ``remembered`` can read."""
        parts = [f"[part {self.index + 1} {self.way}]"]
        if self.done:
            parts.append(f"[done {_BETWEEN.join(map(_plain, self.done))}]")
        if self.notes:
            kept = _BETWEEN.join(f"{_plain(label)}{_IS}{_plain(value)}" for label, value in self.notes.items())
            parts.append(f"[kept {kept}]")
        return " ".join(parts)


def remembered(text: str) -> Memory:
    """Read a memory that ``Memory.written`` wrote somewhere in ``text``. If there is none, return a new memory."""
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
