"""Recognise the effects of an action by what it touches and what stands around that, never by the model's words.

A control counts by its own words, its icon's name, or its app's package. A control that only confirms, such as OK,
counts by the words of its page. Words are compared without case, marks and punctuation, in English as whole words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain

import yaml

from manyhands.actors.episode.touch_target import find_nearest
from manyhands.protocol.policy import Effect, Signs
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.screens.actions import Enter, LongPress, OpenLink, PhoneAction, Swipe, Tap, Type
from manyhands.protocol.screens.screen import Element, Screen

LONGEST_LABEL = 6
"""The most words of a control's text; a longer text is no label, unless it begins with the sign."""
LONGEST_HAN = 12
"""The same for a text in Chinese, in characters."""
_MONEY = re.compile(r"[$€£¥￥₹]\s?\d|\b\d+[.,]\d{2}\s?(?:usd|eur|gbp|cny|rmb|chf)\b|\d\s?元")
_HAN = re.compile(r"[\u3400-\u9fff]")
_BY_ENTER = (Effect.SEND, Effect.PUBLISH, Effect.PAY)
_WORD = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True)
class Touch:
    """Hold what an action touches: the words that name it, its icon's name, and whether anything is known there."""

    words: tuple[str, ...] = ()
    """The texts on the control, as the screen has them."""
    icons: tuple[str, ...] = ()
    is_known: bool = True
    takes_password: bool = False

    @property
    def name(self) -> str:
        """Return the words that name it for people."""
        return " ".join((*self.words, *(f"icon {name}" for name in self.icons)))[:200]


class _BuiltInSigns(PublicInput):
    confirm: frozenset[str]
    decline: frozenset[str]
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
        case Swipe(x1=x, y1=y):
            return _at(x, y, screen)
        case Enter() | Type():
            focused = [one for one in screen.elements if one.control is not None and one.control.focused]
            takes_password = any(one.control is not None and one.control.password for one in focused)
            return Touch(takes_password=takes_password)
    return Touch()


def _at(x: int, y: int, screen: Screen) -> Touch:
    nearest = find_nearest(x, y, screen.elements, screen.size)
    if nearest is None:
        return Touch(is_known=False)
    inside = [nearest]
    if nearest.control is not None and nearest.control.clickable:
        inside += [one for one in screen.elements if one.control == nearest.control and one is not nearest]
    words = tuple(one.content for one in inside if one.kind == "text" and one.content.strip())
    icons = tuple(one.content for one in inside if one.kind == "icon" and one.content.strip())
    password = any(one.control is not None and one.control.password for one in inside)
    return Touch(words, icons, is_known=bool(words or icons), takes_password=password)


def recognise_effects(
    action: PhoneAction, touch: Touch, screen: Screen, package: str, own_signs: Mapping[Effect, Signs]
) -> tuple[Effect, ...]:
    """Return the effects that an action may have, the surest first.

    ``package``: the app in front. ``own_signs``: signs that a policy adds to ours.
    """
    match action:
        case OpenLink(link=link):
            return _of(lambda signs: any(link.lower().startswith(one.lower()) for one in signs.links), own_signs)
        case Type(text=text):
            secret = (Effect.SECRET,) if touch.takes_password else ()
            return (*secret, *(_sent_by_enter(screen, own_signs) if "\n" in text else ()))
        case Enter():
            return _sent_by_enter(screen, own_signs)
        case Tap() | LongPress() | Swipe():
            return _of_touch(action, touch, screen, package, own_signs)
    return ()


def _of_touch(
    action: PhoneAction, touch: Touch, screen: Screen, package: str, own_signs: Mapping[Effect, Signs]
) -> tuple[Effect, ...]:
    labels = [normalise(one) for one in touch.words]
    if any(label in _built_in().decline for label in labels):
        return ()
    if isinstance(action, Swipe):  # a slider says what it does; a list that is scrolled does nothing
        labels = [label for label in labels if re.search(r"\b(slide|swipe)\b|滑", label)]
        return _of(lambda signs: any(_matches(label, signs.controls) for label in labels), own_signs)
    named = _of(
        lambda signs: (
            any(_matches(label, signs.controls) for label in labels)
            or any(normalise(icon) in _plain(signs.icons) for icon in touch.icons)
        ),
        own_signs,
    )
    by_package = _of(lambda signs: package in signs.packages, own_signs) if touch.is_known else ()
    confirms = any(label in _built_in().confirm for label in labels)
    page = [normalise(one.content) for one in screen.elements if one.kind == "text"] if confirms else []
    around = _of(lambda signs: any(_has(text, signs.pages) for text in page), own_signs)
    money = (Effect.PAY,) if confirms and any(_MONEY.search(one.content.lower()) for one in screen.elements) else ()
    return tuple(dict.fromkeys(chain(named, by_package, money, around)))


def _sent_by_enter(screen: Screen, own_signs: Mapping[Effect, Signs]) -> tuple[Effect, ...]:
    """Return what Enter may do: what a button for sending, posting or paying on the same screen would do."""
    shown = {normalise(one.content) for one in screen.elements}
    found = _of(lambda signs: not shown.isdisjoint(_plain((*signs.controls, *signs.icons))), own_signs)
    return tuple(effect for effect in found if effect in _BY_ENTER)


def _of(holds: Callable[[Signs], bool], own_signs: Mapping[Effect, Signs]) -> tuple[Effect, ...]:
    """Return the effects for whose signs, ours or the policy's own, a test holds."""
    tables = (_built_in().effects, own_signs)
    return tuple(effect for effect in Effect if any(effect in table and holds(table[effect]) for table in tables))


@lru_cache(maxsize=8192)  # most texts are on the next screen, too
def normalise(text: str) -> str:
    """Return a text in lower case, without marks, signs and surplus blanks, so that equal words are equal."""
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text)
        if unicodedata.category(letter) not in ("Mn", "Cf", "Co")
    )
    return " ".join(_WORD.findall(plain.casefold().replace("’", "'").replace("'", " ").replace("_", " ")))


def _matches(label: str, signs: tuple[str, ...]) -> bool:
    """Return whether a control's label has one of the signs: a short label anywhere, a longer one at its beginning."""
    is_short = len(label.split()) <= LONGEST_LABEL if not _HAN.search(label) else len(label) <= LONGEST_HAN
    return any(_contains(label, sign) if is_short else label.startswith(f"{sign} ") for sign in _plain(signs))


def _has(text: str, signs: tuple[str, ...]) -> bool:
    return any(_contains(text, sign) for sign in _plain(signs))


@cache
def _plain(signs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(normalise, signs))


def _contains(text: str, sign: str) -> bool:
    """Return whether a text has a sign: in Chinese anywhere, otherwise as whole words."""
    if _HAN.search(sign):
        return sign in text
    return f" {sign} " in f" {text} "


def texts_of(elements: Iterable[Element]) -> str:
    """Return all texts of elements, for a search of a name or an amount."""
    return normalise(" ".join(one.content for one in elements))
