"""Hold a client's methods for schedules: batches that the service submits again and again."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from urllib.parse import quote

from manyhands.deploy.client.http_connection import HttpConnection
from manyhands.protocol.service.schedules import ScheduleRequest, ScheduleStatus


class ScheduleCalls:
    """Make schedules, look at them, and change them."""

    _connection: HttpConnection

    def schedules(self) -> AsyncGenerator[ScheduleStatus]:
        """Yield the schedules, each with its next times."""
        return self._connection.entries(ScheduleStatus, "/schedules")

    async def schedule(self, schedule: str) -> ScheduleStatus:
        """Return a schedule by its id, such as ``s3``. Raises ServiceRefused if there is none."""
        return await self._connection.fetch(ScheduleStatus, "GET", _path(schedule))

    async def add_schedule(self, request: ScheduleRequest) -> ScheduleStatus:
        """Make a schedule. Its first batch is submitted at its first time, not now."""
        return await self._connection.fetch(ScheduleStatus, "POST", "/schedules", body=request)

    async def change_schedule(self, schedule: str, request: ScheduleRequest) -> ScheduleStatus:
        """Replace all that a schedule asks for. Batches that it has submitted stay as they are."""
        return await self._connection.fetch(ScheduleStatus, "PUT", _path(schedule), body=request)

    async def pause_schedule(self, schedule: str) -> ScheduleStatus:
        """Submit no batches for a schedule until it is resumed."""
        return await self._connection.fetch(ScheduleStatus, "POST", f"{_path(schedule)}:pause")

    async def resume_schedule(self, schedule: str) -> ScheduleStatus:
        """Let a paused schedule submit batches again, from its next time on."""
        return await self._connection.fetch(ScheduleStatus, "POST", f"{_path(schedule)}:resume")

    async def remove_schedule(self, schedule: str) -> None:
        """Remove a schedule. Batches that it has submitted go on."""
        await self._connection.send("DELETE", _path(schedule))


def _path(schedule: str) -> str:
    return f"/schedules/{quote(schedule, safe='')}"
