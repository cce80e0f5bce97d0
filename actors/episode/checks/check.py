"""Ask about the phone's true state: a task's rubrics after every step, its check at the end.

What the phone's state leaves open in a check, a model may judge (``judge``).

Source of the rubrics: Mobile-Agent-E, section 4.2 (Satisfaction Score).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from manyhands.actors.episode.checks.evidence import EvidenceReader, compare_state, is_link, open_for_check
from manyhands.actors.episode.checks.judge import StatementJudge, decided_by
from manyhands.actors.episode.endings import End, end_of_check
from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.base import Ending, VerifiedBy
from manyhands.protocol.errors import (
    CallError,
    HostStateAway,
    LeaseLost,
    ManyhandsError,
    PhoneError,
)
from manyhands.protocol.journals.records import Record, RubricsChecked
from manyhands.protocol.phones import Receipt
from manyhands.protocol.tasks.predicates import Evidence, Predicate, Unanswered, evaluate, sources, statements
from manyhands.protocol.tasks.side_effects import StateChange
from manyhands.protocol.tasks.task import Check, TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest, unmet_tests

CHECK_PAUSE_S = 1.0
"""The pause before a failed question is asked again."""
UNCHECKED = frozenset(
    {
        *(Ending.PHONE_LOST, Ending.LEASE_LOST, Ending.CANCELLED, Ending.NO_MODEL),
        *(Ending.APP_CRASHED, Ending.SETUP_REFUSED),
    }
)
"""Endings after which the check is not asked: the phone is no longer ours, nobody waits for the result, the task was
interrupted from outside, or it failed whatever the check would say."""
BY_TIME = frozenset({Ending.TIME_LIMIT, Ending.MODEL_FAILED, Ending.PERCEPTION_FAILED})
"""Endings that can be caused by the passing of time alone. Time in which the host was frozen must not count. So such an
ending decides the task only if the lease can still be renewed: then the host was not frozen for long."""
T = TypeVar("T")

logger = logging.getLogger(__name__)


# ---------------------------------------------------------------------------- after every step
def rubrics_asked(task: TaskSpec) -> dict[str, Predicate]:
    """Return the predicate of each rubric that the phone can answer, by the rubric's name."""
    return {rubric.name: rubric.holds for rubric in task.rubrics if rubric.holds is not None}


def rubrics_held(task: TaskSpec, evidence: Evidence) -> tuple[str, ...]:
    """Return the names of the rubrics that certainly hold. Like all of a check, call it in a thread.

    To search a long answer for patterns takes a while.
    """
    return tuple(name for name, condition in rubrics_asked(task).items() if evaluate(condition, evidence))


def evidence_reader(runtime: EpisodeRuntime, step: int) -> EvidenceReader:
    """Return a reader for all that the task's check and rubrics ask after ``step``."""
    check = runtime.task.check
    return EvidenceReader(runtime, step, None if check is None else check.source)


async def rubrics(context: StageContext) -> tuple[Record, ...]:
    """Return which rubrics hold now. If the phone does not answer, the episode continues and the next step asks again.

    Raises PhoneLost, LeaseLost.
    """
    runtime, step = context.runtime, context.step
    try:
        evidence = await evidence_reader(runtime, step).read(rubrics_asked(runtime.task).values())
    except CallError as error:
        logger.warning("%s: rubrics after step %d are unknown: %s", runtime.order.episode, step, error)
        return ()
    if all(isinstance(answer, Unanswered) for answer in evidence.answers.values()):
        reasons = "; ".join(answer.reason for answer in evidence.answers.values())
        logger.warning("%s: rubrics after step %d are unknown: %s", runtime.order.episode, step, reasons)
        return ()
    names = await asyncio.to_thread(rubrics_held, runtime.task, evidence)
    return (RubricsChecked(at=runtime.clock.now(), step=step, held=names),)


RUBRICS = Stage("rubrics", (StageNeed(ACT), StageNeed(CAPTURE, 1)), run=rubrics)
"""The stage that asks the rubrics. It belongs to no paper's loop; tasks with rubrics add it."""


def rubrics_stage(task: TaskSpec) -> Stage | None:
    """Return the stage that a task adds to the loop; None if the phone can answer none of its rubrics."""
    return RUBRICS if rubrics_asked(task) else None


# ---------------------------------------------------------------------------- at the end
@dataclass(frozen=True, slots=True)
class Checked:
    """Hold what the check at the end of an episode found."""

    end: End
    """The end of the episode. It differs from the given one if the phone or the lease was lost meanwhile."""
    verified: bool | None = None
    """Whether the check holds; None if nobody knows."""
    verified_by: VerifiedBy | None = None
    """Whose word decided that."""
    rubrics: dict[str, bool] = field(default_factory=dict)
    """Which rubrics ever held."""
    unmet: tuple[UnmetTest, ...] = ()
    """The tests of the check that did not hold or could not be answered."""
    rubrics_unmet: dict[str, tuple[UnmetTest, ...]] = field(default_factory=dict)
    """For each rubric that never held, its tests that did not hold."""
    screen: str | None = None
    """The content id of the screen that the check looked at, if it looked at one."""
    unexpected_changes: tuple[StateChange, ...] | None = None
    """What changed beyond what the task may change; None if it could not be compared."""
    without_state: bool = False
    """Whether the check's provider did not answer. It may still be starting, so it is asked again."""


async def check_at_end(runtime: EpisodeRuntime, end: End) -> Checked:
    """Ask whether the check holds, and which rubrics hold.

    Without a check, find out whether an ending by time may stand. This function raises no errors: the returned end says
    what could not be asked.
    """
    task, clock = runtime.task, runtime.clock
    asks = task.check is not None or bool(rubrics_asked(task) or task.unchanged)
    judge = StatementJudge(runtime)
    try:
        if task.check is None and end.ending in BY_TIME:
            await _answered(runtime, lambda: runtime.renew_lease(clock.now() + runtime.settings.lease_s))
        if asks and end.ending not in UNCHECKED and not end.afresh:
            return await _answered(
                runtime, lambda: _check(runtime, end, judge), lambda checked: not checked.without_state
            )
    except Exception as error:
        if not isinstance(error, ManyhandsError):
            logger.exception("%s: the check failed by a defect", runtime.order.episode)
        what = "the check could not be asked" if asks else "the lease could not be renewed"
        end = End(end_of_check(error) or end.ending, f"{what}: {error}; {end.reason}", end.afresh)
    names_held = runtime.journal.state.rubrics_held
    return Checked(end, rubrics={name: name in names_held for name in rubrics_asked(task)})


async def _check(runtime: EpisodeRuntime, end: End, judge: StatementJudge) -> Checked:
    """Ask the rubrics, compare what had to stay unchanged, open what the check wants opened, and ask the check."""
    task, state = runtime.task, runtime.journal.state
    predicates, names_held = rubrics_asked(task), set(state.rubrics_held)
    reader = evidence_reader(runtime, state.last_step)
    evidence = await reader.read(predicates.values())
    names_held.update(await asyncio.to_thread(rubrics_held, task, evidence))
    rubrics = {name: name in names_held for name in predicates}
    rubrics_unmet = {
        name: await asyncio.to_thread(unmet_tests, one, evidence)
        for name, one in predicates.items()
        if name not in names_held
    }
    changes = await compare_state(runtime, reader)
    if task.check is None:
        return Checked(end, rubrics=rubrics, rubrics_unmet=rubrics_unmet, unexpected_changes=changes)
    holds = task.check.holds
    evidence = await _read_for_check(runtime, task.check, reader, judge)
    verified = await asyncio.to_thread(evaluate, holds, evidence)
    unmet = await asyncio.to_thread(unmet_tests, holds, evidence)
    if verified is None:
        end = End(end.ending, f"{end.reason}; the check could not be decided: {unmet[0]}", end.afresh)
    without_state = task.check.source is not None and verified is None and isinstance(evidence.state, Unanswered)
    by = await asyncio.to_thread(decided_by, holds, evidence)
    return Checked(end, verified, by, rubrics, unmet, rubrics_unmet, reader.screen, changes, without_state)


async def _read_for_check(
    runtime: EpisodeRuntime, check: Check, reader: EvidenceReader, judge: StatementJudge
) -> Evidence:
    """Open what the check wants opened, and return the evidence for the check, the judge's word last."""
    if check.open is not None:
        receipt = await open_for_check(runtime, check.open, reader.step)
        failure = _why_unopened(check.open, receipt)
        if failure is not None:
            unopened = Unanswered(f"{check.open} could not be opened: {failure}")
            answers = dict.fromkeys(sources(check.holds), unopened)
            return Evidence(unopened, answers, dict.fromkeys(statements(check.holds), unopened))
        reader.forget()
    return await judge.judge(check.holds, await reader.read([check.holds]), reader)


def _why_unopened(opens: str, receipt: Receipt) -> str | None:
    """Return why what a check opens is not open; None if it is. An app whose label is only similar does not count."""
    if receipt.status != "done":
        return receipt.detail or receipt.status
    if receipt.opens is None and not is_link(opens):
        return "no app has exactly this label"
    return None


async def _answered(
    runtime: EpisodeRuntime, ask: Callable[[], Awaitable[T]], enough: Callable[[T], bool] = lambda _: True
) -> T:
    """Return the answer of ``ask``.

    Ask again while a gateway or phone is away, or while the answer is not ``enough``. Stop after the time in which a
    lease expires, and return the last answer. Raises LeaseLost at once. If there is no answer by the end of that time,
    raises PhoneError, CallError or HostStateAway.
    """
    given_up_at = runtime.clock.now() + runtime.settings.lease_s
    while True:
        last = runtime.clock.now() + CHECK_PAUSE_S >= given_up_at
        try:
            answer = await ask()
            if last or enough(answer):
                return answer
        except LeaseLost:
            raise
        except (PhoneError, CallError, HostStateAway):
            if last:
                raise
        await runtime.clock.sleep(CHECK_PAUSE_S)
