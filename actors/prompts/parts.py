"""Make the parts that fill templates. No text in them can open a section of a prompt or close a fence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.mllm.request.dialects import Dialect, to_model
from manyhands.protocol.phones.phone_description import PhoneDescription, describe_time
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.roles.replies import ActionSet
from manyhands.protocol.roles.requests import Brief, PastAction
from manyhands.protocol.roles.sections import (
    FENCE_CLOSE,
    FENCE_OPEN,
    NONE_YET,
    HistoryLine,
    ListedElement,
    ListedScreen,
    fenced_name,
    harmless,
    history_line,
    keyboard_body,
    one_line,
    screen_body,
    short_name,
)
from manyhands.protocol.screens.element_rows import control_facts, group_elements, grouped_body, is_listed
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Keyboard, Screen, Screenshot

Parts = Mapping[str, str | bool | tuple[str, ...] | None]

_KEYBOARD: dict[Keyboard, str] = {
    "shown": "A field has the focus, and Type works.",
    "hidden": "No field has the focus. Tap a field before Type.",
    "unknown": "The phone does not say; look at the picture. Type works only while the keyboard is up.",
}
_FACTS = "Behind a place stands what the phone tells of the control there."


def brief_parts(brief: Brief) -> Parts:
    """Return the parts of the text that begins every prompt of an episode."""
    return {
        "goal": harmless(brief.goal),
        "hints": or_none_yet(brief.hints, "None"),
        "phone": None if brief.phone is None else _phone(brief.phone),
        "tips": _tips(brief.tips),
        "shortcuts": _shortcuts(brief.shortcuts),
        "told": brief.told,
    }


def screen_parts(
    screen: Screen | None, screenshot: Screenshot, dialect: Dialect, *, paper_exact: bool = False
) -> Parts:
    """Return the parts of the text after a picture, the same for all roles. If ``screen`` is None, list no elements."""
    keyboard = screenshot.keyboard if screen is None else screen.keyboard
    app = app_in_front(screenshot)
    return {
        "screen": None if screen is None else screen_text(screen, dialect, paper_exact=paper_exact, app=app),
        "keyboard": keyboard_body(keyboard, _KEYBOARD[keyboard]),
    }


def or_none_yet(text: str, otherwise: str = NONE_YET) -> str:
    """Return a text as the body of a section, or return ``otherwise`` if the text is empty."""
    return harmless(text.strip()) or otherwise


def or_left_out(text: str | None) -> str | None:
    """Return a text as the body of a section, or None if the section is to be left out."""
    return None if text is None else or_none_yet(text)


def app_in_front(screenshot: Screenshot) -> str:
    """Return the name of the app in front as data, or its package if it has no name; empty if neither is known."""
    name = one_line(screenshot.app_label) or one_line(screenshot.app or "")
    return fenced_name(name) if name else ""


def _phone(phone: PhoneDescription) -> str | None:
    """Return what a phone told of itself in sentences; None if it told nothing."""
    time, apps = one_line(describe_time(phone)), ", ".join(filter(None, map(short_name, phone.apps)))
    listed = f"Installed apps: {FENCE_OPEN}{apps}{FENCE_CLOSE}" if apps else ""
    lines = (f"When the task began, it was {time}." if time else "", listed)
    return "\n".join(filter(None, lines)) or None


def _shortcuts(shortcuts: Sequence[Shortcut]) -> str:
    lines = [
        f"{one.name}({', '.join(map(one_line, one.arguments))}): {one_line(one.description)} "
        f"Precondition: {one_line(one.precondition) or 'none'}"
        for one in shortcuts
    ]
    return "\n".join(lines) or "None"


def _tips(tips: Sequence[str]) -> str:
    return "\n".join(f"{number}. {one_line(tip)}" for number, tip in enumerate(tips, start=1)) or "None"


def history(
    past: Sequence[PastAction],
    dialect: Dialect,
    size: Size,
    shortcuts: Sequence[Shortcut],
    offered: ActionSet,
    *,
    paper_exact: bool,
    whole: bool,
) -> str:
    """Return past actions, one on each line, with coordinates in the model's space.

    Unless ``paper_exact``, a line names what was touched. Unless ``whole``, it leaves out what says nothing: the
    expectation of an action that went as expected, and an empty error.
    """
    lines = [
        HistoryLine(
            step=one.step,
            action=write_action(one.action, dialect, size, shortcuts, offered) if one.action else None,
            expectation=one.expectation,
            touched="" if paper_exact else one.touched,
            outcome=one.outcome,
            error=one.error,
        )
        for one in past
    ]
    return "\n".join(history_line(line, short=not whole) for line in lines)


def screen_text(screen: Screen, dialect: Dialect, *, paper_exact: bool = False, app: str = "") -> str:
    """Return a screen's extent, remarks about it, and its elements.

    Elements have the numbers that they have in ``screen``. Those of the status bar, and icons without a name, are left
    out; with ``paper_exact`` all are listed, without the facts about their controls and without the app in front.
    ``app``: the name of the app in front, if it is known.
    """
    extent = dialect.extent(screen.size)
    listed = [
        (_listed(number, element, screen.size, dialect, () if paper_exact else control_facts(element)), element)
        for number, element in enumerate(screen.elements, start=1)
        if paper_exact or is_listed(element, screen.size)
    ]
    whole = ListedScreen(
        width=extent.width,
        height=extent.height,
        elements=tuple(one for one, _ in listed),
        remarks=tuple(_remarks(screen, dialect)),
    )
    if paper_exact:
        return screen_body(whole)
    app_remarks = (f"The app in front is {app}.",) if app else ()
    of_controls = (_FACTS,) if any(one.facts for one, _ in listed) else ()
    whole = whole.model_copy(update={"remarks": (*app_remarks, *whole.remarks, *of_controls)})
    return grouped_body(whole, group_elements(listed))


def _listed(number: int, element: Element, size: Size, dialect: Dialect, facts: tuple[str, ...]) -> ListedElement:
    x, y = to_model(dialect, *element.centre, size)
    return ListedElement(number=number, kind=element.kind, x=x, y=y, content=element.content, facts=facts)


def _remarks(screen: Screen, dialect: Dialect) -> Iterator[str]:
    """Yield remarks about what the elements do not show, one sentence each."""
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
