"""Read the file of a fleet's memory: snapshots, searches, versions, uses, history."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from manyhands.actors.memory.database import MemoryDatabase, match_query
from manyhands.actors.memory.files import initial_memory
from manyhands.actors.memory.shortcut_uses import is_same_routine
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.lessons import (
    FLEET,
    KnownShortcut,
    KnownTip,
    LearnedFrom,
    MemoryEvent,
    MemorySnapshot,
    Scope,
    UseCount,
)
from manyhands.protocol.roles.memory import Shortcut

PEOPLE = LearnedFrom(episode="")
INITIAL = "initial-"
"""The prefix of the ids of initial tips and shortcuts."""
_MOST_SNAPSHOTS = 64
_MOST_READ = 2_000
"""How many parsed tips, and how many parsed shortcuts, are cached. Most changes touch one of them, and the others need
not be parsed again."""
_TIP = "id, version, scope, text, taught_by"
_SHORTCUT = "id, version, scope, body, source, taught_by, put_aside, texts"


class MemoryReader:
    """Read a memory. All methods block, and may raise StoreError.

    The file does not hold the initial tips and shortcuts; every snapshot adds them. They cannot be removed, with one
    exception. In the paper's way, a lesson replaces a scope's whole list of tips, and the new list may lack initial
    tips.
    """

    def __init__(self, path: Path, make: bool = False, write: bool = False) -> None:
        """Open the file. If it does not exist and ``make`` is true, make it.

        Raises BadInput if the file is not a memory of Manyhands, or if ``write`` is true and it cannot be written.
        """
        self._database = MemoryDatabase(path, make, write)
        start = initial_memory()
        self._initial = MemorySnapshot(
            version=0,
            tips=tuple(
                KnownTip(id=f"{INITIAL}{place}", scope=FLEET, text=text, version=1, initial=True)
                for place, text in enumerate(start.tips)
            ),
            shortcuts=tuple(
                KnownShortcut(
                    id=f"{INITIAL}{one.name}", scope=FLEET, shortcut=one, version=1, learned_from=PEOPLE, initial=True
                )
                for one in start.shortcuts
            ),
        )
        self._seen: tuple[int, int] | None = None
        self._snapshots: dict[tuple[Scope, ...], MemorySnapshot] = {}
        """Snapshots by scopes, kept until the file changes. Every task asks for one, and few tasks change anything."""

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # ------------------------------------------------------------------ what is told
    def known(self, scopes: Sequence[Scope]) -> MemorySnapshot:
        """Return the tips and shortcuts of these scopes: first the initial ones, then scope by scope in the
        given order.
        """
        with self._database.reading():
            return self._known(tuple(scopes))

    def search(self, scopes: Sequence[Scope], words: str, most: int) -> MemorySnapshot:
        """Return the initial memory, and the ``most`` tips and shortcuts of these scopes that fit ``words`` best."""
        match_words = match_query(words)
        with self._database.reading():
            whole = self._known(tuple(scopes))
            places = ", ".join("?" for _ in scopes)
            query = f"SELECT id FROM words WHERE said MATCH ? AND scope IN ({places}) ORDER BY rank LIMIT ?"
            matches = self._database.rows(query, match_words, *scopes, most) if match_words else []
            place_of = {id: place for place, (id,) in enumerate(matches)}
            tips = [one for one in whole.tips if one.id in place_of]
            shortcuts = [one for one in whole.shortcuts if one.id in place_of]
            return self._snapshot(
                sorted(tips, key=lambda one: place_of[one.id]),
                sorted(shortcuts, key=lambda one: place_of[one.id]),
                self.initial_tips(scopes),
            )

    def put_aside(self, shortcuts: Sequence[str]) -> Mapping[str, str]:
        """Return which of these shortcuts (``ID@VERSION``) are quarantined or gone, each with the reason."""
        reasons: dict[str, str] = {}
        for name in shortcuts:
            if name.startswith(INITIAL):
                continue
            id, _, version = name.rpartition("@")
            query = "SELECT put_aside, until FROM shortcuts WHERE id = ? AND version = ?"
            rows = self._database.rows(query, id, version)
            if not rows:
                reasons[name] = "the memory does not know it"
            elif rows[0][0]:
                reasons[name] = rows[0][0]
            elif rows[0][1] is not None and not self._database.rows(f"SELECT 1 {_NOW} id = ?", id):
                reasons[name] = "it was forgotten"
        return reasons

    # ------------------------------------------------------------------ what people look at
    def everything(self) -> MemorySnapshot:
        """Return what all scopes know, by scope, including quarantined shortcuts."""
        with self._database.reading():
            scopes = self.scopes()
            return self._snapshot(self.tips(scopes), self.shortcuts(scopes, put_aside=True), self._initial.tips)

    def scopes(self) -> Sequence[Scope]:
        """Return the scopes that know something."""
        query = f"SELECT scope FROM tips WHERE until IS NULL UNION SELECT scope {_NOW} TRUE"
        return [row[0] for row in self._database.rows(query)]

    def one(self, id: str) -> KnownTip | KnownShortcut:
        """Return the current version of a tip or a shortcut. Raises BadInput if no tip or shortcut has this id."""
        start: Sequence[KnownTip | KnownShortcut] = (*self._initial.tips, *self._initial.shortcuts)
        initial = [one for one in start if one.id == id]
        if initial:
            return initial[0]
        tips = self._found(_TIP, "tips", [id])
        if tips:
            return _tip(tips[0])
        shortcuts = self._found(_SHORTCUT, "shortcuts", [id])
        if shortcuts:
            return _shortcut(shortcuts[0])
        raise BadInput(f"{id}: the memory has no tip and no shortcut of that id")

    def wordings(self, id: str) -> Sequence[KnownTip | KnownShortcut]:
        """Return all versions of a tip or a shortcut, the oldest first. Removed ones have versions, too."""
        query = "SELECT {} FROM {} WHERE id = ? ORDER BY version"
        with self._database.reading():
            tips = self._database.rows(query.format(_TIP, "tips"), id)
            shortcuts = self._database.rows(query.format(_SHORTCUT, "shortcuts"), id)
        if tips:
            return [_tip(row) for row in tips]
        return [_shortcut(row) for row in shortcuts] or [self.one(id)]

    def use_counts(self, id: str) -> Sequence[UseCount]:
        """Count the outcomes of a shortcut's uses, by its version, the app's version and the screen's size."""
        query = (
            "SELECT version, app_version, size, outcome, COUNT(*) FROM uses WHERE id = ? "
            "GROUP BY version, app_version, size, outcome ORDER BY version, app_version, size, outcome"
        )
        names = ("version", "app_version", "size", "outcome", "count")
        rows = self._database.rows(query, id)
        return tuple(UseCount.model_validate(dict(zip(names, row, strict=True))) for row in rows)

    def history(self, scope: Scope | None = None, id: str | None = None) -> Sequence[MemoryEvent]:
        """Return the changes, the oldest first.

        With ``scope`` or ``id``, return only those of one scope, or of one tip or shortcut.
        """
        filters = {"scope": scope, "id": id}
        conditions = {name: value for name, value in filters.items() if value is not None}
        where = " WHERE " + " AND ".join(f"{name} = ?" for name in conditions) if conditions else ""
        query = f"SELECT version, at, scope, kind, id, text, source FROM changes{where} ORDER BY version, rowid"
        names = ("version", "at", "scope", "kind", "id", "text", "source")
        return tuple(
            MemoryEvent.model_validate({**dict(zip(names, row, strict=True)), "source": json.loads(row[6])})
            for row in self._database.rows(query, *conditions.values())
        )

    # ------------------------------------------------------------------ parts, within a transaction
    def tips(self, scopes: Sequence[Scope]) -> Sequence[KnownTip]:
        """Return the tips of some scopes, by scope and age."""
        query = f"SELECT {_TIP} FROM tips WHERE scope = ? AND until IS NULL ORDER BY id"
        return [_tip(row) for scope in scopes for row in self._database.rows(query, scope)]

    def initial_tips(self, scopes: Sequence[Scope]) -> Sequence[KnownTip]:
        """Return the initial tips that none of these scopes has removed by a lesson that replaced all its tips."""
        ids, places = [tip.id for tip in self._initial.tips], ", ".join("?" for _ in scopes)
        query = (
            f"SELECT DISTINCT id FROM changes WHERE id IN ({', '.join('?' for _ in ids)}) AND kind = 'removed' "
            f"AND scope IN ({places})"
        )
        removed = {id for (id,) in self._database.rows(query, *ids, *scopes)}
        return [tip for tip in self._initial.tips if tip.id not in removed]

    def shortcuts(self, scopes: Sequence[Scope], put_aside: bool = False) -> Sequence[KnownShortcut]:
        """Return the shortcuts of some scopes, by scope and age. Include quarantined ones if ``put_aside``."""
        aside = "" if put_aside else " AND put_aside = ''"
        query = f"SELECT {_SHORTCUT} {_NOW} scope = ?{aside} ORDER BY id"
        return [_shortcut(row) for scope in scopes for row in self._database.rows(query, scope)]

    def tip_as_of(self, id: str, version: int) -> tuple[int, Scope, str] | None:
        """Return a tip's version, scope and text at a given version of the memory."""
        query = "SELECT version, scope, text FROM tips WHERE id = ? AND since <= ? ORDER BY version DESC LIMIT 1"
        rows = self._database.rows(query, id, version)
        return (rows[0][0], rows[0][1], rows[0][2]) if rows else None

    def since(self, shortcut: str) -> int:
        """Return the version of the memory in which the shortcut's current version first appeared."""
        ((version,),) = self._database.rows(f"SELECT since {_NOW} id = ?", shortcut)
        return int(version)

    def why_put_aside(self, shortcut: Shortcut) -> str:
        """Return why a routine is quarantined, in any scope and under any name. Return an empty text if it is not."""
        rows = self._database.rows("SELECT put_aside, body FROM shortcuts WHERE put_aside != '' ORDER BY since")
        aside = ((why, Shortcut.model_validate_json(body)) for why, body in rows)
        return next((why for why, one in aside if is_same_routine(one, shortcut)), "")

    @property
    def initial(self) -> MemorySnapshot:
        """Return the initial memory."""
        return self._initial

    def _known(self, scopes: tuple[Scope, ...]) -> MemorySnapshot:
        state = self._database.state
        if state != self._seen:
            self._snapshots.clear()
            self._seen = state
        if scopes not in self._snapshots:
            while len(self._snapshots) >= _MOST_SNAPSHOTS:
                del self._snapshots[next(iter(self._snapshots))]
            self._snapshots[scopes] = self._snapshot(
                self.tips(scopes), _first_of_a_name(self.shortcuts(scopes)), self.initial_tips(scopes)
            )
        return self._snapshots[scopes]

    def _found(self, columns: str, table: str, ids: Sequence[str]) -> list[tuple[Any, ...]]:
        places = ", ".join("?" for _ in ids)
        return self._database.rows(f"SELECT {columns} FROM {table} WHERE until IS NULL AND id IN ({places})", *ids)

    def _snapshot(
        self, tips: Sequence[KnownTip], shortcuts: Sequence[KnownShortcut], initial: Sequence[KnownTip]
    ) -> MemorySnapshot:
        # The tips and shortcuts were validated when they were read, so they are not validated again here.
        return self._initial.model_copy(
            update={
                "version": self._database.version,
                "tips": (*initial, *tips),
                "shortcuts": (*self._initial.shortcuts, *shortcuts),
            }
        )


_NOW = "FROM shortcuts WHERE until IS NULL AND"


def _first_of_a_name(shortcuts: Sequence[KnownShortcut]) -> Sequence[KnownShortcut]:
    """Keep the first shortcut of each name.

    Several scopes may use the same name, but an episode gets only one shortcut of each name.
    """
    first: dict[str, KnownShortcut] = {}
    for one in shortcuts:
        first.setdefault(one.shortcut.name, one)
    return tuple(first.values())


@lru_cache(maxsize=_MOST_READ)
def _tip(row: tuple[Any, ...]) -> KnownTip:
    id, version, scope, text, taught_by = row
    return KnownTip(id=id, version=version, scope=scope, text=text, taught_by=tuple(json.loads(taught_by)))


@lru_cache(maxsize=_MOST_READ)
def _shortcut(row: tuple[Any, ...]) -> KnownShortcut:
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
