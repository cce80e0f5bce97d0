"""Hold what one measurement of a model server found, as it is written to JSON."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.deploy.benchmarks.model.figures import CarriedPhones, LoadFigures
from manyhands.deploy.benchmarks.model.questions import ClickFigures, SchemaFigures
from manyhands.deploy.benchmarks.provenance import Machine
from manyhands.protocol.base import Message


class MeasuredServer(Message):
    """Say what server and model answered."""

    urls: tuple[str, ...]
    model: str
    weights: str
    """What the server has loaded, as far as it tells: a hub name or a folder."""
    stand_in: str
    """What the stand-in is, if one answered; empty for a model."""
    version: str
    """vLLM's version; empty if the server tells none."""
    dialect: str
    max_model_len: int | None
    cache_tokens: int | None
    """The number of tokens for which the KV cache has room; None if the server does not tell."""
    gpus: tuple[str, ...] = ()
    """The GPUs of this machine, if the server is on this machine: name, total and used memory."""


class ProfileFigures(Message):
    """Hold the figures of one profile."""

    profile: str
    recorded_with: str
    """What answered when the prompts were recorded."""
    calls_per_step: float
    pictures_per_step: float
    loads: tuple[LoadFigures, ...]
    stopped: str
    """Why the load was raised no further."""
    carried: CarriedPhones | None


class ModelReport(Message):
    """Hold all figures of one measurement."""

    at: float
    """When the measurement began, in Unix seconds."""
    minutes: float
    """How long it took."""
    is_whole: bool
    """Whether it ended by itself, not by Ctrl-C or an error."""
    server: MeasuredServer
    profiles: tuple[ProfileFigures, ...]
    clicks: ClickFigures | None = None
    """None if the model was not asked: a stand-in, or the time was over."""
    schemas: SchemaFigures | None = None
    """None if the model was not asked: a stand-in, or the time was over."""
    notes: tuple[str, ...] = ()
    """What a reader has to know about the figures."""
    machine: Machine
    """The machine that sent the requests."""

    @property
    def failed(self) -> bool:
        """Return whether no call of any profile was answered."""
        return not any(load.steps_s > 0 for profile in self.profiles for load in profile.loads)


BUSY_CORES = 0.9
"""From so many cores on, the process that sends the calls may limit them: most of its work is on one core."""


def notes_on(
    server: MeasuredServer, dialects: Sequence[str], profiles: Sequence[ProfileFigures] = ()
) -> tuple[str, ...]:
    """Return the notes for a server. ``dialects``: those of the recorded prompts."""
    notes = []
    if server.stand_in:
        notes.append(f"What answered is {server.stand_in}. It was not asked for places and schemas.")
    foreign = sorted(set(dialects) - {server.dialect})
    if foreign:
        notes.append(
            f"The recorded prompts name places as {', '.join(foreign)} does, the model as {server.dialect} does. "
            "Speeds do not depend on that. Replies were read in the space of the prompts."
        )
    busy = [load for profile in profiles for load in profile.loads if load.sender_cores >= BUSY_CORES]
    if busy:
        notes.append(
            f"From {min(load.phones for load in busy)} phones on, sending took up to "
            f"{max(load.sender_cores for load in busy):.1f} cores of this machine. That may have limited the steps a "
            "second: the server may do more."
        )
    return tuple(notes)
