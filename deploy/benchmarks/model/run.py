"""Measure a server with the recordings of several profiles, within a given time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from manyhands.actors.mllm import ModelSettings
from manyhands.actors.mllm.client.transport import Transport
from manyhands.deploy.benchmarks.model.figures import LoadFigures, carried_phones
from manyhands.deploy.benchmarks.model.ramp import LoadRamp, RampPlan
from manyhands.deploy.benchmarks.model.recording import PromptRecording
from manyhands.deploy.benchmarks.model.report import MeasuredServer, ModelReport, ProfileFigures, notes_on
from manyhands.deploy.benchmarks.provenance import Machine, this_machine
from manyhands.deploy.replay.readings import recorded_dialects
from manyhands.protocol.host_clock import HOST_CLOCK


class Progress(Protocol):
    """Be told what was measured."""

    def profile(self, name: str) -> None:
        """Note that the measurement of a profile begins."""

    def load(self, figures: LoadFigures) -> None:
        """Note the figures of a load."""


@dataclass(frozen=True, slots=True)
class MeasurementPlan:
    """Say what is measured, and for how long."""

    minutes: float
    ramp: RampPlan
    phone_s: float
    """The seconds of a step in which its phone does not wait for the model."""


@dataclass(slots=True)
class Measurement:
    """Measure one server. ``report`` may be called at any time, also after a cancellation."""

    plan: MeasurementPlan
    settings: ModelSettings
    server: MeasuredServer
    recordings: Sequence[PromptRecording]
    progress: Progress
    machine: Machine = field(default_factory=this_machine)
    _ramps: list[tuple[PromptRecording, LoadRamp]] = field(default_factory=list)
    _at: float = field(default_factory=HOST_CLOCK.now)
    _began: float = field(default_factory=time.perf_counter)
    _is_whole: bool = False

    async def run(self) -> None:
        """Measure all profiles in turn. Time that a profile does not need goes to the later ones."""
        ends_at = self._began + 60 * self.plan.minutes
        transport = Transport(self.settings)
        transport.open()
        try:
            for number, recording in enumerate(self.recordings):
                left_s = ends_at - time.perf_counter()
                self.progress.profile(recording.profile)
                ramp = self._ramp(recording, transport)
                self._ramps.append((recording, ramp))
                await ramp.run(max(0.0, left_s / (len(self.recordings) - number)))
        finally:
            await transport.close()
        self._is_whole = True

    def _ramp(self, recording: PromptRecording, transport: Transport) -> LoadRamp:
        return LoadRamp(
            plan=self.plan.ramp,
            recording=recording,
            transport=transport,
            urls=self.settings.urls,
            model=self.server.model,
            dialects=recorded_dialects(recording.folder, recording.calls),
            say=self.progress.load,
        )

    def report(self) -> ModelReport:
        """Return what was found so far."""
        dialects = [
            dialect.name
            for recording in self.recordings
            for dialect in recorded_dialects(recording.folder, recording.calls).values()
        ]
        return ModelReport(
            at=self._at,
            minutes=(time.perf_counter() - self._began) / 60,
            is_whole=self._is_whole,
            server=self.server,
            profiles=tuple(self._profile(recording, ramp) for recording, ramp in self._ramps),
            notes=notes_on(self.server, dialects),
            machine=self.machine,
        )

    def _profile(self, recording: PromptRecording, ramp: LoadRamp) -> ProfileFigures:
        return ProfileFigures(
            profile=recording.profile,
            recorded_with=recording.source,
            calls_per_step=recording.calls_per_step,
            pictures_per_step=recording.pictures_per_step,
            loads=tuple(ramp.loads),
            stopped=ramp.stopped,
            carried=carried_phones(ramp.loads, self.plan.phone_s),
        )
