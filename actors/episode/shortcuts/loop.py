"""The stages around the use of a shortcut, put into a loop that decides, acts and judges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from manyhands.actors.episode.endings import Failures
from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.shortcuts.permit import Asks, permit
from manyhands.actors.episode.shortcuts.use_outcome import PERMIT
from manyhands.actors.episode.shortcuts.watch import watch
from manyhands.actors.memory.shortcut_uses import WATCH
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ReplyUnusable
from manyhands.protocol.roles.lessons import Permission, ShortcutUseReport
from manyhands.protocol.runs.episode_settings import EpisodeSettings

PERMIT_S = 180.0
"""How long the verifier may take to answer, in seconds: the same time as for every role."""
_UNANSWERED: Failures = ((ReplyUnusable, None), (CallError, Ending.MODEL_FAILED))


def with_shortcut_stages(
    stages: Iterable[Stage], settings: EpisodeSettings, asks: Asks, decide: str = "decide", judge: str = "verify"
) -> tuple[Stage, ...]:
    """Return the stages of a loop with two more: one permits a shortcut before its use, one watches the use.

    The papers carry out shortcuts without any check. So with ``paper_exact`` the loop stays as it is.
    """
    whole = tuple(stages)
    if settings.paper_exact or not settings.has("shortcuts"):
        return whole
    names = [stage.name for stage in whole]
    judged = (StageNeed(judge),) if judge in names else ()
    turn = next((stage.turn for stage in whole if stage.name == judge), 0)
    before = Stage(
        PERMIT,
        (StageNeed(decide), StageNeed(CAPTURE), StageNeed("perceive"), StageNeed(WATCH, -1)),
        run=partial(permit, asks=asks),
        deadline_s=PERMIT_S,
        failures=_UNANSWERED,
        leaves=(Permission,),
    )
    after = Stage(
        WATCH, (StageNeed(ACT), *judged, StageNeed("perceive")), turn=turn, run=watch, leaves=(ShortcutUseReport,)
    )
    extended: list[Stage] = []
    for stage in whole:
        if stage.name == ACT:
            extended += [before, replace(stage, needs=(*stage.needs, StageNeed(PERMIT)))]
        else:
            extended.append(stage)
        if stage.name == (judge if judged else ACT):
            extended.append(after)
    return tuple(extended)
