"""Declare the loop of ``flow``: that of ``native`` without a planner, with match(t) before decide(t)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from manyhands.actors.episode.endings import Failures
from manyhands.actors.episode.profile import Stage, without_stages
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages import VIEWS_STAGE
from manyhands.actors.episode.stages.act import act
from manyhands.actors.profiles.flow.stages import FlowDiverged, decide, decided_atoms, match, verify
from manyhands.actors.profiles.native import PROFILE as NATIVE
from manyhands.actors.roles import StepRole
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import Record
from manyhands.protocol.profiles.flow import DECLARATION, MATCH, FlowMove
from manyhands.protocol.runs.episode_settings import EpisodeSettings

Run = Callable[[StageContext], Awaitable[Sequence[Record]]]
"""Runs a stage of a step."""
_FAILURES: Failures = ((FlowDiverged, Ending.DIVERGED),)
PARTS: Mapping[str, str] = {
    "agent": "where the screen is not the flow's, the task ends as diverged",
    **{name: words for name, words in NATIVE.parts.items() if name not in ("planner", "escalation")},
}


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agent of ``native``, without its planner; none if the run has no agent: then it needs no model."""
    if not settings.has("agent"):
        return ()
    return tuple(NATIVE.agents(_without_planner(settings)))


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of ``native``, and match(t), which needs what is on the screen and comes before decide(t)."""
    whole = NATIVE.stages(_without_planner(settings))
    matching = Stage(
        MATCH,
        (StageNeed("capture"), StageNeed("perceive")),
        run=match,
        leaves=(FlowMove,),
    )
    changed: Mapping[str, tuple[Run, tuple[StageNeed, ...]]] = {
        "decide": (decide, (StageNeed(MATCH),)),
        "verify": (verify, (StageNeed(MATCH, 1),)),
        "act": (partial(act, atoms=decided_atoms), ()),
    }
    own: list[Stage] = []
    for stage in without_stages(whole, (VIEWS_STAGE.name,)):
        run, needs = changed.get(stage.name, (stage.run, ()))
        changed_stage = replace(stage, run=run, needs=(*stage.needs, *needs))
        if stage.name == "decide":
            own += (matching, replace(changed_stage, failures=(*stage.failures, *_FAILURES)))
        else:
            own.append(changed_stage)
    return tuple(own)


def _without_planner(settings: EpisodeSettings) -> EpisodeSettings:
    return settings.model_copy(update={"without": tuple({*settings.without, "planner"})})


def fixes(settings: EpisodeSettings) -> Mapping[str, Any]:
    """Return where elements come from: the phone's views, unless the settings say otherwise. They need no model."""
    return {} if "elements" in settings.model_fields_set else {"elements": "accessibility"}


PROFILE = replace(
    NATIVE,
    declaration=DECLARATION,
    agents=agents,
    stages=stages,
    parts=PARTS,
    fixes=fixes,
)
