"""Define the failures of one HTTP request to a model server, and whether another attempt may help."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any

from manyhands.protocol.utilities.backoff import read_retry_after
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

_RETRIED_STATUS = frozenset({408, 429})
"""Statuses after which the same request may succeed on another try. All statuses from 500 on count as well.

A model call changes nothing, so sending it again is safe.
"""
TOO_BUSY = frozenset({429, 503})
"""Statuses of a server that is too busy, or paused while it gets other weights.

vLLM answers 503 when --max-num-queued-reqs requests run or wait.
"""
SERVER_GONE = frozenset({502, 504})
"""Statuses of a proxy whose server does not answer."""
LOADING = SERVER_GONE | {503}
"""Statuses of a server that may be loading its model, or of the proxy before it."""
_LONGEST_MESSAGE = 300
_STATUS = re.compile("[45][0-9]{2}")
_TOO_MANY = re.compile(r"\b429\b|rate[ _-]?limit|too many requests", re.IGNORECASE)
_PRIORITY = re.compile(r"\bpriority\b", re.IGNORECASE)


class RequestFailed(Exception):
    """Signal that a request got no answer of 2xx. The text is one line of bounded length for the journal."""

    retried = False
    """Whether another attempt, at this or another server, may succeed."""

    def __init__(self, line: str) -> None:
        # Only the beginning of a long body counts.
        bounded = " ".join(line[: 4 * _LONGEST_MESSAGE].split())[:_LONGEST_MESSAGE]
        super().__init__(bounded.encode("utf-8", "replace").decode("utf-8"))


class NoAnswer(RequestFailed):
    """Signal that the connection failed, or ended before the whole answer had arrived."""

    retried = True

    def __init__(self, line: str, is_sent: bool = True) -> None:
        super().__init__(line)
        self.is_sent = is_sent
        """Whether the server may have seen the request. It is False if nothing listens at the address."""


class TimedOut(NoAnswer):
    """Signal that the server did not answer in time."""


class InvalidAnswer(RequestFailed):
    """Signal an answer of 2xx that cannot be used: too long, damaged, or of another kind."""

    retried = True


class BrokenOff(RequestFailed):
    """Signal that the server broke its reply off, because it pauses to get other weights."""

    retried = True


class TokensMissing(InvalidAnswer):
    """Signal an answer without the tokens that the request asked for."""


class ErrorStatus(RequestFailed):
    """Signal that the server answered with a status other than 2xx."""

    def __init__(self, line: str, status: int, headers: Mapping[str, str]) -> None:
        super().__init__(line)
        self.status = status
        self.retried = status >= 500 or status in _RETRIED_STATUS
        self.retry_after_s = read_retry_after(headers.get("retry-after"), HOST_CLOCK.now())
        """The seconds of the Retry-After header; None without one."""
        self.priority_refused = status in (400, 422) and _PRIORITY.search(line) is not None
        """Whether the server refuses priorities: its scheduling policy has no priorities, or it does not know the
        field."""


def read_json(text: str) -> Any:
    """Return the value of a JSON text. Raises ValueError if the text is no JSON or too deeply nested."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def error_message(body: str) -> str:
    """Return the message inside an error's JSON body, or the body itself."""
    value: object = None
    with contextlib.suppress(ValueError):
        value = read_json(body)
    for name in ("error", "message"):
        value = value.get(name, value) if isinstance(value, dict) else value
    return value if isinstance(value, str) and value else body


def error_in_answer(line: str, value: Mapping[str, Any]) -> RequestFailed:
    """Return the error that a body of status 200 holds, behind ``line``: ErrorStatus if the error tells a status.

    Proxies answer so if a server behind them fails after they have sent the status.
    """
    error = value.get("error")
    fields = error if isinstance(error, dict) else {}
    message = f"{line}: {error_message(json.dumps(value, ensure_ascii=False))}"
    codes = [str(fields.get(name)) for name in ("code", "status", "status_code")]
    status = next((int(code) for code in codes if _STATUS.fullmatch(code)), None)
    if _TOO_MANY.search(" ".join((*codes, str(fields.get("type")), message[len(line) :]))):
        status = 429
    return InvalidAnswer(message) if status is None else ErrorStatus(message, status, {})
