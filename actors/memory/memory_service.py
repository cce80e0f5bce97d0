"""Change a fleet's memory, and serve it as an actor on the machine of its file.

Lessons, uses of shortcuts and people change it; each change is one transaction.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from manyhands.actors.memory import shortcut_uses
from manyhands.actors.memory.database import as_json
from manyhands.actors.memory.lesson_transaction import LessonTransaction
from manyhands.actors.memory.memory_reader import INITIAL, PEOPLE, MemoryReader
from manyhands.actors.memory.rules import apply_shortcut, apply_tips, import_tips, keep_shortcut
from manyhands.actors.memory.tip_diff import similarity
from manyhands.actors.sqlite_database import SingleThread
from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.lessons import (
    FLEET,
    USER,
    KnownTip,
    LearnedFrom,
    Lesson,
    LessonTaken,
    MemorySnapshot,
    Scope,
    ShortcutUse,
)
from manyhands.protocol.roles.memory import Shortcut


class MemoryContents(MemoryReader):
    """Read and change a memory. All methods block, and may raise StoreError."""

    def __init__(self, path: Path, now: Callable[[], float] = time.time, make: bool = True) -> None:
        """Open the file. If it does not exist and ``make`` is true, create it.

        Raises BadInput if the file is not a memory of Manyhands, or cannot be written.
        """
        super().__init__(path, make=make, write=True)
        self._now = now

    # ------------------------------------------------------------------ lessons
    def teach(self, lesson: Lesson) -> LessonTaken:
        """Store a lesson and return what changed. For a lesson stored before, return the result of the first time."""
        with self._database.transaction(lasting=True):
            before = self._database.rows("SELECT taken FROM lessons WHERE id = ?", lesson.id)
            if before:
                return LessonTaken.model_validate_json(before[0][0]).model_copy(update={"again": True})
            whole = lesson.replace_whole
            transaction = LessonTransaction(
                self._database, self._now(), lesson.scope, lesson.source, private=lesson.private, as_written=whole
            )
            for refusal in lesson.refused:
                transaction.refuse(refusal.what, refusal.reason, refusal.kind)
            if lesson.scope == USER:
                transaction.refuse("the lesson", "preferences are written by people alone", None)
            else:
                apply_tips(self, transaction, lesson)
                sources = lesson.sources or [lesson.source] * len(lesson.shortcuts)
                for shortcut, source in zip(lesson.shortcuts, sources, strict=True):
                    transaction.source = source
                    if whole:
                        keep_shortcut(self, transaction, shortcut)
                    else:
                        apply_shortcut(self, transaction, shortcut, revises=True, made_from=lesson.made_from)
            record = transaction.record
            self._database.execute(
                "INSERT INTO lessons (id, version, taken) VALUES (?, ?, ?)",
                lesson.id, record.version, record.model_dump_json(),
            )  # fmt: skip
        return record

    def used(self, use: ShortcutUse) -> None:
        """Record once how a use of a shortcut went. Quarantine the shortcut's routine if its uses call for it."""
        if use.shortcut.startswith(INITIAL):
            return
        id, _, version = use.shortcut.rpartition("@")
        with self._database.transaction(lasting=True):
            query = "SELECT routine, texts FROM shortcuts WHERE id = ? AND version = ?"
            rows = self._database.rows(query, id, version)
            earlier_uses = self._database.rows(
                "SELECT 1 FROM uses WHERE episode = ? AND step = ?", use.episode, use.step
            )
            if not rows or earlier_uses:
                return
            size = "" if use.size is None else f"{use.size.width}x{use.size.height}"
            self._database.execute(
                "INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                use.episode, use.step, id, version, use.outcome, use.reason, size, use.app_version, self._now(),
            )  # fmt: skip
            ((routine, texts),) = rows
            if use.outcome == "worked":
                common_texts = sorted(set(use.texts) if texts is None else set(json.loads(texts)) & set(use.texts))
                self._database.execute(
                    "UPDATE shortcuts SET texts = ? WHERE id = ? AND version = ?", as_json(common_texts), id, version
                )
            self._judge(routine, use)

    def _judge(self, routine: str, use: ShortcutUse) -> None:
        """Quarantine a routine in all scopes that know it, if its uses in all scopes, taken together, call for it."""
        query = (
            "SELECT uses.outcome FROM uses JOIN shortcuts ON uses.id = shortcuts.id AND "
            "uses.version = shortcuts.version WHERE shortcuts.routine = ? ORDER BY uses.rowid"
        )
        why = shortcut_uses.quarantine_reason([row[0] for row in self._database.rows(query, routine)])
        if not why:
            return
        why = f"{why}: {use.reason}" if use.reason else why
        offered = "SELECT id, version, scope FROM shortcuts WHERE routine = ? AND put_aside = ''"
        candidates = self._database.rows(offered, routine)
        source = LearnedFrom(episode=use.episode, size=use.size, app_version=use.app_version)
        transactions = [
            (LessonTransaction(self._database, self._now(), scope, source), id, version)
            for id, version, scope in candidates
        ]
        for transaction, id, version in transactions:
            self._database.execute("UPDATE shortcuts SET put_aside = ? WHERE id = ? AND version = ?", why, id, version)
            transaction.note("put_aside", id, why)

    # ------------------------------------------------------------------ people
    def add(
        self,
        scope: Scope,
        tips: Sequence[str],
        shortcuts: Sequence[Shortcut],
        source: LearnedFrom = PEOPLE,
    ) -> LessonTaken:
        """Add tips and shortcuts that people wrote or imported from files.

        Skip those that the scope, or the initial memory, has already.

        ``source``: must hold the screen's size if the shortcuts have literal coordinates, which are shares of the
        screen.
        """
        with self._database.transaction(lasting=True):
            transaction = LessonTransaction(self._database, self._now(), scope, source, added="imported")
            import_tips(self, transaction, tips)
            for shortcut in shortcuts:
                apply_shortcut(self, transaction, shortcut, revises=True, people=True)
        return transaction.record

    def forget(self, id: str) -> None:
        """Remove a tip or a shortcut. Its history stays. Raises BadInput if no tip or shortcut has this id."""
        with self._database.transaction(lasting=True):
            entry = self.one(id)
            if entry.initial:
                raise BadInput(f"{id}: is known from the start, and nobody removes it")
            transaction = LessonTransaction(self._database, self._now(), entry.scope, PEOPLE)
            if isinstance(entry, KnownTip):
                transaction.remove_tip(id, entry.text, "forgotten")
            else:
                transaction.remove_shortcut(id)

    def promote(self, id: str, scope: Scope = FLEET) -> str:
        """Copy a tip or a shortcut to another scope and return its id there.

        Raises BadInput if that is not possible.
        """
        with self._database.transaction(lasting=True):
            entry = self.one(id)
            kind = "tip" if isinstance(entry, KnownTip) else "shortcut"
            if entry.initial or entry.scope == scope:
                raise BadInput(f"{id}: {scope} knows this {kind} already")
            source = PEOPLE if isinstance(entry, KnownTip) else entry.learned_from
            transaction = LessonTransaction(self._database, self._now(), scope, source, added="promoted")
            if isinstance(entry, KnownTip):
                if any(similarity(entry.text, other.text) == 1.0 for other in self.tips([scope])):
                    raise BadInput(f"{id}: {scope} knows this tip already")
                if transaction.takes_tip(entry.text):
                    transaction.add_tip(entry.text, entry.taught_by)
            else:
                if entry.put_aside:
                    raise BadInput(f"{id}: is put aside: {entry.put_aside}")
                apply_shortcut(self, transaction, entry.shortcut, revises=True, people=True)
            if transaction.refused:
                raise BadInput(f"{id}: {transaction.refused[0].reason}")
        there = (*transaction.record.added, *transaction.record.changed)
        if not there:
            raise BadInput(f"{id}: {scope} knows this {kind} already")
        return there[0]


class MemorySettings(Input):
    path: Path
    """The file. The service creates it if it does not exist. Several runs may share one file."""


class MemoryService:
    """Implements ``actors.interfaces.FleetMemory``. All state is in the file, so a killed service can be restarted."""

    def __init__(self, settings: MemorySettings) -> None:
        self._settings = settings
        self._contents: SingleThread[MemoryContents] | None = None

    async def start(self) -> None:
        """Open the file. Raises BadInput if it is not a memory."""
        path = self._settings.path
        self._contents = await SingleThread.open(lambda: MemoryContents(path), "memory")

    async def stop(self) -> None:
        """Close the file."""
        if self._contents is not None:
            await self._contents.close(MemoryContents.close)

    async def known(self, scopes: Sequence[Scope]) -> MemorySnapshot:
        return await self._open.run(MemoryContents.known, scopes)

    async def search(self, scopes: Sequence[Scope], words: str, most: int) -> MemorySnapshot:
        return await self._open.run(MemoryContents.search, scopes, words, most)

    async def teach(self, lesson: Lesson) -> LessonTaken:
        return await self._open.run(MemoryContents.teach, lesson)

    async def used(self, use: ShortcutUse) -> None:
        await self._open.run(MemoryContents.used, use)

    async def put_aside(self, shortcuts: Sequence[str]) -> Mapping[str, str]:
        return await self._open.run(MemoryContents.put_aside, shortcuts)

    @property
    def _open(self) -> SingleThread[MemoryContents]:
        if self._contents is None:
            raise RuntimeError("start the service first")
        return self._contents
