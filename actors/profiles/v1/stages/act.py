"""act(t): the operation as atoms (section 2.2, Operation)."""

from __future__ import annotations

from typing import Any

from manyhands.actors.episode.atoms import ActionUnusable, check_points, tap_above_label, with_enter
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import StepState
from manyhands.protocol.actions import (
    Atom,
    Back,
    ClickIcon,
    ClickText,
    Exit,
    Home,
    OpenApp,
    PageDown,
    PageUp,
    Stop,
    Swipe,
    Tap,
    Type,
)
from manyhands.protocol.geometry import Size

NEAR, FAR = 0.25, 0.75
"""Where a drag over a page begins and ends, as shares of the screen's height."""


def operation_atoms(context: StageContext) -> tuple[Atom, ...]:
    """Return the atoms of the decided operation. Raises ActionUnusable with what the agent is told.

    With ``paper_exact`` an app is opened by a tap above its label, which must be on the screen.
    """
    at = context.state.step(context.step)
    atoms = _atoms(at, context.episode.settings.paper_exact)
    check_points(atoms, at.seen.size)
    return atoms


def _atoms(at: StepState, paper_exact: bool) -> tuple[Atom, ...]:
    assert at.decision is not None
    action, size = at.decision.action, at.seen.size
    match action:
        case ClickText() | ClickIcon():
            return (_tap(at),)
        case PageDown():
            return (_drag(size, FAR, NEAR),)
        case PageUp():
            return (_drag(size, NEAR, FAR),)
        case Exit():
            return (Home(),)
        case Type():
            return with_enter(action)
        case OpenApp(app=app) if paper_exact:
            return (tap_above_label(app, at.seen),)
        case OpenApp() | Back() | Stop():
            return (action,)
        case _:
            raise ActionUnusable(f"Mobile-Agent has no operation {_name(action)}")


def _tap(at: StepState) -> Tap:
    place: Any = at.results.get("locate")
    if place is None:
        raise ActionUnusable(at.failures.get("locate", "nobody has looked for it on the screen"))
    if "problem" in place:
        raise ActionUnusable(place["problem"])
    return Tap(x=place["x"], y=place["y"])


def _drag(size: Size, begin: float, end: float) -> Swipe:
    x = size.width // 2
    return Swipe(x1=x, y1=round(size.height * begin), x2=x, y2=round(size.height * end))


def _name(action: object) -> str:
    return str(getattr(action, "name", action))
