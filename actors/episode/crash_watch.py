"""End an episode when the app that its task tests crashes, or does not respond."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.profile import CAPTURE
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.errors import CallError, PhoneError
from manyhands.protocol.phones import CRASHES, AppCrash

EVERY_S = 1.0
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
        state = self._runtime.journal.state
        if not state.prepared:
            return None
        new = [crash for crash in await read_crashes(self._runtime) if crash.id not in state.crashes]
        return End(Ending.APP_CRASHED, new[0].words, crash=new[0]) if new else None

    async def revise(self, end: End) -> End:
        """Return the end of an episode that has ended: a crash that nobody has seen yet comes first."""
        if end.ending in OUTSIDE_ENDINGS or end.ending is Ending.APP_CRASHED:
            return end
        return await self.look() or end


async def read_crashes(runtime: EpisodeRuntime) -> Sequence[AppCrash]:
    """Return the crashes of the app under test that the phone reports; none if the task tests no app."""
    build, gateway = runtime.task.build, runtime.collaborators.gateway
    if build is None or not build.ends_at_crash:
        return ()
    source = CRASHES + build.package
    try:
        answer = await StageContext(runtime, CAPTURE, max(0, runtime.journal.state.last_step)).call(
            lambda call: gateway.state(runtime.lease, source, call)
        )
        return _CRASHES.validate_python(answer.value.get("crashes", ()))
    except (PhoneError, CallError, ValidationError) as error:  # the stages of the episode meet a lost phone, too
        _log.warning("%s: the phone does not tell crashes: %s", runtime.order.episode, error)
        return ()
