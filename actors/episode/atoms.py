"""Turn the action of a decision into the atoms that are carried out."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.memory import ShortcutAction, expand_shortcut
from manyhands.protocol.actions import (
    Action,
    Answer,
    Atom,
    BaseOperation,
    Enter,
    OpenApp,
    RunShortcut,
    Stop,
    Tap,
    Type,
    Wait,
    points_of,
)
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.geometry import Size
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.screens import Screen

PAPER_WAIT_S = 10.0
"""Mobile-Agent-E, table 8: Wait is ten seconds."""


class ActionUnusable(ManyhandsError):
    """Signal an action that cannot be carried out on this screen; nothing of it was sent."""

    code = "action_unusable"


def atoms_of(
    action: Action, screen: Screen, shortcuts: Sequence[Shortcut], paper_exact: bool
) -> tuple[ShortcutAction, ...]:
    """Return the atoms of ``action``, in order, each fit for ``screen``. Raises a ManyhandsError with the reason.

    Of a shortcut, what is clicked by words is among them: what that is a tap on is found when its turn comes.

    With ``paper_exact``, an app is opened by a tap on its icon, one text height above its label.
    """
    atoms: tuple[ShortcutAction, ...]
    if isinstance(action, RunShortcut):
        atoms = _expanded(action, shortcuts, screen.size)
    elif isinstance(action, BaseOperation):
        raise ActionUnusable(f"this profile does not carry out {action.name}")
    elif paper_exact and isinstance(action, OpenApp):
        atoms = (tap_above_label(action.app, screen),)
    elif paper_exact and isinstance(action, Wait):
        atoms = (Wait(seconds=PAPER_WAIT_S),)
    else:
        atoms = (action,)
    check_points(atoms, screen.size)
    return atoms


def with_enter(atom: Type) -> tuple[Atom, ...]:
    """Return what types a text whose last line breaks are the Enter key, as in the authors' v1 and v2.

    Raises ActionUnusable where a field is to be cleared for Enter alone: nothing but typing clears it.
    """
    text = atom.text.rstrip("\r\n")
    if atom.clear and not text:
        raise ActionUnusable(
            "Type: a field is cleared only where another text takes its place; there is none but Enter"
        )
    pressed = Enter() if len(text) < len(atom.text) else None
    typed = atom.model_copy(update={"text": text}) if text else None
    return tuple(one for one in (typed, pressed) if one is not None)


def check_points(atoms: Sequence[ShortcutAction], size: Size) -> None:
    """Raise ActionUnusable for an atom with a point that is not on the screen."""
    for atom in atoms:
        for x, y in points_of(atom):
            if not size.contains(x, y):
                pixels = f"{size.width}x{size.height}"
                raise ActionUnusable(f"{atom.name}: ({x}, {y}) lies outside the screen of {pixels} pixels")


def _expanded(call: RunShortcut, shortcuts: Sequence[Shortcut], size: Size) -> tuple[ShortcutAction, ...]:
    shortcut = next((known for known in shortcuts if known.name == call.shortcut), None)
    if shortcut is None:
        known = ", ".join(known.name for known in shortcuts) or "none"
        raise ActionUnusable(f"there is no shortcut {call.shortcut!r}; known are: {known}")
    atoms = expand_shortcut(shortcut, call.arguments, size)
    for atom in atoms:
        if isinstance(atom, Answer | Stop):
            raise ActionUnusable(f"shortcut {call.shortcut!r} contains {atom.name}, which only a decision may say")
    return atoms


def tap_above_label(app: str, screen: Screen) -> Tap:
    label = next((item for item in screen.elements if item.kind == "text" and item.content == app), None)
    if label is None:
        raise ActionUnusable(f"Open_App: the label {app!r} is not on the screen")
    height = label.box.height
    return Tap(x=label.centre[0], y=max(0, label.centre[1] - height))
