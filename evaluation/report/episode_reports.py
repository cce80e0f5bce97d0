"""Show an episode, its steps and their model calls, from its journal: for reports, the service and the console."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from manyhands.evaluation.episode_view import EpisodePage, StepView
from manyhands.evaluation.report.episode_digest import known_lessons, lesson_problem
from manyhands.evaluation.report.run_timeline import stage_bars
from manyhands.protocol.episode_report import (
    CallContent,
    CallSummary,
    EpisodeReport,
    JudgeVerdict,
    ReadElement,
    ReportedStep,
    StageFinding,
    StepCalls,
)
from manyhands.protocol.journals.records import Learned, Recalled, StageDropped, StatementJudged
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import RunShortcut, Type
from manyhands.protocol.screens.screen import Element, Screenshot
from manyhands.protocol.service.episodes import EpisodeStatus, EpisodeStep, ScreenTouch

RECALL, LEARN, JUDGE = "recall", "learn", "judge"
"""What stands in place of a stage for calls before the first step, and after the last one."""


@dataclass(frozen=True, slots=True)
class StepCall:
    """Hold a model call with its place in a step."""

    number: int
    stage: str
    call: ModelCall
    is_dropped: bool


def _calls_in_step(view: EpisodePage, step: StepView) -> tuple[StepCall, ...]:
    """Return the calls of a step in the order of their starts.

    Calls that chose the episode's tips and shortcuts are in the first step. Those that judged its check, and those that
    learned from it, are in the last step.
    """
    calls = [(record.stage, call, isinstance(record, StageDropped)) for record in step.stages for call in record.calls]
    calls += ((stage, call, False) for stage, call in _calls_beside(view, step))
    calls.sort(key=lambda one: one[1].started_at)
    return tuple(StepCall(number, *one) for number, one in enumerate(calls))


def _summarise_calls(view: EpisodePage, step: StepView) -> tuple[CallSummary, ...]:
    """Return the calls of a step without their texts."""
    return tuple(_summary(one) for one in _calls_in_step(view, step))


def step_calls(view: EpisodePage, step: StepView) -> StepCalls:
    """Return what the calls of a step sent and received."""
    contents = (
        CallContent(number=one.number, request=one.call.request, reply=one.call.reply)
        for one in _calls_in_step(view, step)
    )
    return StepCalls(step=step.number, calls=tuple(contents))


def _summary(one: StepCall) -> CallSummary:
    call = one.call
    return CallSummary(
        number=one.number,
        stage=one.stage,
        role=call.role,
        server=call.server,
        model=str(call.request.get("model") or ""),
        started_at=call.started_at,
        latency_ms=call.latency_ms,
        queue_ms=call.queue_ms,
        input_tokens=call.usage.input_tokens,
        output_tokens=call.usage.output_tokens,
        cached_tokens=call.usage.cached_tokens,
        attempts=call.attempts,
        is_repair=call.repair,
        is_dropped=one.is_dropped,
        error=call.error,
    )


def _calls_beside(view: EpisodePage, step: StepView) -> Iterator[tuple[str, ModelCall]]:
    """Yield the calls that no stage of a step made."""
    first, last = step is view.steps[0], step is view.steps[-1]
    for record in view.episode.records:
        match record:
            case Recalled() if first:
                yield from ((RECALL, call) for call in record.calls)
            case StatementJudged() if last:
                yield from ((JUDGE, call) for call in record.calls)
            case Learned() if last:
                yield from ((LEARN, call) for call in record.calls)


def episode_status(view: EpisodePage) -> EpisodeStatus:
    """Return an episode as the service shows it."""
    started, ended = view.started, view.ended
    return EpisodeStatus(
        id=started.episode,
        task=started.task.id,
        goal=started.task.goal,
        attempt=started.attempt,
        phone=started.serial,
        profile=started.profile,
        started_at=started.at,
        ended_at=ended.at if ended else None,
        ending=ended.ending if ended else None,
        reason=ended.explanation if ended else None,
        steps=ended.steps if ended else sum(bool(step.action) and not step.person for step in view.steps),
        verified=ended.verified if ended else None,
        verified_by=ended.verified_by if ended else None,
        unmet=ended.unmet if ended else (),
        answer=ended.answer if ended else None,
        answer_data=ended.answer_data if ended else None,
        resumed=sum(len(step.resumed) for step in view.steps),
        damaged=view.damaged,
    )


def episode_step(view: EpisodePage, step: StepView) -> EpisodeStep:
    """Return a step of an episode as the service shows it."""
    shot, after = step.screenshot, view.after(step)
    decision, reflection = step.decision, step.reflection
    return EpisodeStep(
        step=step.number,
        person=step.person,
        screen=shot.content_id if shot else None,
        width=shot.size.width if shot else None,
        height=shot.size.height if shot else None,
        taken_at=shot.taken_at if shot else None,
        app=shot.app if shot else None,
        texts=tuple(one.content for one in step.screen.elements if one.content) if step.screen else (),
        plan=step.plan.text if step.plan else "",
        subgoal=step.plan.subgoal.text if step.plan else "",
        thought=decision.thought if decision else "",
        action=step.action,
        expectation=decision.expectation if decision else "",
        touches=tuple(ScreenTouch.model_validate(touch) for touch in step.touches),
        problem=step.problem or (decision.problem if decision else None),
        outcome=reflection.outcome if reflection else None,
        error=reflection.error if reflection else "",
        progress=reflection.progress if reflection else "",
        notes=step.notes.text if step.notes else "",
        screen_after=after.content_id if after else None,
        times_ms=step.times_ms,
        model_calls=len(step.calls),
        input_tokens=sum(call.usage.input_tokens for call in step.calls),
        output_tokens=sum(call.usage.output_tokens for call in step.calls),
        failures=tuple(f"{failure.stage}: {failure.error}" for failure in step.failures),
        resumed=tuple(resumed.cause for resumed in step.resumed),
    )


def report_episode(view: EpisodePage, first_step: int = 0, *, has_log: bool = False) -> EpisodeReport:
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
        steps=tuple(_reported_step(view, step) for step in steps),
        judged=tuple(map(_verdict, view.judged)),
        check_screen=ended.check_screen if ended else None,
        unexpected_changes=(ended.unexpected_changes or ()) if ended else (),
        lessons=known_lessons(view.episode),
        lesson_problem=lesson_problem(view.episode),
        sizes={shot.content_id: (shot.size.width, shot.size.height) for shot in _screenshots(view, steps)},
        has_log=has_log,
    )


def _reported_step(view: EpisodePage, step: StepView) -> ReportedStep:
    """Return a step with its elements, stages and model calls."""
    return ReportedStep(
        **dict(episode_step(view, step)),
        elements=tuple(map(_element, step.screen.elements)) if step.screen else (),
        stages=stage_bars(step),
        calls=_summarise_calls(view, step),
        judged_by=_judged_by(step),
        rule=(step.reflection.check or "") if step.reflection else "",
        action_kind=_action_kind(step),
        typed_text="\n".join(atom.text for atom in step.atoms if isinstance(atom, Type)),
        by_person=step.person,
        wrong_page=step.wrong_page.content_id if step.wrong_page else None,
        went_back=step.restored.restored if step.restored else None,
        findings=_stage_findings(step),
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


def _screenshots(view: EpisodePage, steps: Iterable[StepView]) -> Iterable[Screenshot]:
    for step in steps:
        yield from (shot for shot in (step.screenshot, step.wrong_page) if shot is not None)
    for judged in view.judged:
        yield from judged.screens


def _stage_findings(step: StepView) -> tuple[StageFinding, ...]:
    """Return what the stages of a step found that have no record of their own."""
    return tuple(
        StageFinding(stage=one.stage, text=_describe_data(one.data, "; "), is_problem=bool(one.data.get("problem")))
        for one in step.results
    )


def _describe_data(value: JsonValue, between: str = ", ") -> str:
    """Return JSON in words: ``kind: text; found: 2; complete: no``."""
    if isinstance(value, dict):
        parts = [f"{name}: {_describe_data(one)}" for name, one in value.items() if one is not None and one != ""]
        return between.join(parts)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return between.join(map(_describe_data, value))
    return "" if value is None else str(value)
