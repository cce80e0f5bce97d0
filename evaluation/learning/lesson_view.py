"""Prepare an episode's memory for pages: the tips and shortcuts that it was given, used and taught."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.learning.figures import learned_in
from manyhands.evaluation.learning.shortcut_uses import Use, is_new, uses_of
from manyhands.protocol.lessons import Change, LessonTaken
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.records import Learned, Recalled

Sign = Literal["+", "-", " "]


@dataclass(frozen=True)
class KnownLine:
    """Hold a tip or a shortcut that an episode was given."""

    id: str
    text: str
    new: bool
    """Whether the fleet learned it; false if it is initial."""


@dataclass(frozen=True)
class Difference:
    """Hold the line diff of a tip or a shortcut that a lesson changed."""

    id: str
    way: Literal["added", "changed", "removed"]
    lines: tuple[tuple[Sign, str], ...]


@dataclass(frozen=True)
class EpisodeLessons:
    """Hold the lessons of an episode for a page."""

    tips: tuple[KnownLine, ...]
    shortcuts: tuple[KnownLine, ...]
    left_out: int
    """How many tips and shortcuts of its scopes the episode was not given."""
    recall: tuple[ModelCall, ...]
    uses: tuple[Use, ...]
    differences: tuple[Difference, ...]
    learned: Learned | None
    """None if no learner was asked."""


def lessons_of(episode: RecordedEpisode) -> EpisodeLessons:
    """Return the lessons of an episode for a page."""
    memory, learned = episode.started.memory, learned_in(episode)
    recalled = [record for record in episode.records if isinstance(record, Recalled)]
    return EpisodeLessons(
        tips=tuple(_known(memory.tip_ids, memory.tips)),
        shortcuts=tuple(_known(memory.shortcut_ids, ("\n".join(lines_of(one)) for one in memory.shortcuts))),
        left_out=sum(record.left_out for record in recalled),
        recall=tuple(call for record in recalled for call in record.calls),
        uses=tuple(uses_of(episode)),
        differences=() if learned is None or learned.taken is None else tuple(_differences(learned.taken)),
        learned=learned,
    )


def lines_of(said: Shortcut | str | None) -> Sequence[str]:
    """Return a tip or a shortcut as lines for people; no lines for None."""
    if said is None:
        return ()
    if isinstance(said, str):
        return (said,)
    steps = [
        f"{number}. {step.name} {', '.join(f'{name}={value}' for name, value in step.arguments_map.items())}".rstrip()
        for number, step in enumerate(said.steps, start=1)
    ]
    when = f"When: {said.precondition}" if said.precondition else ""
    head = f"{said.name}({', '.join(said.arguments)})"
    return tuple(line for line in (head, said.description, when, *steps) if line)


def difference(change: Change) -> Difference:
    """Return the lines that a change removed, added and kept."""
    before, after = lines_of(change.before), lines_of(change.after)
    lines = list[tuple[Sign, str]]()
    for what, from_, to, start, end in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if what == "equal":
            lines += ((" ", line) for line in before[from_:to])
        else:
            lines += (("-", line) for line in before[from_:to])
            lines += (("+", line) for line in after[start:end])
    way: Literal["added", "changed", "removed"] = "added" if not before else "changed" if after else "removed"
    return Difference(change.id, way, tuple(lines))


def _differences(taken: LessonTaken) -> Iterator[Difference]:
    """Yield the line diff of each change. For an older journal, which lacks texts, yield diffs without lines."""
    if taken.changes:
        yield from map(difference, taken.changes)
        return
    yield from (Difference(id, "added", ()) for id in taken.added)
    yield from (Difference(id, "changed", ()) for id in taken.changed)
    yield from (Difference(id, "removed", ()) for id in taken.removed)


def _known(ids: Iterable[str], texts: Iterable[str]) -> Iterator[KnownLine]:
    for id, text in zip_longest(ids, texts, fillvalue=""):
        if text:
            yield KnownLine(id, text, is_new(id))
