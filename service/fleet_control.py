"""Define what the service's HTTP application asks of the fleet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.protocol.messages import ModelCounts, PartialReply
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.runs.progress import RunProgress
from manyhands.protocol.service.fleet import ModelStatus, PhoneStatus, ServiceStatus


@dataclass(frozen=True, slots=True)
class FleetCounts:
    """Hold what a fleet has counted so far."""

    progress: RunProgress
    models: Mapping[str, Sequence[ModelCounts]] = field(default_factory=dict)
    """The counts of each actor of a role, by role."""
    perception: Sequence[PerceptionCounts] = ()


class FleetControl(Protocol):
    """Change the fleet of a service, and tell how it stands.

    The database has each change of a task before this object is told of it. So a call that is lost, because the process
    died, is made good when the service starts again. Changes of phones are kept by the implementation itself.

    Task ids are those of the service, such as ``b17.buy``. A task that the fleet does not know, or that has ended, is
    skipped. A method that takes a ``serial`` raises PhoneUnknown if the fleet has no such phone. Every method may raise
    CallError if the fleet does not answer.
    """

    def wake(self) -> None:
        """Note that the database has tasks that the fleet does not have yet."""
        ...

    async def hold(self, tasks: Sequence[str]) -> None:
        """Give these tasks no phone until they are released. Running tasks go on to their end."""
        ...

    async def release(self, tasks: Sequence[str]) -> None:
        """Withdraw ``hold``."""
        ...

    async def prioritize(self, priorities: Mapping[str, int]) -> None:
        """Give tasks other priorities: waiting tasks of a higher priority get a phone first."""
        ...

    async def cancel(self, tasks: Sequence[str], reason: str) -> None:
        """End these tasks: waiting ones at once, running ones after the action that is being carried out.

        ``reason`` becomes the reason of their results.
        """
        ...

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        """Carry out what a person asks of a running episode: pause, stop, take over, act, hand back.

        The answer to ``StopEpisode`` comes when the episode has ended. Raises InterventionRefused, BadInput, KeyReused
        and PhoneError, and EpisodeNotRunning if the episode does not run.
        """
        ...

    async def set_aside(self, serial: str, reason: str) -> PhoneStatus:
        """Give a phone no task until it is released. The task that it carries out goes on to its end."""
        ...

    async def release_phone(self, serial: str) -> PhoneStatus:
        """Withdraw ``set_aside`` and ``reserve``."""
        ...

    async def reserve(self, serial: str, owner: str, until: float) -> PhoneStatus:
        """Give a phone tasks of one owner only, until a time in Unix seconds."""
        ...

    async def label(self, serial: str, labels: Mapping[str, str]) -> PhoneStatus:
        """Replace the labels that people gave a phone. Labels that the fleet reads off the phone stay."""
        ...

    async def attach(self, serial: str) -> PhoneStatus:
        """Add a phone to the fleet. It gets tasks as soon as it can be reached."""
        ...

    async def detach(self, serial: str) -> None:
        """Take a phone out of the fleet. The task that it carries out goes on to its end."""
        ...

    async def phones(self) -> Sequence[PhoneStatus]:
        """Return the phones of the fleet, those that are away or aside included, in the order of their serials."""
        ...

    async def picture(self, serial: str) -> bytes:
        """Return the screen of a phone as a JPEG, taken now, whether or not the phone has a task.

        Raises PhoneUnknown and PhoneError.
        """
        ...

    async def models(self) -> Sequence[ModelStatus]:
        """Return the model of each role."""
        ...

    async def counts(self) -> FleetCounts | None:
        """Return what the fleet has counted so far; None while no fleet is open."""
        ...

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]:
        """Return what models are writing now for an episode. While somebody asks, its calls are streamed."""
        ...

    async def status(self) -> ServiceStatus:
        """Return how the service stands. Answers at once, also while the fleet opens."""
        ...
