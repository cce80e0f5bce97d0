"""Show the tips and shortcuts that an episode was given, and those that it taught."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.learning.figures import learned_in
from manyhands.evaluation.learning.lesson_view import lessons_of, lines_of
from manyhands.protocol.lessons import LessonTaken
from manyhands.protocol.reports.episode_report import KnownLesson

_TIP = "tip-"
"""With this, the id of a tip begins."""


def known_lessons(episode: RecordedEpisode) -> tuple[KnownLesson, ...]:
    """Return what the episode was given, then what it taught."""
    seen = lessons_of(episode)
    tips = (KnownLesson(id=line.id, kind="tip", text=line.text, way="given") for line in seen.tips)
    shortcuts = (KnownLesson(id=line.id, kind="shortcut", text=line.text, way="given") for line in seen.shortcuts)
    return (*tips, *shortcuts, *taught_lessons(episode))


def taught_lessons(episode: RecordedEpisode) -> tuple[KnownLesson, ...]:
    """Return what the lesson of an episode added, changed and removed; nothing if there was no lesson."""
    learned = learned_in(episode)
    return () if learned is None or learned.taken is None else tuple(_changes(learned.taken))


def lesson_problem(episode: RecordedEpisode) -> str:
    """Return why nothing was learned; empty if learning did not fail."""
    learned = learned_in(episode)
    return "" if learned is None else learned.problem


def _changes(taken: LessonTaken) -> Iterator[KnownLesson]:
    for change in taken.changes:
        way: Literal["added", "changed", "removed"]
        way = "added" if change.before is None else "removed" if change.after is None else "changed"
        text = "\n".join(lines_of(change.before if change.after is None else change.after))
        yield KnownLesson(id=change.id, kind=change.kind, text=text, way=way)
    if not taken.changes:  # older journals have the ids alone
        yield from _without_texts(taken.added, "added")
        yield from _without_texts(taken.changed, "changed")
        yield from _without_texts(taken.removed, "removed")


def _without_texts(ids: Sequence[str], way: Literal["added", "changed", "removed"]) -> Iterator[KnownLesson]:
    for id in ids:
        yield KnownLesson(id=id, kind="tip" if id.startswith(_TIP) else "shortcut", text="", way=way)
