"""Answer as the planner: find the next subgoal of the script by the image, the progress and the notes."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.protocol.roles.role import PlanReply
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.conditions import all_hold
from manyhands.simulator.rehearsal.pages import Page, Sight
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.script import UNKNOWN_GOAL, Script, Scripts, Subgoal, fill_all
from manyhands.simulator.rehearsal.values import known_values
from manyhands.simulator.rehearsal.wording import Way, chosen, phrase, phrase_again, plan_text, position


@dataclass(frozen=True, slots=True)
class _Moment:
    """Hold the place in the plan before this reply, and what is seen now."""

    reading: Reading
    script: Script
    sight: Sight
    before: tuple[int, Way] | None

    def subgoal(self, index: int, way: Way = "first") -> Subgoal:
        return chosen(self.script, index, way)

    def is_done(self, subgoal: Subgoal) -> bool:
        """Return whether a subgoal is done: the progress says so and its notes exist, or the image shows it."""
        noted = all(note.label in self.sight.notes for note in subgoal.notes)
        if noted and subgoal.did in self.sight.progress:
            return True
        done = fill_all(subgoal.done, known_values(self.script, self.reading))
        return bool(done) and all_hold(done or (), self.sight)


def plan(reading: Reading, scripts: Scripts, page: Page | None, draw: int) -> PlanReply:
    """Return the planner's reply. ``draw`` chooses the wording."""
    missing = reading.missing_instructions
    script = scripts.for_goal(reading.text(Section.GOAL))
    if missing or script is None:
        reason = f"The prompt has no section {missing!r}, so I cannot plan." if missing else UNKNOWN_GOAL
        return PlanReply(thought=reason, plan="", change="next", subgoal="", status="impossible")
    moment = _Moment(reading, script, see(reading, page), _standing(reading, script))
    index, way = _next_place(moment)
    if index == len(script.subgoals):
        thought = f"{_seen(page)} Everything that the goal asks for is done."
        return PlanReply(
            thought=thought, plan=_plan_text(script, None), change="next", subgoal="Finished", status="finished"
        )
    return _go_on(moment, index, way, draw, page)


def see(reading: Reading, page: Page | None) -> Sight:
    """Return what a role with images sees."""
    return Sight(
        lines=page.lines if page else (),
        page=page,
        keyboard=None,
        notes=reading.notes,
        progress=reading.text(Section.PROGRESS),
    )


def _standing(reading: Reading, script: Script) -> tuple[int, Way] | None:
    """Return the place of the previous subgoal; None if there is none yet."""
    subgoal = reading.text(Section.SUBGOAL)
    if not subgoal:
        return None
    return position(subgoal, reading.plan, script) or (0, "first")


def _next_place(moment: _Moment) -> tuple[int, Way]:
    """Return the place of the next subgoal: an earlier one whose notes are missing, else the first that is not done.

    The search for the first that is not done begins at the previous subgoal.
    """
    index, way = moment.before or (0, "first")
    for earlier in range(index):
        wanted = [note.label for note in moment.subgoal(earlier).notes]
        if any(label not in moment.sight.notes for label in wanted):
            return earlier, "first"
    if moment.sight.loading:
        return index, way
    while index < len(moment.script.subgoals) and moment.is_done(moment.subgoal(index, way)):
        index, way = index + 1, "first"
    if index < len(moment.script.subgoals) and moment.reading.text(Section.STUCK):
        return index, "instead" if moment.subgoal(index).instead else way
    return index, way


def _go_on(moment: _Moment, index: int, way: Way, draw: int, page: Page | None) -> PlanReply:
    script, subgoal = moment.script, moment.subgoal(index, way)
    stuck = bool(moment.reading.text(Section.STUCK))
    if moment.before is None or index > moment.before[0]:
        change, why = "next", f"What comes next is: {subgoal.say[0]}."
    elif (index, way) == moment.before:
        change, why = "keep", f"This is not done yet: {subgoal.say[0]}."
    else:
        change, why = "replan", f"Something is missing or does not work that way, so: {subgoal.say[0]}."
    text = phrase(subgoal, script.language, draw)
    if stuck and change == "keep":
        change, text = "replan", phrase_again(subgoal, script.language)
    plan_lines = _plan_text(script, index if way == "instead" else None)
    if moment.reading.asks_for(PlanReply) and plan_lines == moment.reading.text(Section.PLAN):
        plan_lines = ""
    return PlanReply.model_validate(
        {
            "thought": f"{_seen(page)} {why}"[:800],
            "plan": plan_lines,
            "change": change,
            "subgoal": text,
            "status": "continue",
        }
    )


def _plan_text(script: Script, instead: int | None) -> str:
    """Return the whole plan. At the index ``instead``, it has the alternative subgoal."""
    return plan_text([chosen(script, i, "instead" if i == instead else "first") for i in range(len(script.subgoals))])


def _seen(page: Page | None) -> str:
    """Return in a few words what the picture shows."""
    if page is None:
        return "There is no picture."
    words = [line.text for line in page.lines if len(line.text) > 2][1:4]
    return (
        "The picture shows " + ", ".join(f'"{word[:40]}"' for word in words) + "." if words else "The picture is bare."
    )
