"""Hold the parts that a program gives a fleet and no setting can name: screen readers, sidecars, a transport."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.page_cache import IncrementalSettings
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.fleet.model_servers.resolution import rehearsed_roles
from manyhands.deploy.fleet.phones.transports import MakeTransport, transport_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.perception import PerceptionOptions
from manyhands.protocol.utilities.terminal_text import count_noun


@dataclass(frozen=True, slots=True)
class ScreenReaders:
    """Make readers of screens. run.yaml, summaries and reports name them."""

    make: Callable[[PerceptionSettings], Backends]
    """Makes the readers. Each thread of each perception actor calls this function, so it must be picklable."""
    threads: int
    """Threads in each perception actor, if the settings give no ``perception_threads``."""
    name: str
    compared: bool = True
    """Whether perception compares a picture with pages that it read before."""

    def settings(self, threads: int | None) -> PerceptionSettings:
        """Return the settings of each perception actor. ``threads``: None for the readers' own number."""
        return PerceptionSettings(workers=threads or self.threads, incremental=IncrementalSettings(on=self.compared))

    def source(self, threads: int | None) -> str:
        """Return the description of these readers for run.yaml, summaries and reports.

        ``threads``: as in ``settings``.
        """
        at_once = self.settings(threads).readers()
        return f"{self.name}, {at_once} at a time in each actor; none of its figures is a figure of real perception"


def reader_arguments(options: PerceptionOptions, readers: ScreenReaders | None) -> tuple[Any, ...]:
    """Return the arguments of each PerceptionService of a run. ``readers``: None for our own readers."""
    if readers is None:
        return (options.perception_settings(options.reader_threads),)
    perception = readers.settings(options.perception_threads)
    return (perception.model_copy(update={"longest_wait_s": options.perception_wait_s}), readers.make)


Sidecar = Callable[[FleetSettings, Path], AbstractAsyncContextManager[FleetSettings]]
"""Starts phones or model servers, keeps them while the context is open, and yields settings that name them.

The path is the folder for logs. The yielded settings name started phones in ``phones``, and started model servers in
``mllm_url`` or ``models``. A fleet treats them like any other phones and servers.
"""


OnStart = Callable[[str], None]
"""Is called with a line, such as ``Starting Ray``, before a fleet starts a part of itself or waits for something."""


def ignore_start(line: str) -> None:
    """Do nothing with the line."""


def _sidecars_for(settings: FleetSettings, asks_models: bool) -> Mapping[str, Sidecar]:
    """Return the sidecars of the stand-ins that settings name (``virtual:N``, ``rehearsed``) by what they start."""
    # Only here does a fleet import stand-ins, and only if settings name one.
    parts: dict[str, Sidecar] = {}
    if settings.virtual_phones is not None:
        from manyhands.deploy.stand_ins import virtual_phones

        parts[count_noun(settings.virtual_phones, "virtual phone")] = virtual_phones
    if settings.emulators is not None:
        from manyhands.deploy.fleet.phones.emulators import start_emulators

        parts[count_noun(settings.emulators.count, "emulator")] = start_emulators
    if asks_models and rehearsed_roles(settings):
        from manyhands.deploy.stand_ins import rehearsed_model

        parts["the rehearsed model"] = rehearsed_model
    return parts


@asynccontextmanager
async def open_sidecars(
    settings: FleetSettings,
    others: Sequence[Sidecar],
    logs: Path,
    on_start: OnStart = ignore_start,
    asks_models: bool = True,
) -> AsyncIterator[FleetSettings]:
    """Start the stand-ins that settings name, then the other sidecars; yield settings that name all of them.

    ``asks_models``: whether settings name a model for each role.
    """
    async with AsyncExitStack() as stack:
        named = settings
        stand_ins = _sidecars_for(settings, asks_models)
        for what, sidecar in (*stand_ins.items(), *(("a sidecar", sidecar) for sidecar in others)):
            on_start(f"Starting {what}")
            named = await stack.enter_async_context(sidecar(named, logs))
        yield named


@dataclass(frozen=True, slots=True)
class GivenParts:
    """Hold what a program gives a fleet and no setting can name."""

    readers: ScreenReaders | None = None
    """What reads screens in place of our own OCR and icon finder."""
    make_transport: MakeTransport = transport_of
    """Makes the transport to phones."""
    sidecars: tuple[Sidecar, ...] = ()
    """What starts and stops with the fleet, besides the stand-ins that settings name."""
