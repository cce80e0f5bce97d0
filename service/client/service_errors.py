"""Define the errors of a client: each holds what the service said, or says how to reach it."""

from __future__ import annotations

from typing import Any

from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.service.access import Problem


class ServiceError(ManyhandsError):
    """Signal that the service could not do what a client asked for."""

    code = "service"

    def __init__(self, message: str, problem: Problem | None = None) -> None:
        """Store the message, and what the service said. ``problem`` is None if it said nothing that can be read."""
        super().__init__(message)
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.problem))

    @property
    def status(self) -> int | None:
        """Return the HTTP status; None if there was no answer."""
        return None if self.problem is None else self.problem.status


class ServiceRefused(ServiceError, BadInput):
    """Signal that the request was wrong: an unknown id, a mistake in a task, a token that does not allow it."""

    code = "service_refused"


class ServiceAway(ServiceError):
    """Signal that no service answers at the address, or that it was busy at each of several tries."""

    code = "service_away"


def error_of_problem(problem: Problem, server: str) -> ServiceError:
    """Return the error for an answer of the service at ``server``, with all mistakes that the answer names."""
    detail = problem.detail or problem.title
    if problem.mistakes:
        mistakes = "; ".join(problem.mistakes)
        detail = mistakes if detail in ("see the mistakes", "the body has mistakes") else f"{detail}: {mistakes}"
    if problem.status == 401:
        detail = f"{detail}. Log in: manyhands login {server}, or set MANYHANDS_TOKEN"
    elif problem.status == 403:
        detail = f"{detail}. Use a token with another role: manyhands login {server}"
    if 400 <= problem.status < 500 and problem.status != 429:
        return ServiceRefused(detail, problem)
    if problem.status in (429, 503):
        return ServiceAway(f"{server} is busy: {detail}", problem)
    return ServiceError(f"{server} failed: {detail}", problem)


def no_answer(server: str, reason: str) -> ServiceAway:
    """Return the error for a service that cannot be reached. The message says how to start one."""
    return ServiceAway(
        f"{server}: {reason}. Start a service there (manyhands serve), or name another (--server URL, MANYHANDS_SERVER)"
    )
