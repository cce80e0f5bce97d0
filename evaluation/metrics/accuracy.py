"""Metrics of single decisions and verdicts, which a person or a model judges."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.evaluation.metrics.case import Case
from manyhands.evaluation.metrics.figure import Missing, Part

NOT_JUDGED = "nobody judged all {what}; manyhands suite judge opens a page for that"


def decisions(case: Case) -> Part | Missing:
    """Return PS, as the mean over tasks, and DA, over all decisions.

    PS (Mobile-Agent, section 3.1) = right steps / steps of an instruction. DA (Mobile-Agent-v2, section 4.2) = right
    decisions / decisions. A reply without an action is a wrong decision that nobody needs to judge.
    """
    invalid = {step: False for step, decision in case.decisions.items() if decision.action is None}
    return _share({**invalid, **case.said.actions}, case.decisions, "decisions")


def actions(case: Case) -> Part | Missing:
    """Return AA (Mobile-Agent-E, section 4.2): right actions / actions. A reply without an action is none."""
    acted = {step for step, decision in case.decisions.items() if decision.action is not None}
    said = {step: right for step, right in case.said.actions.items() if step in acted}
    return _share(said, dict.fromkeys(acted), "actions")


def reflections(case: Case) -> Part | Missing:
    """Return RA (Mobile-Agent-v2 and Mobile-Agent-E, section 4.2): right verdicts / verdicts."""
    if not case.verdicts:
        return Missing("the agent gave no verdict")
    return _share(case.said.reflections, case.verdicts, "verdicts")


def _share(said: Mapping[int, bool], there: Mapping[int, object], what: str) -> Part | Missing:
    if not there:
        return Missing(f"there were no {what}")
    if set(said) != set(there):
        return Missing(NOT_JUDGED.format(what=what))
    return Part(sum(said.values()), len(there))
