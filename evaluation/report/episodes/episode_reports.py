"""Show an episode with all that its journal tells: what its page has, in a report and in the console."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import JsonValue

from manyhands.evaluation.episode_view import EpisodeView, StepView
from manyhands.evaluation.report.episodes.episode_answers import episode_status, episode_step
from manyhands.evaluation.report.episodes.episode_lessons import known_lessons, lesson_problem
from manyhands.evaluation.report.episodes.stage_bars import stage_bars
from manyhands.evaluation.report.episodes.step_calls import summarise_calls
from manyhands.protocol.journals.records import StatementJudged
from manyhands.protocol.reports.episode_report import (
    EpisodeReport,
    JudgeVerdict,
    ReadElement,
    ReportedStep,
    StageFinding,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import RunShortcut, Type
from manyhands.protocol.screens.screen import Element, Screenshot


def report_episode(view: EpisodeView, first_step: int = 0, *, has_log: bool = False) -> EpisodeReport:
    """Return an episode with its steps from ``first_step`` on, so that a page can follow it while it runs.

    ``has_log``: whether the phone's logcat was recorded beside the steps.
    """
    started, ended, task = view.started, view.ended, view.started.task
    steps = [step for step in view.steps if step.number >= first_step]
    return EpisodeReport(
        episode=episode_status(view),
        batch=started.batch,
        apps=task.apps,
        tags=task.tags,
        schedule=started.schedule,
        stage_order=started.stages,
        max_steps=task.limits.max_steps,
        first_step=first_step,
        steps=tuple(reported_step(view, step) for step in steps),
        judged=tuple(map(_verdict, view.judged)),
        check_screen=ended.check_screen if ended else None,
        unexpected_changes=(ended.unexpected_changes or ()) if ended else (),
        lessons=known_lessons(view.episode),
        lesson_problem=lesson_problem(view.episode),
        sizes={shot.content_id: (shot.size.width, shot.size.height) for shot in _screenshots(view, steps)},
        has_log=has_log,
    )


def reported_step(view: EpisodeView, step: StepView) -> ReportedStep:
    """Return a step with its elements, stages and model calls."""
    return ReportedStep(
        **dict(episode_step(view, step)),
        elements=tuple(map(_element, step.screen.elements)) if step.screen else (),
        stages=stage_bars(step),
        calls=summarise_calls(view, step),
        judged_by=_judged_by(step),
        rule=(step.reflection.check or "") if step.reflection else "",
        action_kind=_action_kind(step),
        typed_text="\n".join(atom.text for atom in step.atoms if isinstance(atom, Type)),
        by_person=step.person,
        wrong_page=step.wrong_page.content_id if step.wrong_page else None,
        went_back=step.restored.restored if step.restored else None,
        findings=stage_findings(step),
        rubrics_held=step.rubrics_held,
    )


def _judged_by(step: StepView) -> Literal["", "reflector", "agent", "rule"]:
    """Return who gave the verdict. A profile without a reflector lets the agent judge with its next action."""
    if step.reflection is None:
        return ""
    if step.reflection.made_by == "check":
        return "rule"
    has_reflector = any(call.role is Role.REFLECT for record in step.stages for call in record.calls)
    return "reflector" if has_reflector else "agent"


def _action_kind(step: StepView) -> str:
    """Return the name of a step's action. A person's action has no decision."""
    action = step.atoms[0] if step.person and step.atoms else step.decision.action if step.decision else None
    return action.shortcut if isinstance(action, RunShortcut) else action.name if action else ""


def _element(element: Element) -> ReadElement:
    box = element.box
    return ReadElement(
        kind=element.kind,
        content=element.content,
        x1=box.x1,
        y1=box.y1,
        x2=box.x2,
        y2=box.y2,
        source=element.source,
    )


def _verdict(judged: StatementJudged) -> JudgeVerdict:
    screens = tuple(shot.content_id for shot in judged.screens)
    return JudgeVerdict(statement=judged.statement, verdict=judged.verdict, reason=judged.reason, screens=screens)


def _screenshots(view: EpisodeView, steps: Iterable[StepView]) -> Iterable[Screenshot]:
    for step in steps:
        yield from (shot for shot in (step.screenshot, step.wrong_page) if shot is not None)
    for judged in view.judged:
        yield from judged.screens


def stage_findings(step: StepView) -> tuple[StageFinding, ...]:
    """Return what the stages of a step found that have no record of their own."""
    return tuple(
        StageFinding(stage=one.stage, text=describe_data(one.data, "; "), is_problem=bool(one.data.get("problem")))
        for one in step.results
    )


def describe_data(value: JsonValue, between: str = ", ") -> str:
    """Return JSON in words: ``kind: text; found: 2; complete: no``."""
    if isinstance(value, dict):
        parts = [f"{name}: {describe_data(one)}" for name, one in value.items() if one is not None and one != ""]
        return between.join(parts)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return between.join(map(describe_data, value))
    return "" if value is None else str(value)
