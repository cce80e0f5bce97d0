"""Recognise the effects of an action by what it touches and what stands around that, never by the model's words.

A control counts by its own words, its icon's name, or its app's package. A control that only confirms, such as OK,
counts by the words of its page. Words are compared without case, marks and punctuation, in English as whole words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain

import yaml

from manyhands.actors.policy.amounts import has_money, without_money
from manyhands.actors.policy.letters import HAN, fold, normalise, squeeze, squeezed_runs
from manyhands.actors.touch_target import find_nearest
from manyhands.protocol.policy import Effect, Signs
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.screens.actions import Enter, LongPress, OpenLink, PhoneAction, Swipe, Tap, Type
from manyhands.protocol.screens.element_rows import FIELDS
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Control, Element, Screen
from manyhands.protocol.secrets import secret_names

LONGEST_LABEL = 6
"""The most words of a control's text; a longer text is no label, unless it begins with the sign."""
LONGEST_HAN = 12
"""The same for a text in Chinese, in characters."""
_BY_ENTER = (Effect.SEND, Effect.PUBLISH, Effect.PAY)
_ENTER_KEYS = frozenset({"enter", "check", "go", "done", "return", "换行", "完成"})
_TOGGLES = frozenset({"switch on", "switch off", "checkbox", "checkbox checked", "radio button", "radio button on"})
_SLIDES = re.compile(r"\b(?:slide|swipe|drag)(?: up| down| left| right)?(?: to)?\b|向?[上下左右]?滑动?")
_UPRIGHT = re.compile(r"\b(?:up|down)\b|[上下]")
_DIALLED = re.compile(r"[*#]\d[\d*#]*#")
"""A code that diallers carry out as soon as it is typed."""
LARGEST = 0.4
"""A control that fills a greater share of the screen, such as a web page, is no button or card as a whole."""
APART = 0.5
"""Lines of one label are centred on each other, and at most this share of a line's height apart."""
CORNER = 0.85
"""The key Enter lies right of and below this share of the screen while a keyboard is shown."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Hold what an action touches: the words that name it, its icon's name, and whether anything is known there."""

    words: tuple[str, ...] = ()
    """The texts on the control, as the screen has them."""
    icons: tuple[str, ...] = ()
    is_button: bool = False
    is_known: bool = True
    takes_password: bool = False

    @property
    def name(self) -> str:
        """Return the words that name it for people."""
        return " ".join((*self.words, *(f"icon {name}" for name in self.icons)))[:200]


class _BuiltInSigns(PublicInput):
    confirm: frozenset[str]
    decline: frozenset[str]
    stop: tuple[str, ...]
    priced: tuple[str, ...]
    effects: dict[Effect, Signs]


@cache
def _built_in() -> _BuiltInSigns:
    text = (files("manyhands.actors.policy") / "signs.yaml").read_text(encoding="utf-8")
    return _BuiltInSigns.model_validate(yaml.safe_load(text))


def find_touched(action: PhoneAction, screen: Screen) -> Touch:
    """Return what an action touches on a screen. ``is_known`` is False for a touch of something without words."""
    match action:
        case Tap(x=x, y=y) | LongPress(x=x, y=y):
            return _at(x, y, screen)
        case Swipe(x1=x, y1=y, x2=x2, y2=y2):
            return _along(x, y, abs(y2 - y) > abs(x2 - x), screen)
        case Enter() | Type():
            focused = [one for one in screen.elements if one.control is not None and one.control.focused]
            controls = [one.control for one in focused if one.control is not None]
            buttons = [one for one in controls if one.clickable and one.kind not in FIELDS]
            if isinstance(action, Enter) and buttons:
                return _at(*buttons[0].box.centre, screen)
            return Touch(takes_password=any(one.password for one in controls))
    return Touch()


def _at(x: int, y: int, screen: Screen) -> Touch:
    """Return what lies under a finger: all of the innermost control there, or else what is nearest."""
    nearest = find_nearest(x, y, screen.elements, screen.size)
    control = _control_at(x, y, screen.elements)
    if control is None and nearest is not None and nearest.control is not None and nearest.control.clickable:
        control = nearest.control
    if control is not None and control.box.area > LARGEST * screen.size.width * screen.size.height:
        control = None
    inside = [one for one in screen.elements if control is not None and one.control == control]
    if nearest is not None and nearest not in inside and (control is None or _holds(nearest.box, x, y)):
        inside[:0] = _lines_of(nearest, screen.elements) if control is None else [nearest]
    words = tuple(one.content for one in inside if one.kind == "text" and one.content.strip())
    icons = tuple(one.content for one in inside if one.kind == "icon" and one.content.strip())
    password = any(one.control is not None and one.control.password for one in inside)
    is_known = bool(words or icons)
    if not words and (not inside or (icons and _TOGGLES.issuperset(icons))):
        words = tuple(one.content for one in screen.elements if one.kind == "text" and _holds_row(one.box, y))
    is_button = control is not None and control.kind.endswith("Button")
    return Touch(words, icons, is_button, is_known, password)


def _lines_of(element: Element, elements: Sequence[Element]) -> list[Element]:
    """Return all lines of the label that a text belongs to, from above: readers of pixels give each line apart."""
    lines, texts = [element], [one for one in elements if one.kind == element.kind == "text"]
    while more := [one for one in texts if one not in lines and any(_continues(one.box, line.box) for line in lines)]:
        lines += more
    return sorted(lines, key=lambda one: one.box.y1)


def _continues(one: Box, other: Box) -> bool:
    """Return whether two texts are lines of one label: of one height, centred on each other, close together."""
    height, taller = sorted((one.height, other.height))
    gap = max(one.y1, other.y1) - min(one.y2, other.y2)
    is_centred = abs(one.centre[0] - other.centre[0]) <= APART * height
    return is_centred and taller <= (1 + APART) * height and -APART * height <= gap <= APART * height


def _along(x: int, y: int, is_upright: bool, screen: Screen) -> Touch:
    """Return what a swipe starts at, and the sliders that it may move."""
    start = _at(x, y, screen)
    sliders = (one for one in screen.elements if one.kind == "text" and _SLIDES.search(normalise(one.content)))
    moved = (
        one.content
        for one in sliders
        if (_UPRIGHT.search(normalise(one.content)) if is_upright else _holds_row(one.box, y))
    )
    return Touch(tuple(dict.fromkeys((*start.words, *moved))), start.icons, is_known=start.is_known)


def _control_at(x: int, y: int, elements: Sequence[Element]) -> Control | None:
    around = [one.control for one in elements if one.control is not None and one.control.clickable]
    return min((one for one in around if _holds(one.box, x, y)), key=lambda one: one.box.area, default=None)


def _holds(box: Box, x: int, y: int) -> bool:
    return box.x1 <= x < box.x2 and box.y1 <= y < box.y2


def _holds_row(box: Box, y: int) -> bool:
    return box.y1 - box.height / 2 <= y <= box.y2 + box.height / 2


def recognise_effects(
    action: PhoneAction, touch: Touch, screen: Screen, package: str, own_signs: Mapping[Effect, Signs]
) -> tuple[Effect, ...]:
    """Return the effects that an action may have, the surest first.

    ``package``: the app in front. ``own_signs``: signs that a policy adds to ours.
    """
    match action:
        case OpenLink(link=link):
            return recognise_link(link, own_signs)
        case Type(text=text):
            secret = (Effect.SECRET,) if touch.takes_password or secret_names(text) else ()
            called = (Effect.CALL,) if dials(text) else ()
            return (*secret, *called, *(_sent_by_enter(screen, own_signs) if text.splitlines() != [text] else ()))
        case Enter() | Tap() | LongPress() | Swipe():
            touched = _of_touch(action, touch, screen, package, own_signs)
            by_key = _sent_by_enter(screen, own_signs) if _is_enter(action, touch, screen) else ()
            dialled = (Effect.CALL,) if _ends_code(action, touch, screen) else ()
            return tuple(dict.fromkeys((*touched, *by_key, *dialled)))
    return ()


def recognise_link(link: str, own_signs: Mapping[Effect, Signs]) -> tuple[Effect, ...]:
    """Return the effects that a link may have, on whatever screen it is opened."""
    return _of(lambda signs: any(link.lower().startswith(one.lower()) for one in signs.links), own_signs)


def dials(text: str) -> bool:
    """Return whether a text is a code that a phone's dialler carries out by itself."""
    return _DIALLED.search(text) is not None


def _ends_code(action: PhoneAction, touch: Touch, screen: Screen) -> bool:
    """Return whether a touch is of the key with which diallers carry out a code; keyboards have it for texts, too."""
    is_key = isinstance(action, Tap | LongPress) and screen.keyboard != "shown"
    return is_key and any(fold(word).strip() == "#" for word in touch.words)


def _is_enter(action: PhoneAction, touch: Touch, screen: Screen) -> bool:
    """Return whether an action is Enter, or seems to touch this key of a keyboard on the screen."""
    if not isinstance(action, Tap) or screen.keyboard != "shown":
        return isinstance(action, Enter)
    is_corner = action.x >= CORNER * screen.size.width and action.y >= CORNER * screen.size.height
    return is_corner and _ENTER_KEYS.issuperset(map(normalise, (*touch.words, *touch.icons)))


def _of_touch(
    action: PhoneAction, touch: Touch, screen: Screen, package: str, own_signs: Mapping[Effect, Signs]
) -> tuple[Effect, ...]:
    labels = [normalise(one) for one in touch.words]
    page = [normalise(one.content) for one in screen.elements if one.kind == "text"]
    others = [label for label in labels if label not in _built_in().decline]
    if labels and not others:  # it declines, unless the page asks about just this: Cancel, under "Cancel order?"
        stopped = list(_find_stopped(screen.elements))
        return _of(
            lambda signs: (
                any(_is_turned(label, page, signs.controls) for label in labels)
                or any(_has(text, signs.pages) for text in stopped)
            ),
            own_signs,
        )
    labels = [*others, " ".join(others)]  # a label may be split over several texts
    icons = [normalise(one) for one in touch.icons]
    if isinstance(action, Swipe):  # a slider says what it does; a list that is scrolled does nothing
        labels = [_SLIDES.sub("", label).strip() for label in labels if _SLIDES.search(label)]
        icons, package = [], ""
    named = _of(
        lambda signs: (
            any(_matches(label, signs.controls, touch.is_button) for label in labels)
            or any(_matches(icon, signs.controls) for icon in icons if " " in icon)
            or not _squeezed(signs.labels).isdisjoint(map(squeeze, labels))
            or not _plain((*signs.icons, *signs.labels)).isdisjoint(icons)
        ),
        own_signs,
    )
    by_package = _of(lambda signs: package in signs.packages, own_signs)
    confirms = any(map(_confirms, labels))
    around = _of(lambda signs: confirms and any(_has(text, signs.pages) for text in page), own_signs)
    has_price = confirms and any(has_money(one.content) for one in screen.elements)
    money = (Effect.PAY,) if has_price or any(map(_buys, touch.words)) else ()
    return tuple(dict.fromkeys(chain(named, by_package, money, around)))


@cache
def _confirming() -> re.Pattern[str]:
    words = "|".join(map(re.escape, (*_built_in().confirm, "and", "to", "并", "且")))
    return re.compile(
        rf"(?:(?:{words})(?:\b ?|(?<=[\u3400-\u9fff])))+|(?:yes|ok|okay|confirm|accept|agree|approve|authori[sz]e) .+"
    )


def _confirms(label: str) -> bool:
    """Return whether a label only confirms: OK, Agree and continue, Yes do it."""
    is_short = len(label.split()) <= LONGEST_LABEL
    return is_short and bool(_confirming().fullmatch(label) or squeeze(label) in _squeezed(tuple(_built_in().confirm)))


def only_confirms(touch: Touch) -> bool:
    """Return whether what is touched says nothing by itself: OK, Continue. What it does is said around it."""
    return any(_confirms(normalise(one)) for one in touch.words)


def _buys(text: str) -> bool:
    """Return whether a label has an amount, and beside it only a word that confirms or orders: Upgrade for $5."""
    rest = normalise(without_money(text)) if has_money(text) else ""
    words = (*_built_in().priced, *_built_in().effects[Effect.PAY].labels)
    return bool(rest) and (_confirms(rest) or squeeze(rest) in _squeezed(words))


def _is_turned(label: str, page: Sequence[str], signs: tuple[str, ...]) -> bool:
    """Return whether a page has a sign that begins with a word that would decline elsewhere."""
    start = label if HAN.search(label) else f"{label} "
    turned = tuple(sign for sign in _plain(signs) if sign.startswith(start) and sign != label)
    return any(_has(text, turned) for text in page)


def _find_stopped(elements: Sequence[Element]) -> Iterator[str]:
    """Yield what questions of a page would stop: "the payment", of "Stop the payment?"."""
    for text in (normalise(one.content) for one in elements if "?" in fold(one.content)):
        for word in _built_in().stop:
            if text.startswith(word if HAN.search(word) else f"{word} "):
                yield text.removeprefix(word)


def _sent_by_enter(screen: Screen, own_signs: Mapping[Effect, Signs]) -> tuple[Effect, ...]:
    """Return what Enter may do: what a button for sending, posting or paying on the same screen would do."""
    words = (normalise(one.content).split() for one in screen.elements)
    shown = {squeeze(" ".join(word for word in some if not word.isdecimal())) for some in words}
    found = _of(lambda signs: not shown.isdisjoint(_squeezed((*signs.controls, *signs.icons))), own_signs)
    return tuple(effect for effect in found if effect in _BY_ENTER)


def _of(holds: Callable[[Signs], bool], own_signs: Mapping[Effect, Signs]) -> tuple[Effect, ...]:
    """Return the effects for whose signs, ours or the policy's own, a test holds."""
    tables = (_built_in().effects, own_signs)
    return tuple(effect for effect in Effect if any(effect in table and holds(table[effect]) for table in tables))


def _matches(label: str, signs: tuple[str, ...], is_button: bool = False) -> bool:
    """Return whether a control's label has one of the signs: a short label anywhere, a longer one at its beginning."""
    if not (is_button or _is_short(label)):
        return any(label.startswith(f"{sign} ") for sign in _plain(signs))
    return any(_contains(label, sign) for sign in _plain(signs)) or not _squeezed(signs).isdisjoint(
        squeezed_runs(label)
    )


def _is_short(label: str) -> bool:
    return len(label) <= LONGEST_HAN if HAN.search(label) else len(label.split()) <= LONGEST_LABEL


def _has(text: str, signs: tuple[str, ...]) -> bool:
    return any(_contains(text, sign) for sign in _plain(signs))


@cache
def _plain(signs: tuple[str, ...]) -> frozenset[str]:
    return frozenset(filter(None, map(normalise, signs)))


@cache
def _squeezed(signs: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(squeeze, _plain(signs)))


def _contains(text: str, sign: str) -> bool:
    """Return whether a text has a sign: in Chinese anywhere, otherwise as whole words."""
    if HAN.search(sign):
        return sign in text
    return f" {sign} " in f" {text} "
