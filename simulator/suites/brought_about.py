"""Find the reference operation after which each rubric of a suite holds, and write it into the suite as ``by``.

    python -m manyhands.simulator.suites.brought_about simulator/suites/everyday.yaml

This command plays the operations of every task on a virtual phone and asks the rubrics after each operation. Rubrics
that hold from the start get no ``by``. A rubric that several tasks share gets a ``by`` only if its operation has the
same number in all of them. The rest of the file stays unchanged. The metric "completion rate by the phone's state"
needs ``by`` (docs/metrics.md).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.predicates import holds
from manyhands.protocol.tasks.task import TaskSpec, parse_tasks
from manyhands.protocol.utilities.yaml_document import read_yaml
from manyhands.simulator.serving.command_line import refuse
from manyhands.simulator.suites.play import CannotPlay, PlayedPhone

SIZE = (540, 1200)
_BY = re.compile(r"by: \d+, ")
Place = tuple[int, int]
"""A line and a column of a file, both counted from 0."""


def brought_about(task: TaskSpec, size: tuple[int, int] = SIZE) -> dict[str, int]:
    """Return, by rubric, the number (from 1) of the operation after which the rubric first holds.

    Rubrics that hold before the first operation, and rubrics that never hold, are missing.
    """
    played = PlayedPhone(task.reset_seed or 0, *size)
    held = _held(task, played)
    found: dict[str, int] = {}
    for number, operation in enumerate(task.human_operations, 1):
        played.play(operation)
        now = _held(task, played)
        found |= {name: number for name in now if name not in found and name not in held}
    return found


def _held(task: TaskSpec, played: PlayedPhone) -> list[str]:
    state = played.phone.state()
    return [rubric.name for rubric in task.rubrics if rubric.holds is not None and holds(rubric.holds, state)]


def with_operations(text: str, tasks: Iterable[TaskSpec]) -> str:
    """Return a suite's text with ``by`` in each rubric that an operation brings about. Raises CannotPlay."""
    places = _places(text)
    said: dict[Place, set[int | None]] = defaultdict(set)
    for task in tasks:
        by = brought_about(task)
        for rubric, place in zip(task.rubrics, places[task.id], strict=True):
            said[place].add(by.get(rubric.name))
    lines = text.splitlines(keepends=True)
    for (line, column), numbers in sorted(said.items(), reverse=True):
        before, after = lines[line][:column], _BY.sub("", lines[line][column:], count=1)
        (number,) = numbers if len(numbers) == 1 else (None,)
        lines[line] = f"{before}{'' if number is None else f'by: {number}, '}{after}"
    return "".join(lines)


def _places(text: str) -> dict[str, list[Place]]:
    """Return, by task, a place in the text for each rubric: that of the rubric's second key. ``by`` is written there.

    Each rubric must be a mapping on one line.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None
    found = {}
    for task in _of(root, "tasks").value:
        rubrics = _of(task, "rubrics").value
        found[_of(task, "id").value] = [
            (rubric.value[1][0].start_mark.line, rubric.value[1][0].start_mark.column) for rubric in rubrics
        ]
    return found


def _of(mapping: yaml.Node, key: str) -> yaml.Node:
    node: yaml.Node = next(value for name, value in mapping.value if name.value == key)
    return node


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return the exit code: 0 written, 2 bad input."""
    parser = argparse.ArgumentParser(prog="python -m manyhands.simulator.suites.brought_about", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("suites", type=Path, nargs="+", metavar="SUITE")
    for path in parser.parse_args(arguments).suites:
        try:
            tasks = parse_tasks(read_yaml(path))
            path.write_text(with_operations(path.read_text(encoding="utf-8"), tasks), encoding="utf-8")
        except OSError as error:
            return refuse(BadInput(f"{path}: {error.strerror or error}"))
        except CannotPlay as error:
            return refuse(BadInput(f"{path}: {error}"))
        except BadInput as error:
            return refuse(error)
        sys.stdout.write(f"{path}: {len(tasks)} tasks\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
