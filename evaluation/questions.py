"""The questions that a judge answers about a run, and their answers in the judgements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from manyhands.evaluation.episode_view import EpisodeView, StepView, view_episode
from manyhands.evaluation.episodes import attempted, episodes_of
from manyhands.evaluation.judgements import EpisodeJudgement, Judgeable, JudgementKind, judgeable
from manyhands.evaluation.metrics.case import decisive
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Outcome

SUCCESS = "success"
"""The name of the one question of its kind."""
EFFECT = "this wrong action had an effect"
OUTCOMES = {Outcome.A: "as expected", Outcome.B: "a wrong page", Outcome.C: "nothing changed"}


@dataclass(frozen=True, slots=True)
class JudgementQuestion:
    """Ask for one judgement."""

    kind: JudgementKind
    name: str
    """The key of its answer: a step, a place in the list of human operations, a rubric's name."""
    text: str
    """What is judged, as people read it."""
    step: int | None = None
    """The step that it is about, if it is about one."""

    def answer(self, said: EpisodeJudgement) -> JudgeAnswer | None:
        """Return what was said; None where nothing was."""
        if self.kind == "success":
            return None if said.success is None else JudgeAnswer(said.success)
        answers = getattr(said, self.kind)
        return JudgeAnswer(answers[self.key]) if self.key in answers else None

    def is_due(self, said: EpisodeJudgement) -> bool:
        """Return whether it is asked, given what was said: what a wrong action led to, once it is judged as wrong."""
        return self.kind != "effects" or said.actions.get(int(self.name)) is False

    @property
    def key(self) -> str | int:
        """Return the name as it stands in the judgement."""
        return self.name if self.kind == "rubrics" else int(self.name)


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """Hold an answer: right or not, done or not; of a rubric the step that fulfilled it, or None."""

    value: bool | int | None


def answered(said: EpisodeJudgement, question: JudgementQuestion, answer: JudgeAnswer | None) -> dict[str, Any]:
    """Return the fields of a judgement with this answer in place of the one before; None takes that back.

    With an action that is not wrong any more goes what was said of its effect.
    """
    fields: dict[str, Any] = said.model_dump()
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
    """Hold all that may be asked of one episode, in the order in which it is asked."""

    story: EpisodeView
    questions: tuple[JudgementQuestion, ...]

    @property
    def episode(self) -> str:
        return self.story.started.episode

    def due_questions(self, said: EpisodeJudgement) -> list[JudgementQuestion]:
        """Return the questions that are asked, given what was said."""
        return [question for question in self.questions if question.is_due(said)]

    def open_questions(self, said: EpisodeJudgement) -> list[JudgementQuestion]:
        """Return the questions without an answer."""
        return [question for question in self.due_questions(said) if question.answer(said) is None]


def sheets(run: RunFolder) -> list[QuestionSheet]:
    """Return what is asked of a run: of each episode that decided a task, if it has a step, in the tasks' order.

    An attempt that lost its phone, or was made again, counts in no figure, so nobody is asked of it.
    """
    episodes = episodes_of(scan.records for scan in run.journals.values())
    found = []
    for episode in decisive(attempted(run.asked, episodes)).episodes.values():
        there = judgeable(episode)
        if there.steps:
            story = view_episode(episode)
            found.append(QuestionSheet(story, tuple(_questions(story, there))))
    return found


def _questions(story: EpisodeView, there: Judgeable) -> Iterable[JudgementQuestion]:
    for step in story.steps:
        yield from _of_step(step, there)
    yield from (JudgementQuestion("rubrics", name, name) for name in there.rubrics)
    yield from (JudgementQuestion("operations", str(place), text) for place, text in enumerate(there.operations))
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
