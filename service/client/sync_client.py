"""Use a service from a program without asyncio."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from manyhands.service.client.async_client import PATIENCE_S, RECONNECT_S, TIMEOUT_S, AsyncClient

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(
    method: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Client, P], T]:
    """Return a method of Client that waits for the result of a method of AsyncClient."""

    @functools.wraps(method)
    def call(client: Client, /, *args: P.args, **named: P.kwargs) -> T:
        return client._run(method(client._within, *args, **named))

    return call


def _iterating(
    method: Callable[Concatenate[AsyncClient, P], AsyncGenerator[T]],
) -> Callable[Concatenate[Client, P], Iterator[T]]:
    """Return a method of Client that yields what a method of AsyncClient yields."""

    @functools.wraps(method)
    def call(client: Client, /, *args: P.args, **named: P.kwargs) -> Iterator[T]:
        source = method(client._within, *args, **named)
        try:
            while (item := client._run(anext(source, None))) is not None:
                yield item
        finally:
            client._run(source.aclose())

    return call


class Client:
    """Use a service (``manyhands serve``) with typed methods over its HTTP interface. Each call waits for its result.

    ::

        with Client() as client:
            batch = client.wait(client.submit(goal="Turn on dark mode."))
            print(client.results(batch)[0].verdict)

    The methods are those of AsyncClient, which a thread of this object carries out. Several threads may use one client.
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        token: str | None = None,
        ca: Path | str | None = None,
        timeout_s: float = TIMEOUT_S,
        patience_s: float = PATIENCE_S,
        reconnect_s: float = RECONNECT_S,
    ) -> None:
        """Prepare, with the arguments of AsyncClient. Nothing is sent before the first call. Raises BadInput."""
        self._within = AsyncClient(
            server, token=token, ca=ca, timeout_s=timeout_s, patience_s=patience_s, reconnect_s=reconnect_s
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="manyhands client", daemon=True)
        self._thread.start()

    submit = _blocking(AsyncClient.submit)
    submit_request = _blocking(AsyncClient.submit_request)
    batch = _blocking(AsyncClient.batch)
    batches = _iterating(AsyncClient.batches)
    task = _blocking(AsyncClient.task)
    tasks = _iterating(AsyncClient.tasks)
    wait = _blocking(AsyncClient.wait)
    wait_task = _blocking(AsyncClient.wait_task)
    results = _blocking(AsyncClient.results)
    results_text = _blocking(AsyncClient.results_text)
    cancel = _blocking(AsyncClient.cancel)
    cancel_all = _blocking(AsyncClient.cancel_all)
    pause = _blocking(AsyncClient.pause)
    prioritize = _blocking(AsyncClient.prioritize)
    resume = _blocking(AsyncClient.resume)
    cancel_task = _blocking(AsyncClient.cancel_task)
    pause_task = _blocking(AsyncClient.pause_task)
    prioritize_task = _blocking(AsyncClient.prioritize_task)
    resume_task = _blocking(AsyncClient.resume_task)
    retry = _blocking(AsyncClient.retry)
    retry_task = _blocking(AsyncClient.retry_task)
    events = _iterating(AsyncClient.events)

    status = _blocking(AsyncClient.status)
    phones = _blocking(AsyncClient.phones)
    phone = _blocking(AsyncClient.phone)
    picture = _blocking(AsyncClient.picture)
    take_over_phone = _blocking(AsyncClient.take_over_phone)
    set_aside = _blocking(AsyncClient.set_aside)
    release = _blocking(AsyncClient.release)
    reserve = _blocking(AsyncClient.reserve)
    label = _blocking(AsyncClient.label)
    attach = _blocking(AsyncClient.attach)
    detach = _blocking(AsyncClient.detach)
    models = _blocking(AsyncClient.models)
    episode = _blocking(AsyncClient.episode)
    steps = _iterating(AsyncClient.steps)
    screen = _blocking(AsyncClient.screen)
    control = _blocking(AsyncClient.control)
    writing = _blocking(AsyncClient.writing)
    pause_episode = _blocking(AsyncClient.pause_episode)
    resume_episode = _blocking(AsyncClient.resume_episode)
    answer_episode = _blocking(AsyncClient.answer_episode)
    stop_episode = _blocking(AsyncClient.stop_episode)
    take_over = _blocking(AsyncClient.take_over)
    act = _blocking(AsyncClient.act)
    hand_back = _blocking(AsyncClient.hand_back)

    attention = _blocking(AsyncClient.attention)
    approvals = _blocking(AsyncClient.approvals)
    allow_approval = _blocking(AsyncClient.allow_approval)
    decline_approval = _blocking(AsyncClient.decline_approval)
    dismiss_cause = _blocking(AsyncClient.dismiss_cause)
    retry_cause = _blocking(AsyncClient.retry_cause)
    figures = _blocking(AsyncClient.figures)
    check_batch = _blocking(AsyncClient.check_batch)
    phone_tasks = _iterating(AsyncClient.phone_tasks)
    phone_events = _iterating(AsyncClient.phone_events)
    episode_report = _blocking(AsyncClient.episode_report)
    calls = _blocking(AsyncClient.calls)

    schedules = _iterating(AsyncClient.schedules)
    schedule = _blocking(AsyncClient.schedule)
    schedule_times = _blocking(AsyncClient.schedule_times)
    add_schedule = _blocking(AsyncClient.add_schedule)
    change_schedule = _blocking(AsyncClient.change_schedule)
    pause_schedule = _blocking(AsyncClient.pause_schedule)
    resume_schedule = _blocking(AsyncClient.resume_schedule)
    remove_schedule = _blocking(AsyncClient.remove_schedule)
    webhooks = _iterating(AsyncClient.webhooks)
    webhook = _blocking(AsyncClient.webhook)
    add_webhook = _blocking(AsyncClient.add_webhook)
    change_webhook = _blocking(AsyncClient.change_webhook)
    pause_webhook = _blocking(AsyncClient.pause_webhook)
    resume_webhook = _blocking(AsyncClient.resume_webhook)
    remove_webhook = _blocking(AsyncClient.remove_webhook)
    deliveries = _iterating(AsyncClient.deliveries)
    resend = _blocking(AsyncClient.resend)

    own_token = _blocking(AsyncClient.own_token)
    tokens = _blocking(AsyncClient.tokens)
    make_token = _blocking(AsyncClient.make_token)
    revoke_token = _blocking(AsyncClient.revoke_token)
    audit = _iterating(AsyncClient.audit)

    @property
    def server(self) -> str:
        """Return the URL of the service."""
        return self._within.server

    @property
    def token(self) -> str | None:
        """Return the secret of the token that this client sends; None if it has none."""
        return self._within.token

    def close(self) -> None:
        """Close the connections to the service, and end the thread."""
        if not self._loop.is_closed():
            self._run(self._within.close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the client."""
        self.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of a coroutine that the thread carries out. An interruption cancels the coroutine."""
        if self._loop.is_closed():
            work.close()
            raise RuntimeError("this client is closed")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise
