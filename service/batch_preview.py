"""Say what would become of a batch if it were submitted now. Nothing is stored."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.service.batch_check import BatchCheck, UnmatchedSelector
from manyhands.protocol.service.batches import BatchPhase, BatchRequest, BatchStatus
from manyhands.protocol.service.fleet import PhoneStatus
from manyhands.protocol.tasks.selectors import join_selectors, selects
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.deadline_forecast import find_warning
from manyhands.service.fleet_control import FleetControl

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
