"""Compute metrics of results: of whole tasks, and of single decisions and verdicts."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.evaluation.metrics.case import Case
from manyhands.evaluation.metrics.exits import EXITS
from manyhands.evaluation.metrics.figure import Contribution, Missing
from manyhands.protocol.screens.actions import Stop

NOT_JUDGED = "nobody judged whether the task is done"
UNNAMED = "the task is not done, and it is not known which of a human's operations were completed"
NO_OPERATIONS = "the task lists no human operations"
NO_RUBRICS = "the task has no rubrics"


def success(case: Case) -> Contribution | Missing:
    """Return SU (Mobile-Agent, section 3.1). Its mean is SR (Mobile-Agent-v2, section 4.2).

    SU = 1 if the instruction is done, else 0; SR = instructions done / instructions.
    """
    is_success = case.judgement.success
    return Missing(NOT_JUDGED) if is_success is None else Contribution(float(is_success))


def completion(case: Case) -> Contribution | Missing:
    """Return CR (Mobile-Agent, section 3.1; Mobile-Agent-v2, section 4.2).

    CR = human operations that the agent completed / human operations; 1 if the instruction is done. By the phone's
    state, rubrics tell which operations are completed (``state_says``).
    """
    total, judgement = case.task.human_count, case.judgement
    if not total:
        return Missing(NO_OPERATIONS)
    if judgement.success is None:
        return Missing(NOT_JUDGED)
    if judgement.success:
        return Contribution(total, total)
    if set(judgement.operations) != set(range(total)):
        return Missing(UNNAMED)
    return Contribution(sum(judgement.operations.values()), total)


def satisfaction(case: Case) -> Contribution | Missing:
    """Return SS (Mobile-Agent-E, section 4.2): rubrics fulfilled / rubrics."""
    fulfilled = fulfilled_after(case)
    return fulfilled if isinstance(fulfilled, Missing) else Contribution(len(fulfilled), len(case.task.rubrics))


def fulfilled_after(case: Case) -> list[int] | Missing:
    """Return the steps that fulfilled rubrics, one step for each fulfilled rubric."""
    names = {rubric.name for rubric in case.task.rubrics}
    if not names:
        return Missing(NO_RUBRICS)
    if set(case.judgement.rubrics) != names:
        return Missing("nobody judged all rubrics")
    return sorted(step for step in case.judgement.rubrics.values() if step is not None)


def agent_steps(case: Case) -> Contribution | Missing:
    """Return the first number of RE (Mobile-Agent, section 3.1): the agent's steps without its Stop."""
    if not case.task.human_count:
        return Missing(NO_OPERATIONS)
    stops = sum(isinstance(decision.action, Stop) for decision in case.decisions.values())
    return Contribution(max(0, case.episode.steps - stops))


def human_steps(case: Case) -> Contribution | Missing:
    """Return the second number of RE (Mobile-Agent, section 3.1): a human's operations."""
    operations = case.task.human_count
    return Contribution(operations) if operations else Missing(NO_OPERATIONS)


def termination_error(case: Case) -> Contribution | Missing:
    """Return TE (Mobile-Agent-E, section 4.2): tasks that do not end by the agent's own stop / tasks.

    Such ends are: the limit of steps (40), 3 errors in a row, the same action (Swipe and Back excepted) more than 3
    times in a row, any other error. ``EXITS`` maps our endings.
    """
    return Contribution(float(EXITS[case.episode.ending] == "error"))


ALL_NOT_JUDGED = "nobody judged all {what}; manyhands suite judge opens a page for that"


def decisions(case: Case) -> Contribution | Missing:
    """Return right decisions / decisions: PS as the mean over tasks, and DA over all decisions.

    PS (Mobile-Agent, section 3.1) = right steps / steps of an instruction. DA (Mobile-Agent-v2, section 4.2) = right
    decisions / decisions. A reply without an action is a wrong decision, and no judge is needed for it.
    """
    invalid = {step: False for step, decision in case.decisions.items() if decision.action is None}
    return _share({**invalid, **case.judgement.actions}, case.decisions, "decisions")


def actions(case: Case) -> Contribution | Missing:
    """Return AA (Mobile-Agent-E, section 4.2): right actions / actions. A reply without an action does not count."""
    acted = {step for step, decision in case.decisions.items() if decision.action is not None}
    judged = {step: right for step, right in case.judgement.actions.items() if step in acted}
    return _share(judged, dict.fromkeys(acted), "actions")


def reflections(case: Case) -> Contribution | Missing:
    """Return RA (Mobile-Agent-v2 and Mobile-Agent-E, section 4.2): the reflector's right verdicts / its verdicts."""
    by_model = {step: verdict for step, verdict in case.verdicts.items() if verdict.made_by == "model"}
    if not by_model:
        return Missing("the reflector gave no verdict")
    judged = {step: right for step, right in case.judgement.reflections.items() if step in by_model}
    return _share(judged, by_model, "verdicts of the reflector")


def all_reflections(case: Case) -> Contribution | Missing:
    """Return RA over all verdicts, including cheap verdicts, which no paper has."""
    if not case.verdicts:
        return Missing("the agent gave no verdict")
    return _share(case.judgement.reflections, case.verdicts, "verdicts")


def _share(judged: Mapping[int, bool], there: Mapping[int, object], what: str) -> Contribution | Missing:
    if not there:
        return Missing(f"there were no {what}")
    if set(judged) != set(there):
        return Missing(ALL_NOT_JUDGED.format(what=what))
    return Contribution(sum(judged.values()), len(there))
