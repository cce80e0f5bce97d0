"""Raise the load on a server: 1, 2, 4 ... phones of one profile, until more phones bring no more steps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from manyhands.actors.mllm import Dialect
from manyhands.actors.mllm.client.transport import Transport
from manyhands.benchmarks.model.figures import LEAST_VALID, LoadFigures, LoadWindow, SampleLog, load_figures
from manyhands.benchmarks.model.phone import ReplayPhone, VariedRequests
from manyhands.benchmarks.model.recording import PromptRecording
from manyhands.benchmarks.model.server_metrics import MetricsPage, read_metrics
from manyhands.protocol.errors import first_error
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.terminal_text import count_noun

MOST_LOAD_S = 30.0
LEAST_LOAD_S = 1.0
"""A load that would get less time is not measured."""
LEAST_WINDOW_S = 5.0
ENOUGH_CALLS = 100
"""A window ends early once it is ``LEAST_WINDOW_S`` long and has so many calls, and ten for each phone."""
WARM_SHARE = 1 / 3
"""The largest share of a load's time that new phones get for their first calls. These calls are not measured."""
LEAST_GROWTH = 1.05
"""More phones bring more steps if the steps a second grow by this factor over the best load before."""
MOST_FAILED = 0.01
"""The share of failed calls at which a load counts as one with errors."""
ENOUGH_TO_JUDGE = 20
"""From so many calls on, a load whose replies are mostly invalid is the last one."""
_READ_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class RampPlan:
    """Say how far and how long the load is raised."""

    phones: tuple[int, ...]
    """The loads, from the smallest to the largest."""
    timeout_s: float
    """The longest time of one call."""


@dataclass(slots=True)
class LoadRamp:
    """Measure one profile. The figures of finished loads stay in ``loads`` if the measurement is cancelled."""

    plan: RampPlan
    recording: PromptRecording
    transport: Transport
    urls: tuple[str, ...]
    model: str
    dialects: Mapping[Role, Dialect]
    begin: Callable[[int, float], None]
    """Is called before each load, with its phones and about how many seconds it will take."""
    say: Callable[[LoadFigures], None]
    """Is called after each load."""
    loads: list[LoadFigures] = field(default_factory=list)
    stopped: str = "interrupted"
    """Why the load was raised no further."""
    _log: SampleLog = field(default_factory=SampleLog)

    async def run(self, seconds: float) -> None:
        """Measure, for so many seconds at most. Raises StoreError if the recording lacks a picture."""
        ends_at = time.perf_counter() + seconds
        requests = VariedRequests(self.recording.folder, self.model)
        salt = f"{time.time_ns():x}"
        phones: list[ReplayPhone] = []
        with first_error():
            async with asyncio.TaskGroup() as group:
                tasks: list[asyncio.Task[None]] = []
                try:
                    for number, count in enumerate(self.plan.phones):
                        left_s = ends_at - time.perf_counter()
                        share_s = min(MOST_LOAD_S, left_s / (len(self.plan.phones) - number))
                        if left_s < LEAST_LOAD_S:
                            self.stopped = "its time was over"
                            return
                        self.begin(count, share_s)
                        new = [self._phone(other, requests) for other in range(len(phones), count)]
                        tasks += [group.create_task(phone.run(salt)) for phone in new]
                        phones += new
                        self.loads.append(await self._measure(count, new, share_s, max(share_s, left_s / 2)))
                        self.say(self.loads[-1])
                        left_s = ends_at - time.perf_counter()
                        again = is_flat(self.loads) and left_s >= LEAST_WINDOW_S
                        if again:  # one short window may be slow by chance
                            share_s = min(MOST_LOAD_S, left_s)
                            self.begin(count, share_s)
                            second = await self._measure(count, [], share_s, share_s)
                            self.say(second)
                            self.loads[-1] = better_try(self.loads[-1], second)
                        why = why_stop(self.loads)
                        if why is not None:
                            self.stopped = f"{why}, in two tries" if again else why
                            return
                    self.stopped = f"no more than {count_noun(self.plan.phones[-1], 'phone')} were asked for"
                finally:
                    for task in tasks:
                        task.cancel()

    def _phone(self, number: int, requests: VariedRequests) -> ReplayPhone:
        return ReplayPhone(
            number,
            self.recording.sequences,
            requests,
            self.transport,
            self.urls[number % len(self.urls)],
            self.dialects,
            self._log,
            self.plan.timeout_s,
        )

    async def _measure(self, phones: int, new: list[ReplayPhone], seconds: float, longest: float) -> LoadFigures:
        """Wait until the new phones had an answer each, then measure.

        All of it takes ``seconds``, or up to ``longest`` until each phone has had two answers: a slow server needs the
        time.
        """
        started = time.perf_counter()
        try:
            async with asyncio.timeout(seconds * WARM_SHARE):
                for phone in new:
                    await phone.answered.wait()
        except TimeoutError:
            pass
        pages: list[MetricsPage] = []
        await self._read(pages)
        begin, cpu_s = time.perf_counter(), time.process_time()
        while (now := time.perf_counter()) < started + longest:
            calls = len(self._log.calls_between(begin, now))
            if now - begin >= LEAST_WINDOW_S and calls >= max(ENOUGH_CALLS, 10 * phones):
                break
            if now >= started + seconds and calls >= 2 * phones:
                break
            await asyncio.sleep(min(_READ_EVERY_S, max(0.05, started + seconds - now)))
            await self._read(pages)
        end = time.perf_counter()
        calls_seen, steps_seen = self._log.calls_between(begin, end), self._log.steps_between(begin, end)
        window = LoadWindow(phones, begin, end, calls_seen, steps_seen, time.process_time() - cpu_s, pages)
        return load_figures(window, self.recording.calls_per_step)

    async def _read(self, pages: list[MetricsPage]) -> None:
        page = await read_metrics(self.transport, self.urls)
        if page is not None:
            pages.append(page)


def why_stop(loads: list[LoadFigures]) -> str | None:
    """Return why the load is raised no further after the last of these loads; None if it is to be raised."""
    last = loads[-1]
    at = count_noun(last.phones, "phone")
    broken = _why_broken(last, at)
    if broken is None and _grows_no_more(loads):
        return f"{at} brought no more steps a second than fewer phones"
    return broken


def is_flat(loads: list[LoadFigures]) -> bool:
    """Return whether the last load brought no more steps, though its calls are as they should be."""
    return _why_broken(loads[-1], "") is None and _grows_no_more(loads)


def better_try(first: LoadFigures, second: LoadFigures) -> LoadFigures:
    """Return the try of a load that counts: one without failed calls, then the one with more steps a second."""
    return max(first, second, key=lambda load: (not load.fates.failed, load.steps_s))


def _grows_no_more(loads: list[LoadFigures]) -> bool:
    *earlier, last = loads
    best = max((load.steps_s for load in earlier), default=0.0)
    return bool(best) and last.steps_s < LEAST_GROWTH * best


def _why_broken(last: LoadFigures, at: str) -> str | None:
    """Return what is wrong with the calls of a load; None if nothing is. ``at``: its phones in words."""
    if last.failed_share > MOST_FAILED:
        return f"{last.fates.failed} of {last.calls} calls failed with {at}"
    if last.calls == 0:
        return f"no call ended in time with {at}"
    share = last.fates.valid_share
    if last.calls >= ENOUGH_TO_JUDGE and share is not None and share < LEAST_VALID:
        return f"only {last.fates.valid} of {last.calls - last.fates.failed} replies are valid with {at}"
    return None
