"""Declare the settings of perception: what reads screens, in how many actors, and on which machines."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, ValidationError, field_validator

from manyhands.deploy.settings.values import FROM_ANYWHERE, OptionGroup
from manyhands.protocol.utilities.setting_metadata import Default, Flag
from manyhands.protocol.utilities.yaml_document import YamlInvalid, find_problems

if TYPE_CHECKING:
    from manyhands.actors.perception.settings import PerceptionSettings


class PerceptionOptions(OptionGroup):
    """Configure the actors that read screens."""

    panel: ClassVar[str] = "Perception"

    perception: dict[str, Any] = Field(default_factory=dict)
    """Engines and their models, batches, caches (docs/perception.md).

    For instance `{text_engine: paddle, paddle: {device: "gpu:0", det_model_dir: ..., rec_model_dir: ...}}`.
    """
    perception_actors: int = Field(default=1, ge=1, le=64)
    """The number of PerceptionService actors."""
    perception_threads: Annotated[
        int | None, Default("`perception_cores`, or the cores of the actor's machine, at most 4")
    ] = Field(default=None, ge=1, le=64)
    """Threads that read screens in each perception actor."""
    perception_cores: float = Field(default=0, ge=0, le=1024)
    """CPUs that Ray reserves for each perception actor. This spreads the actors over machines."""
    perception_gpus: float = Field(default=0, ge=0, le=64)
    """GPUs of each perception actor: a share of one, such as 0.25, or whole GPUs."""
    perception_labels: Annotated[dict[str, str], Default("spread over all nodes")] = Field(default_factory=dict)
    """Labels of the Ray nodes on which perception actors may run."""
    perception_python: Annotated[
        Path | None, FROM_ANYWHERE, Flag("run", "resume", is_common=True), Default("this Python")
    ] = None
    """The Python that runs perception actors, for engines with their own environment (docs/perception.md).

    `resume` never takes it from the run folder.
    """
    perception_wait_s: float = Field(default=60, gt=0)
    """Seconds that a picture may wait for a perception actor. Then another actor is tried."""

    @field_validator("perception")
    @classmethod
    def _is_known_to_perception(cls, options: dict[str, Any]) -> dict[str, Any]:
        for name, ours in (("workers", "perception_threads"), ("longest_wait_s", "perception_wait_s")):
            if name in options:
                raise ValueError(f"{name!r}: write {ours} instead, beside perception")
        if options:
            # Imported here, because engines' modules need libraries that not every command has.
            from manyhands.actors.perception.settings import PerceptionSettings

            try:
                PerceptionSettings.model_validate(options)
            except ValidationError as error:
                raise YamlInvalid(find_problems(error, PerceptionSettings)) from error
        return options

    @field_validator("perception_gpus")
    @classmethod
    def _is_a_share_or_whole(cls, gpus: float) -> float:
        if gpus > 1 and not gpus.is_integer():
            raise ValueError(f"{gpus:g} GPUs: a share of one, or whole ones")
        return gpus

    @property
    def actor_resources(self) -> Mapping[str, float]:
        """Return the CPUs and GPUs that Ray reserves for each actor."""
        return {"CPU": self.perception_cores, "GPU": self.perception_gpus}

    @property
    def reader_threads(self) -> int | None:
        """Return the number of readers in each actor; None lets the actor count the cores of its own machine."""
        return self.perception_threads or math.ceil(self.perception_cores) or None

    def perception_settings(self, workers: int | None) -> PerceptionSettings:
        """Return the settings of a service with ``workers`` readers; None means the cores of its machine, at most 4."""
        from manyhands.actors.perception.settings import PerceptionSettings

        options = {**self.perception, "workers": workers, "longest_wait_s": self.perception_wait_s}
        return PerceptionSettings.model_validate(options)
