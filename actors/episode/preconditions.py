"""What can be said of a shortcut's precondition without a model: it was seen to work elsewhere than here.

These rules can only refuse. Each knows one thing that was so in every success; where nobody has seen it, or the phone
does not tell, it says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from manyhands.actors.memory import ShortcutAction, has_places
from manyhands.protocol.actions import Home, OpenApp, Type, Wait
from manyhands.protocol.lessons import PermittedBy
from manyhands.protocol.memory import SeenOn, Shortcut
from manyhands.protocol.screens import Screen, Screenshot

LONGEST_NAMED = 40
"""Characters of a text that a reason repeats."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Hold a shortcut that is about to be used, and the screen that it is to be used on."""

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
        """Return whether it leaves the screen that is there: what stands on that does not matter."""
        return isinstance(self.first, OpenApp | Home)


@dataclass(frozen=True, slots=True)
class Refused:
    """Say which rule refuses a shortcut, and why, in a sentence for the operator."""

    by: PermittedBy
    reason: str


def refusal(situation: Situation) -> Refused | None:
    """Return why a shortcut is not to be used on a screen; None where no rule knows."""
    for by, rule in _RULES.items():
        reason = rule(situation)
        if reason is not None:
            return Refused(by, reason)
    return None


def texts_of(screen: Screen) -> tuple[str, ...]:
    """Return the texts of a screen, each once, as they were read."""
    found = (" ".join(element.content.split()) for element in screen.elements if element.kind == "text")
    return tuple(dict.fromkeys(text for text in found if text))


def _another_size(situation: Situation) -> str | None:
    """A place on the screen is one on screens of the size that it was seen on: a phone that was turned has another."""
    if not has_places(situation.shortcut) or situation.seen_on.size == situation.screenshot.size:
        return None
    return "it taps places of a screen of another size."


def _another_app(situation: Situation) -> str | None:
    known, front = situation.seen_on.app, situation.screenshot.app
    if situation.begins_anywhere or not known or front in (None, known):
        return None
    return f"it has only ever worked in {known}, and {front} is in front."


def _another_version(situation: Situation) -> str | None:
    """Another version may have its places elsewhere; what is found by words is looked for anyway."""
    known, shown = situation.seen_on.app_version, situation.screenshot.app_version
    if situation.begins_anywhere or not has_places(situation.shortcut) or not known or shown in (None, known):
        return None
    return f"it taps places of {situation.seen_on.app} as they were in version {known}, and this is {shown}."


def _no_field(situation: Situation) -> str | None:
    if isinstance(situation.first, Type) and situation.screenshot.keyboard == "hidden":
        return "it begins with Type, and no field has the focus."
    return None


def _other_texts(situation: Situation) -> str | None:
    texts = situation.seen_on.texts
    if situation.begins_anywhere or not texts or set(_folded(texts)) & set(_folded(texts_of(situation.screen))):
        return None
    named = ", ".join(repr(text[:LONGEST_NAMED]) for text in texts[:3])
    return f"none of the texts stands here that stood on the screen whenever it worked, such as {named}."


def _folded(texts: Iterable[str]) -> Iterable[str]:
    return (" ".join(text.casefold().split()) for text in texts)


_RULES: dict[PermittedBy, Callable[[Situation], str | None]] = {
    "size": _another_size,
    "app": _another_app,
    "version": _another_version,
    "keyboard": _no_field,
    "texts": _other_texts,
}
"""In the order in which they are tried."""
