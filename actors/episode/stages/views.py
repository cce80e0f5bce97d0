"""views(t): what the phone tells of its views while it shows s(t), for loops whose action does not wait for perception.

The stage leaves no record: perceive(t) takes the same reading from the runtime. The action waits for this stage, so it
cannot change the screen while the phone tells its views.
"""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.actors.episode.profile import CAPTURE, Stage, without_stages
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.perceive import PERCEIVE_STAGE, known_screen
from manyhands.protocol.journals.records import Record
from manyhands.protocol.runs.episode_settings import EpisodeSettings


async def read_views(context: StageContext) -> tuple[Record, ...]:
    """Ask the phone for its views, for ``elements_wait_s`` at most. Leave no record.

    If perceive(t) can take over what was read off s(t-1) by now, the phone is not asked.
    """
    runtime, now = context.runtime, context.state.step(context.step)
    screenshot = now.screenshot
    assert screenshot is not None
    if known_screen(context.state.step(context.step - 1), now) is None:
        await context.call(lambda call: runtime.views.read(runtime.lease, screenshot, call, touched=bool(now.sent)))
    return ()


VIEWS_STAGE = Stage(
    "views",
    (StageNeed(CAPTURE),),
    turn=-1,
    run=read_views,
    deadline_s=PERCEIVE_STAGE.deadline_s,
)
"""The stage ``views``. A profile adds it among the needs of ``act``, where elements come from the phone's views."""


def without_views(stages: Iterable[Stage], settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return stages without ``views`` if no elements come from the phone's views."""
    return without_stages(stages, (VIEWS_STAGE.name,) if settings.elements == "vision" else ())
