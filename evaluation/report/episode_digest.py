"""Reduce an episode to what the page of its run needs, so that a run of a thousand episodes fits in memory.

The lessons that an episode got and taught are shown in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, TypeVar

from pydantic import BaseModel

from manyhands.evaluation.episode_view import EpisodePage
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.learning import learned_in
from manyhands.evaluation.report.failures import explain_failure, failure_step, last_app, last_good_step
from manyhands.evaluation.report.run_timeline import step_marks
from manyhands.protocol.episode_report import KnownLesson
from manyhands.protocol.journals.records import (
    ActionDecided,
    Learned,
    NotesTaken,
    Perceived,
    Planned,
    Recalled,
    Record,
    Reflected,
    Restored,
    StageRecord,
    StatementJudged,
)
from manyhands.protocol.roles.lessons import LessonTaken
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.run_report import EpisodeRow, StepMark


def known_lessons(episode: RecordedEpisode) -> tuple[KnownLesson, ...]:
    """Return what the episode was given, then what it taught."""
    memory = episode.started.memory
    shortcuts = ("\n".join(lines_of(one)) for one in memory.shortcuts)
    return (
        *_initial_lessons("tip", memory.tip_ids, memory.tips),
        *_initial_lessons("shortcut", memory.shortcut_ids, shortcuts),
        *_taught_lessons(episode),
    )


def _taught_lessons(episode: RecordedEpisode) -> tuple[KnownLesson, ...]:
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
        text = "\n".join(lines_of(change.before if change.after is None else change.after))
        before = "\n".join(lines_of(change.before)) if change.way == "changed" else ""
        yield KnownLesson(id=change.id, kind=change.kind, text=text, before=before, way=change.way)


M = TypeVar("M", bound=BaseModel)


def _share_field_sets(models: Iterable[M]) -> tuple[M, ...]:
    """Return the same models, in which equal sets are one object.

    Only for frozen models: pydantic adds to the set of a model when a field of it is assigned.
    """
    shared: dict[frozenset[str], set[str]] = {}
    all_models = tuple(models)
    for model in all_models:
        _share(model, shared)
    return all_models


def _share(value: object, shared: dict[frozenset[str], set[str]]) -> None:
    if isinstance(value, BaseModel):
        names = value.model_fields_set
        object.__setattr__(value, "__pydantic_fields_set__", shared.setdefault(frozenset(names), names))
        for _, part in value:
            _share(part, shared)
    elif isinstance(value, tuple | list):
        for part in value:
            _share(part, shared)
    elif isinstance(value, dict):
        for part in value.values():
            _share(part, shared)


@dataclass(frozen=True, slots=True)
class EpisodeDigest:
    """Hold an episode without its prompts, replies and texts."""

    records: tuple[Record, ...]
    """The records of the journal, without what ``without_texts`` leaves out."""
    row: EpisodeRow
    marks: tuple[StepMark, ...]
    """The steps on the timeline, with times in Unix seconds."""
    apps: tuple[str, ...]
    """The apps that were in front, in the order in which they came."""
    app: str
    """The app that was in front at last; empty if unknown."""
    taught: tuple[KnownLesson, ...]
    failure: str
    """What was wrong at the step that failed first; empty if no step failed."""


def digest_episode(view: EpisodePage, records: Sequence[Record], keep_icons: bool = False) -> EpisodeDigest:
    """Reduce an episode. ``records``: all records of its journal. ``keep_icons``: keep the icons of its screens."""
    started, ended = view.started, view.ended
    failed_at = failure_step(view)
    shots = [step.screenshot for step in view.steps if step.screenshot is not None]
    row = EpisodeRow(
        id=started.episode,
        phone=started.serial,
        attempt=started.attempt,
        started_at=started.at,
        ended_at=ended.at if ended else None,
        ending=ended.ending if ended else None,
        steps=view.episode.steps,
        failure_step=failed_at,
        last_good_step=last_good_step(view, failed_at),
        last_screen=(ended.check_screen if ended else None) or (shots[-1].content_id if shots else None),
    )
    apps = tuple(dict.fromkeys(shot.app for shot in shots if shot.app))
    slim = _share_field_sets(without_texts(records, keep_icons))
    taught = _taught_lessons(view.episode)
    return EpisodeDigest(slim, row, step_marks(view), apps, last_app(view.steps), taught, explain_failure(view))


def without_texts(records: Iterable[Record], keep_icons: bool = False) -> Iterator[Record]:
    """Yield records without prompts, replies, thoughts and elements of screens: all that figures of a run need."""
    for record in records:
        update: dict[str, object] = {}
        if isinstance(record, StageRecord | Recalled | Learned | StatementJudged) and record.calls:
            nothing: dict[str, object] = {"request": {}, "reply": None}
            update["calls"] = tuple(call.model_copy(update=nothing) for call in record.calls)
        match record:
            case Perceived() | Restored():
                elements = [one for one in record.screen.elements if keep_icons and one.kind == "icon"]
                update["screen"] = record.screen.model_copy(update={"elements": tuple(elements)})
            case Planned():
                update["plan"] = record.plan.model_copy(update={"thought": "", "text": ""})
            case ActionDecided():
                update["decision"] = record.decision.model_copy(update={"thought": "", "expectation": ""})
            case Reflected():
                update["reflection"] = record.reflection.model_copy(update={"progress": ""})
            case NotesTaken():
                update["notes"] = record.notes.model_copy(update={"text": ""})
        yield record.model_copy(update=update) if update else record
