"""Define what the agent of ``native`` is asked: the chat of an episode so far, made from the journal's records."""

from __future__ import annotations

from typing import TypeVar

from pydantic import Field

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.verdicts import rule_verdict
from manyhands.actors.episode.state import BY_PERSON, NOTHING_CHANGED, EpisodeState, StepState
from manyhands.actors.mllm.request.bodies import cut_answer
from manyhands.protocol.base import Message, Outcome
from manyhands.protocol.profiles.flow import MATCH, FlowMove
from manyhands.protocol.roles.requests import ALL_TOLD, Brief, Decision, Plan, ReplyContext, Request
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import harmless, one_line
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Answer, AskPerson, AtomicAction
from manyhands.protocol.screens.screen import Screen, Screenshot

A = TypeVar("A", bound=Message)

SCREENS_LISTED = 2
"""How many screens a chat without pictures lists: those before and after the last action."""
OTHERWISE = "Do something else than before."
BY_FLOW = "A script did the action before this screen. Never do it again."
FLOW_STOPPED = "The script cannot go on here, so you do:"
REFUSED_PERSON = "A person tried to act on the phone, and the phone refused it."


class StepSoFar(Message):
    """Hold a step of the chat without its picture. ``actors.mllm.native.ShownStep`` explains the fields."""

    screenshot: Screenshot
    screen: Screen | None = None
    """The elements that take the place of the picture, for a model that sees none."""
    touched: str = ""
    """What the action before touched, by its name, for a model that sees no pictures."""
    shown: bool
    told: str = ""
    by_person: bool = False
    """Whether a person, not the agent, acted on the screen before, or tried to."""
    other_action: AtomicAction | None = None
    """What a person or a flow did there, in pixels. None if the agent acted, or the phone refused it."""
    plan: str = ""
    subgoal: str = ""
    asks_verdict: bool = False
    reply: str | None = None
    decision: Decision | None = None


class ActRequest(Request[Decision]):
    """Ask for the verdict on the last action and for the next action."""

    role = Role.DECIDE

    steps: tuple[StepSoFar, ...] = Field(min_length=1)
    """All steps. The last one has the current screen."""
    first: int = 0
    """The first step that is not too old for a picture (``first_shown``)."""
    pictures: bool = True
    """Whether the pictures of the steps go with the request."""
    unchanged: str = ""
    """The rule's reason why the last action certainly changed nothing; empty if that is not certain."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return tuple(step.screenshot for step in self.steps if step.shown and self.pictures)

    @property
    def serial(self) -> str:
        return self.steps[-1].screenshot.serial

    @property
    def reply_context(self) -> ReplyContext:
        now = self.steps[-1]
        elements = () if now.screen is None else now.screen.elements
        return ReplyContext(size=now.screenshot.size, elements=elements, shortcuts=self.brief.shortcuts)


def brief_of(context: StageContext) -> Brief:
    """Return the task and what is known from earlier ones, without the parts that are left out."""
    settings, whole = context.runtime.settings, context.brief
    lists = tuple(name for name in ALL_TOLD if settings.has(name))
    return whole.model_copy(update={"told": lists, "shortcuts": whole.shortcuts if settings.has("shortcuts") else ()})


def first_shown(step: int, most: int) -> int:
    """Return the first step whose picture the chat at ``step`` shows.

    Once there would be more than ``most`` pictures, all but the current one are left out. Until then the chat only
    grows, so that servers find it in their caches in all steps but one of ``most``.
    """
    return step - step % most


def steps_of(state: EpisodeState, step: int, settings: EpisodeSettings) -> tuple[StepSoFar, ...]:
    """Return the chat up to the screen of ``step``.

    The texts of a step depend only on earlier steps, so they are the same in every later request. Without pictures the
    chat lists the elements of the last screens alone: states keep no others.
    """
    first = first_shown(step, settings.chat_pictures) if settings.shows_pictures else step + 1 - SCREENS_LISTED
    return tuple(
        _step(state, number, settings, is_shown=number >= first and not state.step(number).unseen)
        for number in range(step + 1)
    )


def _step(state: EpisodeState, number: int, settings: EpisodeSettings, is_shown: bool) -> StepSoFar:
    at = state.step(number)
    assert at.screenshot is not None
    plan, before = _plans(state, number)
    new_subgoal = plan is not None and (before is None or plan.subgoal.id != before.subgoal.id)
    in_words, last = not settings.shows_pictures, state.step(number - 1)
    return StepSoFar(
        screenshot=at.screenshot,
        screen=at.visible_screen if in_words and is_shown else None,
        touched=last.touched_name if in_words and last.sent else "",
        shown=is_shown,
        told=_tell_outcome(state, number, settings) if number else "",
        by_person=number > 0 and bool(state.step(number - 1).person),
        other_action=_other_action(state, number - 1) if number else None,
        plan=plan.text if plan is not None and (before is None or plan.text != before.text) else "",
        subgoal=plan.subgoal.text if plan is not None and new_subgoal else "",
        asks_verdict=asks_verdict(state, number),
        reply=_reply(at),
        decision=at.decision,
    )


def _reply(at: StepState) -> str:
    """Return the model's own words. An answer without an action is cut, as it was when it was asked about once more."""
    reply, decision = at.replies.get("decide", ""), at.decision
    return cut_answer(reply) if decision is not None and decision.action is None else reply


def _other_action(state: EpisodeState, step: int) -> AtomicAction | None:
    """Return what a person or a flow did in a step; None if neither did anything that the phone may have received."""
    at = state.step(step)
    is_other = bool(at.person) or flow_acted(at)
    return at.sent[0].action if is_other and at.sent and not at.all_refused else None


def flow_acted(at: StepState) -> bool:
    """Return whether the task's flow, not the agent, chose the action of a step."""
    move = at.result(MATCH, FlowMove)
    return move is not None and move.action is not None


def _plans(state: EpisodeState, number: int) -> tuple[Plan | None, Plan | None]:
    """Return the plan that is new at a step, and the plan before it.

    The first plan is made before the first action. Any other is made beside an action, for the next step.
    """
    if number == 0:
        return state.step(0).plan, None
    return (state.step(number - 1).plan if number > 1 else None), state.plan(number - 2)


def asks_verdict(state: EpisodeState, step: int) -> bool:
    """Return whether the answer to ``step`` is to judge the action before.

    It is not if there is no such action, or if it was not carried out or only spoke to the user: then all is known.
    Nor is it where a person acted in the place of an answer.
    """
    before = state.step(step - 1)
    decision = before.decision
    if step == 0 or before.person or state.step(step).person or decision is None or decision.action is None:
        return False
    if flow_acted(before):
        return False
    carried_out = before.acted is not None and before.acted.problem is None
    return carried_out and not isinstance(decision.action, Answer | AskPerson)


def _tell_outcome(state: EpisodeState, step: int, settings: EpisodeSettings) -> str:
    """Return what is known of the action that led to the screen of ``step``, and of earlier ones, as sentences."""
    return " ".join(filter(None, (_tell_last_outcome(state, step, settings), state.circling(step))))


def _tell_last_outcome(state: EpisodeState, step: int, settings: EpisodeSettings) -> str:
    before = state.step(step - 1)
    if before.person:
        return BY_PERSON if _other_action(state, step - 1) is not None else REFUSED_PERSON
    if flow_acted(before):
        return _tell_flow(state, step)
    problem = before.acted.problem if before.acted is not None else None
    if problem is not None:
        return f"Your last action was not carried out: {harmless(one_line(problem)).rstrip('.')}. {OTHERWISE}"
    rule, dropped = rule_verdict(state, step, settings), _tell_dropped(before)
    if rule is None:
        return dropped
    if rule.outcome is Outcome.A:
        return f"{harmless(one_line(rule.progress))} {dropped}".strip()
    return f"{harmless(one_line(rule.error))} {dropped or OTHERWISE}"


def _tell_flow(state: EpisodeState, step: int) -> str:
    """Return what is told of an action of the flow, and why the flow does not act on the screen of ``step``."""
    now, acted = state.step(step).result(MATCH, FlowMove), _other_action(state, step - 1) is not None
    why = "" if now is None or now.kind != "agent" else f"{FLOW_STOPPED} {harmless(one_line(now.reason))}."
    return " ".join(filter(None, (why, BY_FLOW if acted else "")))


def _tell_dropped(at: StepState) -> str:
    """Return how many actions of a reply were sent, if some were dropped, and why; empty if none was dropped."""
    if at.acted is None or not at.acted.dropped or at.decision is None:
        return ""
    all_count = 1 + len(at.decision.then)
    done = max(1, sum(receipt.status != "refused" for receipt in at.receipts))  # the first may send nothing
    return f"Of your last {all_count} actions the first {done} were done: {harmless(one_line(at.acted.dropped))}"


def certainly_unchanged(state: EpisodeState, step: int, settings: EpisodeSettings) -> str:
    """Return why the action before certainly changed nothing on the screen of ``step``; empty if it may have."""
    rule = rule_verdict(state, step, settings)
    if rule is None or rule.check != "unchanged":
        return ""
    return rule.error or NOTHING_CHANGED
