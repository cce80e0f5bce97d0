"""What a rehearsed model is started with."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from manyhands.simulator.rehearsal.planting import Planted
from manyhands.simulator.serving.settings import ServerSettings


class RehearsalSettings(ServerSettings):
    """What it has rehearsed, and what it remembers."""

    scripts: tuple[Path, ...] = ()
    """Files of goals that it has rehearsed beside its own."""
    reader_processes: int = Field(default=1, ge=1, le=16)
    cached_pages: int = Field(default=256, ge=1)
    """Images whose texts are remembered."""
    lessons: Planted = Planted.NOTHING
    """What is wrong, on purpose, with what it teaches or with how it uses shortcuts."""
    prefix_cache_tokens: int = Field(default=400_000, ge=0)
    """Tokens that the model of a prefix cache holds."""
