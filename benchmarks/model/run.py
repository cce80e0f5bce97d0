"""Find out what a server serves, then measure it with the recordings of several profiles, within a given time."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError
from rich.console import Console

from manyhands.actors.mllm import NO_WAIT, LoadingWait, ModelSettings, ServedModel, dialect_named, served_model
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import LOOPBACK, Transport
from manyhands.benchmarks.model.figures import LoadFigures, carried_phones, why_unsure
from manyhands.benchmarks.model.pictures import PictureFigures, measure_pictures
from manyhands.benchmarks.model.questions import ClickFigures, ClickTarget, Questioner, SchemaFigures, click_figures
from manyhands.benchmarks.model.ramp import LoadRamp, RampPlan
from manyhands.benchmarks.model.recording import PromptRecording
from manyhands.benchmarks.model.report import MeasuredServer, ModelReport, ProfileFigures, notes_on
from manyhands.benchmarks.model.server_metrics import TIMEOUT_S, read_metrics
from manyhands.deploy.child_process import run_program
from manyhands.deploy.fleet.model_servers.model_dialects import choose_dialect
from manyhands.deploy.fleet.model_servers.prefix_cache import CacheJudgement, judge_cache
from manyhands.deploy.fleet.model_servers.resolution import MODEL_SOURCES
from manyhands.deploy.replay import recorded_dialects
from manyhands.evaluation.provenance import Machine, this_machine
from manyhands.protocol.errors import BadInput, ModelUnreachable
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.protocol.utilities.terminal_text import choose_verb, count_noun

_QUERY = ("--query-gpu=name,memory.total,memory.used", "--format=csv,noheader")
_PROGRAM_S = 5.0


class _Version(BaseModel):
    version: str = ""


class _Length(BaseModel):
    id: str
    max_model_len: int | None = None


class _Lengths(BaseModel):
    data: list[_Length]


async def examine_server(
    settings: ModelSettings, given_dialect: str | None, stand_in_dialect: str, wait: LoadingWait = NO_WAIT
) -> MeasuredServer:
    """Return what the servers of the settings serve.

    ``given_dialect``: that of ``--dialect``. ``stand_in_dialect``: the dialect of a stand-in, which has no family.
    ``wait`` says how long a server may be loading. Raises BadInput if a server does not answer, does not serve the
    model, or has a name that tells no family.
    """
    try:
        served = await served_model(settings, wait)
    except ModelUnreachable as error:
        raise BadInput(f"--mllm-url: {error}") from error
    stand_in = MODEL_SOURCES.get(served.name, "")
    dialect = (given_dialect or stand_in_dialect) if stand_in else choose_dialect(served, given_dialect)
    transport = Transport(settings)
    transport.open()
    try:
        page = await read_metrics(transport, settings.urls)
        return MeasuredServer(
            urls=settings.urls,
            model=served.name,
            weights=served.weights,
            stand_in=stand_in,
            version=await _version(transport, settings.urls[0]),
            dialect=dialect,
            max_model_len=await _length(transport, settings.urls[0], served),
            cache_tokens=page.cache_tokens if page is not None else None,
            gpus=await _gpus(settings.urls) if not stand_in else (),
        )
    finally:
        await transport.close()


async def _version(transport: Transport, url: str) -> str:
    try:
        page = await transport.get_beside(url, "/version", TIMEOUT_S)
        return _Version.model_validate_json(page).version[:200]
    except (RequestFailed, ValidationError):
        return ""


async def _length(transport: Transport, url: str, served: ServedModel) -> int | None:
    try:
        models = _Lengths.model_validate_json(await transport.get(url, "/models", TIMEOUT_S)).data
    except (RequestFailed, ValidationError):
        return None
    return next((model.max_model_len for model in models if model.id == served.name), None)


async def _gpus(urls: Sequence[str]) -> tuple[str, ...]:
    """Return a line for each GPU of this machine, if all servers are on this machine."""
    program = shutil.which("nvidia-smi")
    if program is None or any(urlsplit(url).hostname not in LOOPBACK for url in urls):
        return ()
    try:
        listed = await run_program(program, *_QUERY, seconds=_PROGRAM_S)
    except (OSError, TimeoutError):
        return ()
    return tuple(line.strip() for line in listed.output.splitlines() if line.strip())[:16]


class LoadLines:
    """Print lines. While the context is open, a terminal also shows what goes on now."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("", spinner="line") if console.is_terminal else None

    def __enter__(self) -> Self:
        """Begin to show what goes on."""
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Show it no more."""
        if self._status is not None:
            self._status.stop()

    def questions(self, count: int) -> None:
        """Note that questions come first."""
        self._now(f"asking for {count} places on screens, and for answers under a schema")

    def answers(self, clicks: ClickFigures | None, schemas: SchemaFigures | None) -> None:
        """Print what the answers were."""
        if schemas is not None:
            self._console.print(f"schema obeyed: {schemas.obeyed} of {schemas.asked}")
        if clicks is not None and clicks.asked:
            space = f"; {clicks.space}" if clicks.space else ""
            self._console.print(f"clicks that hit: {clicks.fates.get('hit', 0)} of {clicks.asked}{space}")

    def finding(self, text: str) -> None:
        """Print what a measurement found, in one line."""
        self._console.print(text, soft_wrap=True)

    def profile(self, name: str) -> None:
        """Print the profile's name."""
        self._console.print(f"\nprofile {name}", style="bold")

    def begin(self, phones: int, seconds: float) -> None:
        """Note that a load begins."""
        asks = choose_verb(phones, "asks", "ask")
        self._now(f"{count_noun(phones, 'phone')} {asks}, for about {seconds:.0f} s")

    def load(self, figures: LoadFigures) -> None:
        """Print the figures of a load."""
        step = "-" if figures.step_s is None else f"{figures.step_s.p50:.1f} s"
        cached = "-" if figures.cached_share is None else f"{figures.cached_share:.0%}"
        failed = f", {figures.fates.failed} of {figures.calls} calls failed" if figures.fates.failed else ""
        share = figures.fates.valid_share
        valid = "" if share is None else f", {share:.0%} of replies valid"
        phones = count_noun(figures.phones, "phone")
        self._console.print(
            f"{phones:>11}: {figures.steps_s:.2f} steps/s ({count_noun(figures.calls, 'call')}), a step {step}, "
            f"{figures.input_tokens_s:,.0f} tokens/s in ({cached} cached), "
            f"{figures.output_tokens_s:,.0f} out{valid}{failed}",
            soft_wrap=True,
        )

    def result(self, figures: ProfileFigures) -> None:
        """Print the last line about a profile: the phones that the server carries, and why the load ended."""
        carried = figures.carried
        if carried is not None:
            most = f" (extrapolated: at most {carried.measured_phones} measured)" if carried.is_extrapolated else ""
            text = (
                f"the server carries {count_noun(carried.phones, 'phone')}{most}: {carried.steps_s:.2g} steps/s, by "
                f"{count_noun(carried.calls, 'call')}, each {carried.step_model_s:.1f} s of the model and "
                f"{carried.phone_s:g} s of the phone. The load is that of {carried.asking:.2g} phones that never pause."
            )
        else:
            text = figures.problem or figures.unsure or "nothing was measured."
        self._console.print(
            f"{figures.profile} ({figures.form}): {text} No more phones were tried: {figures.stopped}.",
            style="bold red" if figures.problem else "bold",
            soft_wrap=True,
        )

    def _now(self, text: str) -> None:
        if self._status is not None:
            self._status.update(text)


PROBES_SHARE = 0.05
"""The share of the time that the prefix cache and pictures may take."""
QUESTIONS_SHARE = 0.15
"""The share of the time that questions about places and schemas may take."""


@dataclass(frozen=True, slots=True)
class MeasurementPlan:
    """Say what is measured, and for how long."""

    minutes: float
    ramp: RampPlan
    phone_s: float
    """The seconds of a step in which its phone does not wait for the model."""
    labels: str
    """Where the targets of clicks come from."""


@dataclass(slots=True)
class Measurement:
    """Measure one server. ``report`` may be called at any time, also after a cancellation."""

    plan: MeasurementPlan
    settings: ModelSettings
    server: MeasuredServer
    recordings: Sequence[PromptRecording]
    progress: LoadLines
    targets: Sequence[ClickTarget] = ()
    machine: Machine = field(default_factory=this_machine)
    _ramps: list[tuple[PromptRecording, LoadRamp]] = field(default_factory=list)
    _at: float = field(default_factory=HOST_CLOCK.now)
    _began: float = field(default_factory=time.perf_counter)
    _is_whole: bool = False
    _questioner: Questioner | None = None
    _space: str = ""
    _schemas: SchemaFigures | None = None
    _cache: CacheJudgement | None = None
    _pictures: PictureFigures | None = None

    async def run(self) -> None:
        """Measure all profiles in turn. Time that a profile does not need goes to the later ones."""
        ends_at = self._began + 60 * self.plan.minutes
        transport = Transport(self.settings)
        transport.open()
        try:
            if not self.server.stand_in:
                await self._probe(transport)
                await self._ask(transport)
            for number, recording in enumerate(self.recordings):
                left_s = ends_at - time.perf_counter()
                self.progress.profile(recording.profile)
                ramp = self._ramp(recording, transport)
                self._ramps.append((recording, ramp))
                await ramp.run(max(0.0, left_s / (len(self.recordings) - number)))
        finally:
            await transport.close()
        self._is_whole = True

    async def _probe(self, transport: Transport) -> None:
        """Try the first server's prefix cache, and its speed with pictures, if the share of time allows."""
        url, model, share_s = self.settings.urls[0], self.server.model, 60 * self.plan.minutes * PROBES_SHARE
        what = "prefix cache"
        try:
            async with asyncio.timeout(share_s):
                self._cache = await judge_cache(transport, url, model)
                self.progress.finding(f"{what}: {self._cache.description}")
                what = "pictures"
                self._pictures = await measure_pictures(transport, url, model, share_s / 2)
                self.progress.finding(f"{what}: {self._pictures.description}")
        except (TimeoutError, RequestFailed) as error:
            self.progress.finding(f"{what}: not known: {str(error) or 'no answer in time'}")

    async def _ask(self, transport: Transport) -> None:
        """Ask for places and schemas, as long as the share of time for that allows."""
        named = self.settings.model_copy(update={"model": self.server.model, "dialect": self.server.dialect})
        dialect = dialect_named(self.server.dialect, self.settings.max_pixels)
        self._questioner = Questioner(named, transport, dialect, self.plan.ramp.timeout_s)
        self.progress.questions(len(self.targets))
        try:
            async with asyncio.timeout(60 * self.plan.minutes * QUESTIONS_SHARE), asyncio.TaskGroup() as group:
                group.create_task(self._ask_schemas(self._questioner))
                group.create_task(self._judge_space(self._questioner))
                group.create_task(self._questioner.ask_clicks(self.targets))
        except TimeoutError:
            pass
        self.progress.answers(self._clicks(), self._schemas)

    async def _ask_schemas(self, questioner: Questioner) -> None:
        self._schemas = await questioner.ask_schemas()

    async def _judge_space(self, questioner: Questioner) -> None:
        self._space = await questioner.judge_space()

    def _clicks(self) -> ClickFigures | None:
        if self._questioner is None:
            return None
        return click_figures(self.plan.labels, len(self.targets), self._space, self._questioner.clicks)

    def _ramp(self, recording: PromptRecording, transport: Transport) -> LoadRamp:
        return LoadRamp(
            plan=self.plan.ramp,
            recording=recording,
            transport=transport,
            urls=self.settings.urls,
            model=self.server.model,
            dialects=recorded_dialects(recording.folder, recording.calls),
            begin=self.progress.begin,
            say=self.progress.load,
        )

    def report(self) -> ModelReport:
        """Return what was found so far."""
        dialects = [
            dialect.name
            for recording in self.recordings
            for dialect in recorded_dialects(recording.folder, recording.calls).values()
        ]
        profiles = tuple(self._profile(recording, ramp) for recording, ramp in self._ramps)
        return ModelReport(
            at=self._at,
            minutes=(time.perf_counter() - self._began) / 60,
            is_whole=self._is_whole,
            server=self.server,
            profiles=profiles,
            clicks=self._clicks(),
            schemas=self._schemas,
            cache=self._cache,
            pictures=self._pictures,
            notes=notes_on(self.server, dialects, profiles),
            machine=self.machine,
        )

    def _profile(self, recording: PromptRecording, ramp: LoadRamp) -> ProfileFigures:
        return ProfileFigures(
            profile=recording.profile,
            recorded_with=recording.source,
            output=recording.output,
            calls_per_step=recording.calls_per_step,
            pictures_per_step=recording.pictures_per_step,
            loads=tuple(ramp.loads),
            stopped=ramp.stopped,
            carried=carried_phones(ramp.loads, self.plan.phone_s),
            unsure=why_unsure(ramp.loads),
        )
