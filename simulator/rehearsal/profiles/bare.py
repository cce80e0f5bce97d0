"""Answer as a bare model: it sees one picture, and knows its earlier actions only from its own words about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from manyhands.protocol.base import Reply
from manyhands.protocol.profiles.bare import BareReply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import ActionLine, Section, parse_action_line, parse_screen_body
from manyhands.simulator.rehearsal.memory import remembered
from manyhands.simulator.rehearsal.pages import Page, Sight
from manyhands.simulator.rehearsal.profiles.alone import Moment, Past, go_on
from manyhands.simulator.rehearsal.profiles.rehearsals import Question, Rehearsal
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.roles.operator import SWIPES, Action, targets
from manyhands.simulator.rehearsal.script import Scripts, Subgoal, field_and_text
from manyhands.simulator.serving.plain_reply import plain_reply

_CORNERS = {"icon bottom right": (0.89, 0.87), "icon top right": (0.93, 0.07)}
"""The places where the model expects icons, which it cannot read, in shares of the screen."""
_KEYS = {"enter": "Enter", "back": "Back", "home": "Home"}
_OF_AGENTS = {Section.PLAN, Section.SUBGOAL, Section.PROGRESS, Section.NOTES, Section.TIPS, Section.OPERATIONS}
"""Sections that only agents around a model provide."""
_LINE = re.compile(r"^Step \d+ \| (.*)$")
_TAPPED = re.compile(r'I tap "(.*?)"')


@dataclass(frozen=True, slots=True)
class PointHand:
    """Act at points that the model itself sees."""

    wait: ClassVar[Action] = {"name": "Wait"}
    home: ClassVar[Action] = {"name": "Home"}

    width: int
    height: int

    def moves(self, do: str, sight: Sight, subgoal: Subgoal) -> Iterator[tuple[Action, str]]:
        """Yield the actions that a rule's words may mean on this screen."""
        verb, _, rest = do.partition(" ")
        if verb in _KEYS:
            yield {"name": _KEYS[verb]}, ""
        elif verb == "wait":
            yield self.wait, ""
        elif verb == "open":
            yield {"name": "Open_App", "app": rest}, ""
        elif verb == "swipe":
            (x1, y1), (x2, y2) = (self._point(*point) for point in SWIPES[rest])
            yield {"name": "Swipe", "x1": x1, "y1": y1, "x2": x2, "y2": y2}, ""
        elif verb == "type" and sight.keyboard:
            yield {"name": "Type", "text": rest, "clear": True}, ""
        elif verb in ("search", "retype"):
            field, text = field_and_text(rest)
            if sight.keyboard and text in sight.typed:
                yield {"name": "Enter"}, ""
            if sight.keyboard:
                yield {"name": "Type", "text": text, "clear": True}, ""
            else:
                yield from self._taps("Tap", field, sight)
        elif verb in ("tap", "hold"):
            yield from self._taps("Tap" if verb == "tap" else "Long_Press", rest, sight)

    def _taps(self, name: str, pattern: str, sight: Sight) -> Iterator[tuple[Action, str]]:
        if pattern in _CORNERS:
            x, y = self._point(*_CORNERS[pattern])
            yield {"name": name, "x": x, "y": y}, ""
            return
        for line in targets(pattern, sight):
            x, y = self._point(line.x, line.y)
            yield {"name": name, "x": x, "y": y}, ""

    def _point(self, x: float, y: float) -> tuple[int, int]:
        return round(x * self.width), round(y * self.height)


class BareRehearsal(Rehearsal):
    """Answer as a model without an agent around it."""

    writes = (BareReply,)

    def is_asked(self, question: Question) -> bool:
        """Return whether a bare model is asked. The type of reply tells; else agents' sections are missing."""
        if question.role is not Role.DECIDE:
            return False
        if question.wanted is not None:
            return issubclass(question.wanted, self.writes)
        return not _OF_AGENTS & question.reading.sections.keys() and "Click_Icon" not in question.reading.actions

    def reply(self, question: Question) -> Reply:
        """Return the reply with the next action."""
        if not question.pages:
            return plain_reply(BareReply)
        return act(question.reading, question.scripts, question.pages[-1])


def act(reading: Reading, scripts: Scripts, page: Page) -> BareReply:
    """Return the reply with the next action. The expectation in the reply also holds the model's memory."""
    extent = parse_screen_body(reading.text(Section.SCREEN))
    width, height = (extent.width, extent.height) if extent is not None else (1000, 1000)
    lines = [
        read
        for line in reading.text(Section.HISTORY).splitlines()
        if (match := _LINE.match(line)) and (read := parse_action_line(match[1])) is not None
    ]
    moment = Moment(
        goal=reading.text(Section.GOAL),
        hints=reading.text(Section.HINTS),
        offered=frozenset(reading.actions),
        memory=remembered(lines[-1].expectation if lines else ""),
        past=tuple(_past(lines)),
        page=page,
    )
    answer = go_on(moment, scripts, PointHand(width, height))
    words = f"{answer.thought} {answer.memory.written()}"
    return BareReply.model_validate(
        {"thought": answer.thought[:800], "action": answer.action, "expectation": words[:800]}
    )


def _past(lines: list[ActionLine]) -> Iterator[Past]:
    """Yield the model's actions. The model is not told their effects, so a tap counts as failed if it came last."""
    for number, line in enumerate(lines, start=1):
        if line.action is not None:
            tapped = _TAPPED.search(line.expectation)
            last = number == len(lines) and line.action.get("name") in ("Tap", "Long_Press")
            yield Past(line.action, tapped[1] if tapped else "", failed=last)
