"""Turn the action of a decision into the atoms that carry it out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.frames import Frame
from manyhands.actors.interfaces import Ref
from manyhands.actors.memory import ShortcutAction, expand_shortcut
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.screens.actions import (
    Action,
    Answer,
    AskPerson,
    AtomicAction,
    BaseOperation,
    ClickIcon,
    ClickText,
    Enter,
    OpenApp,
    RunShortcut,
    Stop,
    Tap,
    Type,
    Wait,
    points_of,
)
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, LocateQuery, Match, Screen, Screenshot

PAPER_WAIT_S = 10.0
"""Mobile-Agent-E, table 8: Wait is ten seconds."""


class AppLabel(ClickText):
    """Look for an app's label when its turn comes, to tap the icon above it: the papers' Open_App in a shortcut."""

    name: Literal["Open_App"] = "Open_App"  # type: ignore[assignment]


class ActionUnusable(ManyhandsError):
    """Signal an action that cannot be carried out on this screen; no part of it was sent."""

    code = "action_unusable"


def atoms_of(
    action: Action, screen: Screen, shortcuts: Sequence[Shortcut], paper_exact: bool
) -> tuple[ShortcutAction, ...]:
    """Return the atoms of ``action``, in order, each fit for ``screen``.

    The atoms of a shortcut include clicks by words; each becomes a tap when its turn comes.

    With ``paper_exact``, an app is opened by a tap on its icon, one text height above its label, and Wait is ten
    seconds, also in a shortcut. If there are no atoms for the action, raises a ManyhandsError with the reason.
    """
    atoms: tuple[ShortcutAction, ...]
    if isinstance(action, RunShortcut):
        atoms = _expanded(action, shortcuts, screen.size)
        if paper_exact:
            atoms = tuple(map(_as_in_table_8, atoms))
    elif isinstance(action, AskPerson):
        atoms = ()  # the phone gets nothing: a person is asked
    elif isinstance(action, BaseOperation):
        raise ActionUnusable(f"this profile does not carry out {action.name}")
    elif paper_exact and isinstance(action, OpenApp):
        atoms = (tap_above_label(action.app, screen),)
    else:
        atoms = (_as_in_table_8(action) if paper_exact else action,)
    check_points(atoms, screen.size)
    return atoms


def _as_in_table_8(atom: ShortcutAction) -> ShortcutAction:
    """Return an atom as Mobile-Agent-E carries it out."""
    match atom:
        case OpenApp(app=app):
            return AppLabel(text=app)
        case Wait():
            return Wait(seconds=PAPER_WAIT_S)
        case _:
            return atom


def with_enter(atom: Type) -> tuple[AtomicAction, ...]:
    """Return the atoms that type a text.

    Line breaks at its end become the Enter key, as in the authors' code of v1 and v2. Raises ActionUnusable for a text
    of line breaks alone that should also clear the field, because only typing clears it.
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
    shortcut = next((each for each in shortcuts if each.name == call.shortcut), None)
    if shortcut is None:
        names = ", ".join(each.name for each in shortcuts) or "none"
        raise ActionUnusable(f"there is no shortcut {call.shortcut!r}; known are: {names}")
    atoms = expand_shortcut(shortcut, call.arguments, size)
    for atom in atoms:
        if isinstance(atom, Answer | Stop):
            raise ActionUnusable(f"shortcut {call.shortcut!r} contains {atom.name}, which only a decision may say")
    return atoms


def tap_above_label(app: str, screen: Screen) -> Tap:
    label = next((item for item in screen.elements if item.kind == "text" and item.content == app), None)
    return _tap_above(label, app)


def _tap_above(label: Element | None, app: str) -> Tap:
    if label is None:
        raise ActionUnusable(f"Open_App: the label {app!r} is not on the screen")
    return Tap(x=label.centre[0], y=max(0, label.centre[1] - label.box.height))


def query_of(action: ClickText | ClickIcon) -> LocateQuery:
    """Return the query for the target of an action."""
    if isinstance(action, ClickText):
        return LocateQuery(kind="text", words=action.text)
    return LocateQuery(kind="icon", words=action.icon, position=action.position)


def not_there(query: LocateQuery) -> str:
    """Return the message that the target is not on the screen."""
    what = f"the text {query.words!r}" if query.kind == "text" else f"an icon like {query.words!r}"
    where = "" if query.position is None else f" at the {query.position}"
    return f"{what} is not on the screen{where}"


async def tap_on(
    context: StageContext, action: ClickText | ClickIcon, screenshot: Screenshot, frame: Ref[Frame]
) -> Tap:
    """Return the tap on the target that an action of a shortcut names, on the present screen.

    Raises ActionUnusable if the target is not on the screen. Also raises it if a text is on the screen several times,
    or only in other words, because no model is asked which of them is meant; of an app's labels the first is meant.
    Raises PerceptionError, CallError.
    """
    query, locator = query_of(action), context.runtime.collaborators.finder()
    timed = await context.call(lambda call: locator.locate(screenshot, frame, query, call))
    matches = timed.value.matches if query.kind == "icon" else in_these_words(timed.value.matches)
    if isinstance(action, AppLabel):
        return _tap_above(matches[0].element if matches else None, action.text)
    if not matches:
        raise ActionUnusable(not_there(query))
    if query.kind == "text" and len(matches) > 1:
        raise ActionUnusable(f"the text {query.words!r} stands on the screen {len(matches)} times")
    return tap_at(matches[0].element)


def in_these_words(matches: Sequence[Match]) -> list[Match]:
    """Return the texts that are equal to the words.

    A text that contains the words or is similar to them may mean the opposite: "Turn on" is similar to "Turn off".
    """
    return [match for match in matches if "exact" in match.ways]


def tap_at(element: Element) -> Tap:
    """Return the tap on the centre of an element."""
    x, y = element.centre
    return Tap(x=x, y=y)
