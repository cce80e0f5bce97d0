"""Check a shortcut's precondition without a model, and read from an episode's records how its use ended.

The rules can only refuse a screen that differs from every screen on which the shortcut has worked. Each rule compares
one fact that was the same in every successful use. If that fact is unknown, or the phone does not report it, the rule
does not refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from manyhands.actors.episode.state import EpisodeState, StepState
from manyhands.actors.memory import ShortcutAction, has_places
from manyhands.protocol.roles.lessons import Permission, PermittedBy, UseOutcome
from manyhands.protocol.roles.memory import SeenOn, Shortcut
from manyhands.protocol.screens.actions import Home, OpenApp, RunShortcut, Type, Wait
from manyhands.protocol.screens.screen import Screen, Screenshot

PERMIT = "permit"
_WHY: dict[PermittedBy, str] = {
    "put_aside": "The shortcut was put aside",
    "nobody": "The shortcut may have been put aside",
}

LONGEST_NAMED = 40
"""The most characters of a screen text that are quoted in a reason."""


@dataclass(frozen=True, slots=True)
class ShortcutContext:
    """Hold a shortcut that is about to be used, and the screen it would be used on."""

    shortcut: Shortcut
    atoms: Sequence[ShortcutAction]
    seen_on: SeenOn
    screenshot: Screenshot
    screen: Screen

    @property
    def first(self) -> ShortcutAction:
        """Return the first action that touches the phone."""
        return next((atom for atom in self.atoms if not isinstance(atom, Wait)), self.atoms[0])

    @property
    def begins_anywhere(self) -> bool:
        """Return whether the shortcut leaves the present screen, so that what is on this screen does not matter."""
        return isinstance(self.first, OpenApp | Home)


@dataclass(frozen=True, slots=True)
class PreconditionFailed:
    """Hold which rule refuses a shortcut, and why, in a sentence for the operator."""

    by: PermittedBy
    reason: str


def find_failed_precondition(context: ShortcutContext) -> PreconditionFailed | None:
    """Return why a shortcut must not be used on a screen; None if no rule refuses it."""
    for by, rule in _RULES.items():
        reason = rule(context)
        if reason is not None:
            return PreconditionFailed(by, reason)
    return None


def texts_of(screen: Screen) -> tuple[str, ...]:
    """Return the texts of a screen, each once, as they were read."""
    texts = (" ".join(element.content.split()) for element in screen.elements if element.kind == "text")
    return tuple(dict.fromkeys(text for text in texts if text))


def _another_size(context: ShortcutContext) -> str | None:
    """Refuse a shortcut with places if they are from a screen of another size. A turned phone has another size too."""
    if not has_places(context.shortcut) or context.seen_on.size == context.screenshot.size:
        return None
    return "it taps places of a screen of another size."


def _another_app(context: ShortcutContext) -> str | None:
    expected, front = context.seen_on.app, context.screenshot.app
    if context.begins_anywhere or not expected or front in (None, expected):
        return None
    return f"it has only ever worked in {expected}, and {front} is in front."


def _another_version(context: ShortcutContext) -> str | None:
    """Refuse a shortcut with places if they are from another version of the app.

    Targets named by words need no such check.
    """
    expected, current = context.seen_on.app_version, context.screenshot.app_version
    if context.begins_anywhere or not has_places(context.shortcut) or not expected or current in (None, expected):
        return None
    return f"it taps places of {context.seen_on.app} as they were in version {expected}, and this is {current}."


def _no_field(context: ShortcutContext) -> str | None:
    if isinstance(context.first, Type) and context.screenshot.keyboard == "hidden":
        return "it begins with Type, and no field has the focus."
    return None


def _other_texts(context: ShortcutContext) -> str | None:
    texts = context.seen_on.texts
    if context.begins_anywhere or not texts or set(_folded(texts)) & set(_folded(texts_of(context.screen))):
        return None
    named = ", ".join(repr(text[:LONGEST_NAMED]) for text in texts[:3])
    return f"none of the texts stands here that stood on the screen whenever it worked, such as {named}."


def _folded(texts: Iterable[str]) -> Iterable[str]:
    return (" ".join(text.casefold().split()) for text in texts)


_RULES: dict[PermittedBy, Callable[[ShortcutContext], str | None]] = {
    "size": _another_size,
    "app": _another_app,
    "version": _another_version,
    "keyboard": _no_field,
    "texts": _other_texts,
}
"""The rules, in the order in which they are tried."""


def permission_of(at: StepState) -> Permission | None:
    """Return the decision about the step's shortcut; None if nobody was asked."""
    return at.result(PERMIT, Permission)


def refusal_reason(at: StepState) -> str | None:
    """Return why a step may not use its shortcut; None if it may, or if it uses no shortcut."""
    permission = permission_of(at)
    if permission is not None:
        why = _WHY.get(permission.by, "The shortcut does not fit this screen")
        return None if permission.permitted else f"{_because(why, permission.reason)} Nothing was sent."
    failure = at.failures.get(PERMIT)
    if failure is None:
        return None
    return f"{_because('Nobody could say whether the precondition of the shortcut holds', failure)} Nothing was sent."


def _because(what: str, reason: str) -> str:
    """Return one sentence from ``what`` and a reason. The reason may be empty, or end in a full stop."""
    reason = reason.strip().rstrip(".")
    return f"{what}: {reason}." if reason else f"{what}."


def outcome_of(at: StepState) -> tuple[UseOutcome, str] | None:
    """Return how the use of a step's shortcut ended, and why it was not carried out or failed.

    Return None if the step proves nothing about the shortcut: the operator's action cannot be carried out, something
    interrupted it, or nobody judged it.
    """
    acted, judged = at.acted, at.reflection
    if acted is None:
        return None
    if acted.problem is not None:
        outcomes: dict[str | None, UseOutcome] = {"surprise": "surprised", "precondition": "refused"}
        outcome = outcomes.get(acted.fault)
        return None if outcome is None else (outcome, acted.problem)
    if judged is None or judged.check == "failed":
        return None
    return ("failed", judged.error) if at.failed else ("worked", "")


def last_use(state: EpisodeState, shortcut: str, before: int) -> tuple[int, UseOutcome] | None:
    """Return the last step before ``before`` that used the shortcut of this name, and how that use ended;
    None if no step did.
    """
    for number in sorted((step for step in state.steps if step < before), reverse=True):
        at = state.steps[number]
        action = None if at.decision is None else at.decision.action
        how = outcome_of(at)
        if isinstance(action, RunShortcut) and action.shortcut == shortcut and how is not None and how[0] != "refused":
            return number, how[0]
    return None
