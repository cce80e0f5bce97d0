"""Parts that a program gives a fleet and no setting can name: readers of screens, sidecars, a transport."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.incremental.page_cache import IncrementalSettings
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.fleet.models import rehearsed_roles
from manyhands.deploy.fleet.transports import MakeTransport, transport_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.perception import PerceptionOptions


@dataclass(frozen=True, slots=True)
class ScreenReaders:
    """Make readers of screens; they are named in all that is made of a run."""

    make: Callable[[PerceptionSettings], Backends]
    """Called on each thread of each perception actor; it pickles."""
    threads: int
    """In each perception actor, where the fleet's settings do not say (``perception_threads``)."""
    name: str
    compared: bool = True
    """Whether a picture is compared with pages read before."""

    def settings(self, threads: int | None) -> PerceptionSettings:
        """Return those of each perception actor; ``threads``: None for as many as these readers want."""
        return PerceptionSettings(workers=threads or self.threads, incremental=IncrementalSettings(on=self.compared))

    def source(self, threads: int | None) -> str:
        """Return what they are, for run.yaml and all that is made of it; ``threads`` as in ``settings``."""
        at_once = self.settings(threads).readers()
        return f"{self.name}, {at_once} at a time in each actor; none of its figures is a figure of real perception"


def reader_arguments(options: PerceptionOptions, readers: ScreenReaders | None) -> tuple[Any, ...]:
    """Return the arguments of each PerceptionService of a run; ``readers``: instead of our own."""
    if readers is None:
        return (options.perception_settings(options.reader_threads),)
    chosen = readers.settings(options.perception_threads)
    return (chosen.model_copy(update={"longest_wait_s": options.perception_wait_s}), readers.make)


Sidecar = Callable[[FleetSettings, Path], AbstractAsyncContextManager[FleetSettings]]
"""Starts something for as long as its context is open, with its logs in the folder, and gives settings that name it.

Phones that were started are in the settings' ``phones``, model servers in ``mllm_url`` or ``models``: from there on
they are treated as any others.
"""


def sidecars_for(settings: FleetSettings) -> Sequence[Sidecar]:
    """Return what starts the stand-ins that settings ask for by a word: ``virtual:N``, ``rehearsed``."""
    # The one place from which a fleet reaches stand-ins, and only where one is asked for.
    asked: list[Sidecar] = []
    if settings.virtual_phones is not None:
        from manyhands.deploy.stand_ins.sidecars import virtual_phones

        asked.append(virtual_phones)
    if rehearsed_roles(settings):
        from manyhands.deploy.stand_ins.sidecars import rehearsed_model

        asked.append(rehearsed_model)
    return asked


@asynccontextmanager
async def open_sidecars(settings: FleetSettings, others: Sequence[Sidecar], logs: Path) -> AsyncIterator[FleetSettings]:
    """Start the stand-ins that settings ask for by a word, then other sidecars; give settings that name all of them."""
    async with AsyncExitStack() as stack:
        named = settings
        for sidecar in (*sidecars_for(settings), *others):
            named = await stack.enter_async_context(sidecar(named, logs))
        yield named


@dataclass(frozen=True, slots=True)
class GivenParts:
    """Hold what a program gives a fleet that no setting can name."""

    readers: ScreenReaders | None = None
    """What reads screens, instead of our own OCR and icons."""
    make_transport: MakeTransport = transport_of
    """How phones are reached."""
    sidecars: tuple[Sidecar, ...] = ()
    """What is started with the fleet and stopped with it, beside the stand-ins that settings ask for by a word."""
