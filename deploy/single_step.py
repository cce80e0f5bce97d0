"""Ask a profile for one decision on each labelled screen, with its own stages and agents, without phone or Ray.

The steps before the labelled one are recorded as if an episode had done them: each with its labelled operation, the
verdict "as expected", and the progress in words. Then the stages of the labelled step run as in an episode, up to the
decision.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from manyhands.actors.clock import RealClock
from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.profile import ACT, CAPTURE, Profile, Stage
from manyhands.actors.episode.recent_pictures import Picture
from manyhands.actors.episode.runtime import Collaborators, EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.frames import Frame, ModelImage, encode_jpeg
from manyhands.actors.interfaces import Ref
from manyhands.actors.memory import initial_memory
from manyhands.actors.profiles import profile_of
from manyhands.deploy.fleet.given_parts import open_sidecars
from manyhands.deploy.fleet.model_servers.resolution import RoleModels, check_models, model_source, role_models
from manyhands.deploy.perception.reader import PictureRead, PictureReader
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.evaluation.single_step import (
    LabelledStep,
    LabelledTask,
    Labels,
    SingleSteps,
    StepPrediction,
    is_right,
    shares,
)
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput, ReplyUnusable
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    EpisodeStarted,
    Perceived,
    Record,
    Reflected,
    ScreenCaptured,
    Span,
)
from manyhands.protocol.messages import CallContext, ModelCall
from manyhands.protocol.phones import Lease
from manyhands.protocol.roles.requests import Decision, Reflection
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.tasks.task import TaskSpec

PERCEIVE = "perceive"
SERIAL = "labelled"
NO_SPAN = Span(start=0, end=0)
_AHEAD = 1000


class NoStore:
    """Store nothing, because a single decision is not a run."""

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None: ...

    async def put_screens(self, content_ids: Sequence[str], *frames: Ref[Frame]) -> None: ...


class NoPhone:
    """Refuse everything. A stage that needs a phone before it decides cannot run on pictures alone."""

    def __getattr__(self, name: str) -> Any:
        raise BadInput(f"a stage asks the phone ({name}) before it decides, and there is only a picture")


@dataclass(frozen=True)
class SeenScreen:
    """Hold a labelled screen in the form that an episode uses."""

    screenshot: Screenshot
    screen: Screen
    picture: Picture


class SingleStepper:
    """Decide on labelled screens with the agents of a profile, within this process."""

    def __init__(self, settings: FleetSettings, models: RoleModels, reader: PictureReader) -> None:
        self._settings = settings.episode
        self._profile: Profile = profile_of(settings.episode.profile)
        self._reader = reader
        self._agents: Mapping[Role, Any] = {
            kind.role: kind(self._profile.role_settings(self._settings, models[kind.role]))
            for kind in self._profile.agents(self._settings)
        }

    async def open(self, stack: AsyncExitStack) -> None:
        """Start the agents. Raises BadInput."""
        for agent in self._agents.values():
            await agent.start()
            stack.push_async_callback(agent.stop)

    async def answers(self, folder: Path, task: LabelledTask) -> AsyncIterator[StepPrediction]:
        """Yield an answer for each step of a task.

        Raises ManyhandsError if a picture cannot be read or a model does not answer.
        """
        before: list[SeenScreen] = []
        for number, label in enumerate(task.steps):
            before.append(await self._perceive(folder, label))
            decision = await self._decided(task, before)
            action, problem = decision.action, decision.problem or ""
            yield StepPrediction(
                task=task.id,
                step=number,
                operation=label.operation,
                action=action,
                problem=problem,
                right=is_right(label, action),
            )

    async def _perceive(self, folder: Path, label: LabelledStep) -> SeenScreen:
        read: PictureRead = await self._reader.read(folder / label.file)
        if read.error is not None:
            raise read.error
        assert read.screen is not None
        assert read.rgb is not None
        screen = read.screen.model_copy(update={"keyboard": label.keyboard})
        shot = Screenshot(
            content_id=screen.content_id,
            size=screen.size,
            serial=SERIAL,
            taken_at=0,
            capture_ms=0,
            keyboard=label.keyboard,
        )
        jpeg = await asyncio.to_thread(encode_jpeg, read.rgb)
        return SeenScreen(shot, screen, Picture(ModelImage(screen.content_id, jpeg), Frame("rgb", read.rgb)))

    async def _decided(self, task: LabelledTask, screens: Sequence[SeenScreen]) -> Decision:
        """Run the stages of the last step that lead to its decision."""
        step = len(screens) - 1
        runtime = self._runtime(task, step)
        for number, one in enumerate(screens):
            runtime.pictures.keep(number, one.picture)
        for record in _past(runtime.order, self._profile.name, task, screens):
            runtime.journal.state = fold(runtime.journal.state, record)
        for stage in _up_to_the_decision(self._profile.loop(self._settings).by_name):
            try:
                records = await stage.run(StageContext(runtime, stage.name, step))
            except ReplyUnusable as error:  # only this error counts as a wrong decision of the agent
                return Decision(thought="", action=None, expectation="", problem=f"{stage.name}: {error}")
            for record in records:
                runtime.journal.state = fold(runtime.journal.state, record)
                if isinstance(record, ActionDecided):
                    return record.decision
        return Decision(thought="", action=None, expectation="", problem="no stage decided anything")

    def _runtime(self, task: LabelledTask, step: int) -> EpisodeRuntime:
        store: Any = NoStore()
        phone: Any = NoPhone()
        name = f"{task.id}-{step}"
        order = EpisodeOrder(
            run=SERIAL,
            episode=name,
            attempt=1,
            task=TaskSpec(id=task.id, goal=task.goal, hints=task.hints),
            lease=Lease(serial=SERIAL, holder=SERIAL, epoch=1, expires_at=float("inf")),
            memory=initial_memory(),
            settings=self._settings,
        )
        return EpisodeRuntime(
            order,
            Collaborators(agents=self._agents, perception=_ReadStep(), gateway=phone, store=store),
            RealClock(),
            deadlines=self._profile.deadlines(self._settings),
            images_kept=None,
            unread_kept=0,
            records_ahead=_AHEAD,
            screens_ahead=_AHEAD,
        )


class _ReadStep:
    """Refuse to read a screen again, because the labelled screens have been read already."""

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        raise BadInput("a stage perceives a second time before it decides")


def _past(order: EpisodeOrder, profile: str, task: LabelledTask, screens: Sequence[SeenScreen]) -> list[Record]:
    """Return the records that an episode would have before its decision on the last screen."""
    records: list[Record] = [
        EpisodeStarted(
            at=0,
            run=order.run,
            episode=order.episode,
            attempt=1,
            task=order.task,
            serial=SERIAL,
            epoch=1,
            profile=profile,
            schedule="serial",
            memory=order.memory,
        )
    ]
    for number, (one, label) in enumerate(zip(screens, task.steps, strict=False)):
        records.append(ScreenCaptured(step=number, span=NO_SPAN, screenshot=one.screenshot))
        records.append(Perceived(step=number, span=NO_SPAN, screen=one.screen))
        if number + 1 < len(screens):
            progress = "; ".join(step.operation for step in task.steps[: number + 1])
            decision = Decision(thought=label.operation, action=label.action, expectation=label.operation)
            verdict = Reflection(outcome=Outcome.A, error="", progress=f"Done so far: {progress}.", made_by="check")
            call = ModelCall(
                role=Role.DECIDE, server="", request={}, reply=label.operation, started_at=0.0, latency_ms=0.0
            )  # profiles with a chat show the agent its earlier replies
            records.append(ActionDecided(step=number, span=NO_SPAN, decision=decision, calls=(call,)))
            records.append(Acted(step=number, span=NO_SPAN))
            records.append(Reflected(step=number, span=NO_SPAN, reflection=verdict))
    return records


def _up_to_the_decision(stages: Mapping[str, Stage]) -> list[Stage]:
    """Return the stages of a step that lead to the action, in order, without capture and perception."""
    stages_needed: dict[str, Stage] = {}

    def add(name: str) -> None:
        for need in stages[name].needs:
            if need.offset == 0 and need.stage not in (CAPTURE, PERCEIVE, ACT):
                add(need.stage)
        if name != ACT:
            stages_needed.setdefault(name, stages[name])

    add(ACT)
    return list(stages_needed.values())


async def _models(settings: FleetSettings, stack: AsyncExitStack) -> RoleModels:
    """Start the rehearsed model if settings ask for it, and return the checked models. Raises BadInput."""
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="manyhands-")))
    without_phones = settings.model_copy(update={"phones": ()})
    started = await stack.enter_async_context(open_sidecars(without_phones, (), folder))
    return await check_models(started, role_models(started))


async def decide_each(
    settings: FleetSettings, labels: Labels, folder: Path, on_answer: Callable[[StepPrediction], None]
) -> SingleSteps:
    """Ask for one decision on each labelled screen, one after another. Raises BadInput, ManyhandsError."""
    async with AsyncExitStack() as stack:
        models = await _models(settings, stack)
        reader = PictureReader(settings.perception_settings(settings.perception_threads or 1))
        await stack.enter_async_context(reader)
        stepper = SingleStepper(settings, models, reader)
        await stepper.open(stack)
        answers: list[StepPrediction] = []
        for task in labels.tasks:
            async for answer in stepper.answers(folder, task):
                answers.append(answer)
                on_answer(answer)
        accuracy, by_tag, by_operation = shares(labels, answers)
        return SingleSteps(
            profile=settings.episode.profile,
            model_source=model_source(models),
            screens_source=labels.source,
            accuracy=accuracy,
            by_tag=by_tag,
            by_operation=by_operation,
            answers=tuple(answers),
        )
