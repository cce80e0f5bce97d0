"""Sign messages in the form of Standard Webhooks, so that receivers can check who sent them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime

from standardwebhooks.webhooks import Webhook

from manyhands.protocol.service.events import ServiceEvent
from manyhands.protocol.service.instants import to_iso
from manyhands.protocol.service.webhooks import SECRET_PREFIX, WebhookMessage

ID_HEADER = "webhook-id"
TIMESTAMP_HEADER = "webhook-timestamp"
SIGNATURE_HEADER = "webhook-signature"
_SECRET_BYTES = 32


def make_secret() -> str:
    """Return a new random secret for a webhook."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def message_id(secret: str, event: int) -> str:
    """Return the id of the message that tells a webhook of an event.

    It is the same in every attempt. Its first part depends on the secret, so a receiver that several services tell of
    events gets no id twice. It has no dot, because dots separate what is signed.
    """
    sender = hmac.new(secret.encode(), b"message ids", hashlib.sha256).hexdigest()[:16]
    return f"msg_{sender}_{event}"


def write_body(event: ServiceEvent) -> bytes:
    """Return the body of the message that tells of an event. It is the same in every attempt."""
    return WebhookMessage(type=event.kind, timestamp=to_iso(event.at), data=event).model_dump_json().encode()


def sign_message(secret: str, message: str, body: bytes, now: float) -> Mapping[str, str]:
    """Return the headers of an attempt at ``now``: the id, the time, and the signature over id, time and body."""
    signature = Webhook(secret).sign(message, datetime.fromtimestamp(int(now), UTC), body.decode())
    return {
        "Content-Type": "application/json",
        ID_HEADER: message,
        TIMESTAMP_HEADER: str(int(now)),
        SIGNATURE_HEADER: signature,
    }
