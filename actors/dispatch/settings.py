"""The settings of a dispatcher: phones, episodes, and how long each wait may take."""

from __future__ import annotations

from pydantic import Field

from manyhands.actors.dispatch.health import Backoff
from manyhands.protocol.base import Input
from manyhands.protocol.runs import EpisodeSettings


class DispatchSettings(Input):
    run: str
    serials: tuple[str, ...]
    away: dict[str, str] = Field(default_factory=dict)
    """Phones among them that could not be used just now, and why: they are tried before they are given a task."""
    episode: EpisodeSettings = EpisodeSettings()
    no_phone_s: float = Field(default=120.0, gt=0)
    """How long every phone may be lost before the waiting tasks are given up."""
    no_host_s: float = Field(default=60.0, gt=0)
    """How long every episode host may be silent before the waiting tasks are given up."""
    idle_s: float = Field(default=3600.0, gt=0)
    """How long nothing may run, for whatever reason (others hold every phone, say), before the waiting tasks are given
    up. Time during which a need pauses the batch does not count: needs have limits of their own."""
    held_s: float = Field(default=2.0, gt=0)
    """How long a phone that another holder has is left alone."""
    attach_s: float = Field(default=60.0, gt=0)
    """How long attaching a phone may take, and giving it back."""
    overtime_s: float = Field(default=120.0, gt=0)
    """How long after its own time limit an episode may take to end, before its host counts as lost."""
    backoff: Backoff = Backoff()
    """Waits for hosts that were lost."""
    phone_backoff: Backoff = Backoff(first_s=1.0, limit_s=5.0)
    """Waits for phones that were lost: one that is back is to be used within 10 s, so it is tried often."""
    stagger_s: float = Field(default=0.0, ge=0, le=60)
    """The time between the starts of one phone and the next: steps take alike, so phones that start together would keep
    in step and load everything at the same moments."""
