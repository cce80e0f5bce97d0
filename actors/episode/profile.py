"""What a profile declares: one paper's loop, stage by stage. The runner knows nothing else of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from manyhands.actors.episode.context import FRAMES_KEPT
from manyhands.actors.episode.endings import End, Failures
from manyhands.actors.episode.schedule import Graph, GraphStage, Need, Node, Stop
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.mllm import ModelSettings
from manyhands.actors.roles.base import RoleSettings, StepRole
from manyhands.protocol.base import Reply
from manyhands.protocol.records import Record
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import EpisodeOrder, EpisodeSettings

CAPTURE, ACT = "capture", "act"
"""Stages that the runner itself knows: it resets the phone within the deadline of ``act``, and reads the phone's state
within that of ``capture``."""


AS_PAPERS_CAPTION: Mapping[str, Any] = {"captions": True, "caption_wait_s": 60.0}
"""Settings by which every icon is captioned before anybody is shown it, as Mobile-Agent-v2 and -E do."""
CAPTIONS = frozenset(AS_PAPERS_CAPTION)
"""What a loop follows that perceives screens."""
VERDICTS = frozenset({"cheap_verdicts"})
"""What a loop follows that judges actions."""


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
    """Declare how a stage will end, for those that begin before it has ended."""

    records: Callable[[EpisodeState, int], Sequence[Record] | None]
    """Return the records that the stage of this step would leave; None where nothing can be assumed."""
    held: Callable[[EpisodeState, int], bool]
    """Return whether the stage of this step, which has ended, ended so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage(GraphStage):
    """Declare a stage of a step: all that the runner needs to know of it."""

    run: Callable[[StageContext], Awaitable[Sequence[Record]]]
    deadline_s: float = 60.0
    """How long one call of it may take, where settings do not say otherwise."""
    assumption: Assumption | None = None
    """Without one, every stage that needs this one waits for it."""
    failures: Failures = ()
    """How the episode ends when the stage raises, before the rules that hold for every stage."""


def without_stages(stages: Iterable[Stage], gone: Collection[str]) -> tuple[Stage, ...]:
    """Return the stages that are not ``gone``; nobody waits for those that are."""
    return tuple(
        replace(stage, needs=tuple(need for need in stage.needs if need.stage not in gone))
        for stage in stages
        if stage.name not in gone
    )


class Loop(Graph):
    """Hold the stages of a profile under the settings of a run.

    Raises ValueError where the graph does, for an assumable need of a stage without an assumption, and without the
    stages that the runner itself knows.
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

    def assumed(self, state: EpisodeState, nodes: Iterable[Node]) -> tuple[Record, ...] | None:
        """Return the records that ``nodes`` would leave if they ended as assumed; None where one has no such end."""
        records: list[Record] = []
        for node in sorted(nodes, key=lambda one: one.step):
            left = self.assumptions[node.stage].records(state, node.step)
            if left is None:
                return None
            records.extend(left)
        return tuple(records)

    def as_assumed(self, state: EpisodeState, node: Node) -> bool:
        """Return whether ``node``, which has ended, ended as those that did not wait for it assumed."""
        return self.assumptions[node.stage].held(state, node.step)


@dataclass(frozen=True, slots=True)
class Profile:
    """Declare one paper's loop. Raises ValueError if its stages cannot be a loop, as soon as it is imported."""

    name: str
    paper: str
    package: str
    """The Python package of the profile: its prompts are in the folder ``prompts`` there."""
    agents: Callable[[EpisodeSettings], Sequence[type[StepRole[Any, Any, Any]]]]
    """Return the classes of the roles that its stages ask, in the order in which the system prompt explains their
    replies, and of those that are asked around tasks."""
    stages: Callable[[EpisodeSettings], Sequence[Stage]]
    """Return the stages in the order of the serial loop."""
    stop_after: Callable[[Record, EpisodeState, EpisodeOrder], Stop[End] | None]
    """Return whether the episode ends with a record, which the state has folded in, and where."""

    images_kept: Callable[[EpisodeSettings], int | None] = lambda settings: FRAMES_KEPT
    """Return of how many steps, the present one included, stages show models the pictures; None: of all."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """What the setting ``without`` may leave out, and what it is."""
    not_offered: Callable[[EpisodeSettings], frozenset[str]] = _nothing
    """Return the actions of the operator's reply that it may not choose."""
    learns: bool = False
    """Whether its tasks recall what others have taught, and teach: some of its agents are asked around tasks."""
    uses: frozenset[str] = frozenset()
    """Settings of an episode that not every loop follows, and this one does."""
    fixes: Callable[[EpisodeSettings], Mapping[str, Any]] = _no_settings
    """Return other settings that follow from those that are given, such as from ``paper_exact``."""

    def __post_init__(self) -> None:
        unknown = self.uses - EpisodeSettings.model_fields.keys()
        if unknown:
            raise ValueError(f"profile {self.name!r} uses what is no setting: {', '.join(sorted(unknown))}")
        self.loop(EpisodeSettings(profile=self.name))

    def check(self, settings: EpisodeSettings) -> None:
        """Raise SettingRefused for a setting that this profile cannot follow."""
        for part in settings.without:
            if part not in self.parts:
                known = f"parts are {', '.join(self.parts)}" if self.parts else "nothing of it can be left out"
                raise SettingRefused("without", f"{part!r} is not a part of profile {self.name!r}; {known}")
        loop = self.loop(settings)
        if settings.schedule == "speculate" and not loop.assumptions:
            raise SettingRefused("schedule", f"profile {self.name!r} assumes nothing; choose serial or overlap")
        for name in settings.deadlines:
            if name not in loop.by_name:
                stages = ", ".join(stage.name for stage in self.stages(settings))
                reason = f"{name!r} is not a stage of profile {self.name!r}; stages are {stages}"
                raise SettingRefused("deadlines", reason)

    def settled(self, settings: EpisodeSettings) -> EpisodeSettings:
        """Return the settings with those that follow from them."""
        return settings.model_copy(update=dict(self.fixes(settings)))

    def roles(self, settings: EpisodeSettings) -> tuple[Role, ...]:
        """Return the roles that it asks: in steps, and around tasks."""
        return tuple(agent.role for agent in self.agents(settings))

    def replies(self, settings: EpisodeSettings) -> tuple[type[Reply], ...]:
        """Return what the roles of its steps write, one each; others explain their replies themselves."""
        return tuple(agent.writes for agent in self.agents(settings) if agent.role.spec.in_steps)

    def role_settings(self, settings: EpisodeSettings, model: ModelSettings) -> RoleSettings:
        """Return what its roles are made with that ask this model."""
        return RoleSettings(
            model=model,
            templates=self.package,
            replies=self.replies(settings),
            not_offered=self.not_offered(settings),
        )

    def loop(self, settings: EpisodeSettings, rubrics: Stage | None = None) -> Loop:
        """Return the loop under ``settings``. ``rubrics`` is a stage that the next action waits for."""
        stages = list(self.stages(settings))
        if rubrics is not None:
            waits = Need(rubrics.name, -1)
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
