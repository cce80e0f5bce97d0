"""The verdict on an action: by a rule if one is certain, otherwise by a role that is asked.

A rule decides only if what the phone reports leaves no doubt. Its verdict has ``made_by="check"`` and the rule's name.
Otherwise the rule returns None, and the model is asked. docs/verdicts.md reports how often each rule is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import EpisodeState, StepState
from manyhands.actors.memory import ShortcutAction
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.journals.records import Record, Reflected, StageFailed
from manyhands.protocol.roles.requests import Reflection, Request
from manyhands.protocol.runs.episode_settings import CheapVerdict, EpisodeSettings
from manyhands.protocol.screens.actions import Action, Answer, AtomicAction, Home, OpenApp, Swipe, Tap, Type, Wait
from manyhands.protocol.screens.screen import Screenshot

CHANGED_BY_ITSELF = "Nothing was sent to the phone, but the screen has changed by itself since."
NOBODY_SAW = "Nobody saw the screen before this action, for its picture was lost. Look before going on."
LONGEST_PROGRESS = 2000
"""The most characters of the progress, as for a model's reply (``protocol.roles.replies``). The model must shorten a
longer one."""
LONGEST_QUOTE = 80
"""The most characters of a typed text that are quoted in the progress."""


async def give_verdict(
    context: StageContext, request: Callable[[], Request[Reflection]], progress: str | None
) -> tuple[Record, ...]:
    """Return the verdict on a(t): by a rule if one is certain, otherwise by a role.

    With ``paper_exact``, always by a role.

    ``request``: a question about s(t) and s(t+1). An interruption may have lost s(t). ``progress``: what was achieved
    so far; None if verdicts do not record it. After an invalid reply the step counts as failed, and the acting role is
    shown the reason. Raises ModelUnreachable, ModelRefused, CallError; with ``paper_exact`` ReplyUnusable.
    """
    runtime, state, step = context.runtime, context.state, context.step
    before, after, so_far = state.step(step), state.step(step + 1), progress or ""
    exact = runtime.settings.paper_exact
    by_rule = None if exact else without_model(before, after, so_far, runtime.settings.cheap_verdicts)
    if by_rule is not None:
        reflection = by_rule if progress is not None else by_rule.model_copy(update={"progress": ""})
        return (Reflected(step=step, span=context.span(), reflection=reflection),)
    if before.unseen:
        unseen = failed(NOBODY_SAW, before, after, so_far)
        return (Reflected(step=step, span=context.span(), reflection=unseen),)
    start = runtime.clock.now()
    try:
        timed = await context.ask(request(), runtime.picture(step).image, runtime.picture(step + 1).image)
    except ReplyUnusable as error:
        if exact:
            raise
        span = context.span(start)
        unjudged = f"Nobody judged this action, for the reflector's reply was unusable: {error}. Look before going on."
        failure = StageFailed(
            step=step, span=span, stage=context.stage, code=error.code, error=str(error), calls=error.calls
        )
        return failure, Reflected(step=step, span=span, reflection=failed(unjudged, before, after, so_far))
    answered = timed.value
    return (Reflected(step=step, span=timed.span(answered.queue_ms), reflection=answered.value, calls=answered.calls),)


def failed(error: str, before: StepState, after: StepState, progress: str) -> Reflection:
    """Return the verdict on an action that is known to have failed: C if it changed nothing, otherwise B.

    If the step never touched the phone, a change has another cause, so the outcome is C.
    """
    same = _same(before.screenshot, after.screenshot)
    if before.untouched and not same:
        error = f"{error} {CHANGED_BY_ITSELF}"
    outcome = Outcome.C if same or before.untouched else Outcome.B
    return Reflection(outcome=outcome, error=error, progress=progress, made_by="check", check="failed")


def without_model(
    before: StepState, after: StepState, progress: str, cheap: Collection[CheapVerdict]
) -> Reflection | None:
    """Return the verdict on the action of ``before``, which led to the screen of ``after``; None if the
    model must judge.

    - An action with a problem failed, for that reason.
    - An answer to the user, and a question that a person answered, have outcome A: they touch nothing.
    - Rules among ``cheap`` judge other actions, if these touch the phone.
    """
    if before.acted is not None and before.acted.problem is not None:
        return failed(before.acted.problem, before, after, progress)
    action = before.decision.action if before.decision is not None else None
    if isinstance(action, Answer):
        return _achieved(f"The user was told: {action.text}", progress, "answered")
    if before.person_words:
        return _achieved(before.person_words, progress, "answered")
    if action is None or not action.touches or before.screenshot is None or after.screenshot is None:
        return None
    step = _Step(action, before, before.screenshot, after.screenshot)
    several = before.decision is not None and bool(before.decision.then)  # the rules on one action do not hold for them
    for name, rule in _RULES.items():
        judgement = rule(step) if name in cheap and (not several or rule is _unchanged) else None
        if judgement is not None:
            return _reflection(judgement, progress, name)
    return None


def rule_verdict(state: EpisodeState, step: int, settings: EpisodeSettings) -> Reflection | None:
    """Return the verdict of a rule on the action that led to the screen of ``step``; None if no rule is certain.

    Its progress is only what this action achieved.
    """
    return without_model(state.step(step - 1), state.step(step), "", settings.cheap_verdicts)


def surprise(
    atom: AtomicAction,
    following: ShortcutAction,
    state: StepState,
    before: Screenshot,
    after: Screenshot,
    cheap: Collection[CheapVerdict],
) -> str | None:
    """Return what went wrong with one of several atoms, so that the ``following`` atoms would miss their purpose.

    Return None if no rule among ``cheap`` finds such a fault. No model is asked between two atoms.
    """
    if isinstance(following, Wait):
        return None  # the following Wait gives a late change its time
    if isinstance(atom, Tap) and isinstance(following, Type) and after.keyboard == "shown":
        return None  # a field that already had the focus shows no change
    step = _Step(atom, state, before, after)
    for name, rule in _RULES.items():
        judgement = rule(step) if name in cheap else None
        if judgement is not None:
            return None if judgement.outcome is Outcome.A else judgement.text
    return _strayed(step) if "app_in_front" in cheap else None


def _strayed(step: _Step) -> str | None:
    """Return a message about the app in front if it should be another one.

    After a tap, any app may rightly be in front.
    """
    app_before, app_after, opens = step.seen.app, step.shown.app, step.opens
    if opens is not None and app_after not in (None, opens):
        return f"{app_after} is in front, and not {opens}."
    if isinstance(step.action, Type | Swipe) and None not in (app_before, app_after) and app_before != app_after:
        return f"Another app is in front now: {app_after}."
    return None


def _reflection(judgement: _Judgement, progress: str, check: str) -> Reflection | None:
    if judgement.outcome is not Outcome.A:
        return Reflection(
            outcome=judgement.outcome, error=judgement.text, progress=progress, made_by="check", check=check
        )
    achieved = _achieved(judgement.text, progress, check)
    return achieved if len(achieved.progress) <= LONGEST_PROGRESS else None


def _achieved(sentence: str, progress: str, check: str) -> Reflection:
    progress_text = f"{progress} {sentence}" if progress else sentence
    return Reflection(outcome=Outcome.A, error="", progress=progress_text, made_by="check", check=check)


# ---------------------------------------------------------------------------- rules
@dataclass(frozen=True, slots=True)
class _Step:
    """Hold an action that touches the phone, and the screenshots around it."""

    action: Action
    state: StepState
    seen: Screenshot
    shown: Screenshot

    @property
    def opens(self) -> str | None:
        """Return the package that the gateway meant to bring to the front."""
        return self.state.receipts[-1].opens if self.state.receipts else None


@dataclass(frozen=True, slots=True)
class _Judgement:
    """Hold a rule's verdict. ``text`` is what was achieved if the outcome is A, otherwise what went wrong."""

    outcome: Outcome
    text: str


def _typed_text(step: _Step) -> _Judgement | None:
    """Judge typing by the caret's position, which the phone's keyboard reports.

    The caret must have moved by exactly the length of the text. If the caret has not moved, nothing was typed. There is
    an exception: at the beginning of a field an unmoved caret proves nothing, because a form that moves on to its next
    field looks the same.
    """
    action, earlier, after = step.action, step.seen, step.shown
    if not isinstance(action, Type) or earlier.app != after.app or after.keyboard != "shown":
        return None
    if after.caret is None or (earlier.caret is None and not action.clear):
        return None
    before = 0 if action.clear or earlier.caret is None else earlier.caret
    arrived = after.caret - before == _units(action.text)
    if arrived and not (action.clear and _same(earlier, after)):
        return _Judgement(Outcome.A, f'Typed "{_quoted(action.text)}".')
    if not action.clear and after.caret == before > 0:
        reason = "The field may take no such text, or it is full."
        return _Judgement(Outcome.C, f"The text did not arrive: the caret has not moved. {reason}")
    return None


def _app_in_front(step: _Step) -> _Judgement | None:
    """Judge by the app in front, if another was in front before.

    If the same app was in front before, this rule returns None, because only the model can tell. A wrong app in front
    proves nothing: it may be a system dialog, or the right app may still be starting.
    """
    action, opens = step.action, step.opens
    if opens is None or step.seen.app in (None, opens) or step.shown.app != opens:
        return None
    if isinstance(action, OpenApp):
        return _Judgement(Outcome.A, f"Opened {action.app}.")
    return _Judgement(Outcome.A, "Went to the home screen.") if isinstance(action, Home) else None


def _unchanged(step: _Step) -> _Judgement | None:
    """Judge that nothing changed except what changes by itself, and that the phone reports the same as before.

    If the phone reports another app, caret or keyboard, the action had an effect that the pixels do not show, or not
    yet. If a region of the screen keeps changing by itself, the action may have changed something in that region. For
    example, a tap on a video shows the video's controls.
    """
    before, after = step.seen, step.shown
    if before.content_id != after.content_id and after.settling is not None and after.settling.masked > 0:
        return None
    reported = ((before.app, after.app), (before.caret, after.caret), (_keyboard(before), _keyboard(after)))
    if not _same(before, after) or any(None not in pair and pair[0] != pair[1] for pair in reported):
        return None
    reason = step.action.no_effect
    state = step.state
    if any(receipt.status == "unknown" for receipt in state.receipts) or len(state.receipts) < len(state.sent):
        reason = "The action may not have reached the phone."
    return _Judgement(Outcome.C, f"Nothing on the screen changed. {reason}")


_RULES: dict[CheapVerdict, Callable[[_Step], _Judgement | None]] = {
    "typed_text": _typed_text,
    "app_in_front": _app_in_front,
    "unchanged": _unchanged,
}
"""The rules, in the order in which they are tried. Rules about what the phone reports come before the rule about
pixels."""


def _same(before: Screenshot | None, after: Screenshot | None) -> bool:
    """Return whether the second screenshot shows the same as the first, except for what changes by itself."""
    return before is not None and after is not None and after.shows_as(before)


def _keyboard(screenshot: Screenshot) -> str | None:
    """Return whether the keyboard is shown; None if the phone does not report it."""
    return None if screenshot.keyboard == "unknown" else screenshot.keyboard


def _units(text: str) -> int:
    """Count UTF-16 units, as Android does."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else f"{line[:LONGEST_QUOTE]}..."
