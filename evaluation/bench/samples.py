"""Where CPU time goes, from stacks that were sampled at equal intervals of CPU time (``deploy.bench.sampling``).

Stacks are the text that Python's ``faulthandler`` writes: one header, then a line for each frame, innermost first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from protocol.base import Message

OWN = ("protocol", "actors", "deploy", "evaluation", "simulator")
NATIVE = "(threads without Python: Ray's own)"
_HEADER = "(most recent call first):"
_FRAME = re.compile(r'^  File "(.*)", line \d+ in (.*)$')
_LIBRARY = re.compile(r".*/(?:site|dist)-packages/(.+)")
_STANDARD = re.compile(r".*/lib/python3\.\d+/(.+)")
_OWN = re.compile(rf".*/((?:{'|'.join(OWN)})/.+)")


@dataclass(frozen=True, slots=True)
class Place:
    """A function: ``package`` is a library's name, ``stdlib``, or one of our packages."""

    package: str
    function: str
    """``path/module.py:name``, the path from its package on."""

    @property
    def own(self) -> bool:
        return self.package in OWN


Stack = tuple[Place, ...]
"""Innermost first."""


def read_stacks(text: str) -> list[Stack]:
    """All whole stacks in what faulthandler wrote; what stands before the first header was cut off and is left out."""
    stacks: list[Stack] = []
    frames: list[Place] | None = None
    for line in text.splitlines():
        if line.endswith(_HEADER):
            if frames:
                stacks.append(tuple(frames))
            frames = []
        elif frames is not None and (found := _FRAME.match(line)):
            frames.append(_place(found[1], found[2]))
    if frames:
        stacks.append(tuple(frames))
    return stacks


def _place(path: str, name: str) -> Place:
    library = _LIBRARY.fullmatch(path)
    if library:
        return Place(library[1].split("/")[0].removesuffix(".py"), f"{library[1]}:{name}")
    standard = _STANDARD.fullmatch(path)
    if standard:
        return Place("stdlib", f"{standard[1]}:{name}")
    own = _OWN.fullmatch(path)
    if own:
        return Place(own[1].split("/")[0], f"{own[1]}:{name}")
    return Place("other", f"{path.rsplit('/', 1)[-1]}:{name}")


class Cost(Message):
    """CPU milliseconds per step of something with a name."""

    name: str
    ms_per_step: float


class Profile(Message):
    """The same CPU time seen in three ways; each list holds the most expensive first."""

    interval_ms: float
    """CPU time between two samples of a process."""
    samples: int
    by_process: dict[str, tuple[Cost, ...]]
    """Functions by their own time, for each kind of process; time of threads that run no Python is one of them."""
    by_caller: tuple[Cost, ...]
    """Our own functions, each with what the libraries that it called used on its thread; of all processes."""
    by_library: tuple[Cost, ...]
    """Libraries by their own time; of all processes."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """One kind of process: its stacks, and the CPU time that it used by the system's account."""

    stacks: tuple[Stack, ...]
    cpu_ms: float


def profile(sampled: Mapping[str, Sampled], interval_ms: float, steps: int, top: int) -> Profile:
    """``sampled``: by kind of process; ``top``: how many of each list are kept."""
    callers: Counter[str] = Counter()
    libraries: Counter[str] = Counter()
    by_process: dict[str, tuple[Cost, ...]] = {}
    for kind, found in sampled.items():
        own_time = Counter(stack[0].function for stack in found.stacks)
        by_process[kind] = _costs(own_time, interval_ms / steps, top, _native_ms(found, interval_ms) / steps)
        callers.update(_caller(stack) for stack in found.stacks)
        libraries.update(stack[0].package for stack in found.stacks)
    native = sum(_native_ms(found, interval_ms) for found in sampled.values()) / steps
    return Profile(
        interval_ms=interval_ms,
        samples=sum(len(found.stacks) for found in sampled.values()),
        by_process=by_process,
        by_caller=_costs(callers, interval_ms / steps, top, native),
        by_library=_costs(libraries, interval_ms / steps, top, native),
    )


def _native_ms(found: Sampled, interval_ms: float) -> float:
    """A sample on a thread that runs no Python writes nothing: what is missing of the process's time was there."""
    return max(0.0, found.cpu_ms - len(found.stacks) * interval_ms)


def _caller(stack: Stack) -> str:
    """Our innermost function; without one, the library that the thread belongs to."""
    own = next((place.function for place in stack if place.own), None)
    return own or f"({stack[0].package}, called by none of ours)"


def _costs(counts: Mapping[str, int], ms: float, top: int, native_ms: float) -> tuple[Cost, ...]:
    costs: Iterable[Cost] = (Cost(name=name, ms_per_step=count * ms) for name, count in counts.items())
    found = [*costs, Cost(name=NATIVE, ms_per_step=native_ms)]
    return tuple(sorted(found, key=lambda cost: (-cost.ms_per_step, cost.name))[:top])
