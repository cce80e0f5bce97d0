"""Cases, from which metrics are computed: decided tasks, each with the judgement of one source.

There are three sources: the phone's state, a person, a model. A figure is made of one of them; a metric does not know
which, for the phone's state is read as a judgement like the other two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from manyhands.evaluation.episodes import Attempted, RecordedEpisode
from manyhands.evaluation.judgements import EpisodeJudgement
from manyhands.evaluation.metrics.exits import EXITS
from manyhands.protocol.base import Ending
from manyhands.protocol.records import RubricsChecked
from manyhands.protocol.requests import Decision, Reflection
from manyhands.protocol.tasks import TaskSpec


@dataclass(frozen=True)
class Case:
    """Hold the episode that decided a task, and what one source says of it."""

    episode: RecordedEpisode
    said: EpisodeJudgement

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
    """Hold the episodes that decided the tasks of a run, by id, and how those tasks ended that nobody decided."""

    episodes: Mapping[str, RecordedEpisode]
    left_out: Sequence[Ending]


def decisive(tasks: Sequence[Attempted]) -> Decisive:
    """Return the last episode of each task, without those that ended for a reason outside of task and agent."""
    last = [task.attempts[-1] for task in tasks if task.attempts]
    counted = {one.started.episode: one for one in last if EXITS[one.ending] != "left_out"}
    unstarted = [Ending.CANCELLED for task in tasks if not task.attempts]
    return Decisive(counted, [*(one.ending for one in last if EXITS[one.ending] == "left_out"), *unstarted])


def cases_of(episodes: Mapping[str, RecordedEpisode], said: Mapping[str, EpisodeJudgement]) -> list[Case]:
    """Return a case for each episode; one of which nothing was said has an empty judgement."""
    return [Case(episode, said.get(name, EpisodeJudgement())) for name, episode in episodes.items()]


# ---------------------------------------------------------------------------- the phone's state as a judgement
def state_says(episode: RecordedEpisode) -> EpisodeJudgement:
    """Return what the phone's state says: whether the check holds, when each rubric first held, operations completed.

    An operation is completed if all rubrics held that name it, or that name the next operation that brings anything
    about: what leads there has no result of its own. Those after the last one named bring about the check itself.
    """
    task, ended = episode.started.task, episode.ended
    if task.check is None or ended is None or ended.verified is None:
        return EpisodeJudgement()
    rubrics = rubric_steps(episode)
    operations = {} if not any(rubric.by for rubric in task.rubrics) else _completed(task, rubrics, ended.verified)
    return EpisodeJudgement(success=ended.verified, rubrics=rubrics, operations=operations)


def rubric_steps(episode: RecordedEpisode) -> dict[str, int | None]:
    """Return after which step each rubric first held by the phone's state; None for one that never did."""
    first: dict[str, int] = {}
    for record in episode.records:
        if isinstance(record, RubricsChecked):
            for name in record.held:
                first.setdefault(name, record.step)
    held = episode.ended.rubrics if episode.ended else {}
    last = max(0, episode.steps - 1)
    return {name: first.get(name, last if ever else None) for name, ever in held.items()}


def _completed(task: TaskSpec, rubrics: Mapping[str, int | None], done: bool) -> dict[int, bool]:
    named: dict[int, bool] = {}
    for rubric in task.rubrics:
        if rubric.by is not None:
            named[rubric.by - 1] = named.get(rubric.by - 1, True) and rubrics.get(rubric.name) is not None
    completed, fate = {}, done
    for number in reversed(range(len(task.human_operations))):
        fate = named.get(number, fate)
        completed[number] = done or fate
    return completed
