"""Carry out what a person wants of a running episode: pause, resume, answer, stop, take over, act, hand back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from manyhands.actors.episode.endings import End, defect, end_of_failure, end_of_lost_store
from manyhands.actors.episode.human_control import HumanControl
from manyhands.actors.episode.profile import ACT, CAPTURE
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import ActionProgress, send_as
from manyhands.actors.episode.stages.atomic_actions import ActionUnusable, check_points
from manyhands.actors.episode.stages.perceive import capture
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, InterventionRefused, KeyReused, ManyhandsError, StoreError
from manyhands.protocol.journals.records import (
    EpisodeHandedBack,
    EpisodePaused,
    EpisodeTakenOver,
    EpisodeUnpaused,
    Record,
)
from manyhands.protocol.phones import Receipt
from manyhands.protocol.runs.interventions import (
    AnswerQuestion,
    EpisodeControl,
    EpisodePhase,
    HandBackEpisode,
    Intervention,
    PauseEpisode,
    PersonAction,
    ResumeEpisode,
    ShowControl,
    StopEpisode,
    TakeOverEpisode,
)
from manyhands.protocol.screens.actions import Answer, Stop, Wait

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Queued:
    """Hold an action that waits to be carried out, and where its receipt goes.

    The receipt is None for an action that sends nothing.
    """

    asked: PersonAction
    answer: asyncio.Future[Receipt | None]


@dataclass(frozen=True, slots=True)
class _HandBack:
    by: str


class Takeover:
    """Hold the takeovers of one episode, one after another.

    Each action is a step of its own. The episode's own task carries it out, so an action that was begun ends even if
    its caller is gone.
    """

    def __init__(self, runtime: EpisodeRuntime) -> None:
        self._runtime = runtime
        self._inbox: asyncio.Queue[_Queued | _HandBack | End] = asyncio.Queue()
        self._queued: dict[str, _Queued] = {}
        """The actions that wait or are carried out, by the keys of their requests."""
        self.ends_at: float | None = None
        """When the takeover ends by itself, in Unix seconds; None while nobody may act."""

    @property
    def is_serving(self) -> bool:
        """Return whether the person may act now."""
        return self.ends_at is not None

    async def run(self) -> End | None:
        """Carry out what the person asks, until the episode is handed back.

        Return the end of the episode if something outside, or a failure, ends it.
        """
        runtime = self._runtime
        try:
            await self._begin()
            end = await self._serve()
        except StoreError as error:
            return end_of_lost_store(error)
        except ManyhandsError as error:
            return end_of_failure(ACT, error)
        except Exception as error:
            logger.exception("%s: a defect", runtime.order.episode)
            return defect("a takeover", error)
        finally:
            self.ends_at = None
            for one in self._queued.values():
                one.answer.set_exception(InterventionRefused("the takeover has ended; the action was not sent"))
            self._queued.clear()
            self._inbox = asyncio.Queue()
        return end

    async def act(self, request: PersonAction) -> Receipt | None:
        """Carry out an action once, and return its receipt; None for an action that sends nothing.

        Raises InterventionRefused, KeyReused, BadInput, and the errors of the phone.
        """
        if not self.is_serving:
            raise InterventionRefused("the episode is being handed back; the action was not sent")
        queued = self._queued.get(request.request)
        if queued is None:
            queued = self._queued[request.request] = _Queued(request, asyncio.get_running_loop().create_future())
            queued.answer.add_done_callback(_retrieve)
            self._inbox.put_nowait(queued)
        elif queued.asked.action != request.action:
            raise KeyReused(f"{request.request}: this key is of another action")
        return await asyncio.shield(queued.answer)

    def hand_back(self, by: str) -> None:
        """End the takeover after the actions that were asked for."""
        self._inbox.put_nowait(_HandBack(by))

    def end(self, end: End) -> None:
        """End the takeover, because the episode ends."""
        self._inbox.put_nowait(end)

    def receipt_of(self, request: PersonAction) -> Receipt | None:
        """Return the receipt of a request that was carried out before; None if it was not, or is under way.

        Raises KeyReused.
        """
        if request.request in self._queued:
            return None
        for at in self._runtime.journal.state.steps.values():
            for record in reversed(at.sent):  # what was never begun is sent again under another key
                if record.by == request.by and record.request == request.request:
                    if record.action != request.action:
                        raise KeyReused(f"{request.request}: this key is of another action")
                    received = (one for one in at.receipts if one.key == record.key and not one.never_begun)
                    return next((one.model_copy(update={"repeated": True}) for one in received), None)
        return None

    async def _begin(self) -> None:
        runtime = self._runtime
        journal, control = runtime.journal, runtime.control
        if journal.state.takeover is None:
            record = EpisodeTakenOver(at=runtime.clock.now(), by=control.by or "", last_step=journal.state.last_touched)
            await journal.write(record)
        await self._capture()
        control.begin_takeover()

    async def _serve(self) -> End | None:
        runtime = self._runtime
        limit_s = runtime.settings.takeover_s
        while True:
            self.ends_at = runtime.clock.now() + limit_s
            try:
                async with asyncio.timeout(limit_s):
                    message = await self._inbox.get()
            except TimeoutError:
                reason = f"no action came for {limit_s:g} s"
                await self._hand_back("", reason)
                is_unused = runtime.task.by_hand is not None and not runtime.journal.state.person_actions
                return End(Ending.TIME_LIMIT, reason) if is_unused else None
            match message:
                case End():
                    return message
                case _HandBack():
                    await self._hand_back(message.by, "")
                    return None
                case _Queued():
                    await self._answer(message)

    async def _hand_back(self, by: str, reason: str) -> None:
        journal, now = self._runtime.journal, self._runtime.clock.now()
        last_step = journal.state.last_touched
        await journal.write(EpisodeHandedBack(at=now, by=by, reason=reason, last_step=last_step))
        await journal.flush()

    async def _answer(self, queued: _Queued) -> None:
        """Carry out an action. A refusal goes to the caller alone; any other error ends the takeover, too.

        The caller gets an answer in every case, also if the episode ends meanwhile.
        """
        try:
            receipt = await self._perform(queued.asked)
        except (InterventionRefused, BadInput) as error:
            queued.answer.set_exception(error)
        except ManyhandsError as error:
            queued.answer.set_exception(error)
            raise
        else:
            queued.answer.set_result(receipt)
        finally:
            self._queued.pop(queued.asked.request, None)
            if not queued.answer.done():
                unknown = "the episode ended during the action: look at the phone to see whether it was done"
                queued.answer.set_exception(InterventionRefused(unknown))

    async def _perform(self, request: PersonAction) -> Receipt | None:
        runtime = self._runtime
        step = runtime.journal.state.last_touched + 1
        screenshot = runtime.journal.state.step(step).screenshot
        assert screenshot is not None, "the screen is captured before a person may act"
        if request.screen != screenshot.content_id:
            raise InterventionRefused(f"the phone shows another screen now: {screenshot.content_id}; look at it first")
        if not request.action.touches:
            await runtime.clock.sleep(request.action.seconds if isinstance(request.action, Wait) else 0.0)
            await self._capture()
            return None
        try:
            check_points((request.action,), screenshot.size)
        except ActionUnusable as error:
            raise BadInput(str(error)) from error
        progress = ActionProgress()
        context = StageContext(runtime, ACT, step)
        receipt = await send_as(context, 0, request.action, progress, request.by, request.request)
        if progress.shown is not None:
            runtime.pictures.captured[step + 1] = progress.shown
        await self._capture()
        return receipt

    async def _capture(self) -> None:
        """Journal the screen at rest, before the next step. The journal and the screen are on disk afterwards."""
        runtime = self._runtime
        for record in await capture(StageContext(runtime, CAPTURE, runtime.journal.state.last_touched + 1)):
            await runtime.journal.write(record)
        await runtime.journal.flush()
        await runtime.screens.flush()


def _retrieve(answer: asyncio.Future[Receipt | None]) -> None:
    """Mark an error as seen, also if its caller is gone."""
    if not answer.cancelled():
        answer.exception()


class Interventions:
    """Carry out the interventions in one episode."""

    def __init__(
        self, runtime: EpisodeRuntime, takeover: Takeover, hold: Callable[[], None], stop: Callable[[str], None]
    ) -> None:
        """``hold``: stops the stages for a takeover. ``stop``: ends the episode as cancelled, with this reason."""
        self._runtime = runtime
        self._takeover = takeover
        self._hold = hold
        self._stop = stop

    @property
    def _control(self) -> HumanControl:
        return self._runtime.control

    async def answer(self, intervention: Intervention) -> EpisodeControl:
        """Carry out an intervention. For ``StopEpisode``, return before the episode has ended.

        Raises InterventionRefused, BadInput, StoreError, and the errors of the phone.
        """
        control, receipt = self._control, None
        match intervention:
            case PauseEpisode():
                if control.pause(intervention.by):
                    await self._write(EpisodePaused(at=self._now(), by=intervention.by, reason=intervention.reason))
            case ResumeEpisode():
                if control.unpause():
                    await self._write(EpisodeUnpaused(at=self._now(), by=intervention.by))
            case AnswerQuestion():
                await self._answer_question(intervention)
            case StopEpisode():
                if control.phase is not EpisodePhase.ENDED:
                    control.stop(intervention.by)
                    self._stop(intervention.ending_reason)
            case TakeOverEpisode():
                await self._take_over(intervention.by)
            case PersonAction():
                receipt = await self._act(intervention)
            case HandBackEpisode():
                await self._hand_back(intervention)
            case ShowControl():
                pass
            case _:
                assert_never(intervention)
        return self.show().model_copy(update={"receipt": receipt})

    def show(self) -> EpisodeControl:
        """Return who controls the episode."""
        runtime, control = self._runtime, self._control
        state = runtime.journal.state
        shot = state.step(state.last_step).screenshot
        return EpisodeControl(
            episode=runtime.order.episode,
            task=runtime.task.id,
            serial=runtime.order.lease.serial,
            phase=control.phase,
            by=control.by,
            question="" if control.question is None else control.question.text,
            since=control.begun_at if control.by is not None else None,
            ends_at=self._takeover.ends_at if control.question is None else control.question.ends_at,
            screen=None if shot is None else shot.content_id,
            size=None if shot is None else shot.size,
            keyboard="unknown" if shot is None else shot.keyboard,
            is_by_hand=runtime.task.by_hand is not None,
            person_actions=state.person_actions,
        )

    async def _answer_question(self, answer: AnswerQuestion) -> None:
        """Give the agent the first answer to its question. Return once it is on disk."""
        control = self._control
        await self._runtime.begun.wait()  # an episode that is being resumed may have a question
        question = control.answer(answer)
        while control.question is question:
            if control.phase in (EpisodePhase.STOPPING, EpisodePhase.ENDED):
                raise InterventionRefused("the episode has ended, and its agent has got no answer")
            await control.next_change()

    async def _take_over(self, by: str) -> None:
        """Hold the stages, and return once the person may act."""
        control = self._control
        if self._is_handing_back:
            await control.next_release()
        if control.take_over(by):
            self._hold()
        while control.phase is EpisodePhase.TAKING_OVER:
            await control.next_change()
        if control.phase is not EpisodePhase.TAKEN_OVER:
            raise InterventionRefused(f"the episode cannot be taken over: it is {control.phase}")

    async def _act(self, intervention: PersonAction) -> Receipt | None:
        if isinstance(intervention.action, Answer | Stop):
            raise BadInput(f"{intervention.action.name}: only the agent may say that; hand the episode back instead")
        receipt = self._takeover.receipt_of(intervention)
        if receipt is not None:
            return receipt
        self._check_holder(intervention.by)
        if self._control.phase is not EpisodePhase.TAKEN_OVER:
            raise InterventionRefused("it is not taken over yet, because an action still ends: try again in a moment")
        return await self._takeover.act(intervention)

    async def _hand_back(self, intervention: HandBackEpisode) -> None:
        control = self._control
        if control.phase is EpisodePhase.RUNNING:
            return
        self._check_holder(intervention.by, may_end=intervention.is_operator)
        if not self._is_handing_back:
            self._takeover.hand_back(intervention.by)
        await control.next_release()

    @property
    def _is_handing_back(self) -> bool:
        """Return whether the takeover is over and the agent is about to go on."""
        return self._control.phase is EpisodePhase.TAKEN_OVER and not self._takeover.is_serving

    def _check_holder(self, by: str, may_end: bool = False) -> None:
        control = self._control
        if control.phase not in (EpisodePhase.TAKING_OVER, EpisodePhase.TAKEN_OVER):
            raise InterventionRefused(f"the episode is not taken over: it is {control.phase}")
        if control.by != by and not may_end:
            raise InterventionRefused(f"the episode is taken over by {control.by}")

    def _now(self) -> float:
        return self._runtime.clock.now()

    async def _write(self, record: Record) -> None:
        """Journal what a person asked. The record is on disk afterwards."""
        await self._runtime.begun.wait()
        if self._control.phase is EpisodePhase.ENDED:
            raise InterventionRefused("the episode has ended")
        await self._runtime.journal.write(record)
        await self._runtime.journal.flush()
