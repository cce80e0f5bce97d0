"""What a fleet has learned, in its file: what scopes know, and what lessons, uses and people change of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from manyhands.actors.memory import search, watching
from manyhands.actors.memory.database import MemoryDatabase
from manyhands.actors.memory.initial import initial_memory
from manyhands.actors.memory.merging import Stands, alike, changes
from manyhands.actors.memory.shortcuts import ShortcutUnusable, check_shortcut
from manyhands.actors.memory.taking import Taking, as_json
from manyhands.protocol.errors import BadInput
from manyhands.protocol.lessons import (
    FLEET,
    USER,
    KnownShortcut,
    KnownTip,
    LearnedFrom,
    Lesson,
    LessonTaken,
    MemoryEvent,
    MemorySnapshot,
    Scope,
    ShortcutUse,
)
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.sections import harmless

MOST_TIPS_OF_A_SCOPE = 200
MOST_SHORTCUTS_OF_A_SCOPE = 60
_MOST_SNAPSHOTS = 64
_PEOPLE = LearnedFrom(episode="")
_TIP = "id, version, scope, text, taught_by"
_SHORTCUT = "id, version, scope, body, source, taught_by, put_aside, texts"
_INITIAL = "initial-"


class MemoryContents:
    """Read and change a memory. All methods block, and may raise StoreError.

    Initial tips and shortcuts are not in the file: they come with each snapshot, and nobody removes them.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        """Open the file, and make it where there is none. Raises BadInput for one that is none of ours."""
        self._database = MemoryDatabase(path)
        self._now = now
        self._seen: tuple[int, int] | None = None
        self._snapshots: dict[tuple[Scope, ...], MemorySnapshot] = {}
        """What scopes know while nothing has changed: every task asks, few change anything."""

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # ------------------------------------------------------------------ reading
    def known(self, scopes: Sequence[Scope]) -> MemorySnapshot:
        """Return what these scopes know, after what is known initially, the first scope's first."""
        asked = tuple(scopes)
        with self._database.reading():
            state = self._database.state
            if state != self._seen:
                self._snapshots.clear()
                self._seen = state
            if asked not in self._snapshots:
                while len(self._snapshots) >= _MOST_SNAPSHOTS:
                    del self._snapshots[next(iter(self._snapshots))]
                self._snapshots[asked] = self._snapshot([*self._tips(asked)], [*self._shortcuts(asked)])
            return self._snapshots[asked]

    def search(self, scopes: Sequence[Scope], words: str, most: int) -> MemorySnapshot:
        """Return at most so many tips and shortcuts that fit words best, after what is known initially."""
        asked = search.query(words)
        whole = self.known(scopes)
        with self._database.reading():
            places = ", ".join("?" for _ in scopes)
            query = f"SELECT id FROM words WHERE said MATCH ? AND scope IN ({places}) ORDER BY rank LIMIT ?"
            found = [row[0] for row in self._database.rows(query, asked, *scopes, most)] if asked else []
        place_of = {id: place for place, id in enumerate(found)}
        tips = sorted((tip for tip in whole.tips if tip.id in place_of), key=lambda tip: place_of[tip.id])
        shortcuts = sorted((one for one in whole.shortcuts if one.id in place_of), key=lambda one: place_of[one.id])
        return whole.model_copy(
            update={
                "tips": (*(tip for tip in whole.tips if tip.initial), *tips),
                "shortcuts": (*(one for one in whole.shortcuts if one.initial), *shortcuts),
            }
        )

    def scopes(self) -> Sequence[Scope]:
        """Return the scopes that ever knew something."""
        return [row[0] for row in self._database.rows("SELECT scope FROM tips UNION SELECT scope FROM shortcuts")]

    def everything(self) -> MemorySnapshot:
        """Return what all scopes know, by scope, also what is put aside."""
        with self._database.reading():
            names = self.scopes()
            return self._snapshot([*self._tips(names)], [*self._shortcuts(names, put_aside=True)])

    def put_aside(self, shortcuts: Sequence[str]) -> Mapping[str, str]:
        """Return those of some shortcuts (``ID@VERSION``) that are put aside or gone, each with the reason."""
        found: dict[str, str] = {}
        for name in shortcuts:
            if name.startswith(_INITIAL):
                continue
            id, _, version = name.rpartition("@")
            rows = self._database.rows(
                "SELECT put_aside, until FROM shortcuts WHERE id = ? AND version = ?", id, version
            )
            if not rows:
                found[name] = "the memory does not know it"
            elif rows[0][0]:
                found[name] = rows[0][0]
        return found

    def history(self, scope: Scope | None = None, id: str | None = None) -> Sequence[MemoryEvent]:
        """Return what has changed, the oldest first: all of it, or what concerns a scope, or a tip or shortcut."""
        asked = {"scope": scope, "id": id}
        given = {name: value for name, value in asked.items() if value is not None}
        where = " WHERE " + " AND ".join(f"{name} = ?" for name in given) if given else ""
        query = f"SELECT version, at, scope, kind, id, text, source FROM changes{where} ORDER BY version, rowid"
        names = ("version", "at", "scope", "kind", "id", "text", "source")
        return tuple(
            MemoryEvent.model_validate({**dict(zip(names, row, strict=True)), "source": json.loads(row[6])})
            for row in self._database.rows(query, *given.values())
        )

    # ------------------------------------------------------------------ lessons
    def teach(self, lesson: Lesson) -> LessonTaken:
        """Take a lesson; one that was taken before tells what became of it then."""
        with self._database.transaction():
            before = self._database.rows("SELECT taken FROM lessons WHERE id = ?", lesson.id)
            if before:
                return LessonTaken.model_validate_json(before[0][0]).model_copy(update={"again": True})
            taking = Taking(self._database, self._now(), lesson.scope, lesson.source)
            if lesson.scope == USER:
                taking.refuse("the lesson", "preferences are written by people alone")
            else:
                if lesson.tips is not None:
                    self._take_tips(taking, lesson)
                for shortcut in lesson.shortcuts:
                    self._take_shortcut(taking, shortcut, revises=not lesson.replace_whole)
            taken = taking.taken
            self._database.execute(
                "INSERT INTO lessons (id, version, taken) VALUES (?, ?, ?)",
                lesson.id, taken.version, taken.model_dump_json(),
            )  # fmt: skip
        return taken

    def used(self, use: ShortcutUse) -> None:
        """Take in how a use went, once; put the version aside where that is to be."""
        if use.shortcut.startswith(_INITIAL):
            return
        id, _, version = use.shortcut.rpartition("@")
        with self._database.transaction():
            rows = self._database.rows(
                "SELECT scope, put_aside, texts FROM shortcuts WHERE id = ? AND version = ?", id, version
            )
            known = self._database.rows("SELECT 1 FROM uses WHERE episode = ? AND step = ?", use.episode, use.step)
            if not rows or known:
                return
            size = "" if use.size is None else f"{use.size.width}x{use.size.height}"
            self._database.execute(
                "INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                use.episode, use.step, id, version, use.outcome, use.reason, size, use.app_version, self._now(),
            )  # fmt: skip
            ((scope, aside, texts),) = rows
            if use.outcome == "worked":
                seen = sorted(set(use.texts) if texts is None else set(json.loads(texts)) & set(use.texts))
                self._database.execute(
                    "UPDATE shortcuts SET texts = ? WHERE id = ? AND version = ?", as_json(seen), id, version
                )
            past = self._database.rows(
                "SELECT outcome FROM uses WHERE id = ? AND version = ? ORDER BY rowid", id, version
            )
            why = watching.put_aside([row[0] for row in past])
            if why and not aside:
                why = f"{why}: {use.reason}" if use.reason else why
                self._database.execute(
                    "UPDATE shortcuts SET put_aside = ? WHERE id = ? AND version = ?", why, id, version
                )
                taking = Taking(self._database, self._now(), scope, LearnedFrom(episode=use.episode))
                taking.note("put_aside", id, why)

    # ------------------------------------------------------------------ people
    def add(self, scope: Scope, tips: Sequence[str], shortcuts: Sequence[Shortcut]) -> LessonTaken:
        """Add what people wrote, or brought from files; what stands there, or is known initially, is not added."""
        start = initial_memory()
        ours = {one.name: one.steps for one in start.shortcuts}
        with self._database.transaction():
            taking = Taking(self._database, self._now(), scope, _PEOPLE, added="imported")
            for text in tips:
                standing = (*start.tips, *(tip.text for tip in self._tips([scope])))
                if all(alike(other, text) < 1.0 for other in standing) and taking.takes_tip(text):
                    taking.add_tip(text)
            for shortcut in shortcuts:
                if ours.get(shortcut.name) != shortcut.steps:
                    self._take_shortcut(taking, shortcut, revises=True)
        return taking.taken

    def one(self, id: str) -> KnownTip | KnownShortcut:
        """Return a tip or a shortcut, also one that is put aside. Raises BadInput for one that is not there."""
        tip, shortcut = self._one(id)
        found = tip or shortcut
        assert found is not None
        return found

    def forget(self, id: str) -> None:
        """Remove a tip or a shortcut; its history stays. Raises BadInput for one that is not there."""
        with self._database.transaction():
            found = self.one(id)
            taking = Taking(self._database, self._now(), found.scope, _PEOPLE)
            if isinstance(found, KnownTip):
                taking.remove_tip(found.id, found.text, "forgotten")
            else:
                taking.remove_shortcut(id)

    def promote(self, id: str, scope: Scope = FLEET) -> str:
        """Have another scope know a tip or a shortcut as well; return its id there. Raises BadInput."""
        with self._database.transaction():
            tip, shortcut = self._one(id)
            source = shortcut.learned_from if shortcut is not None else _PEOPLE
            taking = Taking(self._database, self._now(), scope, source, added="promoted")
            if tip is not None:
                if any(alike(tip.text, other.text) == 1.0 for other in self._tips([scope])):
                    raise BadInput(f"{id}: {scope} knows this tip already")
                taking.add_tip(tip.text, tip.taught_by)
            elif shortcut is not None:
                if shortcut.put_aside:
                    raise BadInput(f"{id}: is put aside: {shortcut.put_aside}")
                self._take_shortcut(taking, shortcut.shortcut, revises=True)
            taken = taking.taken
        if taken.refused:
            raise BadInput(f"{id}: {taken.refused[0].reason}")
        return (*taken.added, *taken.changed, id)[0]

    # ------------------------------------------------------------------ within a transaction
    def _take_tips(self, taking: Taking, lesson: Lesson) -> None:
        assert lesson.tips is not None
        whole = {tip.id: tip for tip in self._tips([lesson.scope])}
        now = {tip.id: Stands(tip.id, tip.version, tip.text) for tip in whole.values()}
        shown = [stood for id in lesson.tips.shown if (stood := self._as_shown(id, lesson)) is not None]
        if lesson.replace_whole:
            for tip in whole.values():
                if all(alike(tip.text, text) < 1.0 for text in lesson.tips.tips):
                    taking.remove_tip(tip.id, tip.text)
            standing = [tip.text for tip in whole.values()]
            for text in lesson.tips.tips:
                if all(alike(text, other) < 1.0 for other in (*standing, *_initial_tips())) and taking.takes_tip(text):
                    taking.add_tip(text)
            return
        elsewhere = self._shown_elsewhere(lesson)
        answered = [text for text in lesson.tips.tips if all(alike(text, other) < 1.0 for other in elsewhere)]
        found, same = changes(shown, answered, now)
        for equal in same:
            taking.note("merged", equal.id, equal.text)
            taking.taught(equal.id, lesson.source.episode)
        for change in found:
            if not change.text:
                taking.remove_tip(change.id, whole[change.id].text)
            elif taking.takes_tip(change.text):
                if change.id:
                    taking.word_anew(whole[change.id], change.text)
                elif len(whole) + len(taking.added) >= MOST_TIPS_OF_A_SCOPE:
                    taking.refuse(change.text, f"{lesson.scope} has {MOST_TIPS_OF_A_SCOPE} tips: condense them first")
                else:
                    taking.add_tip(change.text)

    def _as_shown(self, id: str, lesson: Lesson) -> Stands | None:
        """Return one of the scope's tips as it stood when the learner was shown it."""
        query = "SELECT version, text FROM tips WHERE id = ? AND scope = ? AND since <= ? ORDER BY version DESC LIMIT 1"
        rows = self._database.rows(query, id, lesson.scope, lesson.made_from)
        return Stands(id, rows[0][0], rows[0][1]) if rows else None

    def _shown_elsewhere(self, lesson: Lesson) -> Sequence[str]:
        """Return the tips that the learner was shown of other scopes, and the initial ones: they are not its own."""
        assert lesson.tips is not None
        query = "SELECT text FROM tips WHERE id = ? AND scope != ? AND since <= ? ORDER BY version DESC LIMIT 1"
        rows = [
            row for id in lesson.tips.shown for row in self._database.rows(query, id, lesson.scope, lesson.made_from)
        ]
        return (*_initial_tips(), *(row[0] for row in rows))

    def _take_shortcut(self, taking: Taking, shortcut: Shortcut, revises: bool) -> None:
        try:
            check_shortcut(shortcut, shares=taking.has_size)
        except ShortcutUnusable as error:
            return taking.refuse(shortcut.name, str(error))
        texts = (shortcut.description, shortcut.precondition)
        if any(harmless(text) != text or "\n" in text for text in texts):
            return taking.refuse(shortcut.name, "its texts hold marks of our prompts, or several lines")
        if any(one.name == shortcut.name for one in initial_memory().shortcuts):
            return taking.refuse(shortcut.name, "a shortcut of that name is there from the start")
        known = [one for one in self._shortcuts([taking.scope], put_aside=True) if one.shortcut.name == shortcut.name]
        if not known:
            if len(self._shortcuts([taking.scope], put_aside=True)) >= MOST_SHORTCUTS_OF_A_SCOPE:
                return taking.refuse(shortcut.name, f"{taking.scope} has {MOST_SHORTCUTS_OF_A_SCOPE} shortcuts")
            return taking.add_shortcut(shortcut)
        if known[0].shortcut == shortcut:
            if known[0].put_aside:
                return taking.refuse(shortcut.name, f"it is as it was when it was put aside: {known[0].put_aside}")
            return taking.note("merged", known[0].id, shortcut.name)
        if not revises:
            return taking.refuse(shortcut.name, "a shortcut of that name is there")
        return taking.revise(known[0], shortcut)

    def _one(self, id: str) -> tuple[KnownTip | None, KnownShortcut | None]:
        tips = self._database.rows(f"SELECT {_TIP} FROM tips WHERE id = ? AND until IS NULL", id)
        shortcuts = self._database.rows(f"SELECT {_SHORTCUT} FROM shortcuts WHERE id = ? AND until IS NULL", id)
        if not tips and not shortcuts:
            raise BadInput(f"{id}: the memory has no tip and no shortcut of that id")
        return (_tip(tips[0]) if tips else None, _shortcut(shortcuts[0]) if shortcuts else None)

    def _snapshot(self, tips: Sequence[KnownTip], shortcuts: Sequence[KnownShortcut]) -> MemorySnapshot:
        start = initial_memory()
        first = [
            KnownTip(id=f"{_INITIAL}{place}", scope=FLEET, text=text, version=1, initial=True)
            for place, text in enumerate(start.tips)
        ]
        routines = [
            KnownShortcut(
                id=f"{_INITIAL}{one.name}", scope=FLEET, shortcut=one, version=1, learned_from=_PEOPLE, initial=True
            )
            for one in start.shortcuts
        ]
        # Several scopes may know shortcuts by one name: the first scope's is told.
        by_name = {one.shortcut.name: one for one in reversed([*routines, *shortcuts])}
        told = [one for one in (*routines, *shortcuts) if by_name[one.shortcut.name] is one or one.put_aside]
        return MemorySnapshot(version=self._database.version, tips=(*first, *tips), shortcuts=tuple(told))

    def _tips(self, scopes: Sequence[Scope]) -> Sequence[KnownTip]:
        query = f"SELECT {_TIP} FROM tips WHERE scope = ? AND until IS NULL ORDER BY id"
        return [_tip(row) for scope in scopes for row in self._database.rows(query, scope)]

    def _shortcuts(self, scopes: Sequence[Scope], put_aside: bool = False) -> Sequence[KnownShortcut]:
        aside = "" if put_aside else " AND put_aside = ''"
        query = f"SELECT {_SHORTCUT} FROM shortcuts WHERE scope = ? AND until IS NULL{aside} ORDER BY id"
        return [_shortcut(row) for scope in scopes for row in self._database.rows(query, scope)]


def _initial_tips() -> tuple[str, ...]:
    return initial_memory().tips


def _tip(row: Sequence[Any]) -> KnownTip:
    id, version, scope, text, taught_by = row
    return KnownTip(id=id, version=version, scope=scope, text=text, taught_by=tuple(json.loads(taught_by)))


def _shortcut(row: Sequence[Any]) -> KnownShortcut:
    id, version, scope, body, source, taught_by, put_aside, texts = row
    return KnownShortcut(
        id=id,
        version=version,
        scope=scope,
        shortcut=Shortcut.model_validate_json(body),
        learned_from=LearnedFrom.model_validate_json(source),
        taught_by=tuple(json.loads(taught_by)),
        put_aside=put_aside,
        texts_seen=tuple(json.loads(texts)) if texts else (),
    )
