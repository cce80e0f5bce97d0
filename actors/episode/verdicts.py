"""Verdicts that need no model, by stated rules. They say so (``made_by="check"``)."""

from __future__ import annotations

from actors.episode.state import StepState
from protocol.actions import UNTOUCHING, Action, Answer
from protocol.base import Outcome
from protocol.messages import Reflection

LIKELY_REASONS = {
    "Open_App": "The app may be in front already.",
    "Tap": "Nothing at that place may react to a tap, or it may need longer to react.",
    "Long_Press": "Nothing at that place may react to a long press.",
    "Swipe": "The end may be reached, or nothing scrolls where the swipe began.",
    "Type": "No text field may have the focus, or the text was there already.",
    "Enter": "No text field that takes Enter may have the focus.",
    "Switch_App": "The app switcher may be open already.",
    "Back": "There may be nothing to go back to.",
    "Home": "The home screen may be shown already.",
    "Shortcut": "Its precondition may not hold on this screen.",
}
"""Why an action may have changed no pixel, by its name."""
CHANGED_BY_ITSELF = "Nothing was sent to the phone, but the screen has changed by itself since."


def failed(error: str, before: StepState, after: StepState, progress: str) -> Reflection:
    """The verdict on an action that is known to have failed: C if it changed nothing, otherwise B.

    What changed after a step that never touched the phone was not changed by it.
    """
    same = same_pixels(before, after)
    if before.untouched and not same:
        error = f"{error} {CHANGED_BY_ITSELF}"
    outcome = Outcome.C if same or before.untouched else Outcome.B
    return Reflection(outcome=outcome, error=error, progress=progress, made_by="check")


def without_model(before: StepState, after: StepState, progress: str, cheap: bool) -> Reflection | None:
    """The verdict on the action of ``before`` that led to the screen of ``after``, if none has to be asked for.

    - An action with a problem failed, for that reason.
    - An answer to the user is as expected: it touches nothing, and was recorded.
    - Where ``cheap`` allows it: an action that touches the phone and changed not a single pixel is outcome C.
    """
    if before.acted is not None and before.acted.problem is not None:
        return failed(before.acted.problem, before, after, progress)
    action = before.decision.action if before.decision is not None else None
    if isinstance(action, Answer):
        said = f"{progress} " if progress else ""
        return Reflection(
            outcome=Outcome.A, error="", progress=f"{said}The user was told: {action.text}", made_by="check"
        )
    if cheap and action is not None and not isinstance(action, UNTOUCHING) and same_pixels(before, after):
        return Reflection(outcome=Outcome.C, error=_nothing_changed(action, before), progress=progress, made_by="check")
    return None


def same_pixels(before: StepState, after: StepState) -> bool:
    if before.screenshot is None or after.screenshot is None:
        return False
    return before.screenshot.content_id == after.screenshot.content_id


def _nothing_changed(action: Action, step: StepState) -> str:
    reason = LIKELY_REASONS[action.name]
    if any(receipt.status == "unknown" for receipt in step.receipts) or len(step.receipts) < len(step.sent):
        reason = "The action may not have reached the phone."
    return f"Nothing on the screen changed. {reason}"
