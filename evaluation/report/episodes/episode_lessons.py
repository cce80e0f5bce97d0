"""Show the tips and shortcuts that an episode was given, and those that it taught."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Literal

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.learning.figures import learned_in
from manyhands.protocol.reports.episode_report import KnownLesson
from manyhands.protocol.roles.lessons import LessonTaken
from manyhands.protocol.roles.memory import Shortcut

_TIP = "tip-"
"""With this, the id of a tip begins."""


def known_lessons(episode: RecordedEpisode) -> tuple[KnownLesson, ...]:
    """Return what the episode was given, then what it taught."""
    memory = episode.started.memory
    shortcuts = ("\n".join(lines_of(one)) for one in memory.shortcuts)
    return (
        *_initial_lessons("tip", memory.tip_ids, memory.tips),
        *_initial_lessons("shortcut", memory.shortcut_ids, shortcuts),
        *taught_lessons(episode),
    )


def taught_lessons(episode: RecordedEpisode) -> tuple[KnownLesson, ...]:
    """Return what the lesson of an episode added, changed and removed; nothing if there was no lesson."""
    learned = learned_in(episode)
    return () if learned is None or learned.taken is None else tuple(_changes(learned.taken))


def lesson_problem(episode: RecordedEpisode) -> str:
    """Return why nothing was learned, or what was refused and why; empty if learning did not fail."""
    learned = learned_in(episode)
    if learned is None:
        return ""
    refused = learned.taken.refused if learned.taken else ()
    return "; ".join(f"refused: {one.what}: {one.reason}" for one in refused) or learned.problem


def lines_of(lesson: Shortcut | str | None) -> Sequence[str]:
    """Return a tip or a shortcut as lines for people; no lines for None."""
    if lesson is None:
        return ()
    if isinstance(lesson, str):
        return (lesson,)
    steps = [
        f"{number}. {step.name} {', '.join(f'{name}={value}' for name, value in step.arguments_map.items())}".rstrip()
        for number, step in enumerate(lesson.steps, start=1)
    ]
    when = f"When: {lesson.precondition}" if lesson.precondition else ""
    head = f"{lesson.name}({', '.join(lesson.arguments)})"
    return tuple(line for line in (head, lesson.description, when, *steps) if line)


def _initial_lessons(
    kind: Literal["tip", "shortcut"], ids: Iterable[str], texts: Iterable[str]
) -> Iterator[KnownLesson]:
    for id, text in zip_longest(ids, texts, fillvalue=""):
        if text:
            yield KnownLesson(id=id, kind=kind, text=text, way="given")


def _changes(lesson: LessonTaken) -> Iterator[KnownLesson]:
    for change in lesson.changes:
        way: Literal["added", "changed", "removed"]
        way = "added" if change.before is None else "removed" if change.after is None else "changed"
        text = "\n".join(lines_of(change.before if change.after is None else change.after))
        before = "\n".join(lines_of(change.before)) if way == "changed" else ""
        yield KnownLesson(id=change.id, kind=change.kind, text=text, before=before, way=way)
    if not lesson.changes:  # older journals have the ids alone
        yield from _without_texts(lesson.added, "added")
        yield from _without_texts(lesson.changed, "changed")
        yield from _without_texts(lesson.removed, "removed")


def _without_texts(ids: Sequence[str], way: Literal["added", "changed", "removed"]) -> Iterator[KnownLesson]:
    for id in ids:
        yield KnownLesson(id=id, kind="tip" if id.startswith(_TIP) else "shortcut", text="", way=way)
