"""Find a schedule of a service by what people write: its id, or its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.schedules import ScheduleStatus

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.service.client.async_client import AsyncClient


async def find_schedule(client: AsyncClient, written: str) -> ScheduleStatus:
    """Return the schedule with this id or, if there is none, the only one with this name.

    Raises BadInput, which lists the schedules that there are.
    """
    known = [schedule async for schedule in client.schedules()]
    for schedule in known:
        if schedule.id == written:
            return schedule
    named = [schedule for schedule in known if schedule.name == written]
    if len(named) == 1:
        return named[0]
    if named:
        raise BadInput(f"{written}: several schedules have this name; give an id: {_list(named)}")
    there = f"it has {_list(known)}" if known else "it has none yet"
    raise BadInput(f"{written}: the service has no such schedule; {there}")


def _list(schedules: list[ScheduleStatus]) -> str:
    return ", ".join(f"{schedule.id} ({schedule.name})" for schedule in schedules)
