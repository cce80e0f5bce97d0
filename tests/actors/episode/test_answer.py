"""A task that asks for information is not finished before it has answered; what is asked, told and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.frames import ModelImage
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import DeadlinePassed, ModelAway, ReplyUnusable
from manyhands.protocol.journals.records import EpisodeEnded, StageFailed, StageResult
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.requests import AnswerRequest, DecideRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, Answer, Stop
from manyhands.protocol.tasks.answers import GivenAnswer
from tests.actors.episode.interruption import cut_after
from tests.actors.episode.world import World, WorldOperator, call_of, order, right_action, shown
from tests.virtual_clock import run_virtual

PRICE = {"schema": {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}}
NONE_GIVEN = "the task asks for an answer, and the agent gave none"


@dataclass
class AskedWorld(World):
    """A world whose operator is also asked for the answer of a task."""

    answers: Any = field(default_factory=lambda: {"price": 12.5})
    """The answer, or the error that the role raises."""

    def collaborators(self) -> Collaborators:
        among = super().collaborators()
        return replace(among, agents={**among.agents, Role.DECIDE: AnsweringOperator(self)})


@dataclass
class AnsweringOperator(WorldOperator):
    world: AskedWorld

    async def answer(self, request: Any, context: CallContext, *images: ModelImage) -> Answered[Any]:
        if not isinstance(request, AnswerRequest):
            return await super().answer(request, context, *images)
        (image,) = images
        async with self.world.asked("answer_task", request):
            assert image.content_id == request.screenshot.content_id
            if isinstance(self.world.answers, BaseException):
                raise self.world.answers
            calls = (call_of(Role.DECIDE), call_of(Role.DECIDE))
            return Answered[GivenAnswer](value=GivenAnswer.of(self.world.answers), calls=calls)


def says(text: str, then: Action | None = None) -> Callable[[DecideRequest], Action]:
    """The operator who answers in ``s1``, and then goes on, or does something else."""

    def chooses(request: DecideRequest) -> Action:
        at = shown(request.screen)  # type: ignore[arg-type]
        past = [one.action for one in request.history or ()]
        if at == "s1" and not any(isinstance(one, Answer) for one in past):
            return Answer(text=text)
        return then if then is not None and at == "s1" else right_action(at)

    return chooses


def run(world: World, answer: dict[str, Any] | None = PRICE, **settings: Any) -> tuple[EpisodeResult, EpisodeEnded]:
    given = order(task={"answer": answer}, **settings)
    result = run_virtual(world.host().run_episode(given))
    ended = world.written(given.episode)[-1]
    assert isinstance(ended, EpisodeEnded)
    assert (ended.answer, ended.answer_data, ended.answered) == (result.answer, result.answer_data, result.answered)
    return result, ended


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
def test_a_planner_that_says_finished_does_not_end_the_task_without_an_answer(schedule: str) -> None:
    world = AskedWorld()
    result, _ = run(world, schedule=schedule)
    assert (result.ending, result.answer, result.answer_data) == (Ending.FINISHED, '{"price": 12.5}', {"price": 12.5})
    assert result.is_done
    (asked,) = world.requests("answer_task")
    assert (world.names[asked.screenshot.content_id], asked.given, asked.problem) == ("s3", "", NONE_GIVEN)
    assert asked.notes == "s1 s2 s3"
    assert asked.progress == ">s1>s2>s3"
    assert [one.step for one in asked.history] == [0, 1, 2]
    (record,) = [one for one in world.written("run-task-1") if isinstance(one, StageResult)]
    assert (record.stage, record.step, len(record.calls)) == ("answer", 3, 2)
    assert record.read(GivenAnswer) == GivenAnswer(data={"price": 12.5}, text='{"price": 12.5}')


def test_an_answer_that_fits_is_not_asked_for_again() -> None:
    world = AskedWorld(chooses=says('{"price": 3}'))
    result, _ = run(world)
    assert (result.ending, result.answer, result.answer_data) == (Ending.FINISHED, '{"price": 3}', {"price": 3})
    assert world.requests("answer_task") == []


@pytest.mark.parametrize("then", [None, Stop()])
def test_an_answer_that_does_not_fit_is_shown_with_what_is_wrong(then: Action | None) -> None:
    world = AskedWorld(chooses=says("It costs 3 euros.", then))
    result, _ = run(world)
    (asked,) = world.requests("answer_task")
    assert (asked.given, asked.problem) == (
        "It costs 3 euros.",
        "answer: 'It costs 3 euros.' is not of type 'object'",
    )
    assert (result.ending, result.answer_data) == (Ending.FINISHED, {"price": 12.5})


def test_any_text_will_do_where_no_schema_is_given() -> None:
    world = AskedWorld(chooses=says("3 euros"))
    assert run(world, {"required": True})[0].answer_data == "3 euros"
    assert world.requests("answer_task") == []
    silent = AskedWorld(answers="12.50 euros")
    result, _ = run(silent, {"required": True})
    assert (result.ending, result.answer, result.answer_data) == (Ending.FINISHED, "12.50 euros", "12.50 euros")


def test_a_model_that_was_told_and_does_not_mend_it_ends_the_task_as_answer_invalid() -> None:
    error = ReplyUnusable("answer.price: '12' is not of type 'number'", calls=(call_of(Role.DECIDE),) * 2)
    world = AskedWorld(answers=error)
    result, _ = run(world)
    assert (result.ending, result.answer, result.answer_data) == (Ending.ANSWER_INVALID, None, None)
    assert result.reason == "planner: there; answer: answer.price: '12' is not of type 'number'"
    assert (result.answered, result.is_done, result.has_failed) == (False, False, True)
    (failed,) = [one for one in world.written("run-task-1") if isinstance(one, StageFailed)]
    assert (failed.stage, failed.code, len(failed.calls)) == ("answer", "reply_unusable", 2)


def test_a_check_that_holds_does_not_replace_the_answer() -> None:
    check = {"source": "content://example/state", "holds": {"path": "screen", "equals": "s3"}}
    world = AskedWorld(answers=ReplyUnusable("no JSON"))
    result = run_virtual(world.host().run_episode(order(task={"answer": PRICE, "check": check})))
    assert (result.ending, result.verified, result.is_done) == (Ending.ANSWER_INVALID, True, False)


def test_a_check_sees_the_answer_that_was_asked_for() -> None:
    check = {"holds": {"answer": {"path": "price", "at_most": 20}}}
    result = run_virtual(AskedWorld().host().run_episode(order(task={"answer": PRICE, "check": check})))
    assert (result.ending, result.verified, result.is_done) == (Ending.FINISHED, True, True)


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (DeadlinePassed("too slow"), Ending.MODEL_FAILED),
        (ModelAway("no server", since=0.0), Ending.NO_MODEL),
        (LookupError("a defect"), Ending.INTERNAL_ERROR),
    ],
)
def test_an_error_of_the_call_is_not_the_answers_fault(error: Exception, ending: Ending) -> None:
    assert run(AskedWorld(answers=error))[0].ending is ending


@pytest.mark.parametrize(
    ("text", "ending", "answered"),
    [
        (None, Ending.ANSWER_INVALID, False),
        ("12", Ending.ANSWER_INVALID, False),
        ('{"price": 3}', Ending.FINISHED, True),
    ],
)
def test_paper_exact_asks_nobody_and_judges_the_text_as_it_is(text: str | None, ending: Ending, answered: bool) -> None:
    world = AskedWorld() if text is None else AskedWorld(chooses=says(text))
    result, _ = run(world, paper_exact=True)
    assert (result.ending, result.answer, result.answered) == (ending, text, answered)
    assert world.requests("answer_task") == []


def test_other_endings_ask_for_nothing() -> None:
    world = AskedWorld(goal_screen="s9")
    given = order(task={"answer": PRICE, "limits": {"max_steps": 2}})
    result = run_virtual(world.host().run_episode(given))
    assert (result.ending, result.answered) == (Ending.STEP_LIMIT, False)
    assert world.requests("answer_task") == []


def test_an_interrupted_episode_keeps_the_answer_of_a_step_that_counts() -> None:
    world = AskedWorld(chooses=says("3 euros", Stop()))
    given = order(task={"answer": PRICE})
    run_virtual(world.host().run_episode(given))
    again = cut_after(world, given, lambda record: isinstance(record, StageResult))
    before = len(world.requests("answer_task"))
    result = run_virtual(EpisodeHost(HostSettings(), world.collaborators(), world.clock).run_episode(again))
    assert (result.ending, result.answer_data) == (Ending.FINISHED, {"price": 12.5})
    assert (before, len(world.requests("answer_task"))) == (1, 1)


def test_a_task_that_asks_for_nothing_ends_as_before() -> None:
    world = AskedWorld()
    result, _ = run(world, None)
    assert (result.ending, result.answer, result.answer_data, result.answered) == (Ending.FINISHED, None, None, True)
    assert world.requests("answer_task") == []
