"""Define who may do what in a service, sessions of browsers, and the forms that all of its answers share."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict, Field

from manyhands.protocol.base import Message
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.service.instants import Instant, add_iso_texts

T = TypeVar("T")


class ServiceAnswer(Message):
    """Hold what the service sends. Docstrings of fields become their descriptions in ``openapi.json``."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    def __init_subclass__(cls, **options: Any) -> None:
        """Let each moment be sent in ISO 8601 too."""
        super().__init_subclass__(**options)
        add_iso_texts(cls)


class ServiceRequest(PublicInput):
    """Hold what a client sends. An unknown field is an error, and so is an infinite number or NaN.

    A program that makes a request with a wrong field gets BadFields.
    """

    model_config = ConfigDict(use_attribute_docstrings=True, allow_inf_nan=False)


class AccessRole(StrEnum):
    """List what a token allows. Each role allows all that the roles before it allow."""

    READ = "read"
    """Look at everything but other tokens, webhooks and the audit log."""
    SUBMIT = "submit"
    """Submit batches and schedules; cancel, pause, resume and retry one's own."""
    OPERATE = "operate"
    """Change everybody's work, and phones; look at and change webhooks and tokens; read the audit log."""
    APPROVE = "approve"
    """Do what ``operate`` allows, and allow actions that pay, send or delete."""

    def allows(self, needed: AccessRole) -> bool:
        """Return whether this role includes ``needed``."""
        order = list(AccessRole)
        return order.index(self) >= order.index(needed)


class TokenRequest(ServiceRequest):
    """Ask for another token."""

    owner: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$")
    """Who uses the token. Batches belong to the owner of the token that submitted them."""
    role: AccessRole = AccessRole.SUBMIT
    """What the token allows."""


class TokenStatus(ServiceAnswer):
    """Describe a token, without its secret."""

    id: str
    """The id of the token, for example ``t3``."""
    owner: str
    """Who uses the token."""
    role: AccessRole
    """What the token allows."""
    created_at: Instant
    """When the token was made, in Unix seconds."""
    revoked_at: Instant | None = None
    """When the token was revoked, in Unix seconds; None for a valid token."""


class TokenGrant(TokenStatus):
    """Give a new token to its user. The secret is shown this once."""

    secret: str
    """What a client sends as ``Authorization: Bearer SECRET``."""


class ListPage(ServiceAnswer, Generic[T]):
    """Hold one part of a long list."""

    items: tuple[T, ...]
    """The entries of this part, in order."""
    next_cursor: str | None = None
    """What to send as ``cursor`` for the part that follows; None if this is the last part."""


class AuditEntry(ServiceAnswer):
    """Record one request: who asked for what, when, from where, and with what outcome."""

    id: int
    """The number of the entry. Later entries have higher numbers."""
    at: Instant
    """When the request came, in Unix seconds."""
    owner: str
    """The owner of the token; empty if the request had no valid token."""
    token: str
    """The id of the token, with that of the browser's session if it came by one: ``t3/c2``; empty if the request had no
    valid token."""
    address: str
    """The client's network address."""
    method: str
    """The HTTP method."""
    path: str
    """The path of the request, without its query."""
    status: int
    """The HTTP status of the answer; 0 if the client left before the answer."""
    times: int = 1
    """How many requests the entry stands for. It is 1, except for requests that were refused because too many came:
    those of one second, one client, one path and one status share an entry."""


class Problem(ServiceAnswer):
    """Describe why a request failed (RFC 9457, problem details)."""

    type: str
    """A URI that identifies the kind of problem, for example ``urn:manyhands:problem:not-found``."""
    title: str
    """The kind of problem in a few words."""
    status: int
    """The HTTP status."""
    detail: str
    """What was wrong with this request, where, and what to do."""
    mistakes: tuple[str, ...] = ()
    """The mistakes in the body, one by one."""


class SessionStatus(ServiceAnswer):
    """Describe who asks, and by what: a session of a browser, or a token."""

    owner: str
    """The owner of the token. Batches that the session submits belong to this owner."""
    role: AccessRole
    """What the token allows."""
    token: str
    """The id of the token by which the session began, or of the token of the request."""
    session: str | None = None
    """The id of the session, for example ``c3``; None if the request has a token itself."""
    expires_at: Instant | None = None
    """When the session ends by itself, in Unix seconds; None for a token."""
