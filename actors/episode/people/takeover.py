"""Let a person act on the phone of an episode, until the episode is handed back."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from manyhands.actors.episode.endings import End, defect, end_of_failure, end_of_lost_store
from manyhands.actors.episode.profile import ACT, CAPTURE
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import ActionProgress, send_as
from manyhands.actors.episode.stages.atomic_actions import ActionUnusable, check_points
from manyhands.actors.episode.stages.perceive import capture
from manyhands.actors.episode.stages.permission import find_unnamed_secrets
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, InterventionRefused, KeyReused, ManyhandsError, StoreError
from manyhands.protocol.journals.records import (
    EpisodeHandedBack,
    EpisodeTakenOver,
)
from manyhands.protocol.phones import Receipt
from manyhands.protocol.policy import allow
from manyhands.protocol.runs.interventions import (
    PersonAction,
)
from manyhands.protocol.screens.actions import Wait

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
                return await self._expire(f"no action came for {limit_s:g} s")
            match message:
                case End():
                    return message
                case _HandBack():
                    await self._hand_back(message.by, "")
                    return None
                case _Queued():
                    await self._answer(message)

    async def _expire(self, reason: str) -> End | None:
        """End a takeover without an action of the person. Return the end of the episode, if that ends it.

        The agent must not go on in what a person has left half done. No hand back is journalled then, so an episode
        that is killed before its end is resumed as taken over.
        """
        runtime = self._runtime
        if runtime.task.by_hand is None:
            return End(Ending.NEEDS_PERSON, f"{runtime.control.by or 'a person'} took it over, and {reason}")
        await self._hand_back("", reason)
        return None if runtime.journal.state.person_actions else End(Ending.TIME_LIMIT, reason)

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
        if unnamed := find_unnamed_secrets(runtime.journal.state, request.action):
            raise BadInput(unnamed)
        progress = ActionProgress()
        context = StageContext(runtime, ACT, step)
        verdict = allow(request.action, "a person acts", request.by)
        receipt = await send_as(context, 0, request.action, progress, verdict, request.by, request.request)
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
