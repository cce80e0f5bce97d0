"""Compute a run's state from all commands it was told: what is paused or drained, and which tasks were added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from manyhands.protocol.control import Add, Control, Drain, Go, Pause
from manyhands.protocol.progress import RunHold
from manyhands.protocol.tasks import TaskSpec


@dataclass(frozen=True, slots=True)
class HeldParts:
    """Hold what may not start: the whole run, some phones, some tasks. Each has the Unix time since when it is held."""

    run: float | None = None
    phones: Mapping[str, float] = field(default_factory=dict)
    tasks: Mapping[str, float] = field(default_factory=dict)

    def with_(self, control: Pause | Drain) -> HeldParts:
        """Return these parts and those that a pause or a drain names. A part that is already held keeps its time."""
        run = self.run if control.phones or control.tasks or self.run is not None else control.at
        return HeldParts(
            run,
            {**dict.fromkeys(control.phones, control.at), **self.phones},
            {**dict.fromkeys(control.tasks, control.at), **self.tasks},
        )

    def without(self, go: Go) -> HeldParts:
        """Return these parts without those that may go on."""
        if not go.phones and not go.tasks:
            return HeldParts()
        return HeldParts(
            self.run,
            {serial: at for serial, at in self.phones.items() if serial not in go.phones},
            {task: at for task, at in self.tasks.items() if task not in go.tasks},
        )

    def __bool__(self) -> bool:
        """Return whether anything is held."""
        return self.run is not None or bool(self.phones) or bool(self.tasks)


@dataclass(frozen=True, slots=True)
class ControlState:
    """Hold the state of a run after all commands."""

    paused: HeldParts = field(default_factory=HeldParts)
    drained: HeldParts = field(default_factory=HeldParts)
    added: tuple[TaskSpec, ...] = ()

    @property
    def holds(self) -> tuple[RunHold, ...]:
        """Return each thing that is held: first what is paused, then what is drained."""
        return (*_holds(self.paused, drained=False), *_holds(self.drained, drained=True))


def control_state(told: Iterable[Control]) -> ControlState:
    """Compute the state of a run from the commands it was told, in order."""
    state = ControlState()
    for control in told:
        if isinstance(control, Add):
            state = replace(state, added=(*state.added, *control.tasks))
        elif isinstance(control, Go):
            state = replace(state, paused=state.paused.without(control), drained=state.drained.without(control))
        elif isinstance(control, Drain):
            state = replace(state, drained=state.drained.with_(control))
        else:
            state = replace(state, paused=state.paused.with_(control))
    return state


def _holds(parts: HeldParts, drained: bool) -> Iterator[RunHold]:
    if parts.run is not None:
        yield RunHold(drained=drained, since=parts.run)
    for serial, since in parts.phones.items():
        yield RunHold(drained=drained, phone=serial, since=since)
    for task, since in parts.tasks.items():
        yield RunHold(drained=drained, task=task, since=since)
