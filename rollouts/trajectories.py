"""Show ended episodes to users' functions that say rewards, and to trainers in the process of the fleet."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, cast

from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.rewards import CHECK, RUBRICS, RecordedReward, RewardFile, Rewards, reward_source
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending, Message, Outcome
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.journals.journal_file import JOURNAL
from manyhands.protocol.journals.records import Record
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from manyhands.rollouts.pictures import Pictures
from manyhands.rollouts.rows import EpisodeFacts, TrainingRow, episode_facts, phone_names, rows_of


class ViewedStep(Message):
    """Hold one step of an episode: the screen, what was decided there, and the agent's verdict on it."""

    number: int
    picture: str | None
    """The content id of the screen before the action; None if it was lost."""
    thought: str
    action: Action | None
    """In pixels of the screen; None if the step decided none, or a person acted."""
    verdict: Outcome | None
    by: str
    """The person who acted; empty for the agent."""


class EpisodeView:
    """Show an ended episode: what was asked, its steps, and how it ended. Nothing here changes the run."""

    def __init__(self, episode: RecordedEpisode, pictures: Pictures) -> None:
        self._episode = episode
        self._pictures = pictures
        self.id = episode.started.episode
        self.task = episode.started.task.id
        self.goal = episode.started.task.goal
        self.ending: Ending = episode.ending
        ended = episode.ended
        self.verified: bool | None = ended.verified if ended else None
        """Whether the task's check holds; None without a check, or if nobody could ask it."""
        self.unmet: tuple[UnmetTest, ...] = ended.unmet if ended else ()
        """The tests of the check that do not hold."""
        self.rubrics: dict[str, bool] = dict(ended.rubrics) if ended else {}
        """Whether each rubric ever held."""
        self.answer: str | None = ended.answer if ended else None

    @cached_property
    def steps(self) -> tuple[ViewedStep, ...]:
        """Return the steps that count, in order."""
        return tuple(
            ViewedStep(
                number=step.number,
                picture=step.screenshot.content_id if step.screenshot else None,
                thought=step.decision.thought if step.decision else "",
                action=step.decision.action if step.decision else None,
                verdict=step.reflection.outcome if step.reflection else None,
                by=step.person,
            )
            for step in view_episode(self._episode).steps
        )

    def picture(self, content: str) -> bytes:
        """Return a screen's JPEG by its content id, as the model was sent it. Blocks. Raises StoreError."""
        return self._pictures.jpeg(content)


RewardFunction: TypeAlias = Callable[[EpisodeView], float | None]
"""A user's function. It returns what an episode earned, or None for an episode that is not to count."""


@dataclass(frozen=True)
class Trajectory:
    """Hold an ended episode for a trainer."""

    facts: EpisodeFacts
    """Its group, seed, ending, fault and reward, and more."""
    view: EpisodeView
    rows: tuple[TrainingRow, ...]
    """Its model calls whose replies were used, in order: what was sent, with pictures by content id, and the reply."""

    @property
    def reward(self) -> float | None:
        """Return what the episode earned; None if a fault ended it, or if nothing says it."""
        return self.facts.reward


class RunTrajectories:
    """Read the trajectories of a run, also while it goes on. An object is for one thread at a time."""

    def __init__(self, folder: Path, reward: RewardFunction | None) -> None:
        """``reward``: the user's function that says rewards."""
        self._run = RunFolder(folder)
        self._reward = reward
        self._phone_of = phone_names(self._run.asked.get("phones") or ())
        self._pictures = Pictures(self._run)
        self._file = RewardFile(folder)
        self._rewards = Rewards(reward_source(self._run.asked), self._file.read())
        self._sizes: dict[str, int] = {}
        """How long the journals were when ``record_rewards`` read them, in bytes."""

    def trajectory(self, episode: str) -> Trajectory | None:
        """Return an episode's trajectory; None if it has no journal. Blocks. Raises BadInput and StoreError."""
        records = self._records(episode)
        recorded = episode_of(records)
        if recorded is None:
            return None
        self._judge(recorded)
        facts = episode_facts(recorded, self._run.asked, self._phone_of, self._rewards)
        rows = tuple(row for row in rows_of(recorded, records) if isinstance(row, TrainingRow))
        return Trajectory(facts, EpisodeView(recorded, self._pictures), rows)

    def reward_of(self, records: Sequence[Record]) -> float | None:
        """Return what a journal's episode earned; None if a fault ended it, or if nothing says it.

        Blocks. Raises StoreError.
        """
        recorded = episode_of(records)
        if recorded is None:
            return None
        self._judge(recorded)
        return self._rewards.of(recorded)[0]

    def record_rewards(self) -> None:
        """Ask the function for the rewards of all ended episodes that have none. Blocks. Raises StoreError.

        Called again, it reads only journals that are new or have grown.
        """
        if self._reward is None:
            return
        recorded = self._file.read()
        for name in self._run.episode_names:
            with self._convert_errors(name):
                size = (self._run.path / EPISODES / name / JOURNAL).stat().st_size
            if name in recorded or size == self._sizes.get(name):
                continue
            episode = episode_of(self._records(name))
            if episode is not None:
                self._judge(episode)
            self._sizes[name] = size

    def _records(self, episode: str) -> Sequence[Record]:
        """Return an episode's records; none without a journal. Blocks. Raises StoreError."""
        with self._convert_errors(episode):
            scan = self._run.journal(episode)
        return () if scan is None else scan.records

    @contextmanager
    def _convert_errors(self, episode: str) -> Iterator[None]:
        """Raise StoreError for an OSError while a journal is read."""
        try:
            yield
        except OSError as error:
            raise store_error(error, f"{self._run.path}: the journal of {episode} cannot be read") from error

    def _judge(self, episode: RecordedEpisode) -> None:
        """Record what the function says of an episode, unless it was asked, or a fault ended the episode."""
        id = episode.started.episode
        if self._reward is None or episode.fault is not None or id in self._file.read():
            return
        value, problem = None, ""
        try:
            answer = self._reward(EpisodeView(episode, self._pictures))
            value = None if answer is None else float(answer)
            if value is not None and not math.isfinite(value):
                value, problem = None, f"it returned {answer}"
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything, and the run goes on
            problem = f"{type(error).__name__}: {error}"
        if problem and not self._run.cipher.is_plain:
            problem = "not stored, because the run is encrypted"  # it may quote what the episode showed
        self._file.append(RecordedReward(episode=id, reward=value, problem=problem))


def load_reward(source: str) -> RewardFunction | None:
    """Import the function that ``module:name`` names, also from the working folder; None for a word of our own.

    Raises BadInput.
    """
    if source in (CHECK, RUBRICS):
        return None
    module, _, name = source.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as error:  # a user's module may raise anything
        raise BadInput(f"--reward {source}: cannot be imported: {type(error).__name__}: {error}") from error
    if not callable(function):
        raise BadInput(f"--reward {source}: is no function")
    return cast("RewardFunction", function)
