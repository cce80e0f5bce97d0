"""End an episode when the app that its task tests crashes, or does not respond."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.log_recorder import hide_secrets
from manyhands.actors.episode.profile import CAPTURE
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.errors import ManyhandsError, StateUnavailable
from manyhands.protocol.phones import CRASHES, AppCrash

EVERY_S = 2.0
"""The phone is asked so often."""
_CRASHES = TypeAdapter(tuple[AppCrash, ...])
_log = logging.getLogger(__name__)


class CrashWatch:
    """Ask a phone for crashes of the app under test, and compare with those from before the task."""

    def __init__(self, runtime: EpisodeRuntime) -> None:
        self._runtime = runtime

    async def run(self) -> End:
        """Return the end of the episode once the app has crashed."""
        while True:
            await self._runtime.clock.sleep(EVERY_S)
            end = await self.look()
            if end is not None:
                return end

    async def look(self) -> End | None:
        """Return the end of the episode if the app has crashed since its beginning; else None."""
        earlier = self._runtime.journal.state.crashes
        if earlier is None:
            return None
        try:
            crashes = await read_crashes(self._runtime)
        except ManyhandsError as error:  # the stages of the episode meet a lost phone, too
            _log.warning("%s: the phone does not tell crashes: %s", self._runtime.order.episode, error)
            return None
        new = [crash for crash in crashes if crash.id not in earlier]
        return End(Ending.APP_CRASHED, new[0].words, crash=new[0]) if new else None

    async def revise(self, end: End) -> End:
        """Return the end of an episode that has ended: a crash that nobody has seen yet comes first."""
        if end.ending in OUTSIDE_ENDINGS or end.ending is Ending.APP_CRASHED:
            return end
        return await self.look() or end


async def read_earlier_crashes(runtime: EpisodeRuntime) -> tuple[str, ...] | None:
    """Return the ids of the crashes that the phone reports before the task; None if nobody need look for crashes.

    Nobody need look if the task tests no app, or if the phone tells no crashes. Raises PhoneLost, LeaseLost, CallError.
    """
    build = runtime.task.build
    if build is None or not build.ends_at_crash:
        return None
    try:
        return tuple(crash.id for crash in await read_crashes(runtime))
    except StateUnavailable as error:
        _log.warning("%s: a crash will not end it: %s", runtime.order.episode, error)
        return None


async def read_crashes(runtime: EpisodeRuntime) -> Sequence[AppCrash]:
    """Return the crashes of the app under test that the phone reports, without what looks like a secret.

    Raises StateUnavailable, PhoneLost, LeaseLost, CallError.
    """
    assert runtime.task.build is not None, "a task without a build has no app under test"
    gateway, source = runtime.collaborators.gateway, CRASHES + runtime.task.build.package
    context = StageContext(runtime, CAPTURE, max(0, runtime.journal.state.last_step))
    answer = await context.call(lambda call: gateway.state(runtime.lease, source, call))
    try:
        crashes = _CRASHES.validate_python(answer.value.get("crashes"))
    except ValidationError as error:
        raise StateUnavailable(f"{source}: no list of crashes: {error}") from error
    return [
        crash.model_copy(update={"reason": hide_secrets(crash.reason), "trace": hide_secrets(crash.trace)})
        for crash in crashes
    ]
