"""The failures of one HTTP request to a model server, and whether another attempt may help."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping

RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})
"""Answers after which the same request may succeed. A model call changes nothing, so sending it again is safe."""
TOO_BUSY = frozenset({429, 503})
"""The server has too much to do (vLLM answers 503 when --max-num-queued-reqs requests run or wait)."""
_LONGEST_MESSAGE = 300
_PRIORITY = re.compile(r"\bpriority\b", re.IGNORECASE)


class RequestFailed(Exception):
    """Signal a request without an answer of 2xx; its text is one bounded line that a journal can hold."""

    retried = False
    """Whether another attempt, here or at another server, may succeed."""

    def __init__(self, line: str) -> None:
        bounded = " ".join(line.split())[:_LONGEST_MESSAGE]
        super().__init__(bounded.encode("utf-8", "replace").decode("utf-8"))


class NoAnswer(RequestFailed):
    """Signal that the connection failed, or ended before the whole answer had arrived."""

    retried = True

    def __init__(self, line: str, sent: bool = True) -> None:
        super().__init__(line)
        self.sent = sent
        """Whether the server may have seen the request; False where nobody listens at the address."""


class TimedOut(NoAnswer):
    """Signal that the server did not answer in time."""


class ErrorStatus(RequestFailed):
    """Signal that the server answered with a status other than 2xx."""

    def __init__(self, line: str, status: int, headers: Mapping[str, str]) -> None:
        super().__init__(line)
        self.status = status
        self.retried = status in RETRIED_STATUS
        self.retry_after_s = _seconds(headers.get("retry-after", ""))
        """The Retry-After header; None where there is none (dates are not read)."""
        self.priority_refused = status in (400, 422) and _PRIORITY.search(line) is not None
        """Whether the server takes no priority: its scheduling policy is another, or it knows no such field."""


def error_message(body: str) -> str:
    """Return the message inside an error's JSON body, or the body itself."""
    parsed: object = body
    with contextlib.suppress(ValueError):
        parsed = json.loads(body)
    if isinstance(parsed, dict):
        error = parsed.get("error", parsed)
        parsed = error.get("message") if isinstance(error, dict) and error.get("message") else parsed
    return str(parsed)


def _seconds(header: str) -> float | None:
    try:
        return max(0.0, float(header))
    except ValueError:
        return None
