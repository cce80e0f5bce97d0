"""What a profile declares: one paper's loop, stage by stage. The runner knows nothing else of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from manyhands.actors.episode.endings import End, Failures
from manyhands.actors.episode.schedule import Graph, GraphStage, Need, Node, Stop
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.records import Record
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import EpisodeOrder, EpisodeSettings

CAPTURE, ACT = "capture", "act"
"""Stages that the runner itself knows: it resets the phone within the deadline of ``act``, and reads the phone's state
within that of ``capture``."""


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
    roles: tuple[Role, ...]
    """The roles that its stages ask, in the order in which the system prompt explains their replies."""
    stages: Callable[[EpisodeSettings], Sequence[Stage]]
    """Return the stages in the order of the serial loop."""
    stop_after: Callable[[Record, EpisodeState, EpisodeOrder], Stop[End] | None]
    """Return whether the episode ends with a record, which the state has folded in, and where."""

    def __post_init__(self) -> None:
        self.loop(EpisodeSettings())

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
        """Return how long a call of each stage may take. Raises ValueError for a setting of an unknown stage."""
        own = {stage.name: stage.deadline_s for stage in self.stages(settings)}
        for name in settings.deadlines:
            if name not in own:
                raise ValueError(f"{name!r} is not a stage of profile {self.name!r}; stages are {', '.join(own)}")
        return own | settings.deadlines
