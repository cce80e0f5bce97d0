"""Compare a screen with a step of a flow. All functions are pure.

A target must be on the screen exactly once. Where several elements fit, or a switch has another state, nobody taps:
published repairers that take the most similar element tap a wrong one where theirs was removed
(docs/flows.md has the source).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.policy.letters import normalise
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Control, Element, Screen, Screenshot
from manyhands.protocol.tasks.flow import Flow, Signpost, Target

_PARTS = (
    *((0.5, 0.5), (0.25, 0.5), (0.75, 0.5), (0.5, 0.25), (0.5, 0.75)),
    *((0.1, 0.5), (0.9, 0.5), (0.5, 0.1), (0.5, 0.9)),
)
"""Where an element is touched, as shares of its width and height."""
_ENGLISH = "not now, later, maybe later, remind me later, ask me later, no thanks, skip, don t allow, deny"
_CHINESE = "暂不, 暂不更新, 稍后, 稍后再说, 以后再说, 下次再说, 跳过, 不允许, 拒绝, 不谢谢"
DISMISSALS = frozenset((*_ENGLISH.split(", "), *_CHINESE.split(", ")))
"""The words on buttons that close a request for a permission, an update or a rating and leave all as it was.

They are normalised, and fewer than the words that decline for the policy: "Cancel" may be a page's own."""
SMALLEST = 0.01
"""What has no side of at least this share of the screen's longer side is too small to be touched on purpose."""
STAY_ON = ("RadioButton",)
"""Classes of controls that no touch switches off."""
VALUE_CONTROLS = ("Spinner",)
"""Classes of controls whose text is what was chosen, and no name."""


@dataclass(frozen=True, slots=True)
class StepMatch:
    """Hold where a step can be done on a screen, or why it cannot."""

    element: Element | None = None
    """The target; None if the action has none."""
    point: tuple[int, int] | None = None
    """Where the target is touched, in pixels of the screen."""
    problem: str = ""
    """Why the step cannot be done here; empty if it can."""
    is_absent: bool = False
    """Whether the problem is only that the target is not shown."""


def match_step(flow: Flow, number: int, screenshot: Screenshot, screen: Screen) -> StepMatch:
    """Return where a step of a flow can be done on a screen, or why it cannot.

    What the step before has typed must be shown, if it is a text of the signpost.
    """
    step = flow.steps[number]
    problem = signpost_problem(step.before, screenshot, screen)
    typed = flow.steps[number - 1].action.text if number else None
    if not problem and typed in step.before.shows and not shows_text(typed, screen):
        problem = f'the screen does not show "{typed}", which was typed'
    if problem or step.action.target is None:
        return StepMatch(problem=problem)
    return match_target(step.action.target, screen)


def signpost_problem(signpost: Signpost, screenshot: Screenshot, screen: Screen) -> str:
    """Return why a screen is not the one that a signpost tells of; empty if it is."""
    if signpost.app and screenshot.app not in (None, signpost.app):
        return f"{screenshot.app} is in front, and not {signpost.app}"
    if signpost.keyboard and screenshot.keyboard == "hidden":
        return "the keyboard is not shown"
    texts = {plain(element.content) for element in screen.elements}
    missing = [text for text in signpost.shows if plain(text) not in texts]
    if 2 * len(missing) > len(signpost.shows):
        return f"the screen does not show {_listed(missing)}"
    return ""


def other_version(flow: Flow, screenshot: Screenshot) -> str:
    """Return which version the app in front has if the flow was made for another one; empty if it was not."""
    made_for, version = flow.versions.get(screenshot.app or ""), screenshot.app_version
    if None in (made_for, version) or made_for == version:
        return ""
    return f"{screenshot.app} has version {version}, and the flow was made for version {made_for}"


def match_target(target: Target, screen: Screen) -> StepMatch:
    """Return the one element that a target describes, or why there is none."""
    candidates = _candidates(target, screen)
    if target.near:
        near = plain(target.near)
        candidates = [one for one in candidates if plain(neighbour(one, screen.elements)) == near]
    if not candidates:
        other = "icon" if target.kind == "text" else "text"
        has_other = bool(target.text) and bool(_candidates(target.model_copy(update={"kind": other}), screen))
        hint = f" as {target.kind}; there is one of 'kind: {other}'" if has_other else ""
        return StepMatch(problem=f"{target.words} is not on the screen{hint}", is_absent=True)
    if len(candidates) > 1:
        return StepMatch(problem=f"{target.words} is on the screen {len(candidates)} times")
    element = candidates[0]
    if element.control is not None and not element.control.enabled:
        return StepMatch(problem=f"{target.words} is disabled")
    checked = checked_in_row(element, screen.elements)
    stays_on = checked is True and _kind_of(element.control) in STAY_ON
    if target.checked is not None and checked is not None and checked != target.checked and not stays_on:
        return StepMatch(problem=f"{target.words} is {'on' if checked else 'off'} already")
    point = _free_point(element, screen)
    return StepMatch(element, point) if point else StepMatch(problem=f"something lies over {target.words}")


def describe_target(element: Element, screen: Screen) -> Target:
    """Return the description of an element: as little as tells it from the others on its screen.

    If others look the same even with the neighbour, ``match_target`` does not find it by the result.
    """
    checked = checked_in_row(element, screen.elements)
    control = _kind_of(element.control)
    is_toggle = element.control is not None and element.control.checked is not None
    has_value = control in VALUE_CONTROLS or (is_toggle and element.kind == "icon")  # what it shows tells its state
    text = "" if has_value else element.content
    target = Target(text=text, kind=element.kind, control=control if control or text else "View", checked=checked)
    if len(_candidates(target, screen)) <= 1 and text:
        return target
    return target.model_copy(update={"near": neighbour(element, screen.elements)})


def is_touchable(element: Element, screen: Screen) -> bool:
    """Return whether an element is large enough to be touched on purpose. What is folded up is not."""
    return max(element.box.width, element.box.height) >= SMALLEST * max(screen.size.width, screen.size.height)


def find_dismissal(screen: Screen) -> Element | None:
    """Return the one button that closes a request and leaves all as it was; None if there is not exactly one.

    Where the phone's views tell what is a button, the same words on another view, such as a row of a list, are none.
    """
    said = [element for element in _in_own_places(screen.elements) if normalise(element.content) in DISMISSALS]
    buttons = [element for element in said if element.control is None or element.control.kind.endswith("Button")]
    return buttons[0] if len(buttons) == 1 else None


def shows_text(text: str, screen: Screen) -> bool:
    """Return whether a text is on a screen, also as a part of another one."""
    return any(plain(text) in plain(element.content) for element in screen.elements)


def neighbour(element: Element, elements: Sequence[Element]) -> str:
    """Return the nearest text in the element's row, or else the nearest one above it; empty if there is none."""
    others = [one for one in elements if one.kind == "text" and one.content and one is not element]
    others = [one for one in others if not _lies_in(element.box, one.box)]  # that is around it, and not beside it
    row = [one for one in others if _shares_row(one.box, element.box)]
    if row:
        return min(row, key=lambda one: abs(one.centre[0] - element.centre[0])).content
    above = [one for one in others if one.box.y2 <= element.box.y1 and _shares_column(one.box, element.box)]
    return max(above, key=lambda one: one.box.y2).content if above else ""


def checked_in_row(element: Element, elements: Sequence[Element]) -> bool | None:
    """Return the state of the one switch or checkbox that an element is or has in its row; None if it has not one."""
    if element.control is not None and element.control.checked is not None:
        return element.control.checked
    row = [one.control for one in elements if one.control is not None and _shares_row(one.box, element.box)]
    states = {control.box.model_dump_json(): control.checked for control in row if control.checked is not None}
    return next(iter(states.values())) if len(states) == 1 else None


def plain(text: str) -> str:
    """Return a text as it is compared: without case and with single blanks."""
    return " ".join(text.casefold().split())


def _free_point(element: Element, screen: Screen) -> tuple[int, int] | None:
    """Return the middle of an element, or a point beside it where a control lies over that; None if all is covered.

    Controls around the element do not lie over it. Nobody knows which of two that overlap is drawn above the other.
    """
    boxes = [one.control.box for one in screen.elements if one.control is not None]
    own = None if element.control is None else element.control.box
    others = [box for box in boxes if box != own and not _lies_in(element.box, box)]
    box = element.box
    for across, down in _PARTS:
        x, y = box.x1 + int(across * box.width), box.y1 + int(down * box.height)
        if not any(other.x1 <= x < other.x2 and other.y1 <= y < other.y2 for other in others):
            return (x, y)
    return None


def _fits(target: Target, element: Element) -> bool:
    """Return whether an element is of the target's kind and has its text. The class of views counts without a text."""
    if element.kind != target.kind:
        return False
    if target.text:
        return plain(element.content) == plain(target.text)
    return _kind_of(element.control) == target.control


def _candidates(target: Target, screen: Screen) -> list[Element]:
    """Return the elements that a target may mean.

    Of several with its text, those of its class count if there are any, and of these those with exactly its letters.
    """
    candidates = [one for one in _in_own_places(screen.elements) if _fits(target, one) and is_touchable(one, screen)]
    if not target.text:
        return candidates
    candidates = [one for one in candidates if _kind_of(one.control) == target.control] or candidates
    letters = " ".join(target.text.split())
    return [one for one in candidates if " ".join(one.content.split()) == letters] or candidates


def _kind_of(control: Control | None) -> str:
    return "" if control is None else control.kind


def _in_own_places(elements: Sequence[Element]) -> list[Element]:
    """Return the elements, but of equal ones in one control only the first: a touch of any of them does the same.

    So does a touch of the inner one where a text lies in a view of the same text.
    """
    first_ones: dict[tuple[str, str, str], Element] = {}
    for element in elements:
        place = element.box if element.control is None else element.control.box
        first_ones.setdefault((element.kind, plain(element.content), place.model_dump_json()), element)
    own: list[Element] = []
    for element in sorted(first_ones.values(), key=lambda one: one.box.area):
        if not (element.content and any(_is_around(element, inner) for inner in own)):
            own.append(element)
    return [element for element in first_ones.values() if element in own]


def _is_around(element: Element, inner: Element) -> bool:
    """Return whether an element says the same as one that lies in it."""
    is_same = (element.kind, plain(element.content)) == (inner.kind, plain(inner.content))
    return is_same and _lies_in(inner.box, element.box)


def _lies_in(box: Box, outer: Box) -> bool:
    return outer.x1 <= box.x1 and outer.y1 <= box.y1 and box.x2 <= outer.x2 and box.y2 <= outer.y2


def _shares_row(one: Box, other: Box) -> bool:
    return one.y1 <= other.centre[1] < one.y2 or other.y1 <= one.centre[1] < other.y2


def _shares_column(one: Box, other: Box) -> bool:
    return one.x1 < other.x2 and other.x1 < one.x2


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts)
