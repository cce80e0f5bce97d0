"""The parts that fill the templates, made from a role's request. Every text in them is harmless.

Whatever a user, a model or a screen has written is put so that it can neither open a section nor close a fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.mllm.request.dialects import Dialect, to_model
from manyhands.actors.mllm.request.formats import OutputFormat, subgoal_format
from manyhands.protocol.geometry import Size
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.roles import Brief, DecideRequest, NoteRequest, PastAction, PlanRequest, ReflectRequest
from manyhands.protocol.screens import Keyboard, Screen
from manyhands.protocol.sections import (
    NONE_YET,
    ActionLine,
    HistoryLine,
    ListedElement,
    ListedScreen,
    action_line,
    harmless,
    history_line,
    keyboard_body,
    one_line,
    screen_body,
)

Parts = dict[str, str | bool]

_KEYBOARD: dict[Keyboard, str] = {
    "shown": "A field has the focus, and Type works.",
    "hidden": "No field has the focus. Tap a field before Type.",
    "unknown": "The phone does not say; look at the picture. Type works only while the keyboard is up.",
}


def brief_parts(brief: Brief) -> Parts:
    """What every role is told first; the same over an episode."""
    return {
        "goal": harmless(brief.goal),
        "hints": _known(brief.hints, "None"),
        "tips": _tips(brief.tips),
        "shortcuts": _shortcuts(brief.shortcuts),
    }


def screen_parts(screen: Screen, dialect: Dialect) -> Parts:
    """What stands right after a picture; the same for each role that is shown it."""
    return {
        "screen": _screen(screen, dialect),
        "keyboard": keyboard_body(screen.keyboard, _KEYBOARD[screen.keyboard]),
    }


def plan_parts(request: PlanRequest, dialect: Dialect) -> Parts:
    """The planner's own part (equations 1 and 2 of Mobile-Agent-E); no elements."""
    previous = request.previous
    return {
        "plan": _known(previous.text if previous else ""),
        "subgoal": _known(previous.subgoal.text if previous else ""),
        "progress": _known(request.progress),
        "notes": _known(request.notes),
        "failures": _history(request.failures, dialect, request.screenshot.size, request.brief.shortcuts),
        "first": previous is None,
    }


def decide_parts(request: DecideRequest, dialect: Dialect) -> Parts:
    """The operator's own part (equation 4)."""
    history = _history(request.history, dialect, request.screenshot.size, request.brief.shortcuts)
    return {
        "plan": _known(request.plan.text),
        "subgoal": _known(request.plan.subgoal.text),
        "progress": _known(request.progress),
        "notes": _known(request.notes),
        "history": history or NONE_YET,
    }


def reflect_parts(request: ReflectRequest, dialect: Dialect, output: OutputFormat) -> Parts:
    """The reflector's own part (equation 6); the elements after, and what asks for the subgoal, only where the
    request has them.
    """
    after = request.screen_after
    keyboard = after.keyboard if after else request.after.keyboard
    action = write_action(request.action, dialect, request.before.size, request.brief.shortcuts)
    return {
        "subgoal": _known(request.subgoal),
        "progress": _known(request.progress),
        "action": action_line(ActionLine(action=action, expectation=request.expectation)),
        "screen_after": _screen(after, dialect) if after else "",
        "keyboard_after": keyboard,
        "subgoal_format": subgoal_format(output) if request.asks_subgoal else "",
    }


def note_parts(request: NoteRequest) -> Parts:
    """The notetaker's own part (equation 7)."""
    return {
        "plan": _known(request.plan),
        "subgoal": _known(request.subgoal),
        "progress": _known(request.progress),
        "notes": _known(request.notes),
    }


def _known(text: str, otherwise: str = NONE_YET) -> str:
    return harmless(text.strip()) or otherwise


def _shortcuts(shortcuts: Sequence[Shortcut]) -> str:
    lines = [
        f"{one.name}({', '.join(map(one_line, one.arguments))}): {one_line(one.description)} "
        f"Precondition: {one_line(one.precondition) or 'none'}"
        for one in shortcuts
    ]
    return "\n".join(lines) or "None"


def _tips(tips: Sequence[str]) -> str:
    return "\n".join(f"{number}. {one_line(tip)}" for number, tip in enumerate(tips, start=1)) or "None"


def _history(past: Sequence[PastAction], dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut]) -> str:
    lines = [
        HistoryLine(
            step=one.step,
            action=write_action(one.action, dialect, size, shortcuts) if one.action else None,
            expectation=one.expectation,
            outcome=one.outcome,
            error=one.error,
        )
        for one in past
    ]
    return "\n".join(map(history_line, lines))


def _screen(screen: Screen, dialect: Dialect) -> str:
    extent = dialect.extent(screen.size)
    listed = []
    for number, element in enumerate(screen.elements, start=1):
        x, y = to_model(dialect, *element.centre, screen.size)
        listed.append(ListedElement(number=number, kind=element.kind, x=x, y=y, content=element.content))
    remarks = tuple(_remarks(screen, dialect))
    return screen_body(ListedScreen(width=extent.width, height=extent.height, elements=tuple(listed), remarks=remarks))


def _remarks(screen: Screen, dialect: Dialect) -> Iterator[str]:
    """What the elements do not say, a sentence each."""
    if screen.black is not None:
        yield (
            "The page is black in the picture: it forbids screenshots, has not been drawn yet, or the display is off. "
            "That it lists nothing does not mean that it is empty."
        )
    if screen.dialog is not None:
        box = screen.dialog
        x1, y1 = to_model(dialect, box.x1, box.y1, screen.size)
        x2, y2 = to_model(dialect, box.x2 - 1, box.y2 - 1, screen.size)
        yield f"A dialog seems to lie over the page, from ({x1}, {y1}) to ({x2}, {y2}); what is beside it is dimmed."
