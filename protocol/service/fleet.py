"""Define phones, models and figures, as a service shows them, and the wall of phones."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from manyhands.protocol.service.access import ServiceAnswer, ServiceRequest
from manyhands.protocol.service.instants import Instant
from manyhands.protocol.service.interventions import ConsentStatus

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
    """Whether its episode is paused: it goes on when a person resumes it, or answers its agent's question."""
    question: str = ""
    """What the agent of its episode asks a person; empty if it does not ask."""
    consent: ConsentStatus | None = None
    """What the question is about, if it is whether an action may be sent."""
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


class WallPhone(PhoneStatus):
    """Show a phone with its task and its screen."""

    goal: str = ""
    """The goal of its task; empty if it has none."""
    batch: str = ""
    """The batch of its task; empty if it has none."""
    owner: str = ""
    """Who submitted its task; empty if it has none."""
    thumbnail: str | None = None
    """Its screen as a JPEG of 180 pixels' width, in Base64. None if this stream has sent the picture of this ``screen``
    already, or if the picture is not written yet: then it comes in a later update."""


class WallUpdate(ServiceAnswer):
    """Show the phones that changed since the last update of the same stream."""

    at: Instant
    """When the phones were looked at, in Unix seconds by the service's clock."""
    is_whole: bool
    """Whether these are all phones: the first update of a stream. All that was shown before is replaced."""
    phones: tuple[WallPhone, ...]
    """The phones that changed, each with all of its fields, in the order of their serials."""
    gone: tuple[str, ...] = ()
    """The serials of phones that the fleet does not have any more."""


class RoleFigure(ServiceAnswer):
    """Show the calls of a role to a server."""

    role: str
    """The role, such as ``plan``."""
    server: str
    """The server's URL, without secrets."""
    input_tokens_per_min: float
    """Tokens of prompts in a minute, cached ones included."""
    output_tokens_per_min: float
    """Tokens of answers in a minute."""
    cached_share: float | None
    """The share of the prompts' tokens that the server had in its cache; None without prompts."""
    calls_per_min: float
    """Calls that ended, in a minute."""
    errors_per_min: float
    """Calls that ended in an error, in a minute."""
    latency_ms: float | None
    """How long a call took on average; None without calls."""


class ModelFigure(ServiceAnswer):
    """Show the model client of a role."""

    role: str
    """The role, such as ``plan``."""
    in_flight: int
    """Calls that a server works on."""
    waiting: int
    """Calls in the client's own queue."""
    cap: int
    """How many calls may be in flight now."""


class ServerFigure(ServiceAnswer):
    """Show a model server as its clients see it."""

    server: str
    """The server's URL, without secrets."""
    state: str
    """``up``, ``cooling`` (it refuses requests for now), or ``out`` (it does not answer)."""
    in_flight: int
    """Requests of this fleet that it works on."""
    waiting: int | None
    """Requests of all clients in its own queue; None if it does not tell."""
    running: int | None
    """Requests of all clients that it works on; None if it does not tell."""
    cache_usage: float | None
    """The share of its KV cache in use; None if it does not tell."""


class PerceptionFigure(ServiceAnswer):
    """Show what reads screens."""

    reading: int
    """Pictures that are being read."""
    waiting: int
    """Pictures that wait for a reader."""
    workers: int
    """How many readers there are."""
    pictures_per_min: float
    """Pictures that were read in a minute."""
    ms: float | None
    """How long a picture took on average, its wait included; None without pictures."""


class FigurePoint(ServiceAnswer):
    """Hold the figures of one moment. What is said of a minute is measured since the point before."""

    at: Instant
    """When it was measured, in Unix seconds."""
    steps_per_min: float
    """Steps that ended in a minute."""
    episodes: int
    """Episodes that run."""
    waiting: int
    """Tasks that wait."""
    roles: tuple[RoleFigure, ...] = ()
    """The calls by role and server."""
    models: tuple[ModelFigure, ...] = ()
    """The model clients by role."""
    servers: tuple[ServerFigure, ...] = ()
    """The model servers."""
    perception: PerceptionFigure | None = None
    """What reads screens; None if no screens are read."""


class FigureSeries(ServiceAnswer):
    """Hold the figures of the last hour, or of the time since the service started."""

    since: Instant
    """Since when figures are kept, in Unix seconds. A restart of the service forgets older ones."""
    every_s: float
    """Seconds between two points."""
    points: tuple[FigurePoint, ...]
    """The points, the oldest first. While no fleet was open, there are none."""
