"""What a judge is asked of a run, one question at a time, and how the answers stand in the judgements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from manyhands.evaluation.episodes import attempted, episodes_of
from manyhands.evaluation.judgements import EpisodeJudgement, Judgeable, JudgementKind, judgeable
from manyhands.evaluation.metrics.case import decisive
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.stories import EpisodeStory, Step, tell
from manyhands.protocol.base import Outcome

SUCCESS = "success"
"""The name of the one question of its kind."""
OUTCOMES = {Outcome.A: "as expected", Outcome.B: "a wrong page", Outcome.C: "nothing changed"}


@dataclass(frozen=True, slots=True)
class Question:
    """Ask for one judgement."""

    kind: JudgementKind
    name: str
    """The key of its answer: a step, a place in the list of human operations, a rubric's name."""
    text: str
    """What is judged, as people read it."""
    step: int | None = None
    """The step that it is about, if it is about one."""

    def answer(self, said: EpisodeJudgement) -> Answer | None:
        """Return what was said; None where nothing was."""
        if self.kind == "success":
            return None if said.success is None else Answer(said.success)
        answers = getattr(said, self.kind)
        return Answer(answers[self.key]) if self.key in answers else None

    @property
    def key(self) -> str | int:
        """Return the name as it stands in the judgement."""
        return self.name if self.kind == "rubrics" else int(self.name)


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold what was said: right or not, done or not; of a rubric the step that fulfilled it, or None."""

    value: bool | int | None


def answered(said: EpisodeJudgement, question: Question, answer: Answer | None) -> dict[str, Any]:
    """Return the fields of a judgement with this answer in place of the one before; None takes that back."""
    fields: dict[str, Any] = said.model_dump()
    if question.kind == "success":
        return {**fields, "success": None if answer is None else answer.value}
    fields[question.kind].pop(question.key, None)
    if answer is not None:
        fields[question.kind][question.key] = answer.value
    return fields


@dataclass(frozen=True, slots=True)
class Sheet:
    """Hold all that is asked of one episode, in the order in which it is asked."""

    story: EpisodeStory
    questions: tuple[Question, ...]

    @property
    def episode(self) -> str:
        return self.story.started.episode

    def open_questions(self, said: EpisodeJudgement) -> list[Question]:
        """Return the questions without an answer."""
        return [question for question in self.questions if question.answer(said) is None]


def sheets(run: RunFolder) -> list[Sheet]:
    """Return what is asked of a run: of each episode that decided a task, if it has a step, in the tasks' order.

    An attempt that lost its phone, or was made again, counts in no figure, so nobody is asked of it.
    """
    episodes = episodes_of(scan.records for scan in run.journals.values())
    found = []
    for episode in decisive(attempted(run.asked.get("tasks") or (), episodes)).episodes.values():
        there = judgeable(episode)
        if there.steps:
            story = tell(episode)
            found.append(Sheet(story, tuple(_questions(story, there))))
    return found


def _questions(story: EpisodeStory, there: Judgeable) -> Iterable[Question]:
    for step in story.steps:
        yield from _of_step(step, step.number in there.actions, step.number in there.reflections)
    yield from (Question("rubrics", name, name) for name in there.rubrics)
    yield from (Question("operations", str(place), text) for place, text in enumerate(there.operations))
    yield Question("success", SUCCESS, "The task is done")


def _of_step(step: Step, has_action: bool, has_verdict: bool) -> Iterable[Question]:
    if has_action:
        yield Question("actions", str(step.number), step.action, step.number)
    if has_verdict and step.reflection is not None:
        outcome = step.reflection.outcome
        yield Question("reflections", str(step.number), f"verdict {outcome.value}: {OUTCOMES[outcome]}", step.number)
