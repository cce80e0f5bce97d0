"""Measure a server with the recordings of several profiles, within a given time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from manyhands.actors.mllm import ModelSettings, dialect_named
from manyhands.actors.mllm.client.transport import Transport
from manyhands.benchmarks.model.click_targets import ClickTarget
from manyhands.benchmarks.model.figures import carried_phones, why_unsure
from manyhands.benchmarks.model.load_lines import LoadLines
from manyhands.benchmarks.model.questions import ClickFigures, Questioner, SchemaFigures, click_figures
from manyhands.benchmarks.model.ramp import LoadRamp, RampPlan
from manyhands.benchmarks.model.recording import PromptRecording
from manyhands.benchmarks.model.report import MeasuredServer, ModelReport, ProfileFigures, notes_on
from manyhands.deploy.replay.readings import recorded_dialects
from manyhands.evaluation.provenance import Machine, this_machine
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

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

    async def run(self) -> None:
        """Measure all profiles in turn. Time that a profile does not need goes to the later ones."""
        ends_at = self._began + 60 * self.plan.minutes
        transport = Transport(self.settings)
        transport.open()
        try:
            if not self.server.stand_in:
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
