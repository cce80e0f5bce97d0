"""Show episodes and steps as a service and reports show them, from the view of a journal."""

from __future__ import annotations

from manyhands.evaluation.episode_view import EpisodeView, StepView
from manyhands.protocol.service.episodes import EpisodeStatus, EpisodeStep, ScreenTouch


def episode_status(view: EpisodeView) -> EpisodeStatus:
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
        verified_by=ended.decided_by if ended else None,
        unmet=ended.unmet if ended else (),
        answer=ended.answer if ended else None,
        answer_data=ended.answer_data if ended else None,
        resumed=sum(len(step.resumed) for step in view.steps),
        damaged=view.damaged,
    )


def episode_step(view: EpisodeView, step: StepView) -> EpisodeStep:
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
