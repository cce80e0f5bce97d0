"""Answer as the agent of Mobile-Agent (v1): its chat, its choice among places, and its last question."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from manyhands.protocol.base import Reply
from manyhands.protocol.profiles.v1 import MOST_PLACES, ChooseReply, CompleteReply, OperateReply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.conditions import find
from manyhands.simulator.rehearsal.memory import remembered
from manyhands.simulator.rehearsal.pages import Line, Page, Sight
from manyhands.simulator.rehearsal.profiles.alone import Moment, Past, go_on, standing
from manyhands.simulator.rehearsal.profiles.rehearsals import Question, Rehearsal
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.request import Said
from manyhands.simulator.rehearsal.roles.operator import Action, targets
from manyhands.simulator.rehearsal.script import Scripts, Subgoal, field_and_text
from manyhands.simulator.serving.plain_reply import plain_reply

_ICONS = {"bottom right": "plus", "top right": "shopping cart"}
"""The icons in the corners that scripts name."""
_IN_VAIN = re.compile(r"was not carried out|has not changed")
_NEAR = re.compile(r'Near it: "(.*)", and it is number (\d+) of its like from the top\.')
_BETWEEN = '", "'
_NEIGHBOURS = 3
_QUOTED = 40


class WordHand:
    """Act by words: texts as they are written, and icons by what is in a corner."""

    wait: ClassVar[Action] = {"name": "Page_Up"}
    home: ClassVar[Action] = {"name": "Exit"}

    def moves(self, do: str, sight: Sight, subgoal: Subgoal) -> Iterator[tuple[Action, str]]:
        """Yield the operations that a rule's words may mean on this screen."""
        verb, _, rest = do.partition(" ")
        if verb == "enter":
            yield {"name": "Type", "text": "\n"}, ""
        elif verb == "wait":
            yield self.wait, ""
        elif verb in ("back", "home"):
            yield ({"name": "Back"} if verb == "back" else self.home), ""
        elif verb == "open":
            yield {"name": "Open_App", "app": rest}, ""
        elif verb == "swipe":
            yield {"name": "Page_Down" if rest == "up" else "Page_Up"}, ""
        elif verb == "type" and sight.keyboard:
            entered = any(rule.do == "enter" for rule in subgoal.rules)
            yield {"name": "Type", "text": f"{rest}\n" if entered else rest}, ""
        elif verb in ("search", "retype"):
            yield from self._search(rest, sight, verb == "search")
        elif verb == "tap":
            yield from _clicks(rest, sight)

    def _search(self, rest: str, sight: Sight, empty: bool) -> Iterator[tuple[Action, str]]:
        """Yield operations for ``FIELD := TEXT``: click the field, then type with Enter.

        v1 cannot delete what a field holds, so the agent goes back first.
        """
        field, text = field_and_text(rest)
        if sight.keyboard and (empty or not find(field, sight.lines)):
            yield {"name": "Type", "text": "\n" if text in sight.typed else f"{text}\n"}, ""
        elif sight.keyboard:
            yield {"name": "Type", "text": f"{text}\n"}, ""
        else:
            if not empty:
                yield {"name": "Back"}, " The field holds something else, so I go back first."
            yield from _clicks(field, sight)


def _clicks(pattern: str, sight: Sight) -> Iterator[tuple[Action, str]]:
    if pattern in (f"icon {corner}" for corner in _ICONS):
        corner = pattern.removeprefix("icon ")
        yield {"name": "Click_Icon", "description": _ICONS[corner], "position": corner}, ""
        return
    for line in targets(pattern, sight):
        if line.text:
            yield {"name": "Click_Text", "text": line.text[:200]}, _described(line, sight.lines)


def _described(line: Line, lines: Sequence[Line]) -> str:
    """Return a description of a text's place if the text is on the screen more than once; else ''."""
    like = sorted(find(line.text, lines), key=lambda one: (one.y, one.x))
    if len(like) < 2:
        return ""
    others = (one for one in lines if one not in like and _is_word(one.text))
    near = sorted(others, key=lambda one: 2 * abs(one.y - line.y) + abs(one.x - line.x))[:_NEIGHBOURS]
    texts = _BETWEEN.join(one.text[:_QUOTED].replace('"', "'") for one in near)
    return f' Near it: "{texts}", and it is number {like.index(line) + 1} of its like from the top.'


def _is_word(text: str) -> bool:
    return sum(char.isalpha() for char in text) > 2


# ---------------------------------------------------------------------------- the three questions
class ChatRehearsal(Rehearsal):
    """Answer as the one agent of Mobile-Agent."""

    writes = (OperateReply, ChooseReply, CompleteReply)

    def is_asked(self, question: Question) -> bool:
        """Return whether this agent is asked. The type of reply tells or, without a type, the offered operations."""
        if question.wanted is not None:
            return issubclass(question.wanted, self.writes)
        return question.role is Role.DECIDE and "Click_Icon" in question.reading.actions

    def reply(self, question: Question) -> Reply:
        """Return the answer to one of the three questions. If no type of reply is named, the task tells which one."""
        task, pages = question.reading.text(Section.TASK), question.pages
        told = CompleteReply if "chose Stop" in task else ChooseReply if "choose a place" in task else OperateReply
        kind = question.wanted or told
        if not pages:
            return plain_reply(kind)
        if issubclass(kind, ChooseReply):
            return choose(question.conversation, pages)
        answer = complete if issubclass(kind, CompleteReply) else operate
        return answer(question.reading, question.conversation, question.scripts, pages)


def operate(reading: Reading, said: Sequence[Said], scripts: Scripts, pages: Sequence[Page]) -> OperateReply:
    """Return the reply with the next operation. The observation in the reply also holds the agent's memory."""
    answer = go_on(_moment(reading, said, pages), scripts, WordHand())
    shown = ", ".join(f'"{line.text[:30]}"' for line in pages[-1].lines[:3])
    observation = f"The screen shows {shown or 'no words'}. {answer.memory.written()}"
    return OperateReply.model_validate(
        {"observation": observation[:2000], "thought": answer.thought[:800], "action": answer.action}
    )


def complete(reading: Reading, said: Sequence[Said], scripts: Scripts, pages: Sequence[Page]) -> CompleteReply:
    """Return whether everything is done, by the agent's memory and the last screen."""
    moment = _moment(reading, said, pages)
    script = scripts.for_goal(moment.goal)
    if script is None:
        thought = "This rehearsed model has not rehearsed this goal, and cannot tell."
        return CompleteReply(thought=thought, status="incomplete", missing="All of it, as far as I know.")
    memory = standing(moment, script)
    if memory.index == len(script.subgoals):
        return CompleteReply(thought="Each part of the instruction is done.", status="complete", missing="")
    missing = script.subgoals[memory.index].say[0]
    return CompleteReply(thought=f"This is not done yet: {missing}."[:800], status="incomplete", missing=missing[:800])


def choose(said: Sequence[Said], pages: Sequence[Page]) -> ChooseReply:
    """Return the place with most of the texts that the agent named as near. In a tie, take the number that it named."""
    answers = _answers(said)
    found = _NEAR.search(answers[-1].get("thought", "")) if answers else None
    if found is None or not pages:
        return ChooseReply(thought="I see no difference, so I take the first.", choice="1")
    near, number = found[1].split(_BETWEEN), int(found[2])
    seen = [sum(bool(find(text, page.lines)) for text in near) for page in pages]
    best = max(range(len(pages)), key=lambda place: (seen[place], place + 1 == number))
    choice = str(min(best + 1, MOST_PLACES))
    return ChooseReply.model_validate({"thought": f"Around it I see {seen[best]} of the words.", "choice": choice})


# ---------------------------------------------------------------------------- what the chat says
def _moment(reading: Reading, said: Sequence[Said], pages: Sequence[Page]) -> Moment:
    memory = remembered(" ".join(str(one.get("observation", "")) for one in _answers(said)[-1:]))
    return Moment(
        goal=reading.text(Section.GOAL),
        hints=reading.text(Section.HINTS),
        offered=frozenset(reading.actions),
        memory=memory,
        past=tuple(_past(said)),
        page=pages[-1],
        before=pages[-2] if len(pages) > 1 else None,
    )


def _answers(said: Sequence[Said]) -> list[dict[str, Any]]:
    """Return the agent's own answers that chose an operation, in order."""
    read = (_read(one.text) for one in said if one.by == "assistant")
    return [one for one in read if one is not None and isinstance(one.get("action"), dict)]


def _past(said: Sequence[Said]) -> Iterator[Past]:
    """Yield the agent's operations, each with what the agent was told next. Leave out a Stop that ended nothing."""
    for number, one in enumerate(said):
        answer = _read(one.text) if one.by == "assistant" else None
        action = answer.get("action") if answer is not None else None
        if not isinstance(action, dict) or action.get("name") == "Stop":
            continue
        told = said[number + 1].text if number + 1 < len(said) else ""
        tapped = str(action.get("text", "")) if action.get("name") == "Click_Text" else ""
        yield Past(action, tapped, failed=_IN_VAIN.search(told) is not None)


def _read(text: str) -> dict[str, Any] | None:
    """Return an answer of the agent as a mapping; None for any other text."""
    try:
        read = json.loads(text.strip().removeprefix("```json").removesuffix("```"))
    except ValueError:
        return None
    return read if isinstance(read, dict) else None
