"""Looks at a screen after its screenshot was taken, while models think: was it final?

A change that came after the screenshot would otherwise never be known as late: the next look follows the next action,
and then nobody can tell what changed by which. So an action of a kind that is not well known yet is looked at twice
more; soon that is once in a while only. An action or a capture that comes meanwhile ends it at once, and nothing is
learned then. A frame is taken only if no screenshot waits for the same means.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from actors.phones.quiet import Action, Pause, QuietBook, Stillness
from actors.phones.settle import Clock, Look, Settler
from protocol.errors import PhoneError

LOOKS_AT_S = (0.5, 1.5)
"""When, after the screenshot."""


class LateLooks:
    """Of one phone; one screenshot at a time. ``free``: whether a look would hold nobody up."""

    def __init__(
        self, look: Callable[[], Awaitable[Look[Any]]], free: Callable[[], bool], book: QuietBook, clock: Clock
    ) -> None:
        self._look = look
        self._free = free
        self._book = book
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def begin(self, settler: Settler, action: Action) -> None:
        """Look later at the screen that ``settler`` took to be at rest after ``action``. ``end`` must follow."""
        self._task = asyncio.create_task(self._watch(settler, action))

    async def end(self) -> None:
        """Returns once no look is on its way any more."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.result()

    async def _watch(self, settler: Settler, action: Action) -> None:
        taken_at, known = self._clock.now(), len(settler.pauses)
        changes = []
        for after in LOOKS_AT_S:
            await self._clock.sleep(max(0.0, taken_at + after - self._clock.now()))
            if not self._free():
                return
            try:
                seen = await self._look()
            except PhoneError:
                return  # whoever wants something of the phone next will be told
            count = len(settler.pauses)
            settler.offer(seen.asked, seen.at, seen.thumbnail)
            if len(settler.pauses) > count:
                changes.append(settler.last_change)
        self._learn(settler, action, known, changes)

    def _learn(self, settler: Settler, action: Action, known: int, changes: list[Any]) -> None:
        """A change now and then in the same place, such as a clock's, is no late change."""
        late: list[tuple[Stillness, Pause]] = settler.pauses[known:]
        if not late:
            self._book.learn(action, settler.stillness, None)
        elif len(late) == 1 or (changes[1] & ~changes[0]).any():
            self._book.learn(action, *late[0])
        else:
            self._book.learn(action, late[0][0], None)
