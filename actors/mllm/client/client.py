"""Call one model: admission, routing, retries within a deadline, cancellation, and a record and count of every call.

What a model has written so far is kept for episodes that somebody watches. Only such calls are streamed: for all others
a stream would cost a message for each token, and nobody would read it.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from manyhands.actors.mllm.client.attempts import CallAttempts, Trace
from manyhands.actors.mllm.client.startup import check_sampling
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.formats import Native
from manyhands.actors.mllm.load.admission import Admission
from manyhands.actors.mllm.load.monitor import HealthMonitor
from manyhands.actors.mllm.load.pool import Server, ServerPool
from manyhands.actors.mllm.load.speculation import SpeculationBudget
from manyhands.actors.mllm.request.bodies import Prompt, recorded_body
from manyhands.actors.mllm.request.dialects import Dialect, dialect_named
from manyhands.actors.mllm.request.pictures import check_pictures
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import DeadlinePassed, ManyhandsError, ModelAway, ReplyUnusable, SpeculationRefused
from manyhands.protocol.messages import CallContext, CallCounts, ModelCall, ModelCounts, PartialReply, ServerCounts
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.protocol.utilities.terminal_text import count_noun

WATCHED_S = 10.0
"""How long an episode counts as watched after somebody looked."""
LONGEST = 4_000
"""Characters of a text that are kept: the last ones."""


class _CallTotals:
    """Add up calls as they end."""

    def __init__(self) -> None:
        self._sums: defaultdict[tuple[Role, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        """The sums by role and server. Each maps the name of a field of CallCounts to its sum."""
        self._errors: defaultdict[tuple[Role, str], Counter[str]] = defaultdict(Counter)

    @contextmanager
    def counting(self, trace: Trace) -> Iterator[None]:
        """Count the call of ``trace``, however it ends."""
        try:
            yield
        except asyncio.CancelledError:
            self._sums[trace.role, trace.server]["cancelled"] += 1
            raise
        except ManyhandsError as error:
            self._errors[trace.role, trace.server][error.code] += 1
            raise
        finally:
            self._add(trace)

    def unusable(self, call: ModelCall) -> None:
        """Count an answered call whose answer was not a valid reply."""
        self._errors[call.role, call.server][ReplyUnusable.code] += 1

    def counts(self) -> tuple[CallCounts, ...]:
        return tuple(
            CallCounts.model_validate({"role": role, "server": server, "errors": self._errors[role, server], **sums})
            for (role, server), sums in sorted(self._sums.items())
        )

    def _add(self, trace: Trace) -> None:
        sums = self._sums[trace.role, trace.server]
        sums["calls"] += 1
        sums["retries"] += max(0, trace.attempts - 1)
        sums["repairs"] += trace.repair
        sums["queue_ms"] += trace.queue_ms
        sums["latency_ms"] += trace.latency_ms
        for name, tokens in trace.usage:
            sums[name] += tokens


class LiveTexts:
    """Hold the texts of one client. All methods are called in one event loop."""

    def __init__(self, now: Callable[[], float] = HOST_CLOCK.now) -> None:
        """``now`` returns the time in Unix seconds."""
        self._now = now
        self._watched: dict[str, float] = {}
        """Until when each episode counts as watched."""
        self._open: dict[int, tuple[str, PartialReply]] = {}
        """The episode and the text of each call that is streamed now."""
        self._numbers = itertools.count()

    def watch(self, episode: str) -> tuple[PartialReply, ...]:
        """Return what is being written for an episode, oldest call first. Its next calls are streamed."""
        now = self._now()
        self._watched = {name: until for name, until in self._watched.items() if until > now}
        self._watched[episode] = now + WATCHED_S
        return tuple(text for name, text in self._open.values() if name == episode)

    @contextmanager
    def keep(self, role: Role, episode: str) -> Iterator[Callable[[str], None] | None]:
        """Give a function that adds to the text of a call; None if nobody watches. The text is kept inside only."""
        if self._watched.get(episode, 0.0) <= self._now():
            yield None
            return
        number = next(self._numbers)
        self._open[number] = episode, PartialReply(role=role, since=self._now(), text="")

        def add(piece: str) -> None:
            _, live_text = self._open[number]
            self._open[number] = episode, live_text.model_copy(update={"text": (live_text.text + piece)[-LONGEST:]})

        try:
            yield add
        finally:
            del self._open[number]


@dataclass(frozen=True, slots=True)
class Completion:
    """Hold an answer and the record of its call."""

    text: str
    cut_off: bool
    """Whether the answer was cut off at max_tokens."""
    call: ModelCall
    misplacement: str = ""
    """Where the answer is if the server did not put it into the content, and what to do."""


class ModelClient:
    """Call one model on one or several servers. Call ``start`` in the event loop that uses the client."""

    def __init__(self, settings: ModelSettings) -> None:
        """Raise ValueError if the settings do not name the model (see ``served_name``)."""
        if settings.model is None:
            raise ValueError("a client calls a model by its name, and the settings have none")
        self._settings = settings
        self._dialect = dialect_named(settings.dialect, settings.max_pixels)
        self._model: str = settings.model
        self._transport = Transport(settings)
        self._pool = ServerPool(settings.urls)
        self._admission = Admission(settings.max_in_flight, settings.max_waiting)
        self._budget = SpeculationBudget(settings.speculation)
        self._refused_speculation = 0
        self._monitor = HealthMonitor(self._pool, self._transport, self._admission, self._budget)
        self._attempts = CallAttempts(self._transport, self._pool, self._monitor, settings.max_attempts)
        self._totals = _CallTotals()
        self._texts = LiveTexts()

    @property
    def dialect(self) -> Dialect:
        return self._dialect

    @property
    def settings(self) -> ModelSettings:
        return self._settings

    async def start(self) -> None:
        """Open the connections and check the settings.

        Raises BadInput if the key's environment variable is missing, if the sampling would kill a server, or if a
        server resizes pictures in another way than the dialect.
        """
        self._transport.open()
        try:
            if not self._settings.has_sessions:  # a gateway is no model server, and cannot tell
                await check_sampling(self._transport, self._settings)
                await check_pictures(self._transport, self._settings.urls, self._model, self._dialect)
        except BaseException:
            await self._transport.close()
            raise
        self._monitor.start()

    async def stop(self) -> None:
        await self._monitor.stop()
        await self._transport.close()

    async def complete(
        self, role: Role, prompt: Prompt, reply: type[Reply], route: str, context: CallContext
    ) -> Completion:
        """Return the model's answer to ``prompt``, constrained to the schema of ``reply``.

        ``route`` chooses the server: equal routes keep to one server while it is up and not overloaded. Cancelling
        closes the HTTP connection, so that the server stops working. While no server answers, or takes requests, the
        call waits as long as the context's patience allows, then raises ModelAway. Also raises ModelUnreachable,
        ModelRefused, DeadlinePassed and Overloaded. Each error but Overloaded has ``calls`` if a server has begun with
        the call. Raises SpeculationRefused for a speculative call that cannot be sent at once, or for which the servers
        have no capacity.
        """
        if context.speculative:
            self._check_budget(role)
        seed = self._settings.seed + (context.seed if role.spec.in_steps else 0)
        settings = self._settings.model_copy(update={"seed": seed})
        request = recorded_body(settings, role, reply, prompt, context.speculative)
        favourite = self._pool.pick(route, time.monotonic()).url
        trace = Trace(role=role, server=favourite, request=request, reply_type=reply.__name__, repair=prompt.repairs)
        priority = self._settings.priority(role, context.speculative)
        images = {image.content_id: image.jpeg for image in prompt.images}
        # This comes before admission, because a call that waits for a server must not take a place.
        await self._attempts.until_any_answers(trace, context)
        with self._totals.counting(trace):
            async with self._admission.enter(priority, context.deadline) as queue_ms:
                self._monitor.request_started()
                trace.admitted(queue_ms)
                self._budget.admitted(queue_ms, time.monotonic())
                try:
                    with self._texts.keep(role, context.episode) as tell:
                        async with asyncio.timeout(context.deadline - HOST_CLOCK.now()):
                            answer = await self._attempts.send(trace, images, route, context, tell)
                except TimeoutError:
                    if (since := self._attempts.away_since()) is not None:
                        message = self._attempts.away()
                        is_busy = self._attempts.is_busy()
                        calls = trace.unanswered(message)
                        raise ModelAway(message, calls=calls, since=since, is_busy=is_busy) from None
                    message = (
                        f"the deadline passed while {trace.server} was asked ({count_noun(trace.attempts, 'attempt')})"
                    )
                    raise DeadlinePassed(message, calls=trace.failed(message)) from None
            trace.usage = answer.counted()
            is_whole = self._dialect.keeps_thoughts and self._settings.output == Native.name
            text = answer.text_with_thoughts if is_whole else answer.text
            call = trace.call(text, None)
            if call.attempts == 1 and not call.away:
                self._monitor.measured(
                    self._budget.answered(role, call.latency_ms, call.usage.output_tokens, time.monotonic())
                )
        return Completion(text, answer.cut_off, call, answer.misplacement)

    def usable(self, call: ModelCall) -> None:
        """Record that a call's answer was a valid reply."""
        self._pool.replied(call.server, True, time.monotonic())

    def unusable(self, call: ModelCall) -> None:
        """Record that a call's answer was not a valid reply."""
        self._totals.unusable(call)
        self._pool.replied(call.server, False, time.monotonic())

    def partial_replies(self, episode: str) -> tuple[PartialReply, ...]:
        """Return what the model is writing now for an episode. The episode's calls of the next seconds are streamed."""
        return self._texts.watch(episode)

    def counts(self) -> ModelCounts:
        """Return the figures of the calls so far, and the current load."""
        return ModelCounts(
            model=self._model,
            calls=self._totals.counts(),
            servers=tuple(map(self._server_counts, self._pool.servers)),
            in_flight=self._admission.in_flight,
            waiting=self._admission.waiting,
            cap=self._admission.cap,
            speculation_share=self._budget.share(time.monotonic()),
            refused_speculation=self._refused_speculation,
            away_since=self._away_since,
            away_why=self._pool.why_away if self._away_since is not None else "",
            heard_at=self._monitor.heard_at,
        )

    @property
    def _away_since(self) -> float | None:
        """Return since when no server answers, in Unix seconds. None: a server answers."""
        since = self._pool.away_since
        return None if since is None else HOST_CLOCK.now() - (time.monotonic() - since)

    def _check_budget(self, role: Role) -> None:
        """Raise SpeculationRefused for a call that the budget does not admit.

        After this check the call is admitted without a wait, provided that no other task runs in between.
        """
        now = time.monotonic()
        if self._attempts.away_since() is not None:
            self._refused_speculation += 1
            raise SpeculationRefused(f"speculative {role} call refused: {self._attempts.away()}")
        load = self._monitor.load(now)
        if not self._budget.admits(load, now):
            self._refused_speculation += 1
            raise SpeculationRefused(
                f"speculative {role} call refused: {load.in_flight} of {load.cap} calls in flight, "
                f"{load.waiting} wait, {self._budget.share(now):.0%} of such calls are admitted"
            )

    def _server_counts(self, server: Server) -> ServerCounts:
        queue = self._monitor.queues.get(server.url)
        return ServerCounts(
            server=server.url,
            state=server.state(time.monotonic()),
            in_flight=server.in_flight,
            waiting=queue.waiting if queue else None,
            running=queue.running if queue else None,
            cache_usage=queue.cache_usage if queue else None,
        )
