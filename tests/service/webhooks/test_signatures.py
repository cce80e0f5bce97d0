"""Receivers can check messages with the library of Standard Webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.webhooks import WebhookMessage
from manyhands.service.webhook_post import make_secret, message_id, sign_message, write_body

EVENT = ServiceEvent(
    id=17, at=1_800_000_000.25, kind=EventKind.BATCH_ENDED, batch="b3", data={"name": "nightly «ä»", "done": 4}
)


def test_a_secret_holds_random_bytes_within_the_standards_bounds() -> None:
    secret = make_secret()
    assert secret.startswith("whsec_")
    assert 24 <= len(base64.b64decode(secret.removeprefix("whsec_"))) <= 64
    assert make_secret() != secret


def test_the_librarys_check_accepts_a_message_and_reads_it() -> None:
    secret, body = make_secret(), write_body(EVENT)
    headers = sign_message(secret, message_id(secret, EVENT.id), body, time.time())
    read = Webhook(secret).verify(body, dict(headers))
    assert read["type"] == "batch.ended"
    assert read["timestamp"] == "2027-01-15T08:00:00.250Z"
    assert WebhookMessage.model_validate(read).data == EVENT


def test_the_signature_is_the_standards() -> None:
    secret, body = make_secret(), write_body(EVENT)
    headers = sign_message(secret, "msg_1", body, 1_800_000_000.9)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = hmac.digest(key, b"msg_1.1800000000." + body, hashlib.sha256)
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(signature).decode()}"
    assert headers["webhook-timestamp"] == "1800000000"


@pytest.mark.parametrize("changed", ["body", "id", "timestamp", "secret"])
def test_whatever_is_changed_is_noticed(changed: str) -> None:
    secret, body = make_secret(), write_body(EVENT)
    headers = dict(sign_message(secret, "msg_1", body, time.time()))
    if changed == "body":
        body = body.replace(b"nightly", b"weekly")
    elif changed == "secret":
        secret = make_secret()
    else:
        headers[f"webhook-{changed}"] = {"id": "msg_2", "timestamp": str(int(time.time()) - 7)}[changed]
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body, headers)


@given(st.integers(0, 2**40), st.integers(0, 2**40))
def test_ids_of_messages_differ_by_event_and_by_webhook(one: int, other: int) -> None:
    first, second = make_secret(), make_secret()
    assert message_id(first, one) == message_id(first, one)
    assert message_id(first, one) != message_id(second, one)
    assert (message_id(first, one) == message_id(first, other)) is (one == other)
    assert "." not in message_id(first, one)


def test_the_body_is_json_of_the_event() -> None:
    assert json.loads(write_body(EVENT))["data"]["data"] == {"name": "nightly «ä»", "done": 4}
    assert write_body(EVENT) == write_body(EVENT)
