"""Measure how far tasks on virtual phones cover the papers' instructions, and count instructions, apps and rubrics.

``make suites`` writes the counts into docs/suites.md. A test checks that the page is up to date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from manyhands.evaluation.published import SuiteSize
from manyhands.evaluation.suites.instructions import AppKind, Instruction, InstructionSet
from manyhands.evaluation.suites.reading import papers_sets
from manyhands.protocol.tasks.task import parse_tasks
from manyhands.protocol.tasks.variables import PLACEHOLDER
from manyhands.protocol.utilities.yaml_document import read_yaml

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


def _kind_name(kind: AppKind) -> str:
    """Return a kind of app in words."""
    return kind.value.replace("_", " ")


def fate(one: Instruction) -> str:
    """Return in words whether an instruction has a task on virtual phones."""
    if one.task is not None:
        return f"is played by {one.task}"
    return f"waits for {' and '.join(map(_kind_name, one.waits_for))}" if one.waits_for else "has no task"


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


_MADE = re.compile(r"(<!-- suites -->\n).*(<!-- end -->)", re.DOTALL)


def page(text: str, sets: Sequence[InstructionSet], goals: Mapping[str, str]) -> str:
    """Return the page with new content between its marks. ``goals`` are the goals of tasks by id."""
    return _MADE.sub(lambda match: match[1] + "\n".join(_rows(sets, goals)) + "\n" + match[2], text)


def _rows(sets: Sequence[InstructionSet], goals: Mapping[str, str]) -> Iterator[str]:
    from manyhands.evaluation.markup import table  # imported late: Jinja and Pillow take long to load

    everything = [one for printed in sets for one in printed.instructions]
    yield from table(
        ("suite", "instructions", "from", "word for word", "other contents", "another task", "wait for apps"),
        (
            *(
                (f"`{printed.name}`", *_counted(printed.instructions, goals, f"{printed.title}: {printed.source}"))
                for printed in sets
            ),
            ("all", *_counted(everything, goals, "")),
        ),
    )
    waiting = Counter(kind for one in everything for kind in one.waits_for)
    several = sum(len(one.waits_for) > 1 for one in everything)
    kinds = ", ".join(f"{_kind_name(kind)} ({count})" for kind, count in waiting.most_common())
    yield f"\nThey wait for {kinds}; {several} of them for two kinds.\n"
    yield from table(
        ("suite", "rubrics in the goals' words", "ours", "human operations that the paper counts"),
        ((f"`{printed.name}`", *_judged(printed.instructions)) for printed in sets if _has_rubrics(printed)),
    )


def _has_rubrics(printed: InstructionSet) -> bool:
    return any(one.rubrics for one in printed.instructions)


def _counted(instructions: Sequence[Instruction], goals: Mapping[str, str], source: str) -> tuple[str, ...]:
    waits = count_fates(instructions)["waits"]
    return (str(len(instructions)), source, *map(str, count_wordings(instructions, goals).values()), str(waits))


def _judged(instructions: Sequence[Instruction]) -> tuple[str, ...]:
    origins = Counter(rubric.origin for one in instructions for rubric in one.rubrics)
    steps = sum(one.human_steps or 0 for one in instructions)
    return (*(str(origins[origin]) if origins[origin] else "none" for origin in ("goal", "ours")), str(steps or "none"))


def read_goals(folder: Path) -> dict[str, str]:
    """Return the goals of the tasks in a folder of suites, by the tasks' ids. Raises BadInput."""
    paths = (path for path in sorted(folder.glob("*.yaml")) if path.stem.isidentifier())
    return {task.id: task.goal for path in paths for task in parse_tasks(read_yaml(path))}


def write(root: Path) -> None:
    """Write the page of a checkout."""
    path = root / "docs" / "suites.md"
    goals = read_goals(root / "simulator" / "suites")
    path.write_text(page(path.read_text(encoding="utf-8"), papers_sets(), goals), encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).resolve().parents[2])
