"""Check a shortcut's precondition without a model: refuse a screen that differs from every screen on which
it has worked.

These rules can only refuse. Each rule compares one fact that was the same in every successful use. If that fact is
unknown, or the phone does not report it, the rule does not refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from manyhands.actors.memory import ShortcutAction, has_places
from manyhands.protocol.roles.lessons import PermittedBy
from manyhands.protocol.roles.memory import SeenOn, Shortcut
from manyhands.protocol.screens.actions import Home, OpenApp, Type, Wait
from manyhands.protocol.screens.screen import Screen, Screenshot

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
