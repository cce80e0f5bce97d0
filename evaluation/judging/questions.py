"""List the questions that a judge answers about a run, and put the answers into judgements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from manyhands.evaluation.episode_view import EpisodeView, StepView, view_episode
from manyhands.evaluation.episodes import attempted, episodes_of
from manyhands.evaluation.judging.judgements import EpisodeJudgement, Judgeable, JudgementKind, judgeable
from manyhands.evaluation.metrics.case import decisive
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Outcome

SUCCESS = "success"
"""The name of the question about success; there is one in each episode."""
EFFECT = "this wrong action had an effect"
OUTCOMES = {Outcome.A: "as expected", Outcome.B: "a wrong page", Outcome.C: "nothing changed"}


@dataclass(frozen=True, slots=True)
class JudgementQuestion:
    """Ask for one judgement."""

    kind: JudgementKind
    name: str
    """The key of the answer: a step, an index in the list of human operations, a rubric's name, or a statement."""
    text: str
    """What is judged, in words for people."""
    step: int | None = None
    """The step in question, if the question is about a step."""

    def answer(self, judgement: EpisodeJudgement) -> JudgeAnswer | None:
        """Return the answer in a judgement; None if there is none."""
        if self.kind == "success":
            return None if judgement.success is None else JudgeAnswer(judgement.success)
        answers = getattr(judgement, self.kind)
        return JudgeAnswer(answers[self.key]) if self.key in answers else None

    def is_due(self, judgement: EpisodeJudgement) -> bool:
        """Return whether to ask the question. The effect of an action is asked only once the action is judged wrong."""
        return self.kind != "effects" or judgement.actions.get(int(self.name)) is False

    @property
    def key(self) -> str | int:
        """Return the key under which the judgement holds the answer."""
        return self.name if self.kind in ("rubrics", "statements") else int(self.name)


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """Hold an answer: right or not, done or not. For a rubric: the step that fulfilled it, or None."""

    value: bool | int | None


def answered(judgement: EpisodeJudgement, question: JudgementQuestion, answer: JudgeAnswer | None) -> dict[str, Any]:
    """Return the fields of a judgement with this answer in place of an earlier one. None removes the earlier one.

    If an action is no longer wrong, the answer about its effect is removed as well.
    """
    fields: dict[str, Any] = judgement.model_dump()
    if question.kind == "success":
        return {**fields, "success": None if answer is None else answer.value}
    fields[question.kind].pop(question.key, None)
    if answer is not None:
        fields[question.kind][question.key] = answer.value
    if question.kind == "actions" and (answer is None or answer.value is not False):
        fields["effects"].pop(question.key, None)
    return fields


@dataclass(frozen=True, slots=True)
class QuestionSheet:
    """Hold the questions about one episode, in the order in which they are asked."""

    story: EpisodeView
    questions: tuple[JudgementQuestion, ...]

    @property
    def episode(self) -> str:
        return self.story.started.episode

    def due_questions(self, judgement: EpisodeJudgement) -> list[JudgementQuestion]:
        """Return the questions to ask, given the answers so far."""
        return [question for question in self.questions if question.is_due(judgement)]

    def open_questions(self, judgement: EpisodeJudgement) -> list[JudgementQuestion]:
        """Return the questions to ask that have no answer yet."""
        return [question for question in self.due_questions(judgement) if question.answer(judgement) is None]


def sheets(run: RunFolder) -> list[QuestionSheet]:
    """Return the questions of a run, in the order of tasks: for each episode that decided a task and has a step.

    Other episodes, such as those that lost their phone, count in no figure, so nobody needs to judge them.
    """
    episodes = episodes_of(scan.records for scan in run.journals.values())
    question_sheets = []
    for episode in decisive(attempted(run.asked, episodes)).episodes.values():
        there = judgeable(episode)
        if there.steps:
            story = view_episode(episode)
            question_sheets.append(QuestionSheet(story, tuple(_questions(story, there))))
    return question_sheets


def _questions(story: EpisodeView, there: Judgeable) -> Iterable[JudgementQuestion]:
    for step in story.steps:
        yield from _of_step(step, there)
    yield from (JudgementQuestion("rubrics", name, name) for name in there.rubrics)
    yield from (JudgementQuestion("operations", str(place), text) for place, text in enumerate(there.operations))
    last = story.steps[-1].number
    yield from (JudgementQuestion("statements", words, words, last) for words in there.statements)
    yield JudgementQuestion("success", SUCCESS, "The task is done")


def _of_step(step: StepView, there: Judgeable) -> Iterable[JudgementQuestion]:
    if step.number in there.actions:
        yield JudgementQuestion("actions", str(step.number), step.action, step.number)
    if step.number in there.effects:
        yield JudgementQuestion("effects", str(step.number), EFFECT, step.number)
    if step.number in there.reflections and step.reflection is not None:
        outcome = step.reflection.outcome
        yield JudgementQuestion(
            "reflections", str(step.number), f"verdict {outcome.value}: {OUTCOMES[outcome]}", step.number
        )
