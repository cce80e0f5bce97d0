"""What a schedule and a webhook may ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from manyhands.protocol.service import schedules, webhooks
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.schedules import ScheduleRequest, parse_interval
from manyhands.protocol.service.webhooks import DEFAULT_KINDS, WebhookRequest

BATCH = {"tasks": [{"id": "buy", "goal": "Buy milk."}]}


@given(st.integers(1, 366), st.sampled_from([("m", 60), ("h", 3600), ("d", 86400)]), st.sampled_from(["", " "]))
def test_an_interval_counts_minutes_hours_or_days(number: int, unit: tuple[str, int], space: str) -> None:
    assert parse_interval(f"every {number}{space}{unit[0]}") == number * unit[1]


@pytest.mark.parametrize("when", ["0 2 * * *", "*/15 8-17 * * MON-FRI", "every 15m", " every 1d "])
def test_a_schedule_takes_intervals_and_lines_of_five_fields(when: str) -> None:
    assert ScheduleRequest.model_validate({"name": "nightly", "when": when, "batch": BATCH}).when == when.strip()


@pytest.mark.parametrize("when", ["", "every", "every 0m", "every 15", "every 30s", "0 2 * *", "@daily", "every 400d"])
def test_a_schedule_refuses_what_names_no_times(when: str) -> None:
    with pytest.raises(ValueError, match="when"):
        ScheduleRequest.model_validate({"name": "nightly", "when": when, "batch": BATCH})


def test_a_schedules_batch_has_no_fixed_deadline() -> None:
    with pytest.raises(ValueError, match="deadline_s"):
        ScheduleRequest.model_validate(
            {"name": "nightly", "when": "every 1h", "batch": BATCH | {"deadline": 1_700_000_000}}
        )


@pytest.mark.parametrize("url", ["http://localhost:9000/hook", "https://example.org/a?b=c", "http://[::1]:80/"])
def test_a_webhook_takes_http_addresses(url: str) -> None:
    assert WebhookRequest(url=url).kinds == DEFAULT_KINDS


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://example.org/",
        "file:///etc/passwd",
        "example.org/hook",
        "http://",
        "http://user:word@example.org/",
        "https://example.org/#part",
        "https://example.org:99999/",
        "https://example.org/a b",
        "https://example.org/\r\nx",
    ],
)
def test_a_webhook_refuses_other_addresses(url: str) -> None:
    with pytest.raises(ValueError, match="url"):
        WebhookRequest(url=url)


def test_a_webhook_is_not_told_of_steps() -> None:
    with pytest.raises(ValueError, match=r"task\.step"):
        WebhookRequest(url="https://example.org/", kinds=(EventKind.TASK_ENDED, EventKind.TASK_STEP))


@pytest.mark.parametrize("module", [schedules, webhooks])
def test_every_field_is_described(module: object) -> None:
    """Descriptions are what ``openapi.json`` shows."""
    models = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, BaseModel)]
    fields = [(model.__name__, name, field) for model in models for name, field in model.model_fields.items()]
    assert [(model, name) for model, name, field in fields if not field.description] == []
