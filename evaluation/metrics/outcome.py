"""Metrics of what came of a task. Each returns what one task adds to the figure."""

from __future__ import annotations

from manyhands.evaluation.metrics.case import Case
from manyhands.evaluation.metrics.exits import EXITS
from manyhands.evaluation.metrics.figure import Missing, Part
from manyhands.protocol.actions import Stop

NOT_JUDGED = "nobody judged whether the task is done"
UNNAMED = "no rubric names the human operation that brings it about"
NO_OPERATIONS = "the task lists no human operations"
NO_RUBRICS = "the task has no rubrics"


def success(case: Case) -> Part | Missing:
    """Return SU (Mobile-Agent, section 3.1), of which the mean is SR (Mobile-Agent-v2, section 4.2).

    SU = 1 if the instruction is done, else 0; SR = instructions done / instructions.
    """
    done = case.said.success
    return Missing(NOT_JUDGED) if done is None else Part(float(done))


def completion(case: Case) -> Part | Missing:
    """Return CR (Mobile-Agent, section 3.1; Mobile-Agent-v2, section 4.2).

    CR = human operations that the agent completed / human operations; 1 if the instruction is done. By the phone's
    state an operation is completed if the rubrics hold that name it (``state_says``).
    """
    total, said = len(case.task.human_operations), case.said
    if not total:
        return Missing(NO_OPERATIONS)
    if said.success is None:
        return Missing(NOT_JUDGED)
    if said.success:
        return Part(total, total)
    if set(said.operations) != set(range(total)):
        # Done tasks count as 1, so without those that are not done the mean would say nothing.
        return Missing(f"{UNNAMED}, or nobody judged the operations", spoils=True)
    return Part(sum(said.operations.values()), total)


def satisfaction(case: Case) -> Part | Missing:
    """Return SS (Mobile-Agent-E, section 4.2): rubrics fulfilled / rubrics."""
    fulfilled = fulfilled_after(case)
    return fulfilled if isinstance(fulfilled, Missing) else Part(len(fulfilled), len(case.task.rubrics))


def fulfilled_after(case: Case) -> list[int] | Missing:
    """Return the steps after which rubrics were fulfilled, one for each that was."""
    names = {rubric.name for rubric in case.task.rubrics}
    if not names:
        return Missing(NO_RUBRICS)
    if set(case.said.rubrics) != names:
        return Missing("nobody judged all rubrics")
    return sorted(step for step in case.said.rubrics.values() if step is not None)


def agent_steps(case: Case) -> Part | Missing:
    """Return the first number of RE (Mobile-Agent, section 3.1): steps of the agent, its Stop not counted."""
    if not case.task.human_operations:
        return Missing(NO_OPERATIONS)
    stops = sum(isinstance(decision.action, Stop) for decision in case.decisions.values())
    return Part(max(0, case.episode.steps - stops))


def human_steps(case: Case) -> Part | Missing:
    """Return the second number of RE (Mobile-Agent, section 3.1): operations of a human."""
    operations = len(case.task.human_operations)
    return Part(operations) if operations else Missing(NO_OPERATIONS)


def termination_error(case: Case) -> Part | Missing:
    """Return TE (Mobile-Agent-E, section 4.2): tasks that end otherwise than by the agent's own stop / tasks.

    Otherwise: the limit of steps (40), 3 errors in a row, the same action (Swipe and Back excepted) more than 3 times
    in a row, any other error. ``EXITS`` maps our endings.
    """
    return Part(float(EXITS[case.episode.ending] == "error"))
