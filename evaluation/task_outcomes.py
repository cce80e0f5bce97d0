"""Tell which tasks of a run are done, and by whose word: the phone's, a judge's, or the agent's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from manyhands.evaluation.episodes import Attempted, attempted, episodes_of
from manyhands.evaluation.judging.judgements import Judgements, JudgeSource, read_all_judgements
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.summary import row_of

Word = Literal["phone", "person", "model", "agent"]
"""Whose word decided: the phone's state, a person, a model, or the agent, which stopped by itself or did not."""
_JUDGES: tuple[JudgeSource, ...] = ("person", "model")
"""Sources of judgements. The word of an earlier one counts more."""


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """Hold whether a task of a run is done."""

    task: str
    """The task's id; of a repeat, the id of the task that it repeats."""
    is_done: bool
    by: Word


def task_outcomes(run: RunFolder) -> tuple[TaskOutcome, ...]:
    """Return the outcome of each task of a run, in order.

    The phone's state decides where it told. Otherwise judges decide: persons before models, and if judges of one kind
    disagree, the task is not done. A task that nobody judged is done if the agent says so. Raises BadInput, or BadFile
    for a broken file of judgements.
    """
    judged = read_all_judgements(run)
    tasks = attempted(run.asked, episodes_of(scan.records for scan in run.journals.values()))
    return tuple(_outcome(task, judged) for task in tasks)


def _outcome(task: Attempted, judged: Sequence[Judgements]) -> TaskOutcome:
    row = row_of(task)
    if row.verified is not None and not row.is_judged:
        return TaskOutcome(task.base_id, row.is_done, "phone")
    said = _words(judged, task.attempts[-1].started.episode) if task.attempts else iter(())
    is_done, by = next(said, (row.is_done, None))
    return TaskOutcome(task.base_id, is_done, by or "agent")


def _words(judged: Sequence[Judgements], episode: str) -> Iterator[tuple[bool, JudgeSource]]:
    """Yield what each kind of judges says of an episode, if any of them judged whether its task is done."""
    for source in _JUDGES:
        ones = (one.episodes[episode] for one in judged if one.source == source and episode in one.episodes)
        words = [one.success for one in ones if one.success is not None]
        if words:
            yield all(words), source
