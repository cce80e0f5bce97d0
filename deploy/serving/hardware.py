"""Find this machine's GPUs and their memory (nvidia-smi), or its free memory (the kernel)."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.child_process import run_program
from manyhands.protocol.errors import BadInput

GIB = 1024**3
_ASK_TIMEOUT_S = 20.0
_UNITS = {
    "": GIB,
    "GIB": GIB,
    "G": GIB,
    "GB": 10**9,
    "MIB": 1024**2,
    "M": 1024**2,
    "MB": 10**6,
    "TB": 10**12,
    "TIB": 1024**4,
}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


@dataclass(frozen=True, slots=True)
class Hardware:
    """Hold the number of GPUs and the bytes of the smallest. Without GPUs, ``memory`` is free main memory."""

    gpus: int
    memory: int


def parse_size(text: str) -> int:
    """Return the bytes of ``80GiB``, ``24 GB`` or ``81920MiB``; a bare number means GiB. Raises BadInput."""
    match = _SIZE.fullmatch(text)
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None or not float(match[1]):
        raise BadInput(f"a size is written like 80GiB or 24GB, not {text!r}")
    return int(float(match[1]) * unit)


async def find_hardware(gpus: int | None, memory: str | None) -> Hardware:
    """Return the hardware that the user gives, and detect what the user leaves out. Raises BadInput."""
    memory_bytes = parse_size(memory) if memory is not None else None
    if gpus == 0:
        return Hardware(0, memory_bytes if memory_bytes is not None else _free_memory())
    if gpus is not None and memory_bytes is not None:
        return Hardware(gpus, memory_bytes)
    memories = await _nvidia_smi()
    count = gpus if gpus is not None else len(memories)
    if count > len(memories):
        have = f"nvidia-smi lists {len(memories)}" if memories else "nvidia-smi finds none"
        raise BadInput(
            f"--gpus {count}: {have} here; say --gpu-memory 80GiB to plan for another machine, --gpus 0 for the CPU"
        )
    if count == 0:
        raise BadInput("no GPU found by nvidia-smi; say --gpus 0 for the CPU, or --gpus N --gpu-memory 80GiB")
    return Hardware(count, memory_bytes if memory_bytes is not None else min(memories[:count]))


async def _nvidia_smi() -> list[int]:
    """Return the bytes of each GPU; empty if nvidia-smi is missing or fails."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    try:
        output = await run_program(
            program, "--query-gpu=memory.total", "--format=csv,noheader,nounits", seconds=_ASK_TIMEOUT_S
        )
    except TimeoutError as error:
        raise BadInput(f"nvidia-smi did not answer within {_ASK_TIMEOUT_S:.0f} s; say --gpu-memory") from error
    lines = map(str.strip, output.output.splitlines())
    return [int(line) * 1024**2 for line in lines if line.isdigit()] if output.code == 0 else []


def _free_memory() -> int:
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError as error:
        raise BadInput("this system does not say how much memory is free; say --gpu-memory") from error
    match = re.search(r"MemAvailable:\s+(\d+) kB", text)
    if match is None:
        raise BadInput("/proc/meminfo has no MemAvailable; say --gpu-memory")
    return int(match[1]) * 1024
