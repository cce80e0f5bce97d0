"""Define the settings of a rehearsed model."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from manyhands.simulator.rehearsal.planting import Planted
from manyhands.simulator.serving.settings import ServerSettings


class RehearsalSettings(ServerSettings):
    """Hold what a rehearsed model knows, what it caches, and which mistakes it makes on purpose."""

    scripts: tuple[Path, ...] = ()
    """Files of scripts that the model knows in addition to its own."""
    reader_processes: int = Field(default=1, ge=1, le=16)
    cached_pages: int = Field(default=256, ge=1)
    """The number of images whose texts are cached."""
    lessons: Planted = Planted.NOTHING
    """The mistake that the model makes on purpose when it teaches or uses shortcuts."""
    obedient: bool = False
    """Whether the model obeys all that screens say (``obedience``)."""
    prefix_cache_tokens: int = Field(default=400_000, ge=0)
    """The capacity of the simulated prefix cache, in tokens."""
