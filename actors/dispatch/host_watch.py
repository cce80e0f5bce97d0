"""Watch one episode host: ask what it runs, to notice that the host died, went silent, or is back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.host_view import HostView
from manyhands.protocol.errors import ActorLost, ManyhandsError

_PING_S = 5.0
"""How often a host is asked what it runs, even while it is left alone."""
_AGAIN_S = 3.0
"""The limit for a host's second answer. A host is asked twice, because this process may have been frozen the first
time."""
_PROBE_S = 0.5
"""How often a host is asked whether it is back, after its time of being left alone."""
_ANSWER_S = 10.0
_START_S = 30.0
"""How long a replaced host may take to start."""
logger = logging.getLogger(__name__)


class HostWatch:
    """Watches one host. A host that leaves questions unanswered is given up, and another is started in its place."""

    def __init__(self, view: HostView, silent_s: float, clock: Clock) -> None:
        """``silent_s``: how long the host may leave a question unanswered."""
        self._view = view
        self._silent_s = silent_s
        self._clock = clock
        self._starts_until = 0.0

    async def run(self, changed: Callable[[], None]) -> None:
        """Watch for ever. Call ``changed`` when the host is left alone and when it is back."""
        while True:
            try:
                async with asyncio.timeout(_PING_S):
                    await self._view.gone.wait()
            except TimeoutError:
                await self._check()
            if self._view.gone.is_set():
                changed()
                await self._until_back()
                changed()

    async def _check(self) -> None:
        """Ask a host that should be running. If it does not answer in time twice, replace it."""
        life = self._view.lives
        for limit_s in (max(self._silent_s - _PING_S, _AGAIN_S), _AGAIN_S):
            error = await self._ask(limit_s)
            if isinstance(error, ActorLost):
                self._view.lost(life, str(error), self._clock.now())
            elif isinstance(error, ManyhandsError):
                logger.info("an episode host that was asked whether it is there said: %s", error)
            if not isinstance(error, TimeoutError) or self._view.lives != life:
                return
        await self._replace()

    async def _until_back(self) -> None:
        """Wait until the host answers after it was left alone for long enough."""
        view, limit_s = self._view, max(min(_ANSWER_S, self._silent_s), _AGAIN_S)
        silent_since: float | None = None
        while True:
            await self._clock.sleep(min(max(view.again_at - self._clock.now(), _PROBE_S), _PING_S))
            asked_at = self._clock.now()
            error = await self._ask(limit_s)
            now = self._clock.now()
            if isinstance(error, TimeoutError):
                view.reason = f"no answer within {limit_s:g} s"
                if silent_since is None:
                    silent_since = asked_at
                elif now - silent_since >= self._silent_s and now >= self._starts_until and await self._replace():
                    silent_since = None
                continue
            silent_since = None
            if error is not None:
                view.reason = str(error) or type(error).__name__
            elif now >= view.again_at:
                view.is_back(now)
                return

    async def _ask(self, limit_s: float) -> Exception | None:
        """Ask the host. Return None if it is well, TimeoutError if it is silent, otherwise its error."""
        try:
            async with asyncio.timeout(limit_s):
                reported = await self._view.host.progress()
            self._view.held_s = {one.episode: one.held_s for one in reported if one.held_s}
        except (ManyhandsError, TimeoutError) as error:
            return error
        except Exception as error:  # a defect of one host must not end the batch
            logger.exception("asking an episode host failed by a defect")
            return error
        return None

    async def _replace(self) -> bool:
        """Give the host up and have another one started in its place. Return whether that succeeded."""
        reason = f"the host has not answered for {self._silent_s:g} s"
        logger.warning("%s; its episodes go on elsewhere, and it is started again", reason)
        self._view.give_up(reason, self._clock.now())
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._view.host.replace()
        except (ManyhandsError, TimeoutError) as error:
            logger.warning("a silent host cannot be replaced now: %s", error)
            return False
        except Exception:  # a defect of one host must not end the batch
            logger.exception("a silent host cannot be replaced, by a defect")
            return False
        self._starts_until = self._clock.now() + _START_S
        return True
