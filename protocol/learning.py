"""What the teacher is asked and answers: recalling before a task, learning after it (Mobile-Agent-E, 3.2, 5.4)."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.lessons import LessonTaken, Scope
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.runs import EpisodeSettings
from manyhands.protocol.tasks import TaskSpec


class RecallOrder(Message):
    """Ask what a task is to know from the start."""

    run: str
    episode: str
    """The one that the task will run as."""
    task: TaskSpec
    settings: EpisodeSettings
    deadline: float
    """Unix seconds."""


class Recall(Message):
    """Say what a task is to know, and what it took to choose that."""

    memory: LongTermMemory
    calls: tuple[ModelCall, ...] = ()
    """None where all that its scopes know is told."""
    left_out: int = 0
    """Tips and shortcuts that its scopes know beside."""


class LearnOrder(Message):
    """Ask for what an episode that has ended teaches."""

    run: str
    episode: str
    epoch: int
    """Of its last lease: its journal goes on under it."""
    task: TaskSpec
    settings: EpisodeSettings
    future: tuple[str, ...] = ()
    """Goals of its scope that are still to come."""
    deadline: float


class Taught(Message):
    """Say what became of a lesson."""

    scope: Scope
    taken: LessonTaken | None
    """None where nothing was learned."""
    problem: str = Field(default="", max_length=2000)
    """Why it was not, or not all of it; one line for people."""
