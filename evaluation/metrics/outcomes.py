"""Make the cases from which metrics are computed, and compute the metrics of results: of tasks, decisions and verdicts.

A case is a decided task with the judgement of one source. The sources are the phone's state, persons and models. A
figure uses one source. A metric does not know from which source a judgement comes: what the phone's state tells is put
into the form of a judgement, too. A run that repeats the failed tasks of an earlier run is joined with it
(Mobile-Agent-v2, tables 1 and 2: "+ Know.").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from manyhands.evaluation.episodes import Attempted, RecordedEpisode
from manyhands.evaluation.judgements.judgements import EpisodeJudgement
from manyhands.evaluation.metrics.figure import Contribution, Missing
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import RubricsChecked
from manyhands.protocol.roles.requests import Decision, Reflection
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.screens.actions import Stop
from manyhands.protocol.tasks.task import TaskSpec

Exit = Literal["own_stop", "error", "left_out"]
"""``own_stop``: the agent stopped by itself. ``error``: any other end. ``left_out``: the cause is outside the agent."""

EXITS: dict[Ending, Exit] = {
    Ending.FINISHED: "own_stop",
    Ending.ANSWER_INVALID: "own_stop",
    **{limit.ending: "error" for limit in Limits.declarations().values()},
    # Mobile-Agent-E, section 4.2, counts "any other errors".
    Ending.IMPOSSIBLE: "error",
    Ending.DIVERGED: "error",
    Ending.UNUSABLE_REPLY: "error",
    Ending.MODEL_FAILED: "error",
    Ending.PERCEPTION_FAILED: "error",
    Ending.NO_MODEL: "error",
    Ending.INTERNAL_ERROR: "error",
    # The papers had one phone, which was always available.
    Ending.PHONE_LOST: "left_out",
    Ending.NO_PHONE: "left_out",
    Ending.APP_CRASHED: "left_out",
    Ending.SETUP_REFUSED: "left_out",
    Ending.LEASE_LOST: "left_out",
    Ending.HOST_LOST: "left_out",
    Ending.NEEDS_PERSON: "left_out",
    Ending.CANCELLED: "left_out",
}
"""How an ending counts (Mobile-Agent-E, section 4.2: ways to exit)."""

if missing := set(Ending) - set(EXITS):
    raise TypeError(f"EXITS lacks {', '.join(sorted(missing))}")


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
    rubrics = _rubric_steps(episode)
    if ended.verified_by == "judge":  # the phone told nothing of the task as a whole
        return EpisodeJudgement(rubrics=rubrics)
    operations = {} if not any(rubric.by for rubric in task.rubrics) else _completed(task, rubrics, ended.verified)
    return EpisodeJudgement(success=ended.verified, rubrics=rubrics, operations=operations)


def _rubric_steps(episode: RecordedEpisode) -> dict[str, int | None]:
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


NOT_JUDGED = "nobody judged whether the task is done"
UNNAMED = "the task is not done, and it is not known which of a human's operations were completed"
NO_OPERATIONS = "the task lists no human operations"
NO_RUBRICS = "the task has no rubrics"


def success(case: Case) -> Contribution | Missing:
    """Return SU (Mobile-Agent, section 3.1). Its mean is SR (Mobile-Agent-v2, section 4.2).

    SU = 1 if the instruction is done, else 0; SR = instructions done / instructions.
    """
    is_success = case.judgement.success
    return Missing(NOT_JUDGED) if is_success is None else Contribution(float(is_success))


def completion(case: Case) -> Contribution | Missing:
    """Return CR (Mobile-Agent, section 3.1; Mobile-Agent-v2, section 4.2).

    CR = human operations that the agent completed / human operations; 1 if the instruction is done. By the phone's
    state, rubrics tell which operations are completed (``state_says``).
    """
    total, judgement = case.task.human_count, case.judgement
    if not total:
        return Missing(NO_OPERATIONS)
    if judgement.success is None:
        return Missing(NOT_JUDGED)
    if judgement.success:
        return Contribution(total, total)
    if set(judgement.operations) != set(range(total)):
        return Missing(UNNAMED)
    return Contribution(sum(judgement.operations.values()), total)


def satisfaction(case: Case) -> Contribution | Missing:
    """Return SS (Mobile-Agent-E, section 4.2): rubrics fulfilled / rubrics."""
    fulfilled = fulfilled_after(case)
    return fulfilled if isinstance(fulfilled, Missing) else Contribution(len(fulfilled), len(case.task.rubrics))


def fulfilled_after(case: Case) -> list[int] | Missing:
    """Return the steps that fulfilled rubrics, one step for each fulfilled rubric."""
    names = {rubric.name for rubric in case.task.rubrics}
    if not names:
        return Missing(NO_RUBRICS)
    if set(case.judgement.rubrics) != names:
        return Missing("nobody judged all rubrics")
    return sorted(step for step in case.judgement.rubrics.values() if step is not None)


def agent_steps(case: Case) -> Contribution | Missing:
    """Return the first number of RE (Mobile-Agent, section 3.1): the agent's steps without its Stop."""
    if not case.task.human_count:
        return Missing(NO_OPERATIONS)
    stops = sum(isinstance(decision.action, Stop) for decision in case.decisions.values())
    return Contribution(max(0, case.episode.steps - stops))


def human_steps(case: Case) -> Contribution | Missing:
    """Return the second number of RE (Mobile-Agent, section 3.1): a human's operations."""
    operations = case.task.human_count
    return Contribution(operations) if operations else Missing(NO_OPERATIONS)


def termination_error(case: Case) -> Contribution | Missing:
    """Return TE (Mobile-Agent-E, section 4.2): tasks that do not end by the agent's own stop / tasks.

    Such ends are: the limit of steps (40), 3 errors in a row, the same action (Swipe and Back excepted) more than 3
    times in a row, any other error. ``EXITS`` maps our endings.
    """
    return Contribution(float(EXITS[case.episode.ending] == "error"))


ALL_NOT_JUDGED = "nobody judged all {what}; manyhands suite judge opens a page for that"


def decisions(case: Case) -> Contribution | Missing:
    """Return right decisions / decisions: PS as the mean over tasks, and DA over all decisions.

    PS (Mobile-Agent, section 3.1) = right steps / steps of an instruction. DA (Mobile-Agent-v2, section 4.2) = right
    decisions / decisions. A reply without an action is a wrong decision, and no judge is needed for it.
    """
    invalid = {step: False for step, decision in case.decisions.items() if decision.action is None}
    return _share({**invalid, **case.judgement.actions}, case.decisions, "decisions")


def actions(case: Case) -> Contribution | Missing:
    """Return AA (Mobile-Agent-E, section 4.2): right actions / actions. A reply without an action does not count."""
    acted = {step for step, decision in case.decisions.items() if decision.action is not None}
    judged = {step: right for step, right in case.judgement.actions.items() if step in acted}
    return _share(judged, dict.fromkeys(acted), "actions")


def reflections(case: Case) -> Contribution | Missing:
    """Return RA (Mobile-Agent-v2 and Mobile-Agent-E, section 4.2): the reflector's right verdicts / its verdicts."""
    by_model = {step: verdict for step, verdict in case.verdicts.items() if verdict.made_by == "model"}
    if not by_model:
        return Missing("the reflector gave no verdict")
    judged = {step: right for step, right in case.judgement.reflections.items() if step in by_model}
    return _share(judged, by_model, "verdicts of the reflector")


def all_reflections(case: Case) -> Contribution | Missing:
    """Return RA over all verdicts, including cheap verdicts, which no paper has."""
    if not case.verdicts:
        return Missing("the agent gave no verdict")
    return _share(case.judgement.reflections, case.verdicts, "verdicts")


def _share(judged: Mapping[int, bool], there: Mapping[int, object], what: str) -> Contribution | Missing:
    if not there:
        return Missing(f"there were no {what}")
    if set(judged) != set(there):
        return Missing(ALL_NOT_JUDGED.format(what=what))
    return Contribution(sum(judged.values()), len(there))


Source = Literal["state", "person", "model"]
STATE: Literal["state"] = "state"


@dataclass(frozen=True)
class SourceCases:
    """Hold the decided tasks of a run with the judgement of one source."""

    source: Source
    judge: str | None
    """The name of the person or model; None for the phone's state."""
    cases: Sequence[Case]

    @property
    def has_judged(self) -> bool:
        """Return whether the source says of any task whether it is done."""
        return any(case.judgement.success is not None for case in self.cases)


def join_cases(before: SourceCases, again: SourceCases, repeated: Set[str]) -> list[Case]:
    """Return the cases of two runs together. ``repeated``: the ids of the tasks that the second run was given.

    A repeated task counts as in the second run, unless the source says that it was done in the earlier one already.
    """
    done_tasks = done_already(before)
    earlier = [case for case in before.cases if case.task.base_id not in repeated - done_tasks]
    return [*earlier, *(case for case in again.cases if case.task.base_id not in done_tasks)]


def done_already(before: SourceCases) -> Set[str]:
    """Return the ids of the tasks that are done in the earlier run by the source's word, in each of their repeats."""
    successes = [(case.task.base_id, case.judgement.success is True) for case in before.cases]
    return {task for task, _ in successes} - {task for task, is_done in successes if not is_done}


def sources_of_both(
    before: Sequence[SourceCases], again: Sequence[SourceCases]
) -> Iterator[tuple[SourceCases, SourceCases]]:
    """Yield the cases of both runs for each source that judged in both. Others cannot tell of the runs together."""
    for one in before:
        for other in again:
            if (one.source, one.judge) == (other.source, other.judge) and one.has_judged and other.has_judged:
                yield one, other
