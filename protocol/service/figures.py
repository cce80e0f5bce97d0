"""Define the figures of a service over the last hour."""

from __future__ import annotations

from manyhands.protocol.service.access import ServiceAnswer
from manyhands.protocol.service.instants import Instant


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
