"""Turn the action of a decision into the atoms that are carried out."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.memory import expand_shortcut
from manyhands.protocol.actions import Action, Answer, Atom, OpenApp, RunShortcut, Stop, Tap, Wait, points_of
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.screens import Screen

PAPER_WAIT_S = 10.0
"""Mobile-Agent-E, table 8: Wait is ten seconds."""


class ActionUnusable(ManyhandsError):
    """Signal an action that cannot be carried out on this screen; nothing of it was sent."""

    code = "action_unusable"


def atoms_of(action: Action, screen: Screen, shortcuts: Sequence[Shortcut], paper_exact: bool) -> tuple[Atom, ...]:
    """Return the atoms of ``action``, in order, each fit for ``screen``. Raises a ManyhandsError with the reason.

    With ``paper_exact``, an app is opened by a tap on its icon, one text height above its label.
    """
    if isinstance(action, RunShortcut):
        atoms = _expanded(action, shortcuts)
    elif paper_exact and isinstance(action, OpenApp):
        atoms = (_tap_above_label(action.app, screen),)
    elif paper_exact and isinstance(action, Wait):
        atoms = (Wait(seconds=PAPER_WAIT_S),)
    else:
        atoms = (action,)
    for atom in atoms:
        for x, y in points_of(atom):
            if not screen.size.contains(x, y):
                size = f"{screen.size.width}x{screen.size.height}"
                raise ActionUnusable(f"{atom.name}: ({x}, {y}) lies outside the screen of {size} pixels")
    return atoms


def _expanded(call: RunShortcut, shortcuts: Sequence[Shortcut]) -> tuple[Atom, ...]:
    shortcut = next((known for known in shortcuts if known.name == call.shortcut), None)
    if shortcut is None:
        known = ", ".join(known.name for known in shortcuts) or "none"
        raise ActionUnusable(f"there is no shortcut {call.shortcut!r}; known are: {known}")
    atoms = expand_shortcut(shortcut, call.arguments)
    for atom in atoms:
        if isinstance(atom, Answer | Stop):
            raise ActionUnusable(f"shortcut {call.shortcut!r} contains {atom.name}, which only a decision may say")
    return atoms


def _tap_above_label(app: str, screen: Screen) -> Tap:
    label = next((item for item in screen.elements if item.kind == "text" and item.content == app), None)
    if label is None:
        raise ActionUnusable(f"Open_App: the label {app!r} is not on the screen")
    height = label.box.height
    return Tap(x=label.centre[0], y=max(0, label.centre[1] - height))
