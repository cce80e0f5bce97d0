"""Define the messages to and from the teacher: recall before a task, learn after it (Mobile-Agent-E, 3.2, 5.4)."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.lessons import LessonTaken, Scope
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.tasks.task import TaskSpec


class RecallOrder(Message):
    """Ask which tips and shortcuts a task gets at its start."""

    run: str
    episode: str
    """The id of the episode that will run the task."""
    task: TaskSpec
    settings: EpisodeSettings
    deadline: float
    """Unix seconds."""


class Recall(Message):
    """Return the tips and shortcuts for a task, and the model calls that chose them."""

    memory: LongTermMemory
    calls: tuple[ModelCall, ...] = ()
    """Empty if nothing had to be chosen, because the task gets all that its scopes hold."""
    left_out: int = 0
    """How many tips and shortcuts its scopes hold that the task does not get."""


class LearnOrder(Message):
    """Ask the learners for the lesson of an episode that has ended."""

    run: str
    episode: str
    epoch: int
    """The epoch of the episode's last lease. Further records of the episode's journal are written under this epoch."""
    task: TaskSpec
    settings: EpisodeSettings
    future: tuple[str, ...] = ()
    """Goals of later tasks in the same scope."""
    deadline: float


class Taught(Message):
    """Report what became of a lesson."""

    scope: Scope
    taken: LessonTaken | None
    """None if nothing was learned."""
    problem: str = Field(default="", max_length=2000)
    """Why nothing was learned, or not all of it; one line for people."""
