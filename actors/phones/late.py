"""Looks at a screen after its screenshot was taken, while models think: was it final?

A change that came after the screenshot would otherwise never be known as late: the next look follows the next action,
and then nobody can tell what changed by which. So an action of a kind that is not well known yet is looked at twice
more; soon that is once in a while only. What changes at every look, such as a clock, is no late change. An action or a
capture that comes meanwhile ends it at once. Then nothing is learned, unless the screen had been waited for in vain:
where steps are quicker than these looks, a change that came once would be waited for ever after. A frame is taken only
if no screenshot waits for the same means.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from actors.phones.quiet import Action, QuietBook
from actors.phones.settle import Clock, Look, Settler
from protocol.errors import PhoneError

LOOKS_AT_S = (0.5, 1.5, 2.5)
"""When, after the screenshot. The last look is for what changed between the first two as well: a change that the first
one saw half done has ended by then, and what changes again is a clock or the like."""


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
        taken_at, known, still = self._clock.now(), len(settler.pauses), settler.stillness
        expected = self._book.expected(action, still)
        waited = expected is not None and expected.own and expected.latest > 0
        changes = 0
        for number, after in enumerate(LOOKS_AT_S):
            if number == 2 and changes < 2:
                break
            try:
                await self._clock.sleep(max(0.0, taken_at + after - self._clock.now()))
            except asyncio.CancelledError:
                late = settler.pauses[known:]
                if number == 2 and late:  # more often a change is late than a clock ticks
                    self._book.learn(action, still, late[0][1])
                elif waited and not changes:
                    self._book.learn(action, still, None)
                raise
            if not self._free():
                return
            try:
                seen = await self._look()
            except PhoneError:
                return  # whoever wants something of the phone next will be told
            settler.offer(seen.asked, seen.at, seen.thumbnail)
            changes += settler.still_s == 0
        late = settler.pauses[known:]
        ended = late[0][1] if late and changes < len(LOOKS_AT_S) else None
        self._book.learn(action, still, ended)
