"""Carry a task out once for each value of a phones' label: on every phone, every model, every version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.run_summary import TaskRow
from manyhands.protocol.tasks.repeats import change_task, repeat_id
from manyhands.protocol.tasks.selectors import join_selectors, parse_selector, selects
from manyhands.protocol.tasks.task import TaskSpec

R = TypeVar("R", bound=TaskRow)


def has_matrix(tasks: Sequence[TaskSpec]) -> bool:
    """Return whether a task is to be carried out once for each value of a label."""
    return any(task.matrix and not task.matrix_value for task in tasks)


def refuse_matrix(tasks: Sequence[TaskSpec]) -> None:
    """Raise BadInput for a task with a matrix, where nobody knows the phones that will carry it out."""
    if has_matrix(tasks):
        task = next(one for one in tasks if one.matrix and not one.matrix_value)
        raise BadInput(f"task {task.id}: a 'matrix' needs the phones of one run; give it to 'manyhands run'")


def expand_matrix(tasks: Sequence[TaskSpec], phones: Mapping[str, Mapping[str, str]]) -> tuple[TaskSpec, ...]:
    """Return each task with a ``matrix`` once for each value that its phones have of this label; others as they are.

    ``phones``: the labels of the run's phones, by serial. Raises BadInput if no phone that the task may have has such a
    label.
    """
    expanded: list[TaskSpec] = []
    for task in tasks:
        if not task.matrix or task.matrix_value:
            expanded.append(task)
            continue
        labels = [one for one in phones.values() if selects(task.phones, one)]
        values = sorted({one[task.matrix] for one in labels if one.get(task.matrix)})
        if not values:
            names = ", ".join(sorted({name for one in phones.values() for name in one if ":" not in name})) or "none"
            raise BadInput(f"task {task.id}: matrix {task.matrix!r}: no phone has this label; labels are {names}")
        expanded += (_of_value(task, number, value) for number, value in enumerate(values, 1))
    return tuple(expanded)


def group_values(rows: Iterable[R]) -> Mapping[tuple[str, str], Sequence[R]]:
    """Return the rows of the values of each task with a matrix, by the task's id and its label, in order."""
    groups: dict[tuple[str, str], list[R]] = {}
    for row in rows:
        if row.matrix_value:
            groups.setdefault((row.repeat_of or row.id, row.matrix), []).append(row)
    return groups


def _of_value(task: TaskSpec, number: int, value: str) -> TaskSpec:
    selector = f"{task.matrix}={value}"
    try:
        parse_selector(selector)
    except ValueError as error:
        raise BadInput(
            f"task {task.id}: matrix {task.matrix!r}: a phone's {value!r} cannot be chosen: {error}"
        ) from None
    changes = {
        "id": repeat_id(task.id, number),
        "repeat_of": task.id,
        "phones": join_selectors(task.phones, selector),
        "matrix_value": value,
    }
    return change_task(task, changes)
