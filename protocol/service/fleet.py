"""Define phones and models, as a service shows them and as clients change them."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from manyhands.protocol.service.access import ServiceAnswer, ServiceRequest
from manyhands.protocol.service.instants import Instant

LABEL_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.:/ -]{0,79}$"
"""The form of a label's name."""


class PhonePhase(StrEnum):
    """List the phases of a phone."""

    FREE = "free"
    """It waits for a task."""
    BUSY = "busy"
    """It carries out a task."""
    ASIDE = "aside"
    """An operator set it aside. It gets no task."""
    RESERVED = "reserved"
    """It carries out the tasks of one owner only, until a time."""
    AWAY = "away"
    """It cannot be used now; the fleet tries it again and again."""


class PhoneStatus(ServiceAnswer):
    """Show a phone."""

    serial: str
    """Its serial at adb."""
    phase: PhonePhase
    """Its phase."""
    reason: str = ""
    """Why it is away, aside or reserved; else empty."""
    phase_since: Instant | None = None
    """Since when it is away or aside, in Unix seconds; None if unknown, and in other phases."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Its labels, by which selectors choose phones."""
    own_labels: dict[str, str] = Field(default_factory=dict)
    """Those of its labels that people gave it. The others are read off the phone."""
    task: str | None = None
    """The task that it carries out; None if it has none."""
    step: int | None = None
    """The step of that task, counted from 0."""
    doing: str | None = None
    """What it does now, in one short line."""
    episode: str | None = None
    """The id of its episode, or of the last one while it has no task; None if no episode is known."""
    subgoal: str = ""
    """What is to be reached next, in the plan's words; empty without a plan."""
    stages: tuple[str, ...] = ()
    """The stages of its step that run now, the one that has run longest first."""
    stage_since: Instant | None = None
    """When the first of ``stages``, or during a wait the wait, began, in Unix seconds; None if unknown."""
    step_since: Instant | None = None
    """When its step began, in Unix seconds."""
    screen: str | None = None
    """The content id of the latest screenshot of this episode; None if there is none yet."""
    battery: float | None = None
    """Its battery's charge in percent; None if unknown."""
    celsius: float | None = None
    """Its battery's temperature; None if unknown."""
    failures: int = 0
    """How often it was lost in a row, since a task last ended on it."""
    taken_over_by: str | None = None
    """Who has taken its episode over, or is about to; None if the agent carries it out."""
    held_by: str | None = None
    """Who holds its episode: has paused it, has taken it over, or stops it; None if nobody does."""
    held_since: Instant | None = None
    """Since when its episode is held so, in Unix seconds; None if nobody holds it."""
    is_paused: bool = False
    """Whether its episode is paused: it goes on when a person resumes it, and not before."""
    reserved_for: str | None = None
    """The owner whose tasks alone it carries out; None if it is not reserved."""
    reserved_until: Instant | None = None
    """When the reservation ends, in Unix seconds."""


class AsideRequest(ServiceRequest):
    """Set a phone aside."""

    reason: str = Field(min_length=1, max_length=500)
    """Why, for people."""


class ReservationRequest(ServiceRequest):
    """Reserve a phone for the tasks of one owner."""

    owner: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$")
    """Whose tasks it carries out."""
    until: Instant = Field(gt=0)
    """When the reservation ends, in Unix seconds."""


class LabelsRequest(ServiceRequest):
    """Replace the labels that people gave a phone."""

    labels: dict[str, str] = Field(max_length=100)
    """The labels, by name."""


class ModelStatus(ServiceAnswer):
    """Show the model of a role."""

    role: str
    """The role that asks it."""
    model: str
    """The model's name at its server."""
    servers: tuple[str, ...]
    """The servers' URLs, without secrets."""
    calls: int = 0
    """How many calls have ended."""
    failures: int = 0
    """How many calls have failed."""


class ServiceStatus(ServiceAnswer):
    """Show the service as a whole."""

    version: str
    """The version of Manyhands."""
    started_at: Instant
    """When this process of the service started, in Unix seconds."""
    run: str | None = None
    """The run folder of the present fleet; None while the fleet opens."""
    is_ready: bool = False
    """Whether the fleet is open and tasks are dispatched."""
    waiting_for: tuple[str, ...] = ()
    """What tasks wait for, such as the model or a phone, one line each."""
    phones: int = 0
    """How many phones the fleet has."""
    waiting: int = 0
    """How many tasks wait."""
    running: int = 0
    """How many tasks run."""
    ended: int = 0
    """How many tasks have ended."""
