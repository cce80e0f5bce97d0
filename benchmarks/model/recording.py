"""Arrange a run's recorded model calls so that phones can make them again in the order of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from manyhands.evaluation.recorded_calls import RecordedCall, recorded_calls, shown_ids
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role


@dataclass(frozen=True, slots=True)
class OrderedCall:
    """Hold a recorded call, and the calls of its episode that it waits for."""

    recorded: RecordedCall
    after: tuple[int, ...]
    """The indices of the calls that had ended when this call began: calls that overlapped then may overlap now."""


@dataclass(frozen=True, slots=True)
class CallSequence:
    """Hold the answered calls of one episode, in the order in which they began."""

    episode: str
    calls: tuple[OrderedCall, ...]

    @property
    def steps(self) -> int:
        """Return the number of steps in which a model was asked."""
        return len({call.recorded.step for call in self.calls})


@dataclass(frozen=True, slots=True)
class PromptRecording:
    """Hold the calls of a run. At least one sequence has calls."""

    folder: RunFolder
    profile: str
    source: str
    """What answered the calls when they were recorded."""
    sequences: tuple[CallSequence, ...]

    @property
    def output(self) -> str:
        """Return the format in which the agent that chooses actions was asked (``actors.mllm.formats``)."""
        run_yaml = self.folder.asked
        parts = ((run_yaml.get("models") or {}).get(Role.DECIDE.value), run_yaml.get("settings"))
        return next((str(part["output"]) for part in parts if isinstance(part, dict) and part.get("output")), "json")

    @property
    def steps(self) -> int:
        """Return the number of steps of all episodes."""
        return sum(sequence.steps for sequence in self.sequences)

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        """Return the calls of all episodes."""
        return tuple(call.recorded for sequence in self.sequences for call in sequence.calls)

    @property
    def calls_per_step(self) -> float:
        """Return the mean number of calls of a step."""
        return len(self.calls) / self.steps

    @property
    def pictures_per_step(self) -> float:
        """Return the mean number of pictures that the calls of a step show."""
        return sum(len(shown_ids(call.call.request)) for call in self.calls) / self.steps


def read_recording(path: Path) -> PromptRecording:
    """Read a run folder. Blocks. Raises BadInput if no call of its journals was answered, and StoreError."""
    folder = RunFolder(path)
    answered = [call for call in recorded_calls(folder) if call.call.reply is not None]
    if not answered:
        raise BadInput(f"{path}: its journals hold no answered model call; give a run that asked a model")
    by_episode = groupby(answered, key=lambda call: call.episode)
    return PromptRecording(
        folder=folder,
        profile=str(folder.asked.get("profile") or "e"),
        source=str(folder.asked.get("model_source") or "a model that run.yaml does not name"),
        sequences=tuple(order_calls(episode, tuple(calls)) for episode, calls in by_episode),
    )


def order_calls(episode: str, calls: Sequence[RecordedCall]) -> CallSequence:
    """Return the calls of an episode in the order in which they began, each with the calls that it waits for."""
    by_start = sorted(calls, key=lambda call: call.call.started_at)
    ends = [call.call.started_at + call.call.latency_ms / 1000 for call in by_start]
    return CallSequence(
        episode,
        tuple(
            OrderedCall(call, tuple(index for index in range(number) if ends[index] <= call.call.started_at))
            for number, call in enumerate(by_start)
        ),
    )
