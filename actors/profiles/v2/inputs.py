"""Choose the agents' inputs by the paper's equations, from the state of the episode.

Leave out the parts that settings exclude.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.actors.episode.cycles import name_touched
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import BY_PERSON, EpisodeState, StepState
from manyhands.actors.profiles.v2.requests import CompletedProgress, Operation
from manyhands.protocol.base import Outcome
from manyhands.protocol.profiles.declaration import AS_PAPERS_CAPTION
from manyhands.protocol.roles.requests import Brief, PastAction, Told
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.argument_types import LONGEST

PARTS: Mapping[str, str] = {
    "planner": "nobody sums up the progress; the decision agent is shown the operations alone",
    "reflector": "operations are not judged, no page is restored, and every operation enters the history",
    "memory": "nothing is kept of screens",
    "hints": "no agent is told the hints of the task",
}
"""The parts of table 4 of the paper, and hints (its knowledge injection, tables 1 and 2)."""
PAPERS_HINT = "To open an app, use the operation for it and not a tap on its icon."
"""The hint that the paper's prompts always give (tables 7 to 10), in our own words."""
PLAN = "plan"
"""The stage whose result is TP(t)."""


def fixes(settings: EpisodeSettings) -> Mapping[str, Any]:
    """Return settings that follow from other settings. The paper describes every icon before an agent sees it."""
    return AS_PAPERS_CAPTION if settings.paper_exact else {}


def focus_lag(settings: EpisodeSettings) -> int:
    """Return by how many steps FC is older than the operation that the reflection agent judges.

    It is 0 if the paper's order or its equation 5 is followed. Otherwise it is 1, so that the reflection agent need not
    wait for the memory unit. FC(t) is made from S(t), which the reflection agent sees itself.
    """
    return 0 if settings.paper_exact or settings.schedule == "serial" else 1


def brief(context: StageContext) -> Brief:
    """Return the beginning of every prompt of the episode: no shortcuts, and tips only for comparisons with E."""
    settings, whole = context.runtime.settings, context.brief
    lists: tuple[Told, ...] = ("hints", "tips") if settings.like_e else ("hints",)
    changed: dict[str, Any] = {"told": tuple(one for one in lists if settings.has(one)), "shortcuts": ()}
    if settings.paper_exact:
        changed["hints"] = "\n".join(filter(None, (PAPERS_HINT, whole.hints)))
    return whole.model_copy(update=changed)


def progress(state: EpisodeState, step: int) -> str:
    """Return TP as of ``step``: the latest progress that the planning agent has written."""
    results = (state.step(number).result(PLAN, CompletedProgress) for number in range(step, -1, -1))
    return next((result.progress for result in results if result is not None), "")


def operation(state: EpisodeState, step: int) -> Operation | None:
    """Return O(step). Return None if no action was decided."""
    at = state.step(step)
    if at.person and not at.all_refused:
        action = at.sent[0].action
        return Operation(
            step=step, thought=BY_PERSON, action=action, expectation="", touched=name_touched(action, at.screen)
        )
    decision = at.decision
    if decision is None or decision.action is None:
        return None
    return Operation(
        step=step,
        thought=decision.thought,
        action=decision.action,
        expectation=decision.expectation,
        touched=name_touched(decision.action, at.screen),
    )


def correct(at: StepState, settings: EpisodeSettings) -> bool:
    """Return whether a step's operation enters the history: it was judged correct or, without a reflector,
    was carried out. A person's action enters it, too.
    """
    if at.person:
        return True
    if settings.has("reflector"):
        return at.reflection is not None and at.reflection.outcome is Outcome.A
    return at.acted is not None and at.acted.problem is None


def operations(state: EpisodeState, step: int, settings: EpisodeSettings) -> tuple[Operation, ...]:
    """Return the correct operations before ``step``."""
    past = (operation(state, number) for number in range(step) if correct(state.step(number), settings))
    return tuple(one for one in past if one is not None)


def tried(state: EpisodeState, step: int, settings: EpisodeSettings) -> tuple[PastAction, ...]:
    """Return the operations right before ``step`` that were not correct.

    With ``paper_exact``, return only the last of these.
    """
    count = 0
    while count < step and not correct(state.step(step - 1 - count), settings):
        count += 1
    if settings.paper_exact:
        count = min(count, 1)
    past = state.history(step, count, judged=False)
    return tuple(one if one.outcome else one.model_copy(update={"outcome": Outcome.C}) for one in past)


def with_new(focus: str, new_text: str) -> str:
    """Return FC with the new lines of ``new_text``. If it gets too long, drop the oldest lines."""
    lines_known = [line for line in focus.splitlines() if line.strip()]
    lines = [
        *lines_known,
        *(line for line in map(str.strip, new_text.splitlines()) if line and line not in lines_known),
    ]
    while len(lines) > 1 and len("\n".join(lines)) > LONGEST:
        lines.pop(0)
    return "\n".join(lines)[:LONGEST]
