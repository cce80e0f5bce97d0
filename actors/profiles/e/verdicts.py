"""Verdicts that need no model, by stated rules. They say so (``made_by="check"``) and which rule it was.

A rule speaks only where what the phone says leaves no doubt; otherwise it gives None and the model is asked. How often
each is wrong is measured (docs/verdicts.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from manyhands.actors.episode.state import StepState
from manyhands.protocol.actions import Action, Answer, Home, OpenApp, Type
from manyhands.protocol.base import Outcome
from manyhands.protocol.roles import Reflection
from manyhands.protocol.runs import CheapVerdict
from manyhands.protocol.screens import Screenshot

CHANGED_BY_ITSELF = "Nothing was sent to the phone, but the screen has changed by itself since."
LONGEST_PROGRESS = 2000
"""As long as a model's may be (``protocol.replies``); what grows longer is the model's to shorten."""
LONGEST_QUOTE = 80
"""Characters of a typed text that progress repeats."""


def failed(error: str, before: StepState, after: StepState, progress: str) -> Reflection:
    """The verdict on an action that is known to have failed: C if it changed nothing, otherwise B.

    What changed after a step that never touched the phone was not changed by it.
    """
    same = _same(before.screenshot, after.screenshot)
    if before.untouched and not same:
        error = f"{error} {CHANGED_BY_ITSELF}"
    outcome = Outcome.C if same or before.untouched else Outcome.B
    return Reflection(outcome=outcome, error=error, progress=progress, made_by="check", check="failed")


def without_model(
    before: StepState, after: StepState, progress: str, cheap: Collection[CheapVerdict]
) -> Reflection | None:
    """The verdict on the action of ``before`` that led to the screen of ``after``, if none has to be asked for.

    - An action with a problem failed, for that reason.
    - An answer to the user is as expected: it touches nothing, and was recorded.
    - Otherwise by the rules among ``cheap``, for actions that touch the phone.
    """
    if before.acted is not None and before.acted.problem is not None:
        return failed(before.acted.problem, before, after, progress)
    action = before.decision.action if before.decision is not None else None
    if isinstance(action, Answer):
        return _achieved(f"The user was told: {action.text}", progress, "answered")
    if action is None or not action.touches or before.screenshot is None or after.screenshot is None:
        return None
    step = _Step(action, before, before.screenshot, after.screenshot)
    for name, rule in _RULES.items():
        says = rule(step) if name in cheap else None
        if says is not None:
            return _reflection(says, progress, name)
    return None


def _reflection(says: _Says, progress: str, check: str) -> Reflection | None:
    if says.outcome is not Outcome.A:
        return Reflection(outcome=says.outcome, error=says.words, progress=progress, made_by="check", check=check)
    achieved = _achieved(says.words, progress, check)
    return achieved if len(achieved.progress) <= LONGEST_PROGRESS else None


def _achieved(sentence: str, progress: str, check: str) -> Reflection:
    done = f"{progress} {sentence}" if progress else sentence
    return Reflection(outcome=Outcome.A, error="", progress=done, made_by="check", check=check)


# ---------------------------------------------------------------------------- rules
@dataclass(frozen=True, slots=True)
class _Step:
    """An action that touches the phone, and the screenshots around it."""

    action: Action
    state: StepState
    seen: Screenshot
    shown: Screenshot

    @property
    def opens(self) -> str | None:
        """The package that the gateway meant to bring to the front."""
        return self.state.receipts[-1].opens if self.state.receipts else None


@dataclass(frozen=True, slots=True)
class _Says:
    """A rule's verdict; ``words`` is what was achieved for outcome A, otherwise what went wrong."""

    outcome: Outcome
    words: str


def _typed_text(step: _Step) -> _Says | None:
    """By the caret, which the phone's keyboard tells: it has moved by just the length of the text.

    Where it has not moved at all nothing was typed, unless it stood at the beginning: a form that goes on to its next
    field looks just so.
    """
    action, seen, shown = step.action, step.seen, step.shown
    if not isinstance(action, Type) or seen.app != shown.app or shown.keyboard != "shown":
        return None
    if shown.caret is None or (seen.caret is None and not action.clear):
        return None
    before = 0 if action.clear or seen.caret is None else seen.caret
    arrived = shown.caret - before == _units(action.text)
    if arrived and not (action.clear and _same(seen, shown)):
        return _Says(Outcome.A, f'Typed "{_quoted(action.text)}".')
    if not action.clear and shown.caret == before > 0:
        reason = "The field may take no such text, or it is full."
        return _Says(Outcome.C, f"The text did not arrive: the caret has not moved. {reason}")
    return None


def _app_in_front(step: _Step) -> _Says | None:
    """The app that was to be opened has come to the front. Where it was there before, only the model sees more.

    Another app in front proves nothing: it may be a question of the system, or the app may still be on its way.
    """
    action, opens = step.action, step.opens
    if opens is None or step.seen.app in (None, opens) or step.shown.app != opens:
        return None
    if isinstance(action, OpenApp):
        return _Says(Outcome.A, f"Opened {action.app}.")
    return _Says(Outcome.A, "Went to the home screen.") if isinstance(action, Home) else None


def _unchanged(step: _Step) -> _Says | None:
    """Nothing differs but what changes by itself, and the phone says of itself what it said before.

    Where it says another app, caret or keyboard, the pixels are only late, or do not show it. Where a region keeps
    changing the action may have changed something within: a tap on a video shows its controls there.
    """
    seen, shown = step.seen, step.shown
    if seen.content_id != shown.content_id and shown.settling is not None and shown.settling.masked > 0:
        return None
    told = ((seen.app, shown.app), (seen.caret, shown.caret), (_known(seen), _known(shown)))
    if not _same(seen, shown) or any(None not in pair and pair[0] != pair[1] for pair in told):
        return None
    reason = step.action.no_effect
    state = step.state
    if any(receipt.status == "unknown" for receipt in state.receipts) or len(state.receipts) < len(state.sent):
        reason = "The action may not have reached the phone."
    return _Says(Outcome.C, f"Nothing on the screen changed. {reason}")


_RULES: dict[CheapVerdict, Callable[[_Step], _Says | None]] = {
    "typed_text": _typed_text,
    "app_in_front": _app_in_front,
    "unchanged": _unchanged,
}
"""In the order in which they are tried: what the phone says of itself goes before its pixels."""


def _same(seen: Screenshot | None, shown: Screenshot | None) -> bool:
    """Whether the second screenshot shows what the first one showed, but for what changes by itself."""
    return seen is not None and shown is not None and seen.content_id in (shown.content_id, shown.alike)


def _known(screenshot: Screenshot) -> str | None:
    """Whether the keyboard is shown, where the phone says it."""
    return None if screenshot.keyboard == "unknown" else screenshot.keyboard


def _units(text: str) -> int:
    """UTF-16 units, in which Android counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else f"{line[:LONGEST_QUOTE]}..."
