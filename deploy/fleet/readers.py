"""Read the phones' screens in a run by other readers than those of the perception service itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.incremental.remembered import IncrementalSettings
from manyhands.actors.perception.settings import PerceptionSettings


@dataclass(frozen=True, slots=True)
class Readers:
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
