"""Make the part of docs/suites.md that comes from data: the counts of instructions, kinds of apps and rubrics.

``make suites`` writes it. A test checks that it is up to date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from manyhands.evaluation.markup import table
from manyhands.evaluation.suites.coverage import count_fates, count_wordings, kind_name
from manyhands.evaluation.suites.instructions import Instruction, InstructionSet
from manyhands.evaluation.suites.reading import papers_sets
from manyhands.protocol.tasks.task import parse_tasks
from manyhands.protocol.utilities.yaml_document import read_yaml

_MADE = re.compile(r"(<!-- suites -->\n).*(<!-- end -->)", re.DOTALL)


def page(text: str, sets: Sequence[InstructionSet], goals: Mapping[str, str]) -> str:
    """Return the page with new content between its marks. ``goals`` are the goals of tasks by id."""
    return _MADE.sub(lambda match: match[1] + "\n".join(_rows(sets, goals)) + "\n" + match[2], text)


def _rows(sets: Sequence[InstructionSet], goals: Mapping[str, str]) -> Iterator[str]:
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
    kinds = ", ".join(f"{kind_name(kind)} ({count})" for kind, count in waiting.most_common())
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
