"""Define what the agents of Mobile-Agent-v2 are asked and answer, beside decisions and verdicts (section 3).

The inputs follow the paper's equations, from the state of the episode, without the parts that settings exclude.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import BY_PERSON, EpisodeState, StepState
from manyhands.actors.touch_target import name_touched
from manyhands.protocol.base import Message, Outcome
from manyhands.protocol.profiles.declaration import AS_PAPERS_CAPTION
from manyhands.protocol.roles.requests import (
    Brief,
    Decision,
    Notes,
    PastAction,
    Reflection,
    ReplyContext,
    Request,
    ScreenRequest,
    Told,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.argument_types import LONGEST
from manyhands.protocol.screens.screen import Screen, Screenshot

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


class Operation(Message):
    """Hold O(t): its thought, its action and what was expected of it."""

    step: int
    thought: str
    action: Action
    expectation: str
    touched: str = ""
    """What the action touched, by its name. Empty if nothing is known of it."""


class CompletedProgress(Message):
    """Hold TP(t)."""

    progress: str


class ProgressRequest(Request[CompletedProgress]):
    """Ask the planning agent, which is shown no picture (equation 2)."""

    role = Role.PLAN

    now: Screenshot
    """The current screenshot. The agent is not shown it."""
    operations: tuple[Operation, ...]
    """O(t-1). If the paper's table is followed, all operations before it come first."""
    previous: str
    """TP(t-1). Empty before the first progress."""
    focus: str | None
    """FC(t-1). None without the memory unit."""
    in_english: bool = False
    """Whether the prompt names the language of the answer, as in table 7."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return ()

    @property
    def serial(self) -> str:
        return self.now.serial

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.now.size)


class OperationRequest(ScreenRequest[Decision]):
    """Ask the decision agent for an operation (equation 3)."""

    role = Role.DECIDE

    screen: Screen
    progress: str | None
    """TP(t), as the paper's text has it. None without the planning agent."""
    focus: str | None
    """FC(t-1)."""
    operations: tuple[Operation, ...]
    """All correct operations so far."""
    tried: tuple[PastAction, ...]
    """The operations right before this step that were not correct, with verdicts. The last is O(t-1) with R(t-1)."""
    restored: bool | None
    """Whether the page before the last of these is shown again. None if restoring was not tried."""

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.screenshot.size, elements=self.screen.elements, shortcuts=self.brief.shortcuts)


class FocusRequest(ScreenRequest[Notes]):
    """Ask the decision agent after its decision what the screen adds to the focus content (equation 4)."""

    role = Role.NOTE

    conversation: tuple[dict[str, Any], ...]
    """The messages that led to the decision, as recorded."""
    decided: str
    """The decision in the model's own words."""


class VerdictRequest(Request[Reflection]):
    """Ask the reflection agent (equation 5)."""

    role = Role.REFLECT

    operation: Operation
    focus: str | None
    """FC(t), or FC(t-1) if reflection does not wait for the memory unit. None without the memory unit."""
    before: Screenshot
    after: Screenshot
    screen_before: Screen
    screen_after: Screen

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.before, self.after)


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
