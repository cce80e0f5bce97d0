"""Send requests to a service: repeat what may be repeated, and raise the error that an answer stands for."""

from __future__ import annotations

import asyncio
import math
import ssl
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.service.access import ListPage, Problem
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.service.client.service_address import ServiceAddress


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


T = TypeVar("T")

ROOT = "/api/v1"
WAITS = Backoff(first_s=0.1, longest_s=5.0, jitter=0.5)
"""The waits between tries."""
PART = 200
"""How many entries of a list are asked for at once."""
PASSING = frozenset((502, 503, 504))
"""Statuses that may be gone at the next try."""
TOO_MANY = 429
"""The status of a request that was refused before the service looked at it. So it may be repeated, whatever it is."""
Query = Mapping[str, str | float | Sequence[str] | None]
"""Values by name. None and empty lists are left out; a list is sent as the same name several times."""


class RetryWaits:
    """Wait between tries, longer after each failure in a row, until time is up."""

    def __init__(self, patience_s: float) -> None:
        """Start the time. Tries end ``patience_s`` after the first failure."""
        self.patience_s = patience_s
        self._ends: float | None = None
        self._waits = WAITS.pauses()

    def reset(self) -> None:
        """Note a success: the next failure is a first one."""
        self._ends, self._waits = None, WAITS.pauses()

    async def wait(self, failure: ManyhandsError, at_least_s: float = 0.0) -> None:
        """Wait before the next try. Raises ``failure`` if the time is up before that."""
        now = time.monotonic()
        if self._ends is None:
            self._ends = now + self.patience_s
        wait_s = max(at_least_s, next(self._waits))
        if now + wait_s > self._ends:
            raise failure
        await asyncio.sleep(wait_s)


class HttpConnection:
    """Send requests to one service. One object serves many requests at a time, in one event loop.

    Requests that only read are repeated after a failure, and so are requests with an idempotency key. Other requests
    are sent once, because the service may have done what they ask for although the answer was lost.
    """

    def __init__(self, address: ServiceAddress, timeout_s: float, patience_s: float) -> None:
        """Prepare. ``timeout_s``: the longest wait for a part of an answer; ``patience_s``: how long to try again."""
        self.address = address
        self._timeout_s = timeout_s
        self.patience_s = patience_s
        self._http = httpx.AsyncClient(
            base_url=address.url + ROOT,
            headers={"User-Agent": "manyhands", **_authorisation(address)},
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, 10.0)),
            verify=True if address.ca is None else _trust(address),
            trust_env=not address.is_loopback,  # no proxy stands between this machine and itself
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def send(
        self, method: str, path: str, query: Query | None = None, body: BaseModel | None = None, key: str | None = None
    ) -> httpx.Response:
        """Return the answer to a request. ``key``: its idempotency key. Raises ServiceError."""
        headers = {} if key is None else {"Idempotency-Key": key}
        content = None
        if body is not None:
            # What has its default is left out: the service has the same defaults.
            content = body.model_dump_json(exclude_defaults=True, by_alias=True).encode()
            headers["Content-Type"] = "application/json"
        may_repeat = method == "GET" or key is not None
        waits = RetryWaits(self.patience_s)
        while True:
            at_least_s = 0.0
            try:
                response = await self._http.request(
                    method, path, params=_parameters(query), content=content, headers=headers
                )
            except httpx.HTTPError as error:
                failure: ServiceError = self._to_service_error(error)
                if not may_repeat or isinstance(error, httpx.UnsupportedProtocol):
                    raise failure from error
            else:
                if response.is_success:
                    return response
                failure = self._refusal(response)
                if response.status_code != TOO_MANY and not (may_repeat and response.status_code in PASSING):
                    raise failure
                at_least_s = _retry_after(response)
            await waits.wait(failure, at_least_s)

    async def fetch(
        self,
        kind: type[T],
        method: str,
        path: str,
        query: Query | None = None,
        body: BaseModel | None = None,
        key: str | None = None,
    ) -> T:
        """Return the answer to a request as a ``kind``. Raises ServiceError, also for an answer of another kind."""
        return self._read(kind, await self.send(method, path, query, body, key))

    async def entries(self, kind: type[T], path: str, query: Query | None = None) -> AsyncGenerator[T]:
        """Yield the entries of a list, part after part. Raises ServiceError."""
        cursor: str | None = None
        while True:
            page: ListPage[T] = await self.fetch(
                _page_of(kind), "GET", path, {**(query or {}), "limit": PART, "cursor": cursor}
            )
            for entry in page.items:
                yield entry
            cursor = page.next_cursor
            if cursor is None:
                return

    def stream(
        self, path: str, query: Query, headers: Mapping[str, str], quiet_s: float
    ) -> AbstractAsyncContextManager[httpx.Response]:
        """Open an answer that goes on. ``quiet_s``: how long it may send nothing. Entering raises ServiceError."""
        return self._opened(path, query, headers, quiet_s)

    @asynccontextmanager
    async def _opened(
        self, path: str, query: Query, headers: Mapping[str, str], quiet_s: float
    ) -> AsyncGenerator[httpx.Response]:
        timeout = httpx.Timeout(self._timeout_s, read=quiet_s)
        try:
            async with self._http.stream(
                "GET", path, params=_parameters(query), headers=headers, timeout=timeout
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise self._refusal(response)
                yield response
        except httpx.HTTPError as error:
            raise self._to_service_error(error) from error

    def _to_service_error(self, error: httpx.HTTPError) -> ServiceError:
        if isinstance(error, httpx.TimeoutException):
            return no_answer(self.address.url, f"no answer within {self._timeout_s:g} s")
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            return ServiceError(
                f"{self.address.url}: its certificate is signed by nobody whom this machine trusts: "
                "name the file of certificates by --server-ca FILE or MANYHANDS_CA"
            )
        problem = "nothing answers there" if isinstance(error, httpx.ConnectError) else "the connection broke"
        return no_answer(self.address.url, f"{problem} ({error})" if str(error) else problem)

    def _refusal(self, response: httpx.Response) -> ServiceError:
        try:
            problem = Problem.model_validate_json(response.content)
        except ValidationError:
            title = response.reason_phrase
            detail = f"{response.request.url.path} was answered with {response.status_code} ({title}) and no details"
            problem = Problem(type="about:blank", title=title, status=response.status_code, detail=detail)
        return error_of_problem(problem, self.address.url)

    def _read(self, kind: type[T], response: httpx.Response) -> T:
        try:
            read: T = _adapter_of(kind).validate_json(response.content)
            return read
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ServiceError(
                f"{response.request.url.path} of {self.address.url} was answered with something else than expected "
                f"({f'{where}: ' if where else ''}{first['msg']}): is it a Manyhands service, and of this version?"
            ) from error


def _authorisation(address: ServiceAddress) -> dict[str, str]:
    if address.token is None:
        return {}
    if not (address.token.isascii() and address.token.isprintable() and " " not in address.token):
        raise BadInput("the token holds a space or another character that no token has: was it copied as a whole?")
    return {"Authorization": f"Bearer {address.token}"}


def _trust(address: ServiceAddress) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=address.ca)
    except (OSError, ssl.SSLError) as error:
        raise BadInput(f"{address.ca}: no certificates can be read from it: {error.strerror or error}") from error


def _parameters(query: Query | None) -> list[tuple[str, str | int | float | bool | None]]:
    values = {name: value for name, value in (query or {}).items() if value is not None}
    return [
        (name, one)
        for name, value in values.items()
        for one in ([value] if isinstance(value, str | int | float) else value)
    ]


def _retry_after(response: httpx.Response) -> float:
    """Return the seconds that the service asks to wait; 0 if it names none."""
    try:
        seconds = float(response.headers.get("Retry-After", ""))
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0


def _adapter_of(kind: Any) -> TypeAdapter[Any]:
    return _make_adapter(kind)


@cache  # making one compiles the type
def _make_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _page_of(kind: Any) -> Any:
    return ListPage[kind]
