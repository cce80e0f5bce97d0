"""What a profile declares: one paper's loop, stage by stage.

The runner knows nothing about a profile beyond this declaration.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from manyhands.actors.episode.endings import End, Failures
from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.recent_pictures import FRAMES_KEPT
from manyhands.actors.episode.schedule import Graph, GraphStage, GraphStop, Node, StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.mllm import ModelSettings
from manyhands.actors.mllm.formats import FORMATS, OurJson
from manyhands.actors.roles.base import RoleSettings, StepRole
from manyhands.protocol.base import Message, Outcome, Reply
from manyhands.protocol.journals.records import Record, Reflected, Span, StageResult
from manyhands.protocol.profiles import ProfileDeclaration
from manyhands.protocol.roles.requests import Reflection
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens.actions import ASK

CAPTURE, ACT = "capture", "act"
"""Stages that the runner itself knows. The runner resets the phone within the deadline of ``act``. It reads the phone's
state within the deadline of ``capture``."""


def _nothing(settings: EpisodeSettings) -> frozenset[str]:
    return frozenset()


def _no_settings(settings: EpisodeSettings) -> Mapping[str, Any]:
    return {}


class SettingRefused(ValueError):
    """Signal a setting that a profile cannot follow."""

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(reason)
        self.setting = setting


@dataclass(frozen=True, slots=True)
class Assumption:
    """Declare how a stage is expected to end. Stages that need it may begin on this assumption before it has ended."""

    records: Callable[[EpisodeState, int], Sequence[Record] | None]
    """Return the records that the stage of this step would leave; None if nothing can be assumed."""
    held: Callable[[EpisodeState, int], bool]
    """Return whether the stage of this step ended as assumed. It must have ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage(GraphStage):
    """Declare a stage of a step: all that the runner needs to know of it."""

    run: Callable[[StageContext], Awaitable[Sequence[Record]]]
    deadline_s: float = 60.0
    """How long one call of the stage may take, unless settings give another time."""
    assumption: Assumption | None = None
    """How the stage is expected to end. None: every stage that needs this one waits for it."""
    failures: Failures = ()
    """How the episode ends when the stage raises. These rules come before the general rules for all stages."""
    asks: Role | None = None
    """The role that the stage asks, if that is not the role with the stage's name."""
    leaves: tuple[type[Message], ...] = ()
    """Types of the data in its ``StageResult``; ``StepState.result`` returns such data to later stages."""

    def check(self, records: Iterable[Record]) -> None:
        """Raise TypeError for a ``StageResult`` whose data has no type that the stage declares."""
        for record in records:
            if isinstance(record, StageResult) and all(record.read(kind) is None for kind in self.leaves):
                declared = ", ".join(kind.__name__ for kind in self.leaves) or "none"
                raise TypeError(f"stage {self.name!r} left {record.data!r}; of the types that it declares: {declared}")


def without_stages(stages: Iterable[Stage], names: Collection[str]) -> tuple[Stage, ...]:
    """Return ``stages`` without those named in ``names``. No remaining stage needs one of these any more."""
    return tuple(
        replace(stage, needs=tuple(need for need in stage.needs if need.stage not in names))
        for stage in stages
        if stage.name not in names
    )


class Loop(Graph):
    """Hold the stages of a profile under the settings of a run.

    Raises ValueError if ``Graph`` does, if a need is assumable and its stage has no assumption, or if ``capture`` or
    ``act`` is missing.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        super().__init__(stages)
        self.by_name: Mapping[str, Stage] = {stage.name: stage for stage in stages}
        self.assumptions: Mapping[str, Assumption] = {
            stage.name: stage.assumption for stage in stages if stage.assumption is not None
        }
        for stage in stages:
            for need in stage.needs:
                if need.assumable and need.stage not in self.assumptions:
                    raise ValueError(f"stage {stage.name!r} may assume how {need.stage!r} ends: declare its assumption")
        for name in (CAPTURE, ACT):
            if name not in self.by_name:
                raise ValueError(f"a loop on a phone has a stage {name!r}")

    def assumed_state(self, state: EpisodeState, nodes: Iterable[Node]) -> EpisodeState | None:
        """Return the state as it would be if ``nodes`` ended as assumed; None if nothing can be assumed of
        one of them.
        """
        records: list[Record] = []
        for node in sorted(nodes, key=lambda one: one.step):
            assumed = self.assumptions[node.stage].records(state, node.step)
            if assumed is None:
                return None
            records.extend(assumed)
        return functools.reduce(fold, records, state)

    def as_assumed(self, state: EpisodeState, node: Node) -> bool:
        """Return whether ``node``, which has ended, ended as other nodes assumed that did not wait for it."""
        return self.assumptions[node.stage].held(state, node.step)


@dataclass(frozen=True, slots=True)
class Profile:
    """Declare one paper's loop. Raises ValueError when it is imported, if its stages cannot form a loop."""

    declaration: ProfileDeclaration
    """What every process knows of the profile, even a process that runs no loop."""
    package: str
    """The Python package of the profile. Its folder ``prompts`` holds the prompts."""
    agents: Callable[[EpisodeSettings], Sequence[type[StepRole[Any, Any, Any]]]]
    """Return the classes of the roles that the profile asks: first those of stages, then those that are asked around
    tasks. The first are in the order in which the system prompt explains their replies."""
    stages: Callable[[EpisodeSettings], Sequence[Stage]]
    """Return the stages in the order of the serial loop."""
    stop_after: Callable[[Record, EpisodeState, EpisodeOrder], GraphStop[End] | None]
    """Return whether, and where, the episode ends after a record that the state already contains."""

    images_kept: Callable[[EpisodeSettings], int | None] = lambda settings: FRAMES_KEPT
    """Return for how many steps stages show models the pictures, including the present step; None means all steps."""
    unread_kept: int = 0
    """For how many older steps pixels are kept until ``perceive`` has read them, where no action waits for it."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """The parts that the setting ``without`` may leave out, each with a description."""
    not_offered: Callable[[EpisodeSettings], frozenset[str]] = _nothing
    """Return the actions of the operator's reply that the operator may not choose."""
    actions_per_call: Callable[[EpisodeSettings], int] = lambda settings: 1
    """Return how many actions a reply may hold in our JSON. In another format it holds one."""
    learns: bool = False
    """Whether the profile's tasks recall what others have taught, and teach. If so, some agents are asked
    around tasks."""
    fixes: Callable[[EpisodeSettings], Mapping[str, Any]] = _no_settings
    """Return settings that follow from the given settings. For example, some follow from ``paper_exact``."""

    def __post_init__(self) -> None:
        declared = self.declaration.uses | self.declaration.variants.keys()
        unknown = declared - EpisodeSettings.model_fields.keys()
        if unknown:
            raise ValueError(f"profile {self.name!r} uses what is no setting: {', '.join(sorted(unknown))}")
        unreadable = set(self.declaration.outputs.values()) - FORMATS.keys()
        if unreadable:
            raise ValueError(f"profile {self.name!r} asks for replies in no known format: {', '.join(unreadable)}")
        self.loop(EpisodeSettings(profile=self.name))

    @property
    def name(self) -> str:
        """Return the profile's name in settings, journals and reports."""
        return self.declaration.name

    def check(self, settings: EpisodeSettings) -> None:
        """Raise SettingRefused for a setting that this profile cannot follow."""
        for part in settings.without:
            if part not in self.parts:
                parts = f"parts are {', '.join(self.parts)}" if self.parts else "nothing of it can be left out"
                raise SettingRefused("without", f"{part!r} is not a part of profile {self.name!r}; {parts}")
        loop = self.loop(settings)
        if settings.schedule == "speculate" and not loop.assumptions:
            raise SettingRefused("schedule", f"profile {self.name!r} assumes nothing; choose serial or overlap")
        for name in settings.deadlines:
            if name not in loop.by_name:
                stages = ", ".join(stage.name for stage in self.stages(settings))
                reason = f"{name!r} is not a stage of profile {self.name!r}; stages are {stages}"
                raise SettingRefused("deadlines", reason)

    def first_stop(self, records: Iterable[Record], state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
        """Return where the episode ends by the first of ``records`` that ends it; None if no record does."""
        stops = (self.stop_after(record, state, order) for record in records)
        return next((stop for stop in stops if stop is not None), None)

    def settled(self, settings: EpisodeSettings) -> EpisodeSettings:
        """Return the settings together with those that follow from them."""
        return settings.model_copy(update=dict(self.fixes(settings)))

    def roles(self, settings: EpisodeSettings) -> tuple[Role, ...]:
        """Return the roles that the profile asks, in steps and around tasks."""
        return tuple(agent.role for agent in self.agents(settings))

    def replies(self, settings: EpisodeSettings) -> tuple[type[Reply], ...]:
        """Return the reply types of the roles of the profile's steps, one for each role.

        Prompts of other roles explain their own replies.
        """
        return tuple(agent.writes for agent in self.agents(settings) if agent.role.spec.in_steps)

    def role_settings(self, settings: EpisodeSettings, model: ModelSettings) -> RoleSettings:
        """Return the settings for creating the profile's roles that ask this model."""
        return RoleSettings(
            model=model,
            templates=self.package,
            replies=self.replies(settings),
            not_offered=self.not_offered(settings) | (frozenset() if settings.person_wait_s else {ASK}),
            actions_per_call=self.actions_per_call(settings) if model.output == OurJson.name else 1,
            paper_exact=settings.paper_exact,
            shows_pictures=settings.shows_pictures,
        )

    def loop(self, settings: EpisodeSettings, rubrics: Stage | None = None) -> Loop:
        """Return the loop under ``settings``. ``rubrics``: a stage to add; the next action waits for it."""
        stages = list(self.stages(settings))
        if rubrics is not None:
            waits = StageNeed(rubrics.name, -1)
            stages = [replace(one, needs=(*one.needs, waits)) if one.name == ACT else one for one in stages]
            stages.append(rubrics)
        return Loop(stages)

    def stage_names(self, settings: EpisodeSettings) -> tuple[str, ...]:
        """Return the names of the stages in the order in which one step meets them."""
        loop = self.loop(settings)
        return tuple(sorted(loop.by_name, key=lambda name: loop.rank(Node(name, 0))))

    def deadlines(self, settings: EpisodeSettings) -> dict[str, float]:
        """Return how long a call of each stage may take."""
        return {stage.name: stage.deadline_s for stage in self.stages(settings)} | settings.deadlines


def _verdict_a(state: EpisodeState, step: int) -> tuple[Record, ...]:
    as_expected = Reflection(outcome=Outcome.A, error="", progress="", made_by="check")
    return (Reflected(step=step, span=Span(start=0.0, end=0.0), reflection=as_expected),)


def _was_a(state: EpisodeState, step: int) -> bool:
    reflection = state.step(step).reflection
    return reflection is not None and reflection.outcome is Outcome.A


def nothing(state: EpisodeState, step: int) -> tuple[Record, ...]:
    """Leave no record."""
    return ()


def _added_nothing(state: EpisodeState, step: int) -> bool:
    notes = state.step(step).notes
    return notes is None or notes == state.notes(step - 1)


SUCCESS = Assumption(_verdict_a, _was_a)
"""Assumes that the verdict is A and the progress stays. Nobody checks afterwards whether the progress did stay: it
alone may be one step old (docs/schedules.md)."""
NOTHING_NOTED = Assumption(nothing, _added_nothing)
"""Assumes that nothing is added to the notes."""
