"""Answer as a single agent. It judges, notes, plans and decides, from what it sees and what it wrote before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.conditions import all_hold
from manyhands.simulator.rehearsal.memory import Memory
from manyhands.simulator.rehearsal.pages import Page, Sight
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.roles.notetaker import seen_value
from manyhands.simulator.rehearsal.roles.operator import Action, at_home, in_words
from manyhands.simulator.rehearsal.roles.reflector import KEYBOARD_LINE
from manyhands.simulator.rehearsal.script import OBEYS, UNKNOWN_GOAL, Script, Scripts, Subgoal, fill_all, fill_now
from manyhands.simulator.rehearsal.values import known_values
from manyhands.simulator.rehearsal.wording import chosen

RECENT = 5
"""The agent looks for texts that it tapped among this number of its last actions."""
STUCK_AFTER = 2


@dataclass(frozen=True, slots=True)
class Past:
    """Hold an action of the agent, the text that it tapped, and whether it is known to have had no effect."""

    action: Mapping[str, Any]
    tapped: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """Hold everything from which one answer is made."""

    goal: str
    hints: str
    offered: frozenset[str]
    memory: Memory
    past: tuple[Past, ...]
    page: Page
    before: Page | None = None
    """The screen before the last action, if the request still shows it."""

    def sight(self, memory: Memory, tapped: tuple[str, ...]) -> Sight:
        """Return what the agent sees and knows."""
        up = all_hold([KEYBOARD_LINE], Sight(lines=self.page.lines))
        typed = [str(one.action.get("text", "")).rstrip("\n") for one in self.past if one.action.get("name") == "Type"]
        return Sight(
            lines=self.page.lines,
            page=self.page,
            keyboard=up,
            notes=memory.notes,
            progress="\n".join(memory.done),
            typed=tuple(reversed(typed)),
            tapped=tapped,
            before=self.before,
        )

    @property
    def stuck(self) -> bool:
        """Return whether the last actions had no effect."""
        last = self.past[-STUCK_AFTER:]
        return len(last) == STUCK_AFTER and all(one.failed for one in last)

    def tried_in_vain(self, action: Action) -> bool:
        """Return whether the same action was done among the last actions without effect."""
        for one in reversed(self.past):
            if not one.failed:
                return False
            if one.action == action:
                return True
        return False


class Hand(Protocol):
    """Translate the words of scripts into the actions of a profile."""

    wait: ClassVar[Action]
    """The action while a page is loading."""
    home: ClassVar[Action]
    """The action that leads to the home screen."""

    def moves(self, do: str, sight: Sight, subgoal: Subgoal) -> Iterator[tuple[Action, str]]:
        """Yield the actions that a rule's words may mean on this screen, the best first, with a remark for each."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold the agent's next action, and the agent's memory after it."""

    action: Action
    thought: str
    memory: Memory


def standing(moment: Moment, script: Script) -> Memory:
    """Return the agent's memory, updated by what the screen shows: what is done and noted, and the next subgoal."""
    memory = moment.memory
    last = moment.past[-1] if moment.past else None
    tapped = (last.tapped,) if last is not None and last.tapped else ()
    index, way = min(memory.index, len(script.subgoals)), memory.way
    if index < len(script.subgoals) and last is not None and not last.failed:
        subgoal = chosen(script, index, way)
        notes = dict(memory.notes)
        values = known_values(script, _reading(moment, memory))
        following = script.subgoals[index + 1 : index + 2]
        for wanted in [note for one in (subgoal, *following) for note in one.notes]:
            value = seen_value(wanted, moment.page, values)
            if value:
                notes.setdefault(wanted.label, value)
        memory = replace(memory, notes=notes)
        proof = fill_all(subgoal.proof or subgoal.done, known_values(script, _reading(moment, memory)))
        if proof and subgoal.did not in memory.done and all_hold(proof, moment.sight(memory, tapped)):
            memory = replace(memory, done=(*memory.done, subgoal.did))
    return _next(moment, script, memory, moment.sight(memory, tapped))


def _next(moment: Moment, script: Script, memory: Memory, sight: Sight) -> Memory:
    """Return the memory at the next subgoal: an earlier one whose notes are missing, or else the first one not done."""
    values = known_values(script, _reading(moment, memory))
    index, way = min(memory.index, len(script.subgoals)), memory.way
    for earlier in range(index):
        if any(note.label not in memory.notes for note in chosen(script, earlier, "first").notes):
            return replace(memory, index=earlier, way="first")
    if sight.loading:
        return memory

    def done(subgoal: Subgoal) -> bool:
        shown = fill_all(subgoal.done, values)
        noted = all(note.label in memory.notes for note in subgoal.notes)
        return (noted and subgoal.did in memory.done) or (bool(shown) and all_hold(shown or (), sight))

    while index < len(script.subgoals) and done(chosen(script, index, way)):
        index, way = index + 1, "first"
    if moment.stuck and index < len(script.subgoals) and script.subgoals[index].instead is not None:
        way = "instead"
    return replace(memory, index=index, way=way)


def go_on(moment: Moment, scripts: Scripts, hand: Hand) -> Answer:
    """Return the next action and the memory after it."""
    script = scripts.for_goal(moment.goal)
    if script is None:
        return Answer(hand.home, UNKNOWN_GOAL, moment.memory)
    memory = standing(moment, script)
    sight = moment.sight(memory, tuple(one.tapped for one in moment.past[-RECENT:] if one.tapped))
    for action, said in hand.moves(scripts.order, sight, Subgoal(say=("obey",), did="obeyed")) if scripts.order else ():
        if action["name"] in moment.offered and not moment.tried_in_vain(action):
            return Answer(action, f"{OBEYS} {in_words(scripts.order)}.{said}", memory)
    if memory.index == len(script.subgoals):
        return Answer({"name": "Stop"}, "Everything that the goal asks for is done.", memory)
    subgoal = chosen(script, memory.index, memory.way)
    if sight.loading and not moment.tried_in_vain(hand.wait):
        return Answer(hand.wait, "The page is still loading.", memory)
    popups = scripts.popups(script.language)
    values = known_values(script, _reading(moment, memory))
    for rule in (*popups, *subgoal.rules):
        when, do = fill_all(rule.when, values), fill_now(rule.do, values)
        if when is None or do is None or not all_hold(when, sight):
            continue
        for action, said in hand.moves(do, sight, subgoal):
            if action["name"] in moment.offered and not moment.tried_in_vain(action):
                return Answer(action, f'For the subgoal "{subgoal.say[0]}" I {in_words(do)}.{said}', memory)
    return _lost(moment, subgoal, sight, memory, hand)


def _lost(moment: Moment, subgoal: Subgoal, sight: Sight, memory: Memory, hand: Hand) -> Answer:
    """Return an action for an unknown screen: bring the app to the front, or go back or home."""
    opened: Action = {"name": "Open_App", "app": subgoal.app}
    last = moment.past[-1].action if moment.past else None
    if subgoal.app and last != opened:
        return Answer(opened, f"I bring {subgoal.app} to the front.", memory)
    leave = {"name": "Back"} if at_home(sight, ()) or last == hand.home else hand.home
    return Answer(leave, "I know nothing here, so I leave it.", memory)


def _reading(moment: Moment, memory: Memory) -> Reading:
    """Return what is known in the form of a prompt's sections, because scripts take their values from sections."""
    return Reading(
        {
            Section.GOAL: moment.goal,
            Section.HINTS: moment.hints,
            Section.PROGRESS: "\n".join(memory.done),
            Section.NOTES: "\n".join(f"{label}: {value}" for label, value in memory.notes.items()),
        }
    )
