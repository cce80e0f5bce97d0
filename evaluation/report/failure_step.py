"""Find the step at which a person should begin to look for why an episode failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manyhands.evaluation.episode_view import EpisodeView, StepView
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.runs.results import is_done
from manyhands.protocol.screens.actions import Back, Home, Type


def has_episode_failed(view: EpisodeView) -> bool:
    """Return whether an episode did not do its task, for whatever reason. One that was cancelled has not failed."""
    ended = view.ended
    if ended is None:
        return True
    if ended.ending is Ending.CANCELLED:
        return False
    return not is_done(ended.ending, ended.verified, view.started.task.check is not None, ended.answered)


def last_good_step(view: EpisodeView, before: int | None = None) -> int | None:
    """Return the last step whose action was as expected; None if there is none. ``before``: only earlier steps."""
    good = [step.number for step in view.steps if _is_good(step) and (before is None or step.number < before)]
    return good[-1] if good else None


def failure_step(view: EpisodeView) -> int | None:
    """Return the step at which to begin looking; None if the episode did not fail, or has no step.

    After the last progress, this is the first step that went wrong: its action led to a wrong page or changed nothing,
    it was not done, the model gave none, or a stage failed. If no step went wrong but the check does not hold, it is
    the step that typed a text which the check misses. Else it is the last step.
    """
    if not view.steps or not has_episode_failed(view):
        return None
    progress = _last_progress(view.steps)
    wrong = [step for step in view.steps if step.number > progress and _is_wrong(step)]
    suspect = wrong[0] if wrong else _typed_in_vain(view) or view.steps[-1]
    return suspect.number


def step_problems(step: StepView) -> Iterator[str]:
    """Yield what was wrong at a step."""
    yield from filter(None, (step.problem, step.decision.problem if step.decision else None))
    if step.reflection and step.reflection.error:
        yield step.reflection.error
    yield from (f"{failure.stage}: {failure.error}" for failure in step.failures)


def explain_failure(view: EpisodeView) -> str:
    """Return which step failed first, its action and what was wrong; empty without such a step."""
    at = failure_step(view)
    for step in view.steps:
        problem = next(step_problems(step), "")
        if step.number == at and problem:
            return f"step {step.number}, {step.action or 'no action'}: {problem}"
    return ""


def _last_progress(steps: Sequence[StepView]) -> int:
    """Return the last step that brought the task forward; -1 if none did.

    An action that was as expected is no progress if it only goes back after a wrong one, or if it was done before: an
    agent that makes the same mistake again and again does both in between.
    """
    last, earlier_actions, went_wrong = -1, set[str](), False
    for step in steps:
        returns = went_wrong and bool(step.atoms) and all(isinstance(atom, Back | Home) for atom in step.atoms)
        if _is_good(step) and not returns and step.action not in earlier_actions:
            last, went_wrong = step.number, False
        elif _is_wrong(step):
            went_wrong = True
        earlier_actions.add(step.action)
    return last


def _is_good(step: StepView) -> bool:
    return step.reflection is not None and step.reflection.outcome is Outcome.A and step.problem is None


def _is_wrong(step: StepView) -> bool:
    reflection, decision = step.reflection, step.decision
    judged_wrong = reflection is not None and reflection.outcome is not Outcome.A
    undecided = decision is not None and decision.problem is not None
    return judged_wrong or undecided or step.problem is not None or bool(step.failures)


def _typed_in_vain(view: EpisodeView) -> StepView | None:
    """Return the last step that typed a text which the check expected and did not find."""
    unmet = view.ended.unmet if view.ended else ()
    for step in reversed(view.steps):
        typed = [atom.text.strip() for atom in step.atoms if isinstance(atom, Type)]
        if any(text and text in test.expected and text not in test.found for text in typed for test in unmet):
            return step
    return None


def last_app(steps: Sequence[StepView]) -> str:
    """Return the app that was in front at last; empty if it is unknown."""
    apps = [step.screenshot.app for step in steps if step.screenshot is not None and step.screenshot.app]
    return apps[-1] if apps else ""
