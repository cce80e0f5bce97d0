"""Measure how much of Ray's object store a fleet used, and whether Ray wrote objects to disk."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import psutil
import ray

from manyhands.benchmarks.fleet.figures import StoreUse
from manyhands.protocol.errors import CallError

MIB = 1 << 20
_STATE_S = 30.0
"""Ray writes its state to a file every ten seconds."""
_POLL_S = 0.2
_SPILLS = re.compile(r"^- cumulative spill requests: (\d+)$", re.MULTILINE)


def store_use() -> StoreUse:
    """Return the use of the object store of this process's local Ray, since Ray's start. Blocks; raises CallError.

    The store is a file, and its blocks are never freed. So the number of blocks tells the most that was ever in use.
    """
    raylets = [each for each in psutil.Process().children(recursive=True) if each.name() == "raylet"]
    if len(raylets) != 1:
        raise CallError(f"this process has {len(raylets)} local Rays, not one")
    size = sum(each["Resources"].get("object_store_memory", 0) for each in ray.nodes())
    return StoreUse(
        size_mib=size / MIB, taken_mib=_taken_bytes(raylets[0].pid) / MIB, spills=_spills(raylets[0].cmdline())
    )


def _taken_bytes(raylet: int) -> int:
    """Return the bytes of the store's file, a deleted file that the raylet holds open: Ray unlinks it at once."""
    taken = 0
    for link in Path(f"/proc/{raylet}/fd").iterdir():
        try:
            if "plasma" in os.readlink(link) and os.readlink(link).endswith("(deleted)"):
                taken += link.stat().st_blocks * 512
        except OSError:  # the file was closed meanwhile
            continue
    return taken


def _spills(command: list[str]) -> int:
    """Return how often objects were written to disk, from the next state that Ray writes."""
    session = next(word.partition("=")[2] for word in command if word.startswith("--session_dir="))
    state, asked_at = Path(session) / "logs" / "debug_state.txt", time.time()
    while time.time() < asked_at + _STATE_S:
        if state.exists() and state.stat().st_mtime > asked_at and (found := _SPILLS.search(state.read_text())):
            return int(found[1])
        time.sleep(_POLL_S)
    raise CallError(f"Ray did not write {state} within {_STATE_S:.0f} s")
