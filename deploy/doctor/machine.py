"""What this machine has, of what runs and commands need."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.cluster.nodes.probe import probe_class
from manyhands.deploy.fleet.transports import transport_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.protocol.errors import PhoneError
from manyhands.protocol.geometry import Size
from manyhands.protocol.terminal_text import count_noun

EXTRAS = ("fleet", "simulator", "bench", "edge")
_ADB_S = 10.0
_MODEL_S = 3.0
_PYTHONS = ((3, 11), (3, 14))
_A_PHONE = Size(width=1080, height=2400)


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """Hold what was found of one thing."""

    name: str
    found: str
    fits: bool = True
    needed_for: str = ""
    """What cannot be done without it; empty for what nothing works without."""

    @property
    def is_fatal(self) -> bool:
        return not self.fits and not self.needed_for


async def examine_machine(settings: FleetSettings) -> list[MachineCheck]:
    """Look at this machine. Nothing is started, stopped or changed."""
    return [
        _python(),
        *_extras(),
        *[check async for check in _phones(settings)],
        *await asyncio.gather(*(_model(url) for url in settings.mllm_url if url != REHEARSED)),
        *_memory(),
        _program("vllm", "pip install vllm, in an environment of its own", "manyhands mllm"),
        _program("mosquitto", "apt-get install mosquitto", "manyhands broker", "/usr/sbin/mosquitto"),
        _program("chromium", "apt-get install chromium", "make test-browser", os.environ.get("CHROMIUM", "")),
    ]


def _python() -> MachineCheck:
    version = ".".join(str(part) for part in sys.version_info[:3])
    least, below = _PYTHONS
    return MachineCheck("Python", f"{version} ({sys.executable})", least <= sys.version_info[:2] < below)


def _extras() -> list[MachineCheck]:
    """Look at each extra. Either ``fleet`` or ``edge`` has to be whole: nothing can be done with neither."""
    lacking = {extra: probe_class()().lacking(extra) for extra in EXTRAS}
    some = not lacking["fleet"] or not lacking["edge"]
    needed = {
        "fleet": "manyhands run" if some else "",
        "simulator": "virtual phones, the rehearsed model",
        "bench": "manyhands bench",
        "edge": "manyhands gateway",
    }
    return [
        MachineCheck(f"extra {extra}", "installed")
        if not missing
        else MachineCheck(f"extra {extra}", f"lacks {', '.join(missing)}", False, needed[extra])
        for extra, missing in lacking.items()
    ]


async def _phones(settings: FleetSettings) -> AsyncIterator[MachineCheck]:
    transport = transport_of(settings)
    status = await transport.status()
    server, where = status.name, status.address
    if not status.running:
        yield MachineCheck(server, f"none at {where}; a run starts one")
        return
    await transport.start()
    try:
        async with asyncio.timeout(_ADB_S):
            listed = await transport.phones()
    except (PhoneError, TimeoutError) as error:
        why = str(error) or f"nothing within {_ADB_S:g} s"
        yield MachineCheck(server, f"{where} does not answer: {why}", False, "phones at this machine")
        return
    finally:
        await transport.stop()
    yield MachineCheck(server, f"{where} answers")
    usable = sum(phone.usable for phone in listed)
    others = [f"{phone.serial} {phone.state}" for phone in listed if not phone.usable]
    yield MachineCheck("phones", ", ".join([f"{usable} usable", *others]), not others, "these phones")


async def _model(url: str) -> MachineCheck:
    reason = await asyncio.to_thread(probe_class()().unreached, url, _MODEL_S)
    return MachineCheck("model", f"{url} {reason or 'answers'}", not reason)


def _memory() -> list[MachineCheck]:
    """Tell how many phones' screenshots a Ray of the run's own has room for."""
    if importlib.util.find_spec("ray") is None:
        return []
    from manyhands.deploy.cluster.object_store import bytes_of, free_memory, gib, store_bytes

    free = free_memory(Path(tempfile.gettempdir()))
    phones = free.memory // store_bytes(bytes_of([_A_PHONE]))
    shared = "no shared memory" if free.shared is None else f"{gib(free.shared)} of shared memory"
    return [
        MachineCheck(
            "memory",
            f"{gib(free.memory)} free, {shared}: room for screenshots of "
            f"{count_noun(phones, 'phone')} of {_A_PHONE.width}x{_A_PHONE.height}",
        )
    ]


def _program(name: str, how: str, needed_for: str, also_at: str = "") -> MachineCheck:
    found = shutil.which(name) or (also_at and shutil.which(also_at))
    return MachineCheck(name, str(found)) if found else MachineCheck(name, f"not installed ({how})", False, needed_for)
