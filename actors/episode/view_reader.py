"""Read the phone's views for the screens of one episode. A phone that gives none costs the wait for it once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass

from pydantic import ValidationError

from manyhands.actors.clock import Clock, time_limit
from manyhands.actors.interfaces import Gateway
from manyhands.actors.perception.view_tree import TreeReading, read_tree
from manyhands.protocol.errors import (
    DeadlinePassed,
    ManyhandsError,
    StateUnavailable,
)
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease
from manyhands.protocol.screens.screen import VIEWS, Screenshot, TreeOutcome, ViewTree

logger = logging.getLogger(__name__)


GRACE_S = 2.0
"""How long after the deadline a call is given up here. The gateway gives up at the deadline. To cancel a call that is
ending takes longer than to wait for its error."""
LOOKS = 2
"""How often the views are asked for if the screen changes meanwhile."""
KEPT = 12
"""How many readings are kept: more than the steps that perception may be behind in any loop."""
FIRST_PAUSE, LONGEST_PAUSE = 4, 64
"""After so many steps a phone that gave no views is tried again; each time twice as many."""


@dataclass(frozen=True, slots=True)
class ViewReading:
    """Hold what became of the views for a screenshot, and how long that took. ``tree``: what they tell, if used."""

    outcome: TreeOutcome
    ms: float = 0.0
    tree: TreeReading | None = None


class ViewReader:
    """Ask the phone for its views, and check that they belong to a screenshot.

    A phone that gives no views, or not in time, is not waited for again. Later it is tried again beside the episode. If
    that succeeds within the same time, the next screens wait for views again.
    """

    def __init__(self, gateway: Gateway, clock: Clock, wait_s: float, *, only_source: bool = False) -> None:
        """``wait_s``: the seconds that a screen waits for its views.

        ``only_source``: nothing else tells what a screen shows. Then each screen waits for them, and views of a screen
        that has changed since its picture are used.
        """
        self._gateway = gateway
        self._clock = clock
        self._wait_s = wait_s
        self._only_source = only_source
        self._pause = FIRST_PAUSE
        self._next_trial: int | None = None
        """The step from which a phone without views is tried again; None if the phone gives views."""
        self._trial: asyncio.Task[None] | None = None
        self._kept: dict[tuple[int, str], ViewReading] = {}
        """The last readings, by step and screenshot, the oldest first."""
        self._one_by_one = asyncio.Lock()

    async def read(
        self, lease: Lease, screenshot: Screenshot, context: CallContext, touched: bool = False
    ) -> ViewReading:
        """Return what the views tell of the phone's last screenshot. Fail for no reason.

        If the same is asked again, as after perception was too busy or by another stage of the step, return the same.
        ``touched``: an action has been sent since the screenshot, so the phone is not asked any more.
        """
        key = (context.step, screenshot.content_id)
        async with self._one_by_one:
            if key not in self._kept:
                if touched:
                    return ViewReading("changed")
                self._kept[key] = await self._read(lease, screenshot, context)
                if len(self._kept) > KEPT:
                    del self._kept[next(iter(self._kept))]
            return self._kept[key]

    def end(self) -> None:
        """End a trial that still runs."""
        if self._trial is not None:
            self._trial.cancel()

    async def _read(self, lease: Lease, screenshot: Screenshot, context: CallContext) -> ViewReading:
        if self._next_trial is not None:
            if context.step >= self._next_trial and (self._trial is None or self._trial.done()):
                self._postpone(context.step)
                self._trial = asyncio.create_task(self._try_again(lease, context))
            return ViewReading("left_out")
        began = self._clock.now()
        tree: TreeReading | None = None
        try:
            outcome, tree = await self._look(lease, screenshot, context)
        except DeadlinePassed as error:
            outcome, why = "late", str(error)
        except ManyhandsError as error:
            outcome, why = "refused", str(error)
        if outcome in ("late", "refused") and not self._only_source:
            logger.warning("%s: no views of phone %s from now on: %s", context.episode, lease.serial, why)
            self._postpone(context.step)
        return ViewReading(outcome, (self._clock.now() - began) * 1000, tree)

    async def _look(
        self, lease: Lease, screenshot: Screenshot, context: CallContext
    ) -> tuple[TreeOutcome, TreeReading | None]:
        """Return what the views tell, if the phone still shows the screenshot after it told them."""
        deadline = min(self._clock.now() + self._wait_s, context.deadline)
        tree: TreeReading | None = None
        for look in range(LOOKS):
            try:
                reply = await self._ask(lease, context, deadline)
            except DeadlinePassed:
                if look == 0:
                    raise
                break
            if reply.shown == screenshot.content_id or self._only_source:
                tree = read_tree(reply.views, screenshot.size)
            if reply.shown == screenshot.content_id:
                return ("used", tree) if tree is not None and tree.elements else ("empty", None)
        return ("used", tree) if tree is not None and tree.elements else ("changed", None)

    async def _ask(self, lease: Lease, context: CallContext, deadline: float) -> ViewTree:
        """Return the views now. Raises DeadlinePassed, StateUnavailable, and the errors of the gateway."""
        context = context.model_copy(update={"deadline": deadline})
        async with time_limit(self._clock, deadline + GRACE_S, "reading the views"):
            state = await self._gateway.state(lease, VIEWS, context)
        try:
            return ViewTree.model_validate(state)
        except ValidationError as error:
            raise StateUnavailable(f"these are no views: {error.error_count()} errors") from error

    def _postpone(self, step: int) -> None:
        """Do not wait for views any more; try again some steps later."""
        self._next_trial, self._pause = step + self._pause, min(2 * self._pause, LONGEST_PAUSE)

    async def _try_again(self, lease: Lease, context: CallContext) -> None:
        with contextlib.suppress(ManyhandsError):
            await self._ask(lease, context, self._clock.now() + self._wait_s)
            self._next_trial = None
