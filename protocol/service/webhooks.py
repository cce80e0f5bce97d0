"""Define webhooks: addresses that the service tells of events, in the form of Standard Webhooks."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from manyhands.protocol.service.access import ServiceAnswer, ServiceRequest
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.instants import Instant

DEFAULT_KINDS = (
    EventKind.BATCH_ENDED,
    EventKind.TASK_FAILED,
    EventKind.EPISODE_PERSON_WANTED,
    EventKind.PHONE_ASIDE,
    EventKind.MODEL_AWAY,
)
"""The kinds of events that a webhook is told of unless it asks for others."""
SECRET_PREFIX = "whsec_"
"""How the secret of a webhook begins."""


def _check_url(url: str) -> str:
    if any(letter <= " " or letter == "\x7f" for letter in url):
        raise ValueError(f"{url!r} holds a space or a control character: write it percent-encoded")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no address of a receiver: write http://HOST/PATH or https://HOST/PATH")
    if parts.username or parts.password:
        raise ValueError("the address holds a user or a password: receivers check the signature instead")
    if parts.fragment:
        raise ValueError(f"{url!r} has a fragment ({'#' + parts.fragment}), which no receiver sees: leave it out")
    _ = parts.port  # raises ValueError, which names the port
    return url


def _check_kinds(kinds: tuple[EventKind, ...]) -> tuple[EventKind, ...]:
    if EventKind.TASK_STEP in kinds:
        raise ValueError("webhooks are not told of steps (task.step), which are too many: read them from /events")
    return tuple(dict.fromkeys(kinds))


class WebhookRequest(ServiceRequest):
    """Ask the service to tell an address of events, or replace what an existing webhook asks for."""

    url: Annotated[str, Field(max_length=2000), AfterValidator(_check_url)]
    """Where the service sends events by POST: an http or https address. Redirects are not followed."""
    kinds: Annotated[tuple[EventKind, ...], Field(min_length=1, max_length=50), AfterValidator(_check_kinds)] = (
        DEFAULT_KINDS
    )
    """The kinds of events to send. ``task.step`` is not among them."""
    tags: tuple[str, ...] = Field(default=(), max_length=50)
    """Events of batches and tasks are sent only if the batch has one of these tags; empty for all batches.

    Events of phones, models and schedules are sent whatever the tags are.
    """
    name: str = Field(default="", max_length=200)
    """A name for people."""
    paused: bool = False
    """Whether nothing is sent for now. What happens meanwhile is sent after the pause."""


class WebhookStatus(ServiceAnswer):
    """Show a webhook, without its secret."""

    id: str
    """The id of the webhook, for example ``w2``."""
    owner: str
    """Who made it."""
    url: str
    """Where events are sent."""
    kinds: tuple[EventKind, ...]
    """The kinds of events that are sent."""
    tags: tuple[str, ...] = ()
    """The tags of the batches whose events are sent; empty for all batches."""
    name: str = ""
    """Its name for people."""
    paused: bool = False
    """Whether nothing is sent for now."""
    created_at: Instant
    """When it was made, in Unix seconds. Earlier events are not sent."""
    cursor: int
    """The number of the last event that was looked at for this webhook."""
    waiting: int = 0
    """How many deliveries wait for their first or next attempt."""
    dead: int = 0
    """How many dead letters it has."""
    last_delivered_at: Instant | None = None
    """When the receiver last accepted an event, in Unix seconds; None before the first."""
    failing_since: Instant | None = None
    """Since when all attempts have failed, in Unix seconds; None if the last attempt succeeded."""
    problem: str | None = None
    """Why the last attempt failed, in one sentence; None if it succeeded."""


class WebhookGrant(WebhookStatus):
    """Give a new webhook to its owner. The secret is shown this once."""

    secret: str
    """The secret with which the receiver checks signatures. It begins with ``whsec_``."""


class WebhookMessage(ServiceAnswer):
    """Hold the body that a receiver gets."""

    type: EventKind
    """What happened."""
    timestamp: str
    """When it happened, as an ISO 8601 time in UTC."""
    data: ServiceEvent
    """The event."""


class DeliveryPhase(StrEnum):
    """List the phases of a delivery."""

    WAITING = "waiting"
    """It waits for its first or next attempt."""
    DELIVERED = "delivered"
    """The receiver accepted it."""
    DEAD = "dead"
    """It failed for a day. It is kept as a dead letter, which can be sent again."""


class DeliveryStatus(ServiceAnswer):
    """Show the delivery of one event to one webhook."""

    id: str
    """The id of the message, which the receiver sees as ``webhook-id``. It is the same in every attempt."""
    webhook: str
    """The id of the webhook."""
    event: int
    """The number of the event."""
    kind: EventKind
    """What happened."""
    phase: DeliveryPhase
    """Its phase."""
    created_at: Instant
    """When the service noted that the event is to be sent, in Unix seconds."""
    attempts: int = 0
    """How many attempts were made."""
    first_attempt_at: Instant | None = None
    """When the first attempt was made, in Unix seconds; None before. None again once a dead letter is resent."""
    next_attempt_at: Instant | None = None
    """When the next attempt is due, in Unix seconds; None if there will be none."""
    ended_at: Instant | None = None
    """When it was delivered or given up, in Unix seconds; None before."""
    http_status: int | None = None
    """The HTTP status of the last answer; None if there was none."""
    problem: str | None = None
    """Why the last attempt failed, in one sentence; None if none failed."""


class ResendRequest(ServiceRequest):
    """Ask for dead letters of a webhook to be sent again."""

    deliveries: tuple[str, ...] = Field(default=(), max_length=1000)
    """The ids of the dead letters; empty for all dead letters of the webhook."""


class ResendAnswer(ServiceAnswer):
    """Say how many dead letters will be sent again."""

    deliveries: int
    """How many dead letters wait for an attempt again."""
