"""What one transaction changes in one scope of a memory, with what becomes of it in the history."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any

from manyhands.actors.memory import search
from manyhands.actors.memory.database import MemoryDatabase
from manyhands.protocol.lessons import KnownShortcut, KnownTip, LearnedFrom, LessonTaken, Refusal, Scope
from manyhands.protocol.memory import LONGEST_TIP, Shortcut
from manyhands.protocol.sections import harmless


def as_json(value: Any) -> str:
    """Return a value as the file holds it."""
    return json.dumps(value, ensure_ascii=False)


class Taking:
    """What one transaction changes in one scope, with what becomes of it in the history."""

    def __init__(
        self, database: MemoryDatabase, now: float, scope: Scope, source: LearnedFrom, added: str = "added"
    ) -> None:
        self.scope = scope
        self.added: list[str] = []
        self._changed: list[str] = []
        self._removed: list[str] = []
        self._refused: list[Refusal] = []
        self._database = database
        self._now = now
        self._source = source
        self._how = added
        self._version = database.version + 1

    @property
    def has_size(self) -> bool:
        """Return whether it is known on which screen coordinates of shortcuts were seen."""
        return self._source.size is not None

    @property
    def taken(self) -> LessonTaken:
        return LessonTaken(
            version=self._database.version,
            added=tuple(self.added),
            changed=tuple(self._changed),
            removed=tuple(self._removed),
            refused=tuple(self._refused),
        )

    def note(self, kind: str, id: str, text: str) -> None:
        self._database.execute(
            "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)",
            self._version, self._now, self.scope, kind, id, text, self._source.model_dump_json(),
        )  # fmt: skip

    def refuse(self, what: str, reason: str) -> None:
        self._refused.append(Refusal(what=what[:80], reason=reason))
        self.note("refused", "", f"{what[:80]}: {reason}")

    # ------------------------------------------------------------------ tips
    def takes_tip(self, text: str) -> bool:
        """Return whether a tip may be taken; what may not is noted as refused."""
        one_line = " ".join(text.split())
        if not one_line:
            self.refuse("a tip", "it is empty")
        elif len(one_line) > LONGEST_TIP:
            self.refuse(one_line, f"{len(one_line)} characters; a tip may have {LONGEST_TIP}")
        elif harmless(text) != text or harmless(one_line) != one_line:
            self.refuse(one_line, "it holds marks of our prompts")
        else:
            return True
        return False

    def add_tip(self, text: str, taught_by: Sequence[str] = ()) -> None:
        id = f"tip-{self._version:08d}-{len(self.added):03d}-{secrets.token_hex(2)}"
        self._put_tip(id, 1, text, [*taught_by, *self._by])
        self.added.append(id)
        self.note(self._how, id, text)

    def word_anew(self, tip: KnownTip, text: str) -> None:
        self._end("tips", tip.id)
        self._put_tip(tip.id, tip.version + 1, text, [*tip.taught_by, *self._by])
        self._changed.append(tip.id)
        self.note("changed", tip.id, text)

    def taught(self, id: str, episode: str) -> None:
        """Note that another episode teaches the same."""
        rows = self._database.rows("SELECT taught_by FROM tips WHERE id = ? AND until IS NULL", id)
        if rows:
            by = [*json.loads(rows[0][0]), episode]
            self._database.execute("UPDATE tips SET taught_by = ? WHERE id = ? AND until IS NULL", as_json(by), id)

    def remove_tip(self, id: str, text: str, kind: str = "removed") -> None:
        self._end("tips", id)
        self._removed.append(id)
        self.note(kind, id, text)

    def _put_tip(self, id: str, version: int, text: str, by: Sequence[str]) -> None:
        one_line = " ".join(text.split())
        self._database.execute(
            "INSERT INTO tips VALUES (?, ?, ?, ?, ?, ?, NULL)",
            id, version, self.scope, one_line, as_json(by), self._version,
        )  # fmt: skip
        self._index("tip", id, one_line)

    # ------------------------------------------------------------------ shortcuts
    def add_shortcut(self, shortcut: Shortcut) -> None:
        id = f"{shortcut.name}-{secrets.token_hex(4)}"
        self._put_shortcut(id, 1, shortcut, self._by)
        self.added.append(id)
        self.note(self._how, id, shortcut.description or shortcut.name)

    def revise(self, known: KnownShortcut, shortcut: Shortcut) -> None:
        self._end("shortcuts", known.id)
        self._put_shortcut(known.id, known.version + 1, shortcut, [*known.taught_by, *self._by])
        self._changed.append(known.id)
        self.note("changed", known.id, shortcut.description or shortcut.name)

    def remove_shortcut(self, id: str) -> None:
        self._end("shortcuts", id)
        self._removed.append(id)
        self.note("forgotten", id, id)

    def _put_shortcut(self, id: str, version: int, shortcut: Shortcut, by: Sequence[str]) -> None:
        self._database.execute(
            "INSERT INTO shortcuts VALUES (?, ?, ?, ?, ?, ?, ?, '', NULL, ?, NULL)",
            id, version, self.scope, shortcut.name, shortcut.model_dump_json(), self._source.model_dump_json(),
            as_json(by), self._version,
        )  # fmt: skip
        self._index("shortcut", id, f"{shortcut.name} {shortcut.description} {shortcut.precondition}")

    # ------------------------------------------------------------------ both
    @property
    def _by(self) -> list[str]:
        return [self._source.episode] if self._source.episode else []

    def _end(self, table: str, id: str) -> None:
        self._database.execute(f"UPDATE {table} SET until = ? WHERE id = ? AND until IS NULL", self._version, id)
        self._database.execute("DELETE FROM words WHERE id = ?", id)

    def _index(self, kind: str, id: str, text: str) -> None:
        self._database.execute("INSERT INTO words VALUES (?, ?, ?, ?)", kind, id, self.scope, search.indexed(text))
