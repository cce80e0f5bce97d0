"""Answer as the agents of Mobile-Agent-v2.

Its planner sees no picture. So the operator's thoughts say which subgoals are done, and the planner reads them there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.profiles.v2 import FocusReply, LetterReply, OperationOfEReply, OperationReply, ProgressReply
from manyhands.protocol.roles.replies import ActingReply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, one_line
from manyhands.simulator.rehearsal import expectations
from manyhands.simulator.rehearsal.conditions import all_hold
from manyhands.simulator.rehearsal.pages import Page, Sight
from manyhands.simulator.rehearsal.profiles.rehearsals import Question, Rehearsal
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.roles.notetaker import seen_value
from manyhands.simulator.rehearsal.roles.operator import choose, obey
from manyhands.simulator.rehearsal.roles.reflector import reflect
from manyhands.simulator.rehearsal.script import UNKNOWN_GOAL, Noted, Script, Scripts, Subgoal, fill_all
from manyhands.simulator.rehearsal.values import known_values

_DONE = "Done: "
_THOUGHT = "\nThought before it: "
_STANDS_STILL = {"name": "Swipe", "x1": 500, "y1": 400, "x2": 500, "y2": 600}
"""A swipe that takes the place of ``Wait`` if the prompt does not offer ``Wait``. Coordinates are in thousandths."""


class V2Rehearsal(Rehearsal):
    """Answer as the agents of Mobile-Agent-v2."""

    writes = (ProgressReply, OperationReply, LetterReply, FocusReply)

    def is_asked(self, question: Question) -> bool:
        """Return whether a prompt is one of Mobile-Agent-v2.

        The wanted type of reply tells it. If the request names no type, the sections of the prompt tell.
        """
        if question.wanted is not None:
            return issubclass(question.wanted, self.writes)
        sections = question.reading.sections
        return Section.OPERATIONS in sections or _THOUGHT in sections.get(Section.ACTION, "")

    def reply(self, question: Question) -> Reply:
        """Return the reply of the agent that the question's role names."""
        reading, scripts, pages = question.reading, question.scripts, question.pages
        script = scripts.for_goal(reading.text(Section.GOAL))
        page = pages[-1] if pages else None
        if question.role is Role.REFLECT:
            verdict = reflect(reading, scripts, list(pages))
            thought = verdict.error or "It did what it was meant to do."
            return LetterReply(thought=thought, outcome=verdict.outcome)
        if question.role is Role.PLAN:
            return _progress(reading, script)
        if question.role is Role.NOTE:
            return _focus(reading, script, page)
        return _operation(reading, scripts, script, page)

    def mistaken(self, verdict: Reply, draw: int) -> Reply:
        """Return a wrong verdict for a right one. Return other replies as they are."""
        if not isinstance(verdict, LetterReply):
            return verdict
        if verdict.outcome is not Outcome.A:
            return LetterReply(thought="This is what was meant.", outcome=Outcome.A)
        thought = "This does not look like what was meant. Try something else."
        return LetterReply(thought=thought, outcome=(Outcome.B, Outcome.C)[draw])


# ---------------------------------------------------------------------------- which subgoals are done
@dataclass(frozen=True, slots=True)
class _Moment:
    """Hold the prompt, the script and the screen, and tell from them which subgoals are done."""

    reading: Reading
    script: Script
    sight: Sight
    page: Page | None

    @property
    def told(self) -> str:
        """Return the texts that say what is done: the progress and the thoughts of the operations."""
        thoughts = " ".join(one.thought for one in self.reading.operations)
        return f"{one_line(self.reading.text(Section.PROGRESS))} {thoughts}"

    def noted(self, wanted: Noted) -> bool:
        """Return whether a value stands in the notes, or can be noted from this screen."""
        return wanted.label in self.reading.notes or self.value(wanted) is not None

    def value(self, wanted: Noted) -> str | None:
        return seen_value(wanted, self.page, known_values(self.script, self.reading)) if self.page is not None else None

    def is_done(self, subgoal: Subgoal) -> bool:
        if one_line(subgoal.did) in self.told and all(map(self.noted, subgoal.notes)):
            return True
        done = fill_all(subgoal.done, known_values(self.script, self.reading))
        return (bool(done) and all_hold(done or (), self.sight)) or self.is_proven(subgoal)

    def is_proven(self, subgoal: Subgoal) -> bool:
        """Return whether the last completed operation proves that a subgoal is done.

        The expectation of this operation must name each condition of ``proof``. A condition ``tapped:`` need not be
        named; it is enough that it holds.
        """
        if not subgoal.proof or not self.reading.operations:
            return False
        brought = expectations.read(self.reading.operations[-1].expectation) or []
        return all(
            one in brought or (one.startswith("tapped:") and all_hold([one], self.sight)) for one in subgoal.proof
        )

    def index(self) -> int:
        """Return the index of the subgoal to work on.

        This is the first subgoal that is not done, or an earlier one whose notes are missing. While a page loads, only
        the progress and the thoughts count.
        """
        subgoals, index = self.script.subgoals, 0
        while index < len(subgoals) and one_line(subgoals[index].did) in self.told:
            index += 1
        for earlier, subgoal in enumerate(subgoals[:index]):
            if not all(map(self.noted, subgoal.notes)):
                return earlier
        if not self.sight.loading:
            while index < len(subgoals) and self.is_done(subgoals[index]):
                index += 1
        return index


def _moment(reading: Reading, script: Script, page: Page | None) -> _Moment:
    screen = reading.screen
    listed = reading.sight(screen) if screen is not None else Sight(lines=())
    return _Moment(reading, script, replace(listed, page=page), page)


# ---------------------------------------------------------------------------- the agents
def _operation(reading: Reading, scripts: Scripts, script: Script | None, page: Page | None) -> ActingReply:
    if script is None:
        return _written(reading, UNKNOWN_GOAL, {"name": "Wait"}, "")
    moment = _moment(reading, script, page)
    obedient = obey(reading, moment.sight, scripts.order) if scripts.order else None
    if obedient is not None:
        action = obedient.action.model_dump(exclude_unset=True)
        return _written(reading, obedient.thought, action, obedient.expectation)
    index = moment.index()
    told = moment.told
    done = [one.did for place, one in enumerate(script.subgoals) if place < index or one_line(one.did) in told]
    said = "".join(f"{_DONE}{did}. " for did in done)
    if index == len(script.subgoals):
        return _written(reading, f"{said}Nothing is left to be done.", {"name": "Stop"}, "The task is done.")
    subgoal = script.subgoals[index]
    if subgoal.instead is not None and (len(reading.tried) > 1 or _goes_otherwise(reading, subgoal.instead)):
        subgoal = subgoal.instead
    popups = scripts.popups(script.language)
    chosen = choose(reading, moment.sight, known_values(script, reading), popups, subgoal)
    action = chosen.action.model_dump(exclude_unset=True)
    return _written(reading, f"{said}{chosen.thought}", action, chosen.expectation)


def _goes_otherwise(reading: Reading, instead: Subgoal) -> bool:
    """Return whether the last operation already followed the other way, ``instead``."""
    return bool(reading.operations) and one_line(instead.say[0]) in reading.operations[-1].thought


def _written(reading: Reading, thought: str, action: dict[str, object], expectation: str) -> ActingReply:
    if action["name"] == "Wait" and "Wait" not in reading.actions:
        action = dict(_STANDS_STILL)
    kind = OperationOfEReply if "Back" in reading.actions else OperationReply
    written = {"thought": thought[-800:], "action": action, "expectation": expectation[:800]}
    return kind.model_validate(written)


def _progress(reading: Reading, script: Script | None) -> ProgressReply:
    last = reading.operations[-1] if reading.operations else None
    doing = f"Last: {last.action.get('name')}." if last is not None and last.action is not None else "Last: nothing."
    if script is None:
        return ProgressReply(progress=doing)
    moment = _moment(reading, script, None)
    done = [one for one in script.subgoals if one_line(one.did) in moment.told or moment.is_proven(one)]
    return ProgressReply(progress="\n".join([*(f"{one.did}." for one in done), doing])[:2000])


def _focus(reading: Reading, script: Script | None, page: Page | None) -> FocusReply:
    if script is None or page is None:
        return FocusReply(content="None")
    moment = _moment(reading, script, page)
    near = [wanted for subgoal in script.subgoals[: moment.index() + 2] for wanted in subgoal.notes]
    new = {one.label: found for one in near if one.label not in reading.notes and (found := moment.value(one))}
    return FocusReply(content="\n".join(f"{label}: {value}" for label, value in new.items())[:2000] or "None")
