"""Answer as the learners: return what a script teaches, if the history in the prompt supports it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from manyhands.protocol.base import Outcome
from manyhands.protocol.roles.learners import (
    MOST_NEW_SHORTCUTS,
    LearnShortcutsReply,
    LearnTipsReply,
    ShortcutWritten,
    StepWritten,
)
from manyhands.protocol.roles.sections import HistoryLine, Section
from manyhands.simulator.rehearsal.planting import Planted, bad_shortcut, bad_tips
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.routines import Routine, RoutineStep
from manyhands.simulator.rehearsal.script import Scripts

_TAPS = ("Click_Text", "Click_Icon")
"""Actions that learners write in place of a tap, so that a shortcut fits phones of any size."""
_CLEAR = "clear"


def learn_tips(reading: Reading, scripts: Scripts, planted: Planted) -> LearnTipsReply:
    """Return the tips so far, and those tips of the goal's script that the history supports."""
    tips = list(reading.tips)
    script = scripts.for_goal(reading.text(Section.GOAL))
    done = reading.text(Section.HISTORY)
    new = [] if script is None else [one.say for one in script.lessons.tips if re.search(one.seen, done, re.DOTALL)]
    tips += [tip for tip in (*new, *bad_tips(planted)) if tip not in tips]
    return LearnTipsReply(tips="\n".join(f"{number}. {tip}" for number, tip in enumerate(tips, start=1)))


def learn_shortcuts(reading: Reading, scripts: Scripts, planted: Planted) -> LearnShortcutsReply:
    """Return the goal's routines that the history supports. Leave out routines that are known and have not failed."""
    script, found = scripts.for_goal(reading.text(Section.GOAL)), []
    clears = any(line.action is not None and line.action.get(_CLEAR) for line in reading.history)
    for known in script.lessons.routines if script is not None else ():
        routine = known if clears else _without_clear(known)
        failed = _has_failed(routine.name, reading.history)
        if (routine.name not in reading.shortcuts or failed) and is_borne_out(routine, reading.history):
            typed = [str(line.action["text"]) for line in reading.history if line.action and "text" in line.action]
            found.append(_written(*bad_shortcut(routine, planted, typed, failed)))
    return LearnShortcutsReply(shortcuts=found[:MOST_NEW_SHORTCUTS])


def _written(routine: Routine, precondition: str) -> ShortcutWritten:
    return ShortcutWritten(
        name=routine.name,
        arguments=list(routine.arguments),
        description=routine.description,
        precondition=precondition,
        atomic_action_sequence=[
            StepWritten(name=step.name, arguments_map=dict(step.arguments) or None) for step in routine.steps
        ],
    )


def _without_clear(routine: Routine) -> Routine:
    """Return a routine without ``clear``. In the paper, and in some profiles, typing cannot replace a field's text."""
    steps = (
        step.model_copy(update={"arguments": {key: one for key, one in step.arguments.items() if key != _CLEAR}})
        for step in routine.steps
    )
    return routine.model_copy(update={"steps": tuple(steps)})


def _has_failed(name: str, history: Sequence[HistoryLine]) -> bool:
    uses = [line for line in history if line.action is not None and line.action.get("shortcut") == name]
    return any(line.outcome is not Outcome.A for line in uses)


# ---------------------------------------------------------------------------- what a history bears out
def is_borne_out(routine: Routine, history: Sequence[HistoryLine]) -> bool:
    """Return whether these actions were done one right after another, each with verdict A."""
    return any(_runs(routine, history[first:]) for first in range(len(history)))


def _runs(routine: Routine, history: Sequence[HistoryLine]) -> bool:
    if len(history) < len(routine.steps):
        return False
    bound: dict[str, Any] = {}
    pairs = zip(routine.steps, history, strict=False)
    return all(
        line.outcome is Outcome.A and line.action is not None and _is(step, line.action, routine, bound)
        for step, line in pairs
    )


def _is(step: RoutineStep, did: Mapping[str, Any], routine: Routine, bound: dict[str, Any]) -> bool:
    """Return whether an action is a step of a routine. Any tap matches a step that taps.

    ``bound``: the values of the routine's arguments so far. An argument must have the same value in all steps.
    """
    if step.name in _TAPS:
        return did.get("name") == "Tap"
    if step.name != did.get("name"):
        return False
    for parameter, value in step.arguments.items():
        given = did.get(parameter)
        if value in routine.arguments:
            if bound.setdefault(value, given) != given:
                return False
        elif str(given).casefold() != value.casefold():
            return False
    return True
