"""Find tasks whose selectors fit no phone, and say which labels there are instead. Pure."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.selectors import LabelTest, parse_selector, selects
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.terminal_text import count_noun

APP = "app:"
"""Begins the labels of apps, of which a phone has many."""
_SHOWN = 6
"""The most tasks, values and near names that a message shows."""


class SelectorMismatch(BadInput):
    """Signal that no phone of the run fits a task's selector. Nothing of the batch has started."""

    code = "selector_mismatch"


Labels = Mapping[str, Mapping[str, str]]
"""The labels of phones, by serial."""


def has_selectors(tasks: Iterable[TaskSpec]) -> bool:
    """Return whether a task chooses its phones."""
    return any(task.phones for task in tasks)


def explain_misfits(tasks: Sequence[TaskSpec], phones: Labels) -> str:
    """Return one message about all tasks that fit none of the phones; empty if there is no such task."""
    unfit: dict[str, list[str]] = {}
    for task in tasks:
        if task.phones and not any(selects(task.phones, labels) for labels in phones.values()):
            unfit.setdefault(task.phones, []).append(task.id)
    if not unfit:
        return ""
    explanations = [_explain(ids, selector, phones) for selector, ids in list(unfit.items())[:_SHOWN]]
    more = [f"and {count_noun(len(unfit) - _SHOWN, 'other selector')}"] if len(unfit) > _SHOWN else []
    return f"{'; '.join([*explanations, *more])}. Labels of these phones: {_label_names(phones)}"


def _explain(ids: Sequence[str], selector: str, phones: Labels) -> str:
    who = f"task {ids[0]}" if len(ids) == 1 else f"{count_noun(len(ids), 'task')} ({_some(ids)})"
    label_values = "; ".join(dict.fromkeys(_label_values(test, phones) for test in parse_selector(selector)))
    return f"{who}: phones {selector!r} fits no phone of this run ({label_values})"


def _label_values(test: LabelTest, phones: Labels) -> str:
    """Return which values phones have of the label that a test asks for."""
    values = Counter(labels[test.name] for labels in phones.values() if test.name in labels)
    if values:
        return f"{test.name} is {_some([_counted(value or 'unknown', count) for value, count in values.most_common()])}"
    near = difflib.get_close_matches(test.name, {name for labels in phones.values() for name in labels}, cutoff=0.75)
    return f"no phone has {test.name}" + (f", did you mean {' or '.join(near)}?" if near else "")


def _counted(value: str, count: int) -> str:
    return value if count == 1 else f"{value} on {count} phones"


def _label_names(phones: Labels) -> str:
    names = sorted({name for labels in phones.values() for name in labels})
    apps = sum(name.startswith(APP) for name in names)
    plain = [name for name in names if not name.startswith(APP)]
    return ", ".join([*plain, *([f"{APP}NAME ({apps} names)"] if apps else [])]) or "none"


def _some(words: Sequence[str]) -> str:
    return ", ".join([*words[:_SHOWN], *(["..."] if len(words) > _SHOWN else [])])
