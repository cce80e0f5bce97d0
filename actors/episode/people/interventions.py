"""Carry out what a person wants of a running episode: pause, resume, answer, stop, take over, act, hand back."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from manyhands.actors.episode.people.human_control import HumanControl
from manyhands.actors.episode.people.takeover import Takeover
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.protocol.errors import BadInput, InterventionRefused
from manyhands.protocol.journals.records import EpisodePaused, EpisodeUnpaused, Record
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
from manyhands.protocol.screens.actions import Answer, Stop


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
            consent=None if control.question is None else control.question.consent,
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
