"""What looks like a secret in a log is hidden; the rest stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.episode.log_recorder import hide_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Login: user=ann password=hunter2 ok", "Login: user=ann password=[hidden] ok"),
        ('{"api_key": "abc def", "n": 1}', '{"api_key": [hidden], "n": 1}'),
        ("accessToken=xyz&next=1", "accessToken=[hidden]&next=1"),
        ("Set-Cookie: sid=1; path=/", "Set-Cookie: [hidden]; path=/"),
        ("GET https://ann:pw@example.org/a", "GET https://ann:[hidden]@example.org/a"),
        ("got eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl", "got [hidden]"),
        ("type {{ secret: bank_pin }}", "type {{ secret:[hidden]}}"),
        ("START u0 {cmp=com.example.notes/.Main}", "START u0 {cmp=com.example.notes/.Main}"),
    ],
)
def test_values_are_hidden_and_names_stay(text: str, shown: str) -> None:
    assert hide_secrets(text) == shown


def test_the_value_behind_a_bearer_is_hidden() -> None:
    assert "abcdefgh12345" not in hide_secrets("Authorization: Bearer abcdefgh12345")


@given(st.text())
def test_hidden_texts_stay_as_they_are(text: str) -> None:
    once = hide_secrets(text)
    assert once.count("\n") >= 0
    assert "hunter2" not in hide_secrets(f"{text} password=hunter2")


@pytest.mark.parametrize("text", ["a" * 200_000, "a.b:" * 50_000, "eyJ" * 60_000, "password" * 25_000, "x://" * 50_000])
def test_long_lines_are_done_in_linear_time(text: str) -> None:
    assert len(hide_secrets(text)) <= len(text) + 100
