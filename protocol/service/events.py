"""Define the live events of a service. They are stored, and sent to clients in their order."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, JsonValue

from manyhands.protocol.service.access import ServiceAnswer
from manyhands.protocol.service.instants import Instant


class EventKind(StrEnum):
    """List the kinds of events."""

    BATCH_ACCEPTED = "batch.accepted"
    BATCH_PAUSED = "batch.paused"
    BATCH_RESUMED = "batch.resumed"
    BATCH_PRIORITY = "batch.priority"
    BATCH_CANCELLED = "batch.cancelled"
    BATCH_ENDED = "batch.ended"
    TASK_PAUSED = "task.paused"
    TASK_RESUMED = "task.resumed"
    TASK_PRIORITY = "task.priority"
    TASK_RETRIED = "task.retried"
    """A client asked for an ended task again. ``task`` is the new task."""
    TASK_BEGAN = "task.began"
    TASK_STEP = "task.step"
    """The task came to another step; or it was interrupted and waits again, then ``step`` is null. These events are
    forgotten after an hour; all others are kept."""
    TASK_ENDED = "task.ended"
    TASK_FAILED = "task.failed"
    """Follows ``task.ended`` if the task is not done and was not cancelled."""
    EPISODE_PAUSED = "episode.paused"
    """A person paused an episode. ``data`` has the ``episode`` and who it was (``by``), as in those that follow."""
    EPISODE_PERSON_WANTED = "episode.person_wanted"
    """The agent of an episode asks for a person, and waits. ``data`` has its ``question``."""
    EPISODE_RESUMED = "episode.resumed"
    EPISODE_TAKEN_OVER = "episode.taken_over"
    EPISODE_HANDED_BACK = "episode.handed_back"
    """A takeover is over: it was handed back, or ended by itself."""
    PHONE_AWAY = "phone.away"
    PHONE_BACK = "phone.back"
    PHONE_ASIDE = "phone.aside"
    PHONE_RELEASED = "phone.released"
    MODEL_AWAY = "model.away"
    MODEL_BACK = "model.back"
    SCHEDULE_FIRED = "schedule.fired"
    SCHEDULE_MISSED = "schedule.missed"


class ServiceEvent(ServiceAnswer):
    """Tell what happened."""

    id: int
    """The number of the event. Later events have higher numbers; numbers may be left out."""
    at: Instant
    """When it happened, in Unix seconds."""
    kind: EventKind
    """What happened."""
    batch: str | None = None
    """The batch that the event is about, if any."""
    task: str | None = None
    """The task that the event is about, if any."""
    phone: str | None = None
    """The phone that the event is about, if any."""
    data: dict[str, JsonValue] = Field(default_factory=dict)
    """What else is known, by name: for ``task.ended``, the fields of a TaskStatus that changed."""
