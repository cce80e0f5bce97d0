"""Manage one person's judging of one run: the questions, and the answers, each on disk before it counts."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from manyhands.evaluation.episode_view import EpisodePage, StepView, view_episode
from manyhands.evaluation.episodes import attempted, episodes_of
from manyhands.evaluation.judgements.judgements import (
    MODEL_JUDGE,
    EpisodeJudgement,
    Judgeable,
    JudgementKind,
    Judgements,
    JudgeName,
    all_judgeable,
    judgeable,
    judgements_path,
    read_judgements,
    unknown,
    write_judgements,
)
from manyhands.evaluation.metrics.outcomes import decisive
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput, StoreError, explain
from manyhands.protocol.utilities import secure_files

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

    story: EpisodePage
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


def _questions(story: EpisodePage, there: Judgeable) -> Iterable[JudgementQuestion]:
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


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """Count questions: those with an answer, and all."""

    judged: int
    questions: int


class JudgementSession:
    """Hold one person's answers about a run, beginning with those on disk."""

    def __init__(self, run: RunFolder, judge: str) -> None:
        """Read the run and earlier answers.

        Raises BadInput if the run has nothing to judge, if the file of answers is broken, or if a model has the name.
        """
        try:
            TypeAdapter(JudgeName).validate_python(judge)
        except ValidationError as error:
            raise BadInput(
                f"--judge {judge!r}: a name has letters, digits, '.', '_' and '-', begins with a letter or a digit, "
                "and is 40 characters long at most"
            ) from error
        self.run = run
        self.sheets = {sheet.episode: sheet for sheet in sheets(run)}
        if not self.sheets:
            raise BadInput(f"{run.path}: no episode of it decided a task and has a step: there is nothing to judge")
        self._known = all_judgeable(run)
        self.path = judgements_path(run, judge)
        self._judgements = Judgements(judge=judge, source="person")
        if self.path.exists():
            self._judgements = read_judgements(self.path, self._known)
        if judge == MODEL_JUDGE:
            raise BadInput(f"--judge {judge}: the model that judges checks has this name; take another one")
        if self._judgements.source != "person":
            raise BadInput(f"--judge {judge}: {self.path} is what a model said; take another name")
        self._one_at_a_time = asyncio.Lock()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the judge's name while the context is open, so that two pages do not overwrite each other.

        Raises BadInput.
        """
        path = self.path.with_suffix(".lock")
        try:
            secure_files.make_folder(self.path.parent)
            lock = _lock(path)
        except OSError as error:
            raise StoreError(f"{self.path.parent}: cannot be written: {error}") from error
        if lock is None:
            raise BadInput(f"--judge {self.judge}: somebody is judging {self.run.path} by that name already")
        try:
            yield
        finally:
            with suppress(OSError):  # the folder is gone or read-only; a lock file that stays means nothing
                path.unlink()  # before unlocking, so that others who have opened the file see that it is gone
            os.close(lock)

    @property
    def judge(self) -> str:
        return self._judgements.judge

    def judgement(self, episode: str) -> EpisodeJudgement:
        """Return the answers about an episode so far."""
        return self._judgements.episodes.get(episode) or EpisodeJudgement()

    def progress(self, *episodes: str) -> JudgingProgress:
        """Count the questions that are due, of these episodes or of all."""
        asked_sheets = [self.sheets[episode] for episode in episodes or self.sheets]
        questions = sum(len(sheet.due_questions(self.judgement(sheet.episode))) for sheet in asked_sheets)
        still_open = sum(len(self._open(sheet)) for sheet in asked_sheets)
        return JudgingProgress(questions - still_open, questions)

    def first_open(self) -> QuestionSheet:
        """Return the first episode with an open question; the last episode if there is none."""
        sheet = next((sheet for sheet in self.sheets.values() if self._open(sheet)), None)
        return sheet or list(self.sheets.values())[-1]

    async def answer(self, episode: str, kind: str, name: str, answer: JudgeAnswer | None) -> None:
        """Store an answer; None removes the earlier one. Raises BadInput for what is not asked, StoreError."""
        async with self._one_at_a_time:
            judgements = self._with(episode, kind, name, answer)
            await asyncio.to_thread(write_judgements, self.run, judgements)
            self._judgements = judgements

    def _open(self, sheet: QuestionSheet) -> list[JudgementQuestion]:
        return sheet.open_questions(self.judgement(sheet.episode))

    def _with(self, episode: str, kind: str, name: str, answer: JudgeAnswer | None) -> Judgements:
        if episode not in self.sheets:
            raise BadInput(f"no episode {episode!r} is judged here")
        due = self.sheets[episode].due_questions(self.judgement(episode))
        question = next((one for one in due if (one.kind, one.name) == (kind, name)), None)
        if question is None:
            raise BadInput(f"{episode}: nobody is asked about {kind} {name!r}")
        try:
            one = EpisodeJudgement.model_validate(answered(self.judgement(episode), question, answer))
        except ValidationError as error:
            raise BadInput(f"{episode}: {explain(error, EpisodeJudgement)}") from error
        judgements = self._judgements.model_copy(update={"episodes": {**self._judgements.episodes, episode: one}})
        mistakes = unknown(judgements, self._known)
        if mistakes:
            raise BadInput(mistakes[0].said)
        return judgements


def _lock(path: Path) -> int | None:
    """Make and lock a file, and return its descriptor; None if somebody else has the lock. Raises OSError."""
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, secure_files.FILE_MODE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_there(lock, path):
                return lock
        except BlockingIOError:
            os.close(lock)
            return None
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)  # its last holder has just removed the file; try again


def _is_there(lock: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), os.stat(path))
    except FileNotFoundError:
        return False
