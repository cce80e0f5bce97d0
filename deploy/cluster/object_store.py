"""Room for screenshots: how much of Ray's object store phones take at most, and what this machine has."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ray._private.utils import estimate_available_memory

from manyhands.actors.episode.host import HostSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.geometry import Size

GIB = 1 << 30
MIB = 1 << 20
SHARED_MEMORY = Path("/dev/shm")
USUAL_BYTES = GIB
"""Of a store for few phones. Memory is taken only as it is used."""
LEAST_BYTES = 128 * MIB
"""Ray starts no store of less than 75 MiB."""
_RGB = 3
_BESIDE = 1.05
"""The JPEGs for models lie beside the frames."""
_USED_SHARE = 0.8
"""Ray begins to write objects to disk where more than this of a store is in use."""


@dataclass(frozen=True, slots=True)
class Store:
    """An object store to start, in shared memory or else in a file."""

    size_bytes: int
    in_file: bool = False


@dataclass(frozen=True, slots=True)
class Machine:
    """What this machine has free, in bytes; ``shared`` of it in shared memory, None where there is none."""

    memory: int
    shared: int | None
    disk: int


def frames_at_once(screens_ahead: int) -> int:
    """How many frames a phone has at most: those that wait to be written, as many being written, and the newest.

    The two that its steps look at are among these.
    """
    return 1 + 2 * screens_ahead


def bytes_of(sizes: Sequence[Size]) -> int:
    """What phones with screens of these sizes take at most, on the whole."""
    frames = frames_at_once(HostSettings().screens_ahead)
    return round(sum(_BESIDE * _RGB * frames * size.width * size.height for size in sizes))


def store_bytes(needed: int) -> int:
    """The size of a store in which ``needed`` bytes never reach the disk."""
    return max(LEAST_BYTES, round(needed / _USED_SHARE))


def store_for(needed: int, phones: int, machine: Machine) -> Store:
    """The store of a Ray of our own. Raises BadInput where this machine cannot hold so much."""
    size = store_bytes(needed)
    wish = f"{phones} phones hold up to {gib(size)} of screenshots at a time"
    if size > machine.memory:
        raise BadInput(
            f"--phones: {wish}, and this machine has {gib(machine.memory)} of memory free: take fewer phones, or give "
            "the run a Ray cluster (--ray-address)"
        )
    if machine.shared is None or size <= machine.shared:
        most = machine.memory if machine.shared is None else min(machine.memory, machine.shared)
        return Store(max(size, min(USUAL_BYTES, most // 2)))
    if size > machine.disk:
        raise BadInput(
            f"--phones: {wish}; {SHARED_MEMORY} has {gib(machine.shared)} free, the disk below {gib(machine.disk)}: "
            f"make {SHARED_MEMORY} larger (docker run --shm-size={-(-size // MIB)}m), or take fewer phones"
        )
    return Store(size, in_file=True)


def this_machine(folder: Path) -> Machine:
    """What is free here and now; ``folder`` is on the disk that would hold what shared memory cannot."""
    shared = shutil.disk_usage(SHARED_MEMORY).free if SHARED_MEMORY.is_dir() else None
    return Machine(estimate_available_memory(), shared, shutil.disk_usage(folder).free)


def gib(size: float) -> str:
    """``2.3 GiB``, ``64 MiB``."""
    return f"{size / GIB:.1f} GiB" if size >= GIB else f"{size / MIB:.0f} MiB"
