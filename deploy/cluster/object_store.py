"""Plan memory for screenshots: how much of Ray's object store phones need at most, and what this machine has."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ray._private.utils import estimate_available_memory

from manyhands.actors.episode.host import HostSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Size

GIB = 1 << 30
MIB = 1 << 20
SHARED_MEMORY = Path("/dev/shm")
USUAL_BYTES = GIB
"""Size of a store for few phones. The store takes memory only as it fills."""
LEAST_BYTES = 128 * MIB
"""Smallest store. Ray refuses to start one of less than 75 MiB."""
_RGB = 3
_BESIDE = 1.05
"""The bytes of a frame together with its JPEG for models, divided by the bytes of the frame."""
_USED_SHARE = 0.8
"""Share of a store above which Ray begins to write objects to disk."""


@dataclass(frozen=True, slots=True)
class StoreSize:
    """Describe an object store that is to be started. Without ``in_file``, it is in shared memory."""

    size_bytes: int
    in_file: bool = False


@dataclass(frozen=True, slots=True)
class FreeMemory:
    """Hold the free bytes of this machine. ``shared`` is shared memory, None if there is none."""

    memory: int
    shared: int | None
    disk: int


def frames_at_once(screens_ahead: int) -> int:
    """Return how many frames a phone has at most in the store.

    These are the frames that wait to be written, as many that are being written, and the newest one. They include the
    two frames that a step uses.
    """
    return 1 + 2 * screens_ahead


def bytes_of(sizes: Sequence[Size]) -> int:
    """Return the bytes that phones with screens of these sizes take at most in total."""
    frames = frames_at_once(HostSettings().screens_ahead)
    return round(sum(_BESIDE * _RGB * frames * size.width * size.height for size in sizes))


def store_bytes(needed: int) -> int:
    """Return the size of a store in which ``needed`` bytes never go to disk."""
    return max(LEAST_BYTES, round(needed / _USED_SHARE))


def store_for(needed: int, phones: int, free: FreeMemory) -> StoreSize:
    """Plan the store of a local Ray. Raises BadInput if this machine cannot hold that much."""
    size = store_bytes(needed)
    wish = f"{phones} phones hold up to {gib(size)} of screenshots at a time"
    if size > free.memory:
        raise BadInput(
            f"--phones: {wish}, and this machine has {gib(free.memory)} of memory free: take fewer phones, or give "
            "the run a Ray cluster (--ray-address)"
        )
    if free.shared is None or size <= free.shared:
        most = free.memory if free.shared is None else min(free.memory, free.shared)
        return StoreSize(max(size, min(USUAL_BYTES, most // 2)))
    if size > free.disk:
        raise BadInput(
            f"--phones: {wish}; {SHARED_MEMORY} has {gib(free.shared)} free, the disk below {gib(free.disk)}: "
            f"make {SHARED_MEMORY} larger (docker run --shm-size={-(-size // MIB)}m), or take fewer phones"
        )
    return StoreSize(size, in_file=True)


def free_memory(folder: Path) -> FreeMemory:
    """Measure what is free now. ``folder``: a folder on the disk that is used if shared memory is too small."""
    shared = shutil.disk_usage(SHARED_MEMORY).free if SHARED_MEMORY.is_dir() else None
    return FreeMemory(estimate_available_memory(), shared, shutil.disk_usage(folder).free)


def gib(size: float) -> str:
    """Format a size as ``2.3 GiB`` or ``64 MiB``."""
    return f"{size / GIB:.1f} GiB" if size >= GIB else f"{size / MIB:.0f} MiB"
