"""Say what an episode earned: by its check, by the share of its rubrics, or by what a user's function said of it.

A function's words are in ``rewards.jsonl`` of the run folder, because only the run that has the function can ask it.
"""

from __future__ import annotations

import fcntl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Message
from manyhands.protocol.errors import StoreError, store_error
from manyhands.protocol.utilities import secure_files

REWARDS_FILE = "rewards.jsonl"
CHECK, RUBRICS = "check", "rubrics"


class RecordedReward(Message):
    """Hold what a function said of an episode."""

    episode: str
    reward: float | None
    """None if the function gave none, or failed."""
    problem: str = ""
    """How the function failed."""


class RewardFile:
    """Read and append what a run's function said. Of several lines of an episode, the first counts.

    Several processes may write the file. An object is for one thread at a time.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / REWARDS_FILE
        self._end = 0
        """How many bytes were read."""
        self._recorded: dict[str, RecordedReward] = {}

    def read(self) -> Mapping[str, RecordedReward]:
        """Return all rewards by episode, also those that come later. Blocks to read new lines. Raises StoreError."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._end)
                whole, end, _ = file.read().rpartition(b"\n")  # its writer may have died in the last line
            rewards = [RecordedReward.model_validate_json(line) for line in whole.splitlines()]
        except FileNotFoundError:
            return self._recorded
        except OSError as error:
            raise StoreError(f"{self._path} cannot be read: {error}") from error
        except ValidationError as error:
            raise StoreError(f"{self._path} holds a line that is no reward; remove that line") from error
        self._end += len(whole) + len(end)
        for reward in rewards:
            self._recorded.setdefault(reward.episode, reward)
        return self._recorded

    def append(self, reward: RecordedReward) -> None:
        """Append what a function said, unless another process was first. Blocks. Raises StoreError."""
        try:
            with secure_files.open_to_append(self._path) as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                if reward.episode not in self.read():
                    file.truncate(self._end)  # without the incomplete line of a writer that died
                    file.write(reward.model_dump_json().encode() + b"\n")
        except OSError as error:
            raise store_error(error, f"{self._path} cannot be written") from error
        self.read()


@dataclass(frozen=True)
class Rewards:
    """Say what the episodes of a run earned."""

    source: str = CHECK
    """What says it: ``check``, ``rubrics``, or a function as ``module:name``."""
    recorded: Mapping[str, RecordedReward] = field(default_factory=dict)
    """What the function said, by episode."""

    @classmethod
    def of_run(cls, run: RunFolder) -> Rewards:
        """Return the rewards of a run folder. Raises BadInput and StoreError."""
        return cls(reward_source(run.asked), RewardFile(run.path).read())

    def of(self, episode: RecordedEpisode) -> tuple[float | None, str | None]:
        """Return an episode's reward, and the fault that took it; None for both if nothing says what it earned."""
        if episode.fault is not None or episode.ended is None:
            return None, episode.fault
        ended = episode.ended
        if self.source == RUBRICS:
            return (sum(ended.rubrics.values()) / len(ended.rubrics) if ended.rubrics else None), None
        if self.source == CHECK:
            return (None if episode.has_passed is None else float(episode.has_passed)), None
        recorded = self.recorded.get(episode.started.episode)
        if recorded is None:
            return None, None
        return recorded.reward, f"reward: {recorded.problem}" if recorded.problem else None


def reward_source(run_yaml: Mapping[str, Any]) -> str:
    """Return what says the rewards of a run. ``run_yaml``: the content of run.yaml."""
    return str((run_yaml.get("settings") or {}).get("reward") or CHECK)
