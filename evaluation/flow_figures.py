"""Say what flows saved in a run, and at which steps, on which phones, their screens were others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.journals.records import StageResult
from manyhands.protocol.profiles.flow import MATCH, FlowMove, MoveKind
from manyhands.protocol.tasks.flow import Flow


@dataclass(slots=True)
class StepFigures:
    """Count what happened at one step of a flow."""

    words: str
    episodes: int = 0
    """How many episodes came to this step."""
    moves: Counter[MoveKind] = field(default_factory=Counter)
    """How often each kind of move was made there; of moves of one kind in an episode, each counts."""
    troubled: int = 0
    """In how many episodes the screen was another one at first."""
    reasons: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Why the agent was asked or the flow stopped, with the models of the phones."""

    @property
    def flakiness(self) -> float:
        """Return the share of episodes in which the screen was another one at first."""
        return self.troubled / self.episodes if self.episodes else 0.0


@dataclass(slots=True)
class FlowFigures:
    """Count what became of one flow in a run."""

    episodes: int = 0
    verified: int = 0
    by_flow_alone: int = 0
    """How many were verified without a question to a model."""
    calls: int = 0
    seconds: list[float] = field(default_factory=list)
    saved_calls: int = 0
    """In comparison with the episode that the flow was made from, over all episodes that were verified."""
    saved_s: float = 0.0
    steps: dict[int, StepFigures] = field(default_factory=dict)
    other_versions: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Which other versions of its apps were met, with the models of the phones."""

    @property
    def median_s(self) -> float | None:
        """Return the median of the episodes' seconds; None without one."""
        return median(self.seconds) if self.seconds else None


def figures_of(run: RunFolder) -> Mapping[str, FlowFigures]:
    """Return the figures of the flows of a run, by the id of the task that the run's tasks repeat."""
    episodes = (episode_of(scan.records) for scan in run.journals.values())
    return count_episodes(one for one in episodes if one is not None and one.on_a_phone)


def count_episodes(episodes: Iterable[RecordedEpisode]) -> Mapping[str, FlowFigures]:
    """Return the figures of the flows of these episodes. Episodes without a flow are left out."""
    counted: dict[str, FlowFigures] = defaultdict(FlowFigures)
    for episode in episodes:
        flow = episode.started.task.flow
        if flow is not None and MATCH in episode.started.stages:
            _count(counted[episode.started.task.base_id], episode, flow)
    return dict(counted)


def _count(figures: FlowFigures, episode: RecordedEpisode, flow: Flow) -> None:
    calls, seconds = len(calls_of(episode.records)), seconds_of(episode)
    figures.episodes += 1
    figures.calls += calls
    figures.seconds.append(seconds)
    if episode.has_passed:
        figures.verified += 1
        figures.by_flow_alone += calls == 0
        figures.saved_calls += flow.calls - calls
        figures.saved_s += flow.seconds - seconds
    by_step: dict[int, list[FlowMove]] = defaultdict(list)
    for record in episode.records:
        move = record.read(FlowMove) if isinstance(record, StageResult) and record.stage == MATCH else None
        if move is not None:
            by_step[move.step].append(move)
    model = episode.product or episode.started.serial
    for step, moves in by_step.items():
        words = flow.steps[step].words if step < len(flow.steps) else "the end"
        counts = figures.steps.setdefault(step, StepFigures(words))
        counts.episodes += 1
        counts.moves.update(move.kind for move in moves)
        counts.troubled += moves[0].kind not in ("step", "end")
        for move in moves:
            if move.kind == "agent":
                counts.reasons[move.reason].add(model)
            if move.other_version:
                figures.other_versions[move.other_version].add(model)


def seconds_of(episode: RecordedEpisode) -> float:
    """Return how long an episode took, in seconds, from its start to its last record."""
    return episode.last_at - episode.started.at
