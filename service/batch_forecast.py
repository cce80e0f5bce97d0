"""Say at once what becomes of a batch, above all whether it will probably miss its deadline."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence

from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.service.batches import BatchCheck, BatchPhase, BatchRequest, BatchStatus, UnmatchedSelector
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from manyhands.protocol.tasks.selectors import join_selectors, selects
from manyhands.service.database.batches.batch_counts import Workload
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.fleet_control import FleetControl

logger = logging.getLogger(__name__)
USABLE = (PhonePhase.FREE, PhonePhase.BUSY)


class DeadlineForecast:
    """Compares deadlines with the work that waits, the phones that there are, and the time that tasks take."""

    def __init__(self, batches: BatchRepository, fleet: FleetControl) -> None:
        self._batches = batches
        self._fleet = fleet

    async def warn(self, batch: BatchStatus, now: float) -> BatchStatus:
        """Return an accepted batch, with a warning if it will probably miss its deadline. The warning is stored, too.

        ``now``: Unix seconds.
        """
        if batch.deadline is None:
            return batch
        try:
            warning = find_warning(batch, await self._batches.workload(batch), await self._fleet.phones(), now)
            if warning is None:
                return batch
            await self._batches.warn_of_deadline(batch.id, warning)
        except ManyhandsError as error:  # the batch is accepted, whether somebody can tell or not
            logger.warning("whether %s meets its deadline is not known: %s", batch.id, error)
            return batch
        return batch.model_copy(update={"deadline_warning": warning})


def find_warning(batch: BatchStatus, workload: Workload, phones: Sequence[PhoneStatus], now: float) -> str | None:
    """Return why the deadline of a batch probably cannot be met; None if it can, or if nobody can tell."""
    if batch.deadline is None:
        return None
    if batch.deadline <= now:
        return "the deadline has passed already"
    usable = [phone for phone in phones if phone.phase in USABLE and selects(batch.phones, phone.labels)]
    if phones and not usable:
        selector = f" that {batch.phones!r} chooses" if batch.phones else ""
        return f"no phone{selector} can be used now"
    if workload.task_s is None or not usable:
        return None
    turns = min(workload.beside, workload.own * workload.owners)
    rounds = math.ceil((workload.own + workload.running + workload.before + turns) / len(usable))
    needed_s, left_s = rounds * workload.task_s, batch.deadline - now
    if needed_s <= left_s:
        return None
    ahead = workload.running + workload.before + turns
    return (
        f"it takes about {needed_s:.0f} s and has {left_s:.0f} s: {workload.own} tasks, {ahead} others before them, "
        f"{len(usable)} phones, {workload.task_s:.0f} s a task"
    )


MOST_SELECTORS = 20
"""The most selectors that are named."""
_log = logging.getLogger(__name__)


async def preview_batch(
    request: BatchRequest, owner: str, batches: BatchRepository, fleet: FleetControl, now: float
) -> BatchCheck:
    """Return what the submission of a batch without mistakes would be answered. ``now``: Unix seconds."""
    count = len(request.tasks)
    try:
        phones = await fleet.phones()
        workload = await batches.workload_before(count, owner, request.priority)
        warning = find_warning(_status(request, owner, now), workload, phones, now)
    except ManyhandsError as error:
        _log.warning("what becomes of a batch is not known: %s", error)
        return BatchCheck(tasks=count)
    unmatched = tuple(_unmatched(request, phones)) if phones else ()
    return BatchCheck(tasks=count, deadline_warning=warning, unmatched=unmatched[:MOST_SELECTORS])


def _unmatched(request: BatchRequest, phones: Sequence[PhoneStatus]) -> Iterator[UnmatchedSelector]:
    if request.phones and not _fits(request.phones, phones):
        yield UnmatchedSelector(task=None, phones=request.phones)
        return
    tasks_by_selector = dict[str, str]()
    for task in request.tasks:
        if task.phones:
            tasks_by_selector.setdefault(join_selectors(request.phones, task.phones), task.id)
    yield from (
        UnmatchedSelector(task=task, phones=one) for one, task in tasks_by_selector.items() if not _fits(one, phones)
    )


def _fits(selector: str, phones: Sequence[PhoneStatus]) -> bool:
    return any(selects(selector, phone.labels) for phone in phones)


def _status(request: BatchRequest, owner: str, now: float) -> BatchStatus:
    count = len(request.tasks)
    return BatchStatus(
        id="",
        name=request.name,
        owner=owner,
        priority=request.priority,
        tags=request.tags,
        phase=BatchPhase.OPEN,
        submitted_at=now,
        deadline=request.deadline,
        phones=request.phones,
        tasks=count,
        waiting=count,
        running=0,
        done=0,
        failed=0,
    )
