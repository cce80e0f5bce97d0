"""Compute a run's state from all commands it was told: what is held or cancelled, and which tasks were added."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from manyhands.protocol.runs.control import (
    Add,
    AttachPhone,
    Cancel,
    Control,
    DetachPhone,
    Drain,
    Go,
    LabelPhone,
    Pause,
    RecordLabels,
    ReservePhone,
    SetPriority,
)
from manyhands.protocol.runs.progress import RunHold
from manyhands.protocol.tasks.task import TaskSpec


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
class Reservation:
    """Hold for whom a phone is reserved, and until when (Unix seconds)."""

    owner: str
    until: float


class ControlState:
    """Hold the state of a run after all commands so far. ``note`` takes the next command."""

    def __init__(self) -> None:
        self.paused = HeldParts()
        self.drained = HeldParts()
        self.batches: set[str] = set()
        """The ids of the service's batches among the added tasks."""
        self.cancelled: dict[str, str] = {}
        """The tasks that were given up for good, each with the reason."""
        self.priorities: dict[str, int] = {}
        """The priorities that tasks got after they were added, by their ids."""
        self.priority_changes = 0
        """How many commands have set priorities."""
        self.labels: dict[str, Mapping[str, str]] = {}
        """The labels that people gave phones, by serial."""
        self.read_labels: dict[str, Mapping[str, str]] = {}
        """The labels that were read off phones, by serial."""
        self.reservations: dict[str, Reservation] = {}
        """The reservations of phones, by serial. Some may be over."""
        self.attached: list[str] = []
        """The phones that were added to the run."""
        self.detached: set[str] = set()
        """The phones that were taken out of the run."""
        self.aside: dict[str, str] = {}
        """Why phones are paused, by serial, as far as a reason was given."""
        self._owner_of: dict[str, str] = {}
        """Who asked for each task that was added, in their order."""

    @property
    def added(self) -> Collection[str]:
        """Return the ids of the tasks that were added to the run, in order."""
        return self._owner_of.keys()

    @property
    def holds(self) -> tuple[RunHold, ...]:
        """Return each thing that is held: first what is paused, then what is drained."""
        return (*_holds(self.paused, drained=False), *_holds(self.drained, drained=True))

    def phones_of(self, serials: Iterable[str]) -> tuple[str, ...]:
        """Return the phones of the run. ``serials``: those with which it began."""
        phones = dict.fromkeys((*serials, *self.attached))
        return tuple(serial for serial in phones if serial not in self.detached)

    def owner_of(self, task: str) -> str:
        """Return who asked for a task; empty if nobody is named."""
        return self._owner_of.get(task, "")

    def priority_of(self, task: TaskSpec) -> int:
        """Return the priority of a task: the last one that it was given."""
        return self.priorities.get(task.id, task.priority)

    def labels_of(self, serial: str) -> Mapping[str, str]:
        """Return the labels by which selectors choose a phone: those that were read, people's, and its serial.

        Of two labels with one name, people's counts.
        """
        return {**self.read_labels.get(serial, {}), **self.labels.get(serial, {}), "serial": serial}

    def note(self, control: Control) -> Sequence[TaskSpec]:
        """Take a command into account. Return the tasks that it adds: of them, this keeps the ids alone."""
        match control:
            case Add():
                return self._add(control)
            case Cancel():
                self.cancelled |= {task: control.reason for task in control.tasks if task not in self.cancelled}
            case SetPriority():
                self.priorities |= dict.fromkeys(control.tasks, control.priority)
                self.priority_changes += 1
            case AttachPhone():
                self.detached.discard(control.phone)
                self.attached += [control.phone] if control.phone not in self.attached else []
            case DetachPhone():
                self.detached.add(control.phone)
            case LabelPhone():
                self.labels[control.phone] = control.labels
            case RecordLabels():
                self.read_labels |= control.labels
            case ReservePhone():
                self.reservations.pop(control.phone, None)
                if control.owner:
                    self.reservations[control.phone] = Reservation(control.owner, control.until)
            case Go():
                self.paused, self.drained = self.paused.without(control), self.drained.without(control)
                self.aside = {phone: reason for phone, reason in self.aside.items() if phone in self.paused.phones}
            case Drain():
                self.drained = self.drained.with_(control)
            case Pause():
                self.paused = self.paused.with_(control)
                self.aside |= dict.fromkeys(control.phones, control.reason) if control.reason else {}
        return ()

    def _add(self, control: Add) -> Sequence[TaskSpec]:
        if control.batch and control.batch in self.batches:
            return ()
        self.batches |= {control.batch} - {""}
        self._owner_of |= {task.id: control.owner for task in control.tasks}
        return control.tasks


def control_state(controls: Iterable[Control]) -> ControlState:
    """Compute the state of a run from the commands it was told, in order."""
    state = ControlState()
    for control in controls:
        state.note(control)
    return state


def _holds(parts: HeldParts, drained: bool) -> Iterator[RunHold]:
    if parts.run is not None:
        yield RunHold(drained=drained, since=parts.run)
    for serial, since in parts.phones.items():
        yield RunHold(drained=drained, phone=serial, since=since)
    for task, since in parts.tasks.items():
        yield RunHold(drained=drained, task=task, since=since)
