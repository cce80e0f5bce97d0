"""The settings of a dispatcher: phones, episodes, and how long each wait may take."""

from __future__ import annotations

import math
import secrets
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from manyhands.protocol.base import Input
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.utilities.backoff import Backoff


class WaitLimits(NamedTuple):
    """Hold how many seconds waiting tasks wait for a phone, a host, anything to run at all, and a session."""

    phone_s: float
    host_s: float
    idle_s: float
    session_s: float


class DispatchSettings(Input):
    run: str
    folder_id: str = ""
    """An id that tells the run's folder from a copy. The names of lease holders contain it."""
    nonce: str = Field(default_factory=lambda: secrets.token_hex(8))
    """Tells the episodes of this dispatcher, and its places in phones' queues, from those of other runs. A restarted
    dispatcher has the same nonce."""
    serials: tuple[str, ...]
    away: dict[str, str] = Field(default_factory=dict)
    """Those phones that could not be used at the start of the run, each with the reason. They are tried before they get
    a task."""
    control: Path | None = None
    """A folder on the dispatcher's machine. Its file ``control.mh`` holds what the run is told: people's commands, and
    the labels of phones."""
    is_open_ended: bool = False
    """Whether the batch takes tasks from ``control`` until the whole run is drained. Its tasks wait without a limit for
    phones, hosts and models."""
    canary: int = Field(default=0, ge=0)
    """How many tasks of a batch, its first ones, run alone (``StartRule``)."""
    max_failed_tasks: int | None = Field(default=None, ge=1)
    """After how many failed tasks of a batch no more start; None for any number."""
    most_unread: int | None = Field(default=None, ge=1)
    """How many episodes may run, or have decided their task and wait to be read by ``decisions``; None for any number.
    """
    episode: EpisodeSettings = EpisodeSettings()
    no_phone_s: float = Field(default=600.0, gt=0)
    """How long every phone may be lost before the waiting tasks are given up."""
    no_host_s: float = Field(default=600.0, gt=0)
    """How long every episode host may be gone before the waiting tasks are given up."""
    no_store_s: float = Field(default=600.0, gt=0)
    """How long the run folder may be unreadable before a batch that needs its contents is given up."""
    in_place_s: float = Field(default=60.0, gt=0)
    """How long an interrupted episode waits for its phone. After that its task starts again, on any phone."""
    idle_s: float = Field(default=3600.0, gt=0)
    """How long nothing may run before the waiting tasks are given up, for whatever reason: for example, others hold
    every phone. Time in which a requirement pauses the batch does not count, because requirements have limits of their
    own."""
    held_s: float = Field(default=2.0, gt=0)
    """For how long a phone is left alone while another holder has it."""
    attach_s: float = Field(default=60.0, gt=0)
    """The time limit for attaching a phone, and for giving it back."""
    overtime_s: float = Field(default=900.0, gt=0)
    """How long an episode may still take to end after its own time limit. That limit excludes some waits, such as the
    wait for space on a full disk. An episode that takes longer is ended."""
    backoff: Backoff = Backoff(first_s=0.5, longest_s=30.0)
    """The waits before a lost host is tried again."""
    phone_backoff: Backoff = Backoff(first_s=1.0, longest_s=5.0)
    """The waits before a lost phone is tried again. They are short, because a phone that is back should be used within
    10 s."""
    lesson_s: float = Field(default=600.0, gt=0)
    """The time limit for the lesson of one episode. The next task of its memory scope waits for the lesson."""
    lessons_at_once: int = Field(default=32, ge=1)
    """The most episodes that teach at the same time."""
    recall_s: float = Field(default=120.0, gt=0)
    """The time limit for recalling a task's memory. After that the task starts with what all tasks know."""
    session_s: float = Field(default=120.0, gt=0)
    """The time limit for ending an episode's session at a trainer's gateway."""
    stagger_s: float = Field(default=0.0, ge=0, le=60)
    """The time between the starts of two phones. Phones that start together would stay in step, because their steps
    take equally long, and would load the servers at the same moments."""

    @property
    def patience_s(self) -> WaitLimits:
        """Return how long waiting tasks wait for each thing that is missing."""
        if self.is_open_ended:
            return WaitLimits(math.inf, math.inf, math.inf, math.inf)
        return WaitLimits(self.no_phone_s, self.no_host_s, self.idle_s, self.episode.no_model_s)
