"""Make the cases from which metrics are computed: decided tasks, each with the judgement of one source.

The sources are the phone's state, persons and models. A figure uses one source. A metric does not know from which
source a judgement comes: what the phone's state tells is put into the form of a judgement, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from manyhands.evaluation.episodes import Attempted, RecordedEpisode
from manyhands.evaluation.judging.judgements import EpisodeJudgement
from manyhands.evaluation.metrics.exits import EXITS
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import RubricsChecked
from manyhands.protocol.roles.requests import Decision, Reflection
from manyhands.protocol.tasks.task import TaskSpec


@dataclass(frozen=True)
class Case:
    """Hold the episode that decided a task, and the judgement of one source about it."""

    episode: RecordedEpisode
    judgement: EpisodeJudgement

    @property
    def task(self) -> TaskSpec:
        return self.episode.started.task

    @property
    def decisions(self) -> Mapping[int, Decision]:
        return self.episode.decisions

    @property
    def verdicts(self) -> Mapping[int, Reflection]:
        return self.episode.verdicts


@dataclass(frozen=True)
class Decisive:
    """Hold the episodes that decided the tasks of a run, by id, and the endings of tasks that were not decided."""

    episodes: Mapping[str, RecordedEpisode]
    left_out: Sequence[Ending]


def decisive(tasks: Sequence[Attempted]) -> Decisive:
    """Return the last episode of each task. Leave out endings for reasons outside the task and the agent."""
    last = [task.attempts[-1] for task in tasks if task.attempts]
    counted = {one.started.episode: one for one in last if EXITS[one.ending] != "left_out"}
    unstarted = [Ending.CANCELLED for task in tasks if not task.attempts]
    return Decisive(counted, [*(one.ending for one in last if EXITS[one.ending] == "left_out"), *unstarted])


def cases_of(episodes: Mapping[str, RecordedEpisode], judgements: Mapping[str, EpisodeJudgement]) -> list[Case]:
    """Return a case for each episode. An episode without a judgement gets an empty one."""
    return [Case(episode, judgements.get(name, EpisodeJudgement())) for name, episode in episodes.items()]


# ---------------------------------------------------------------------------- the phone's state as a judgement
def state_says(episode: RecordedEpisode) -> EpisodeJudgement:
    """Return the judgement by the phone's state: whether the check holds, when each rubric first held, operations done.

    If the check holds, all human operations are completed. Otherwise rubrics tell: a rubric names the operation that
    brings it about, and the operation is completed if all rubrics that name it held. An operation that no rubric names
    only leads to the next named operation, and counts as completed with that one. After the last named operation,
    none is completed.
    """
    task, ended = episode.started.task, episode.ended
    if task.check is None or ended is None or ended.verified is None:
        return EpisodeJudgement()
    rubrics = rubric_steps(episode)
    if ended.decided_by == "judge":  # the phone told nothing of the task as a whole
        return EpisodeJudgement(rubrics=rubrics)
    operations = {} if not any(rubric.by for rubric in task.rubrics) else _completed(task, rubrics, ended.verified)
    return EpisodeJudgement(success=ended.verified, rubrics=rubrics, operations=operations)


def rubric_steps(episode: RecordedEpisode) -> dict[str, int | None]:
    """Return after which step the phone's state first fulfilled each rubric; None for a rubric that never held."""
    first: dict[str, int] = {}
    for record in episode.records:
        if isinstance(record, RubricsChecked):
            for name in record.held:
                first.setdefault(name, record.step)
    ever_held = episode.ended.rubrics if episode.ended else {}
    last = max(0, episode.steps - 1)
    return {name: first.get(name, last if ever else None) for name, ever in ever_held.items()}


def _completed(task: TaskSpec, rubrics: Mapping[str, int | None], is_done: bool) -> dict[int, bool]:
    named: dict[int, bool] = {}
    for rubric in task.rubrics:
        if rubric.by is not None:
            named[rubric.by - 1] = named.get(rubric.by - 1, True) and rubrics.get(rubric.name) is not None
    completed, fate = {}, is_done
    for number in reversed(range(len(task.human_operations))):
        fate = named.get(number, fate)
        completed[number] = is_done or fate
    return completed
