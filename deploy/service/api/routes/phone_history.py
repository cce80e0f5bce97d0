"""Show what a phone has done: its last tasks, and what happened to it."""

from __future__ import annotations

from fastapi import APIRouter

from manyhands.deploy.service.api.authentication import Reader
from manyhands.deploy.service.api.parts import Context
from manyhands.deploy.service.api.text_types import DEFAULT_LIMIT, Cursor, Limit, Serial
from manyhands.deploy.service.database.batch_queries import TaskFilter
from manyhands.deploy.service.database.event_repository import EventFilter
from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.batches import TaskStatus
from manyhands.protocol.service.events import EventKind, ServiceEvent

router = APIRouter(tags=["fleet"])
LOGGED = tuple(kind for kind in EventKind if kind is not EventKind.TASK_STEP)
"""The events of a phone's log. Steps are too many for people, and are forgotten after an hour."""


@router.get("/phones/{serial:path}/tasks")
async def list_phone_tasks(
    _: Reader, context: Context, serial: Serial, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> ListPage[TaskStatus]:
    """List the tasks that a phone carries out, or carried out last, the newest first."""
    return await context.parts.batches.tasks(TaskFilter(phone=serial), cursor, limit, newest_first=True)


@router.get("/phones/{serial:path}/log")
async def list_phone_events(
    _: Reader, context: Context, serial: Serial, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> ListPage[ServiceEvent]:
    """List what happened to a phone, the newest first: its tasks, and when it was away or set aside."""
    return await context.parts.events.latest(EventFilter(phone=serial, kinds=LOGGED), cursor, limit)
