"""Answer as the agent of ``native``: it judges its last action and chooses the next one, in one chat."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.replies import FOLLOWING, with_following
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, parse_screen_body
from manyhands.simulator.rehearsal.family_form import PLAIN
from manyhands.simulator.rehearsal.matching import is_part
from manyhands.simulator.rehearsal.memory import Memory, remembered
from manyhands.simulator.rehearsal.pages import Line, Page, Sight
from manyhands.simulator.rehearsal.profiles.alone import Answer, Moment, Past, go_on
from manyhands.simulator.rehearsal.profiles.bare import PointHand
from manyhands.simulator.rehearsal.profiles.rehearsals import Draw, Question, Rehearsal
from manyhands.simulator.rehearsal.request import Said
from manyhands.simulator.rehearsal.roles.operator import SEARCH_SHORTCUT, Action, targets
from manyhands.simulator.rehearsal.roles.reflector import KEYBOARD_LINE
from manyhands.simulator.rehearsal.script import Scripts, Subgoal, field_and_text
from manyhands.simulator.rehearsal.text_pages import TextPage
from manyhands.simulator.serving.plain_reply import plain_reply

_IN_VAIN = re.compile(r"was not carried out|Do something else than before")
_DROPPED = re.compile(r"Of your last \d actions the first (\d) were done")
_SEVERAL = re.compile(rf'"{FOLLOWING}": .* with up to (\d) more actions')
_IS = ": "
_SUBGOAL = re.compile(r'^For the subgoal ".*?" (?=I )')
"""The part of a thought that the chat has told already."""
_NOT_JUDGED = "There is no action to judge"
_TAPPED = re.compile(r'I tap "(.*?)"')
_WAS_TAPPED = re.compile(r'You tapped (?:near )?"(.*?)"\.')
_JUDGED = "Judge this action"


@dataclass(frozen=True, slots=True)
class SearchHand(PointHand):
    """Act at points, and search by the shortcut where it is offered and no field has the focus yet."""

    by_shortcut: bool = False

    def moves(self, do: str, sight: Sight, subgoal: Subgoal) -> Iterator[tuple[Action, str]]:
        """Yield the actions that a rule's words may mean on this screen."""
        verb, _, rest = do.partition(" ")
        if self.by_shortcut and verb == "search" and not sight.keyboard:
            field, text = field_and_text(rest)
            for line in targets(field, sight):
                x, y = self._point(line.x, line.y)
                given = {"x": str(x), "y": str(y), "text": text}
                arguments = [{"name": name, "value": value} for name, value in given.items()]
                yield {"name": "Shortcut", "shortcut": SEARCH_SHORTCUT, "arguments": arguments}, ""
        yield from PointHand.moves(self, do, sight, subgoal)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberHand(SearchHand):
    """Act by the numbers of a list."""

    page: TextPage
    scrolls: bool
    """Whether swipes are written by their direction."""

    def moves(self, do: str, sight: Sight, subgoal: Subgoal) -> Iterator[tuple[Action, str]]:
        """Yield the actions that a rule's words may mean on this screen."""
        verb, _, rest = do.partition(" ")
        if verb == "swipe" and self.scrolls:
            yield {"name": "Scroll", "direction": rest}, ""
        else:
            yield from SearchHand.moves(self, do, sight, subgoal)

    def _taps(self, name: str, pattern: str, sight: Sight) -> Iterator[tuple[Action, str]]:
        numbers = [self.page.number_of(line) for line in targets(pattern, sight)]
        if name != "Tap" or not any(numbers):
            yield from SearchHand._taps(self, name, pattern, sight)
        for number in filter(None, numbers):
            yield {"name": "Tap_Element", "number": number}, ""


class NativeRehearsal(Rehearsal):
    """Answer as the one agent of ``native``."""

    writes = (NativeReply, NativeFirstReply)

    def is_asked(self, question: Question) -> bool:
        """Return whether this agent is asked. The type of reply tells it, or else what is asked last."""
        if question.wanted is not None:
            return issubclass(question.wanted, self.writes)
        return question.role is Role.DECIDE and _asked(question.conversation) is not None

    def reply(self, question: Question) -> Reply:
        """Return the verdict on the last action and the next action."""
        wanted = question.wanted or _asked(question.conversation) or NativeFirstReply
        if not question.pages:
            return plain_reply(wanted)
        moment = _moment(question)
        extent = parse_screen_body(question.reading.text(Section.SCREEN))
        width, height = (1000, 1000) if extent is None else (extent.width, extent.height)
        hand = SearchHand(width, height, SEARCH_SHORTCUT in question.reading.shortcuts)
        page, is_plain = question.pages[-1], question.form == PLAIN
        if isinstance(page, TextPage):
            hand = NumberHand(width, height, hand.by_shortcut, page=page, scrolls=is_plain)
        answer = go_on(moment, question.scripts, hand)
        if is_plain:
            return _plain(answer)
        acting: dict[str, Any] = {
            "notes": _new(answer.memory.notes, moment.memory.notes),
            "thought": f"{_SUBGOAL.sub('', answer.thought)} {_kept(answer.memory, moment.memory)}".strip()[:800],
            "action": answer.action,
            "expectation": "The screen shows what I need next.",
        }
        offered = _SEVERAL.search(question.reading.text(Section.FORMAT))
        if offered:
            wanted = with_following(wanted, 1 + int(offered[1]))
            acting[FOLLOWING] = list(_following(moment, answer, question.scripts, hand, int(offered[1])))
        if issubclass(wanted, NativeFirstReply):
            return wanted.model_validate(acting)
        return wanted.model_validate({**_judged(moment, answer, question.conversation), **acting})

    def wrong_action(self, reply: Reply, pages: Sequence[Page], draw: Draw) -> Reply | None:
        """Return the reply with a tap on another text of the screen, or one time in three with a wrong verdict."""
        if not isinstance(reply, NativeReply | NativeFirstReply) or not pages or not pages[-1].lines:
            return None
        if isinstance(reply, NativeReply) and draw("verdict", 3) == 0:
            return self.mistaken(reply, draw("outcome", 2))
        line = pages[-1].lines[draw("element", len(pages[-1].lines))]
        action = {"name": "Tap", "x": round(line.x * 1000), "y": round(line.y * 1000)}
        return type(reply).model_validate({**reply.model_dump(), "action": action})

    def mistaken(self, verdict: Reply, draw: int) -> Reply:
        """Return the same reply with a wrong verdict. Return other replies as they are."""
        if not isinstance(verdict, NativeReply):
            return verdict
        wrong = (Outcome.B, Outcome.C)[draw] if verdict.outcome is Outcome.A else Outcome.A
        return verdict.model_copy(update={"outcome": wrong, "change": "This is not what I see."})


def _plain(answer: Answer) -> NativeFirstReply:
    """Return the reply in a plain chat: the action, and the memory where the task has more than one part."""
    kept = answer.memory.written() if answer.memory != Memory() and answer.action["name"] != "Stop" else ""
    return NativeFirstReply.model_validate(
        {"notes": "", "thought": kept[:800], "action": answer.action, "expectation": ""}
    )


def _following(moment: Moment, answer: Answer, scripts: Scripts, hand: SearchHand, most: int) -> Iterator[Action]:
    """Yield what follows a tap on a field: the text, then Enter or a tap on the same page.

    The model expects the keyboard after the tap, and the text in the place of the words that it tapped.
    """
    keyboard = Line(KEYBOARD_LINE.strip("*"), 0.5, 0.95)
    match = _TAPPED.search(answer.thought)
    field, lines, last = match[1] if match else "", moment.page.lines, answer
    for _ in range(most):
        if last.action["name"] == "Tap" and last is answer:
            lines = (*lines, keyboard)
        elif last.action["name"] == "Type":
            text = last.action["text"]
            lines = tuple(replace(one, text=text) if field and is_part(field, one.text) else one for one in lines)
        else:
            return
        past = Past(last.action, field if last is answer else "")
        page = replace(moment.page, lines=lines)
        moment = replace(moment, page=page, memory=last.memory, past=(*moment.past, past))
        action, last = last.action, go_on(moment, scripts, hand)
        if last.action["name"] not in (("Type",) if action["name"] == "Tap" else ("Enter", "Tap")):
            return
        yield last.action


def _asked(said: Sequence[Said]) -> type[Reply] | None:
    """Return the type of reply that the chat asks for; None if it is no chat of this profile."""
    for one in reversed(said):
        if one.by == "user" and (_NOT_JUDGED in one.text or _JUDGED in one.text):
            return NativeFirstReply if _NOT_JUDGED in one.text else NativeReply
    return None


def _judged(moment: Moment, answer: Answer, said: Sequence[Said]) -> Mapping[str, str]:
    """Return the fields of a reply that judge the last action."""
    told = said[-1].text if said else ""
    same = moment.before is not None and moment.page.looks_like(moment.before)
    outcome = Outcome.C if same or _IN_VAIN.search(told) else Outcome.A
    shown = ", ".join(f'"{line.text[:30]}"' for line in moment.page.lines[1:2])
    done = [one for one in answer.memory.done if one not in moment.memory.done]
    moved_on = answer.memory.index > moment.memory.index
    return {
        "change": "Nothing has changed." if outcome is Outcome.C else f"It shows {shown or 'no words'}.",
        "outcome": outcome.value,
        "progress": "\n".join(done)[:800],
        "subgoal": "reached" if moved_on and outcome is Outcome.A else "open",
    }


def _kept(memory: Memory, before: Memory) -> str:
    """Return the place in the script in words if it is another one. Progress and notes hold the rest of the memory."""
    place = (memory.index, memory.way)
    return "" if place == (before.index, before.way) else Memory(*place).written()


def _new(notes: Mapping[str, str], before: Mapping[str, str]) -> str:
    return "\n".join(f"{label}{_IS}{value}" for label, value in notes.items() if label not in before)[:800]


# ---------------------------------------------------------------------------- what the chat says
def _moment(question: Question) -> Moment:
    reading, said, pages = question.reading, question.conversation, question.pages
    return Moment(
        goal=reading.text(Section.GOAL),
        hints=reading.text(Section.HINTS),
        offered=frozenset({*reading.actions, "Shortcut"}),
        memory=_memory(said),
        past=tuple(_past(said)),
        page=pages[-1],
        before=_before(said, pages),
    )


def _before(said: Sequence[Said], pages: Sequence[Page]) -> Page | None:
    return pages[-2] if len(pages) > 1 else None


def _memory(said: Sequence[Said]) -> Memory:
    answers = [read for one in said if one.by == "assistant" and (read := _read(one.text)) is not None]
    thoughts = [str(one.get("thought", "")) for one in answers]
    place = remembered(next((one for one in reversed(thoughts) if "[part " in one), ""))
    done, kept = (
        [line for one in answers for line in str(one.get(field, "")).splitlines() if line]
        for field in ("progress", "notes")
    )
    notes = (line.partition(_IS) for line in kept)
    noted = {**place.notes, **{label: value for label, _, value in notes}}
    return replace(place, done=tuple(dict.fromkeys((*place.done, *done))), notes=noted)


def _past(said: Sequence[Said]) -> Iterator[Past]:
    """Yield the agent's actions, each with what the agent was told next."""
    for number, one in enumerate(said):
        answer = _read(one.text) if one.by == "assistant" else None
        if answer is None or not isinstance(answer.get("action"), dict):
            continue
        told = said[number + 1].text if number + 1 < len(said) else ""
        tapped = _TAPPED.search(str(answer.get("thought", ""))) or _WAS_TAPPED.search(told)
        only = _DROPPED.search(told)
        actions = [answer["action"], *answer.get(FOLLOWING, [])][: int(only[1]) if only else None]
        for action in actions:
            named = tapped is not None and action is answer["action"]
            yield Past(action, tapped[1] if named and tapped else "", failed=_IN_VAIN.search(told) is not None)


def _read(text: str) -> dict[str, Any] | None:
    """Return an answer of the agent as a mapping; None for any other text."""
    try:
        read = json.loads(text.strip().removeprefix("```json").removesuffix("```"))
    except ValueError:
        return None
    return read if isinstance(read, dict) else None
