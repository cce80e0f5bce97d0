"""The settings of a dispatcher: phones, episodes, and how long each wait may take."""

from __future__ import annotations

import secrets
from pathlib import Path

from pydantic import Field

from manyhands.actors.dispatch.phone_health import Backoff
from manyhands.protocol.base import Input
from manyhands.protocol.episode_settings import EpisodeSettings


class DispatchSettings(Input):
    run: str
    folder_id: str = ""
    """What tells the run's folder from a copy of it: holders of leases are named with it."""
    nonce: str = Field(default_factory=lambda: secrets.token_hex(8))
    """Tells its episodes, and its turns at phones, from those of other runs. A dispatcher that is started again has the
    same."""
    serials: tuple[str, ...]
    away: dict[str, str] = Field(default_factory=dict)
    """Phones among them that could not be used just now, and why: they are tried before they are given a task."""
    control: Path | None = None
    """A folder whose ``control.mh`` tells what people want of the run meanwhile; it is on the dispatcher's machine."""
    episode: EpisodeSettings = EpisodeSettings()
    no_phone_s: float = Field(default=600.0, gt=0)
    """How long every phone may be lost before the waiting tasks are given up."""
    no_host_s: float = Field(default=600.0, gt=0)
    """How long every episode host may be gone before the waiting tasks are given up."""
    no_store_s: float = Field(default=600.0, gt=0)
    """How long the run folder may not be read before a batch is given up that needs what stands in it."""
    in_place_s: float = Field(default=60.0, gt=0)
    """How long an interrupted episode waits for its phone, before its task is begun anew, on any."""
    idle_s: float = Field(default=3600.0, gt=0)
    """How long nothing may run, for whatever reason (others hold every phone, say), before the waiting tasks are given
    up. Time during which a requirement pauses the batch does not count: requirements have limits of their own."""
    held_s: float = Field(default=2.0, gt=0)
    """How long a phone that another holder has is left alone."""
    attach_s: float = Field(default=60.0, gt=0)
    """How long attaching a phone may take, and giving it back."""
    overtime_s: float = Field(default=900.0, gt=0)
    """How long after its own time limit an episode may take to end, for its limit does not count all of its waits (for
    a disk that is full, say). One that takes longer is ended."""
    backoff: Backoff = Backoff(first_s=0.5)
    """Waits for hosts that were lost."""
    phone_backoff: Backoff = Backoff(first_s=1.0, limit_s=5.0)
    """Waits for phones that were lost: one that is back is to be used within 10 s, so it is tried often."""
    lesson_s: float = Field(default=600.0, gt=0)
    """How long what an episode teaches may take; the next task of its scope waits for that."""
    lessons_at_once: int = Field(default=32, ge=1)
    """How many episodes teach at a time."""
    recall_s: float = Field(default=120.0, gt=0)
    """How long recalling what a task is to know may take; the task then begins with what all know."""
    stagger_s: float = Field(default=0.0, ge=0, le=60)
    """The time between the starts of one phone and the next: steps take alike, so phones that start together would keep
    in step and load everything at the same moments."""
