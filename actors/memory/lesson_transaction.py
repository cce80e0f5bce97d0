"""Change one scope of a memory in one transaction, and write each change to the history."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Literal

from manyhands.actors.memory.database import MemoryDatabase, as_json, index_terms
from manyhands.actors.memory.personal_data import CONTROL, PersonalData, unsafe_part
from manyhands.actors.memory.shortcut_uses import routine_key
from manyhands.protocol.roles.lessons import Change, KnownShortcut, KnownTip, LearnedFrom, LessonTaken, Refusal, Scope
from manyhands.protocol.roles.memory import LONGEST_TIP, Shortcut

LEARNED = "added"
"""The kind of change, in the history, that a learner made."""


class LessonTransaction:
    """Collect the changes of one transaction in one scope, and write each to the history."""

    def __init__(
        self,
        database: MemoryDatabase,
        now: float,
        scope: Scope,
        source: LearnedFrom,
        added: str = LEARNED,
        private: Sequence[str] = (),
        as_written: bool = False,
    ) -> None:
        """``as_written``: keep texts even if they quote what was typed in their task. The paper does so."""
        self.scope = scope
        self.added: list[str] = []
        self.removed: list[str] = []
        self.refused: list[Refusal] = []
        self._changed: list[str] = []
        self._changes: list[Change] = []
        self._database = database
        self._now = now
        self.source = source
        """Where the next changes come from. The shortcuts of one lesson may have been learned in different episodes."""
        self._how = added
        shared = not scope.startswith("run:") and not as_written
        self._private = PersonalData(private if shared else (), numbers=shared and added == LEARNED)
        self._version = database.version + 1

    @property
    def has_size(self) -> bool:
        """Return whether the source tells the screen's size. Without it, shortcuts may have no literal coordinates."""
        return self.source.size is not None

    @property
    def record(self) -> LessonTaken:
        return LessonTaken(
            version=self._database.version,
            added=tuple(self.added),
            changed=tuple(self._changed),
            removed=tuple(self.removed),
            refused=tuple(self.refused),
            changes=tuple(self._changes),
        )

    def note(self, kind: str, id: str, text: str) -> None:
        self._database.execute(
            "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)",
            self._version, self._now, self.scope, kind, id, text, self.source.model_dump_json(),
        )  # fmt: skip

    def refuse(self, what: str, reason: str, kind: Literal["tip", "shortcut"] | None = "tip") -> None:
        excerpt = " ".join(CONTROL.sub(" ", what).split())[:80]
        self.refused.append(Refusal(what=excerpt, reason=reason, kind=kind))
        self.note("refused", "", f"{excerpt}: {reason}")

    # ------------------------------------------------------------------ tips
    def takes_tip(self, text: str) -> bool:
        """Return whether a tip may be added. If it may not, note the refusal."""
        one_line = " ".join(text.split())
        if not one_line:
            self.refuse("a tip", "it is empty")
        elif len(one_line) > LONGEST_TIP:
            self.refuse(one_line, f"{len(one_line)} characters; a tip may have {LONGEST_TIP}")
        elif self.faults(text, one_line):
            self.refuse(one_line, f"it {self.faults(text, one_line)}")
        else:
            return True
        return False

    def faults(self, *texts: str) -> str:
        """Return why texts must not get into prompts or into this scope; an empty text if they may."""
        if fault := next(filter(None, map(unsafe_part, texts)), ""):
            return fault
        private = next(filter(None, map(self._private.fault, texts)), "")
        return private and f"{private}, and {self.scope} is known to others"

    def add_tip(self, text: str, taught_by: Sequence[str] = ()) -> None:
        id = f"tip-{self._version:08d}-{len(self.added):03d}-{secrets.token_hex(2)}"
        self._put_tip(id, 1, text, [*taught_by, *self._by])
        self.added.append(id)
        self._changes.append(Change(id=id, after=text))
        self.note(self._how, id, text)

    def word_anew(self, tip: KnownTip, text: str) -> None:
        self._end("tips", tip.id)
        self._put_tip(tip.id, tip.version + 1, text, [*tip.taught_by, *self._by])
        self._changed.append(tip.id)
        self._changes.append(Change(id=tip.id, before=tip.text, after=text))
        self.note("changed", tip.id, text)

    def taught(self, id: str, episode: str) -> None:
        """Note that another episode has taught the tip with this id too."""
        rows = self._database.rows("SELECT taught_by FROM tips WHERE id = ? AND until IS NULL", id)
        if rows and episode not in json.loads(rows[0][0]):
            by = [*json.loads(rows[0][0]), episode]
            self._database.execute("UPDATE tips SET taught_by = ? WHERE id = ? AND until IS NULL", as_json(by), id)

    def remove_tip(self, id: str, text: str, kind: str = "removed") -> None:
        self._end("tips", id)
        self.removed.append(id)
        self._changes.append(Change(id=id, before=text))
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
        self._changes.append(Change(id=id, after=shortcut))
        self.note(self._how, id, shortcut.description or shortcut.name)

    def revise(self, stored: KnownShortcut, shortcut: Shortcut) -> None:
        self._end("shortcuts", stored.id)
        self._put_shortcut(stored.id, stored.version + 1, shortcut, [*stored.taught_by, *self._by])
        self._changed.append(stored.id)
        self._changes.append(Change(id=stored.id, before=stored.shortcut, after=shortcut))
        self.note("changed", stored.id, shortcut.description or shortcut.name)

    def remove_shortcut(self, id: str) -> None:
        self._end("shortcuts", id)
        self.removed.append(id)
        self.note("forgotten", id, id)

    def _put_shortcut(self, id: str, version: int, shortcut: Shortcut, by: Sequence[str]) -> None:
        self._database.execute(
            "INSERT INTO shortcuts VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', NULL, ?, NULL)",
            id, version, self.scope, shortcut.name, shortcut.model_dump_json(), routine_key(shortcut),
            self.source.model_dump_json(), as_json(by), self._version,
        )  # fmt: skip
        self._index("shortcut", id, f"{shortcut.name} {shortcut.description} {shortcut.precondition}")

    # ------------------------------------------------------------------ both
    @property
    def _by(self) -> list[str]:
        return [self.source.episode] if self.source.episode else []

    def _end(self, table: str, id: str) -> None:
        self._database.execute(f"UPDATE {table} SET until = ? WHERE id = ? AND until IS NULL", self._version, id)
        self._database.execute("DELETE FROM words WHERE id = ?", id)

    def _index(self, kind: str, id: str, text: str) -> None:
        self._database.execute("INSERT INTO words VALUES (?, ?, ?, ?)", kind, id, self.scope, index_terms(text))
