"""Hold a client's methods for tokens and the audit log: who may use a service, and who did."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from urllib.parse import quote

from manyhands.deploy.client.http_connection import HttpConnection
from manyhands.protocol.service.access import AccessRole, AuditEntry, TokenGrant, TokenRequest, TokenStatus


class AccessCalls:
    """Make and revoke tokens, and read the audit log."""

    _connection: HttpConnection

    async def own_token(self) -> TokenStatus:
        """Return whose token this client has, and what it allows."""
        return await self._connection.fetch(TokenStatus, "GET", "/tokens/self")

    async def tokens(self) -> tuple[TokenStatus, ...]:
        """Return all tokens, without their secrets. This needs the role operate, as all below do."""
        return await self._connection.fetch(tuple[TokenStatus, ...], "GET", "/tokens")

    async def make_token(self, owner: str, role: AccessRole = AccessRole.SUBMIT) -> TokenGrant:
        """Make a token for somebody. Its secret is in this answer alone."""
        request = TokenRequest(owner=owner, role=role)
        return await self._connection.fetch(TokenGrant, "POST", "/tokens", body=request)

    async def revoke_token(self, token: str) -> TokenStatus:
        """Revoke a token by its id, such as ``t3``, for ever."""
        return await self._connection.fetch(TokenStatus, "DELETE", f"/tokens/{quote(token, safe='')}")

    def audit(self, *, owner: str | None = None) -> AsyncGenerator[AuditEntry]:
        """Yield the entries of the audit log, the newest first: who asked for what, when, and from where."""
        return self._connection.entries(AuditEntry, "/audit", {"owner": owner})
