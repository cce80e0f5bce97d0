"""Answer as the operator: choose the next action from the prompt's text alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.protocol.base import Outcome
from manyhands.protocol.roles.role import DecideReply
from manyhands.protocol.roles.sections import Section
from manyhands.protocol.screens.actions import ATOMS, BaseAction
from manyhands.protocol.screens.argument_types import point_parameters
from manyhands.simulator.rehearsal import expectations
from manyhands.simulator.rehearsal.conditions import all_hold, find, in_other_language, is_shown
from manyhands.simulator.rehearsal.pages import Line, Sight
from manyhands.simulator.rehearsal.planting import Planted
from manyhands.simulator.rehearsal.prompt import ListedPage, Reading, shortcut_arguments
from manyhands.simulator.rehearsal.routines import POINT, conditions_of
from manyhands.simulator.rehearsal.script import (
    OBEYS,
    UNKNOWN_GOAL,
    Rule,
    Script,
    Scripts,
    Subgoal,
    field_and_text,
    fill_all,
    fill_now,
)
from manyhands.simulator.rehearsal.values import known_values
from manyhands.simulator.rehearsal.wording import Way, chosen, position, says_again

SEARCH_SHORTCUT = "Tap_Type_and_Enter"
_HOME_MARKS = ("Search the web @bottom", "搜索网页 @bottom")
_SIGN = 2
"""A text with at most so many characters may be an icon that OCR took for letters."""
_NEAR = 0.02
"""Points closer than this share of the screen count as the same place."""
_PLAIN = {"enter": "Enter", "back": "Back", "home": "Home", "wait": "Wait"}
SWIPES = {"up": ((0.5, 0.7), (0.5, 0.35)), "down": ((0.5, 0.35), (0.5, 0.7))}
_CORNERS = {"bottom right": (1.0, 0.88), "top right": (1.0, 0.07)}
_BACK_SIGN = (1 / 6, 0.98)
_LEFT_OF = "icon left of "
_AT, _BESIDE = "at", " ;; "
"""In a script's words for a shortcut: the key of the place to tap first, and the text between arguments."""
_MIDDLE = Line("", 0.5, 0.5)
_ALL_DONE = "By the progress, everything in the plan is done."
_ORNAMENTS = re.compile(r"[*]| @\w+$")
Action = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Case:
    """Hold all from which one decision is made."""

    reading: Reading
    screen: ListedPage
    sight: Sight
    values: Mapping[str, str]
    planted: Planted = Planted.NOTHING

    def applies(self, when: Iterable[str], do: str) -> bool:
        """Return whether a rule is for this screen. With ``WRONG_APP``, rules with a shortcut are for any screen."""
        blind = self.planted is Planted.WRONG_APP and do.startswith("use ")
        return blind or all_hold(when, self.sight)

    def tried_in_vain(self, action: Action) -> bool:
        """Return whether the same action was done since the last step with outcome A."""
        for entry in reversed(self.reading.history):
            if entry.outcome is Outcome.A:
                return False
            if entry.action is not None and _same(entry.action, action, self.screen):
                return True
        return False

    def written(self, action: Action) -> Action:
        """Return an action with only those arguments that the prompt offers: ``clear``, for example, may be missing."""
        if action["name"] == "Shortcut":
            return action
        return {key: value for key, value in action.items() if key in ("name", *self.reading.actions[action["name"]])}

    def offered(self, action: Action) -> bool:
        if action["name"] == "Shortcut":
            return action["shortcut"] in self.reading.shortcuts
        return action["name"] in self.reading.actions


def decide(reading: Reading, scripts: Scripts, planted: Planted = Planted.NOTHING) -> DecideReply:
    """Return the operator's reply. If the prompt lacks what a decision needs, the reply does nothing.

    ``planted``: the mistake that it makes with shortcuts.
    """
    missing = reading.missing_instructions
    if missing:
        return _at_a_loss(f"The prompt has no section {missing!r}, so I cannot tell what to write.")
    if not reading.actions:
        return _at_a_loss("I was told of no actions, so I do not know what I could do.")
    script = scripts.for_goal(reading.text(Section.GOAL))
    if script is None:
        return _at_a_loss(UNKNOWN_GOAL)
    screen = reading.screen
    if screen is None:
        return _at_a_loss("I was told of no elements, so I do not know where anything is.")
    subgoal_text = reading.text(Section.SUBGOAL)
    obedient = obey(reading, reading.sight(screen), scripts.order) if scripts.order else None
    if obedient is not None:
        return obedient
    place = position(subgoal_text, reading.plan, script)
    if place is None:
        return _at_a_loss("I cannot find the current subgoal in the plan, so I do not know what is to be done now.")
    case = _Case(reading, screen, reading.sight(screen), known_values(script, reading), planted)
    popups = scripts.popups(script.language) if reading.closes_popups else ()
    begin_anew = says_again(subgoal_text, script.language) and case.offered({"name": "Home"})
    if begin_anew and not at_home(case.sight, popups):
        return _reply({"name": "Home"}, "I start again from the home screen.", expectations.CHANGES)
    subgoal = _still_to_do(case, script, place)
    if subgoal is None:
        return _reply({"name": "Stop"}, _ALL_DONE, "") if case.offered({"name": "Stop"}) else _at_a_loss(_ALL_DONE)
    return _by_rules(case, popups, subgoal)


def choose(
    reading: Reading, sight: Sight, values: Mapping[str, str], popups: Iterable[Rule], subgoal: Subgoal
) -> DecideReply:
    """Return the next action for a subgoal, by the subgoal's rules."""
    screen = reading.screen
    if screen is None:
        return _at_a_loss("I was told of no elements, so I do not know where anything is.")
    return _by_rules(_Case(reading, screen, sight, values), popups, subgoal)


def obey(reading: Reading, sight: Sight, order: str) -> DecideReply | None:
    """Return the action that carries out an order of a screen; None if the screen shows no target for it."""
    screen = reading.screen
    case = None if screen is None else _Case(reading, screen, sight, {})
    for action, leads_to in () if case is None else _actions(order, case):
        if case is not None and case.offered(action) and not case.tried_in_vain(action):
            thought = f"{OBEYS} {in_words(order)}."
            return _reply(case.written(action), thought, leads_to or expectations.CHANGES)
    return None


def _still_to_do(case: _Case, script: Script, place: tuple[int, Way]) -> Subgoal | None:
    """Return the plan's subgoal, or the next one that is not done; None after the last.

    A subgoal is done if the progress says so and its notes exist.
    """
    index, way = place
    while index < len(script.subgoals):
        subgoal = chosen(script, index, way)
        noted = all(note.label in case.sight.notes for note in subgoal.notes)
        if subgoal.did not in case.sight.progress or not noted:
            return subgoal
        index, way = index + 1, "first"
    return None


def at_home(sight: Sight, popups: Iterable[Rule]) -> bool:
    """Return whether Home is not needed: the home screen is shown, or a pop-up that must be closed first."""
    return any(all_hold([mark], sight) for mark in _HOME_MARKS) or popups_seen(popups, sight)


def popups_seen(popups: Iterable[Rule], sight: Sight) -> bool:
    return any(all_hold(rule.when, sight) for rule in popups)


def _by_rules(case: _Case, popups: Iterable[Rule], subgoal: Subgoal) -> DecideReply:
    waiting: Action = {"name": "Wait"}
    if case.sight.loading and case.offered(waiting) and not case.tried_in_vain(waiting):
        return _reply(waiting, "The page is still loading.", expectations.LOADS)
    lacking: str | None = None
    for rule in (*popups, *subgoal.rules):
        when = fill_all(rule.when, case.values)
        if when is None or not case.applies(when, rule.do):
            continue
        do = fill_now(rule.do, case.values)
        if do is None:
            lacking = rule.do
            continue
        for action, leads_to in _actions(do, case):
            if case.offered(action) and not case.tried_in_vain(action):
                expect = [filled for one in rule.expect if (filled := fill_now(one, case.values))]
                expected = leads_to or expectations.say(expect) or expectations.CHANGES
                return _reply(case.written(action), f'For the subgoal "{subgoal.say[0]}" I {in_words(do)}.', expected)
    if lacking is not None:
        return _at_a_loss(f"The notes do not hold what I need to {in_words(lacking)}.")
    return _lost(case, subgoal)


def _openings(app: str) -> list[Action]:
    """Return the actions that may open an app: by its name, and by its name in the phone's other language."""
    names = (app, in_other_language(app))
    return [{"name": "Open_App", "app": name} for name in names if name is not None]


def _lost(case: _Case, subgoal: Subgoal) -> DecideReply:
    """Return an action for an unknown screen: bring the app to the front, or go to the home screen."""
    last = case.reading.history[-1].action if case.reading.history else None
    openings = _openings(subgoal.app)
    opened = next((one for one in openings if not case.tried_in_vain(one)), openings[0])
    action = opened if subgoal.app and last != opened else {"name": "Home"}
    if not case.offered(action):
        return _at_a_loss("I do not know this page, and no action that I am offered leads away from it.")
    thought = f"I bring {subgoal.app} to the front." if action is opened else "I know nothing here, so I go home."
    return _reply(action, thought, expectations.CHANGES)


def _reply(action: Action, thought: str, expectation: str) -> DecideReply:
    return DecideReply.model_validate({"thought": thought[:800], "action": action, "expectation": expectation[:800]})


def _at_a_loss(thought: str) -> DecideReply:
    return DecideReply.model_validate({"thought": thought, "action": {"name": "Wait"}, "expectation": ""})


def in_words(do: str) -> str:
    """Return what a rule does in words for people."""
    verb, _, rest = do.partition(" ")
    if verb in ("search", "retype"):
        return f'search for "{field_and_text(rest)[1]}"'
    if verb == "use":
        return f"use the shortcut {field_and_text(rest)[0]}"
    if rest.startswith(_LEFT_OF):
        return f"{verb} the {_ORNAMENTS.sub('', rest)}"
    if rest.startswith("icon "):
        return f"{verb} the {rest.removeprefix('icon ')} icon"
    return f'{verb} "{_ORNAMENTS.sub("", rest)}"' if rest else do


# ---------------------------------------------------------------------------- from words to actions
Move = tuple[Action, str | None]
"""An action and its expectation. If the expectation depends on the rule, it is left out here."""


def _actions(do: str, case: _Case) -> Iterator[Move]:
    """Yield the actions that a rule's words may mean on this screen, the best first."""
    verb, _, rest = do.partition(" ")
    if verb == "enter" and not case.offered({"name": "Enter"}):
        yield {"name": "Type", "text": "\n"}, None
    elif verb == "back" and not case.offered({"name": "Back"}):
        for sign in _back_signs(case.sight):
            x, y = case.screen.point(sign.x, sign.y)
            yield {"name": "Tap", "x": x, "y": y}, None
    elif verb in _PLAIN:
        yield {"name": _PLAIN[verb]}, expectations.LOADS if verb == "wait" else None
    elif verb == "open":
        yield from ((opened, None) for opened in _openings(rest))
    elif verb == "swipe":
        start, end = (case.screen.point(*point) for point in SWIPES[rest])
        yield {"name": "Swipe", "x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}, expectations.MOVES
    elif verb == "ask":
        yield {"name": "Ask_Person", "text": rest}, None
    elif verb == "type":
        if case.sight.keyboard:
            yield {"name": "Type", "text": rest, "clear": True}, expectations.HOLDS_TEXT
    elif verb in ("search", "retype"):
        yield from _search(rest, case, empty=verb == "search" or case.planted is Planted.FULL_FIELD)
    elif verb == "use":
        yield from _use(rest, case)
    else:
        name = "Tap" if verb == "tap" else "Long_Press"
        for line in targets(rest, case.sight):
            x, y = case.screen.point(line.x, line.y)
            yield {"name": name, "x": x, "y": y}, None


def _search(rest: str, case: _Case, empty: bool) -> Iterator[Move]:
    """Yield actions for ``FIELD := TEXT``: the shortcut for an empty field; else tap, type and Enter, step by step.

    A shortcut that was cut off may have typed nothing, whatever the history says: the text has to be seen, too.
    """
    field, text = field_and_text(rest)
    if case.sight.keyboard and not case.offered({"name": "Enter"}):
        yield {"name": "Type", "text": f"{text}\n", "clear": True}, None
        return
    if case.sight.keyboard:
        enter: Move = {"name": "Enter"}, None
        write: Move = {"name": "Type", "text": text, "clear": True}, expectations.HOLDS_TEXT
        if text not in case.sight.typed:
            yield write
        else:
            yield from (enter, write) if is_shown(text, case.sight) else (write, enter)
        return
    for line in targets(field, case.sight):
        x, y = case.screen.point(line.x, line.y)
        if empty and case.sight.keyboard is False:
            place = [{"name": "x", "value": str(x)}, {"name": "y", "value": str(y)}]
            arguments = [*place, {"name": "text", "value": text}]
            yield {"name": "Shortcut", "shortcut": SEARCH_SHORTCUT, "arguments": arguments}, None
        yield {"name": "Tap", "x": x, "y": y}, expectations.say(["keyboard"])


def _use(rest: str, case: _Case) -> Iterator[Move]:
    """Yield calls for ``NAME := argument value ;; at TEXT`` if the shortcut is offered and its precondition seen."""
    name, given = field_and_text(rest)
    takes = case.reading.shortcuts.get(name)
    if takes is None or not _permitted(case.reading.precondition(name), case):
        return
    values = dict(one.strip().split(" ", 1) for one in given.split(_BESIDE))
    places = targets(values.pop(_AT), case.sight) if _AT in values else [_MIDDLE]
    for place in places or ([_MIDDLE] if case.planted is Planted.WRONG_APP else []):
        known = {**values, **dict(zip(POINT, map(str, case.screen.point(place.x, place.y)), strict=True))}
        if all(argument in known for argument in takes):
            arguments = [{"name": argument, "value": known[argument]} for argument in takes]
            yield {"name": "Shortcut", "shortcut": name, "arguments": arguments}, None


def _permitted(precondition: str, case: _Case) -> bool:
    """Return whether the operator sees no reason against a precondition."""
    if case.planted is Planted.WRONG_APP:
        return True
    conditions = conditions_of(precondition)
    return conditions is None or all_hold(conditions, case.sight)


def _back_signs(sight: Sight) -> list[Line]:
    """Return the phone's own sign for Back, if one is seen at the left of the bottom bar."""
    x, y = _BACK_SIGN
    signs = [*sight.icons, *(line for line in sight.lines if len(line.text) <= _SIGN)]
    low = [sign for sign in signs if abs(sign.y - y) < _NEAR and sign.x < 2 * x]
    return sorted(low, key=lambda sign: abs(sign.x - x))[:1]


def targets(pattern: str, sight: Sight) -> list[Line]:
    """Return the places of a pattern: a text, ``icon CORNER`` or ``icon left of TEXT``."""
    signs = [*sight.icons, *(line for line in sight.lines if len(line.text) <= _SIGN)]
    if pattern.startswith(_LEFT_OF):
        beside = find(pattern.removeprefix(_LEFT_OF), sight.lines)[:1]
        row = [sign for text in beside for sign in signs if abs(sign.y - text.y) < _NEAR and text.x - sign.x > _NEAR]
        return sorted(row, key=lambda sign: -sign.x)[:2]
    if pattern.startswith("icon "):
        x, y = _CORNERS[pattern.removeprefix("icon ")]
        return sorted(signs, key=lambda sign: abs(sign.x - x) + 2 * abs(sign.y - y))[:3]
    return find(pattern, sight.lines)


def _same(a: Mapping[str, Any], b: Mapping[str, Any], screen: ListedPage) -> bool:
    """Return whether two actions are the same. Their points may differ a little."""
    if a.get("name") != b.get("name") or a.get("shortcut") != b.get("shortcut"):
        return False
    if _said(a) != _said(b):
        return False
    points = point_parameters(ATOMS.get(str(a.get("name")), BaseAction))
    if points:
        return all(
            abs(a.get(one.name, 0) - b[one.name]) <= _NEAR * side
            for point in points
            for one, side in zip(point, (screen.width, screen.height), strict=True)
        )
    return a.get("app") == b.get("app")


def _said(action: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of an action, and the arguments of a shortcut other than places."""
    arguments = {name: value for name, value in shortcut_arguments(action).items() if name not in POINT}
    return {**({"text": action["text"]} if "text" in action else {}), **arguments}
