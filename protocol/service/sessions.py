"""Define sessions, by which a browser uses a service without showing a token in each request."""

from __future__ import annotations

from manyhands.protocol.service.access import AccessRole, ServiceAnswer
from manyhands.protocol.service.instants import Instant


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
