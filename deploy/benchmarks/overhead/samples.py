"""Where CPU time goes, from stacks of working threads taken at equal intervals (``overhead.sampling``).

They are the text that py-spy calls raw: a line for each different stack, its frames outermost first and parted by
semicolons, then how often it was seen.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from manyhands.protocol.base import Message

OWN = ("protocol", "actors", "deploy", "evaluation", "simulator")
NATIVE = "(threads without Python: Ray's own)"
_LINE = re.compile(r"(.+) (\d+)")
_FRAME = re.compile(r"(.+) \((.+?)(?::\d+)?\)")
_OWN = re.compile(rf".*/manyhands/((?:{'|'.join(OWN)})/.+)")
_LIBRARY = re.compile(r".*/(?:site|dist)-packages/(.+)")
_STANDARD = re.compile(r".*/lib/python3\.\d+/(.+)")


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


def read_stacks(text: str) -> Counter[Stack]:
    """Count how often each stack was seen, without frames that name no file and lines that are no stack."""
    stacks: Counter[Stack] = Counter()
    for line in text.splitlines():
        whole = _LINE.fullmatch(line)
        if whole is None:
            continue
        frames = [_FRAME.fullmatch(frame) for frame in whole[1].split(";")]
        stack = tuple(_place(found[2], found[1]) for found in reversed(frames) if found)
        if stack:
            stacks[stack] += int(whole[2])
    return stacks


def _place(path: str, name: str) -> Place:
    own = _OWN.fullmatch(path)  # first, for an installed Manyhands is among the libraries
    if own:
        return Place(own[1].split("/")[0], f"{own[1]}:{name}")
    library = _LIBRARY.fullmatch(path)
    if library:
        return Place(library[1].split("/")[0].removesuffix(".py"), f"{library[1]}:{name}")
    standard = _STANDARD.fullmatch(path)
    if standard:
        return Place("stdlib", f"{standard[1]}:{name}")
    return Place("other", f"{path.rsplit('/', 1)[-1]}:{name}")


class Cost(Message):
    """CPU milliseconds per step of something with a name."""

    name: str
    ms_per_step: float


class Profile(Message):
    """The same CPU time seen in three ways; each list holds the most expensive first."""

    interval_ms: float
    """Between two looks at a process."""
    samples: int
    by_process: dict[str, tuple[Cost, ...]]
    """Functions by their own time, for each kind of process; time of threads that run no Python is one of them."""
    by_caller: tuple[Cost, ...]
    """Our own functions, each with what the libraries that it called used on its thread; of all processes."""
    by_library: tuple[Cost, ...]
    """Libraries by their own time; of all processes."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """One kind of process: how often each stack was seen, and the CPU time that it used by the system's account."""

    stacks: Counter[Stack]
    cpu_ms: float

    def sample_ms(self, interval_ms: float) -> float:
        """Return what a sample stands for: the interval, or less where threads that wait for a core were seen too."""
        seen = self.stacks.total()
        return min(interval_ms, self.cpu_ms / seen) if seen else interval_ms

    def native_ms(self, interval_ms: float) -> float:
        """Return the time of threads without Python, which are not sampled: the rest of the process's time."""
        return max(0.0, self.cpu_ms - self.stacks.total() * self.sample_ms(interval_ms))


def profile(sampled: Mapping[str, Sampled], interval_ms: float, steps: int, top: int) -> Profile:
    """Compute a profile from samples by kind of process; keep the ``top`` of each list."""
    callers: defaultdict[str, float] = defaultdict(float)
    libraries: defaultdict[str, float] = defaultdict(float)
    by_process: dict[str, tuple[Cost, ...]] = {}
    for kind, found in sampled.items():
        own_time: defaultdict[str, float] = defaultdict(float)
        own_time[NATIVE] = found.native_ms(interval_ms)
        callers[NATIVE] += own_time[NATIVE]
        libraries[NATIVE] += own_time[NATIVE]
        for stack, seen in found.stacks.items():
            ms = seen * found.sample_ms(interval_ms)
            own_time[stack[0].function] += ms
            callers[_caller(stack)] += ms
            libraries[stack[0].package] += ms
        by_process[kind] = _costs(own_time, steps, top)
    return Profile(
        interval_ms=interval_ms,
        samples=sum(found.stacks.total() for found in sampled.values()),
        by_process=by_process,
        by_caller=_costs(callers, steps, top),
        by_library=_costs(libraries, steps, top),
    )


def _caller(stack: Stack) -> str:
    """Return our innermost function, or else the library that the thread belongs to."""
    own = next((place.function for place in stack if place.own), None)
    return own or f"({stack[0].package}, called by none of ours)"


def _costs(ms: Mapping[str, float], steps: int, top: int) -> tuple[Cost, ...]:
    costs = [Cost(name=name, ms_per_step=spent / steps) for name, spent in ms.items()]
    return tuple(sorted(costs, key=lambda cost: (-cost.ms_per_step, cost.name))[:top])
