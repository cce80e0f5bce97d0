"""Measure how far tasks on virtual phones cover the papers' instructions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum

from manyhands.evaluation.published import SuiteSize
from manyhands.evaluation.suites.instructions import AppKind, Instruction, InstructionSet
from manyhands.protocol.tasks.variables import PLACEHOLDER

_QUOTES_AND_BLANKS = re.compile(r"[\s\"'“”‘’]+")


class Wording(StrEnum):
    """Classify how close a task's goal is to the instruction that the task plays."""

    WORD_FOR_WORD = "word_for_word"
    """The instruction's own words, apart from case, quotes and blanks. Values that the paper leaves open may differ."""
    OTHER_CONTENTS = "other_contents"
    """The same request with other names of apps, contacts or notes."""
    OTHER_TASK = "other_task"
    """Another request: a part was added, left out or changed."""


def compare_wording(one: Instruction, goal: str) -> Wording:
    """Compare an instruction with the goal of its task."""
    if _folded(one.printed) == _folded(goal):
        return Wording.WORD_FOR_WORD
    if one.differs:
        return Wording.OTHER_TASK
    pieces = PLACEHOLDER.split(one.text)[::2]  # the items between these are names of variables
    same = re.fullmatch(".+".join(re.escape(_folded(piece)) for piece in pieces), _folded(goal))
    return Wording.WORD_FOR_WORD if same else Wording.OTHER_CONTENTS


def count_wordings(instructions: Iterable[Instruction], goals: Mapping[str, str]) -> Counter[str]:
    """Count the instructions that tasks play, by :class:`Wording`."""
    counts = Counter({each.value: 0 for each in Wording})
    counts.update(compare_wording(one, goals[one.task]).value for one in instructions if one.task is not None)
    return counts


def describe_wordings(counts: Mapping[str, int]) -> str:
    """Return the counts of :func:`count_wordings` in words."""
    return (
        f"{counts['word_for_word']} word for word, {counts['other_contents']} with other contents, "
        f"{counts['other_task']} by another task"
    )


def _folded(text: str) -> str:
    return _QUOTES_AND_BLANKS.sub("", text).casefold()


def kind_name(kind: AppKind) -> str:
    """Return a kind of app in words."""
    return kind.value.replace("_", " ")


def fate(one: Instruction) -> str:
    """Return in words whether an instruction has a task on virtual phones."""
    if one.task is not None:
        return f"is played by {one.task}"
    return f"waits for {' and '.join(map(kind_name, one.waits_for))}" if one.waits_for else "has no task"


def size_of(printed: InstructionSet) -> SuiteSize:
    """Return the size of a set, as Mobile-Agent-E's table 2 counts. An app is a row of the set's table, if it has rows.

    ``operations`` is None unless a human's operations are known for all instructions.
    """
    ones = printed.instructions
    apps = {one.row for one in ones if one.row and not one.is_multi_app} or {app for one in ones for app in one.apps}
    counts = [one.human_steps or len(one.human_operations) for one in ones]
    return SuiteSize(
        tasks=len(ones),
        multi_app=sum(one.is_multi_app for one in ones),
        apps=len(apps),
        operations=sum(counts) if all(counts) else None,
    )


def count_fates(instructions: Iterable[Instruction]) -> Counter[str]:
    """Count instructions by their coverage on virtual phones.

    ``waits``: needs an app that virtual phones lack. ``played``: has a task. ``content``: the virtual phone needed more
    content for it.
    """
    fates = Counter({"content": 0, "waits": 0, "played": 0})
    for one in instructions:
        fates["waits"] += bool(one.waits_for)
        fates["content"] += bool(one.content)
        fates["played"] += one.task is not None
    return fates
