"""What a canned model is started with."""

from __future__ import annotations

from pydantic import Field

from manyhands.simulator.serving.settings import ServerSettings


class CannedSettings(ServerSettings):
    """How its replies differ from step to step. ``mistakes`` is the share of the verdicts that are B."""

    max_running: int = Field(default=1024, ge=1)
    change_every: int = Field(default=0, ge=0)
    """Every so many steps the plan has a new subgoal; only in the first step if 0."""
    finish_at: int | None = Field(default=None, ge=1)
    """The step at which the plan says that the goal is reached; never if None."""
