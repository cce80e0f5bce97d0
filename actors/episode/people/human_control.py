"""Hold what people asked of a running episode, a pause, a takeover or its stop, and what its agent asks people.

The gate before each action of the agent asks it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass

from manyhands.actors.clock import Clock, time_limit
from manyhands.actors.episode.paused_time import PausedTime, measure_s
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.errors import DeadlinePassed, InterventionRefused
from manyhands.protocol.journals.records import EpisodePaused, Interval
from manyhands.protocol.policy import ConsentQuestion
from manyhands.protocol.runs.interventions import AGENT, AnswerQuestion, EpisodePhase


@dataclass(slots=True, eq=False)
class PersonQuestion:
    """Hold what the agent asks a person, until when it waits (Unix seconds), and the first answer."""

    text: str
    ends_at: float
    consent: ConsentQuestion | None = None
    """The action that the person is asked to allow; None if the agent itself asks something."""
    answer: AnswerQuestion | None = None


class HumanControl(PausedTime):
    """Tell whether people hold an episode. The episode's time limit does not count the time in which they do."""

    def __init__(self, clock: Clock, person_wait_s: float = 0.0) -> None:
        """Begin with an episode that nobody holds. ``person_wait_s``: how long a question waits for an answer."""
        super().__init__(clock)
        self._person_wait_s = person_wait_s
        self.question: PersonQuestion | None = None
        """What the agent asks a person. The episode is paused meanwhile, unless a person takes it over."""
        self.phase = EpisodePhase.RUNNING
        self.by: str | None = None
        """Who has paused the episode, has taken it over, or stops it."""
        self.begun_at: float | None = None
        """Since when, in Unix seconds."""
        self._is_gate_closed = False
        """Whether a pause holds no action back, because none will follow: all of them are dropped."""
        self._held_since: float | None = None
        self._held: tuple[Interval, ...] = ()
        self._changed = asyncio.Event()
        """Set, and then replaced, at each change of ``phase``, and when the gate closes."""
        self._released = asyncio.Event()
        """Set, and then replaced, whenever no person has the episode."""

    def _open(self) -> Iterable[float]:
        return () if self._held_since is None else (self._held_since,)

    def _past(self) -> Iterable[Interval]:
        return self._held

    @property
    def held_s(self) -> float:
        """Return for how many seconds in total people have held the episode in this process."""
        return measure_s(self.intervals())

    def restore(self, state: EpisodeState) -> None:
        """Hold the episode as its journal says. An interruption ends neither a pause nor a takeover."""
        if state.takeover is not None:
            self._change(EpisodePhase.TAKING_OVER, state.takeover.by, state.takeover.at)
        elif state.paused is not None and state.paused.step is not None:
            is_open = state.step(state.paused.step).acted is None  # else a person was about to take it over
            if is_open and state.paused.is_of_action:
                self.ask(state.paused)
        elif state.paused is not None and self.phase is EpisodePhase.RUNNING:
            self._change(EpisodePhase.PAUSED, state.paused.by, state.paused.at)

    def pause(self, by: str) -> bool:
        """Send no further action. Return whether that is new. Raises InterventionRefused."""
        self._check_question()
        if self.phase is EpisodePhase.PAUSED:
            return False
        self._check(EpisodePhase.RUNNING, doing="be paused")
        self._change(EpisodePhase.PAUSED, by)
        return True

    def unpause(self) -> bool:
        """Let the agent go on. Return whether the episode was paused. Raises InterventionRefused."""
        if self.phase is EpisodePhase.RUNNING:
            return False
        self._check_question()
        self._check(EpisodePhase.PAUSED, doing="be resumed")
        self._change(EpisodePhase.RUNNING, None)
        return True

    def _check_question(self) -> None:
        """Raise InterventionRefused while the agent asks: the pause of its question ends with the answer."""
        if self.question is not None:
            raise InterventionRefused("the agent waits for an answer: answer, decline or take over")

    def ask(self, asked: EpisodePaused) -> None:
        """Hold the episode until its agent's question is answered. Whoever has it in hand keeps it."""
        self.question = PersonQuestion(asked.reason, asked.at + self._person_wait_s, asked.consent)
        if self.phase is EpisodePhase.RUNNING:
            self._change(EpisodePhase.PAUSED, AGENT, asked.at)

    def answer(self, answer: AnswerQuestion) -> PersonQuestion:
        """Take the first answer to the agent's question. Return the question. Raises InterventionRefused."""
        question = self.question
        if question is None or self.phase is not EpisodePhase.PAUSED:
            raise InterventionRefused("the agent asks nothing now: it was answered, or nobody came in time")
        if question.answer is not None:
            raise InterventionRefused(f"{question.answer.by or 'the end of the wait'} has answered it already")
        if answer.allows is not None and (question.consent is None or answer.allows != question.consent.id):
            raise InterventionRefused("the agent asks something else by now: look at its question again")
        question.answer = answer
        self._signal_change()
        return question

    async def wait_for_answer(self) -> AnswerQuestion | None:
        """Return the first answer to the question; None if a person takes the episode over instead.

        The answer is nobody's when the time is up. Raises CancelledError if the episode ends.
        """
        question = self.question
        assert question is not None, "the agent asks before it waits"
        with contextlib.suppress(DeadlinePassed):
            async with time_limit(self._clock, question.ends_at, "a person"):
                while question.answer is None and self.phase is EpisodePhase.PAUSED and not self._is_gate_closed:
                    await self._changed.wait()
        if question.answer is None and self.phase in _WITH_PERSON:
            return None
        if question.answer is None and (self._is_gate_closed or self.phase is not EpisodePhase.PAUSED):
            raise asyncio.CancelledError
        question.answer = question.answer or AnswerQuestion(by="")
        return question.answer

    def end_question(self) -> None:
        """Let the agent go on, unless a person has taken the episode over."""
        self.question = None
        if self.phase is EpisodePhase.PAUSED:
            self._change(EpisodePhase.RUNNING, None)

    def take_over(self, by: str) -> bool:
        """Hold the episode for a person. Return whether that is new. Raises InterventionRefused."""
        if self.phase in _WITH_PERSON and self.by == by:
            return False
        self._check(EpisodePhase.RUNNING, EpisodePhase.PAUSED, doing="be taken over")
        self._change(EpisodePhase.TAKING_OVER, by)
        return True

    def begin_takeover(self) -> None:
        """Note that the agent holds and the person may act. That ends the agent's question."""
        self.question = None
        self._change(EpisodePhase.TAKEN_OVER, self.by, self.begun_at)

    def hand_back(self) -> None:
        """Note that the takeover is over."""
        self._is_gate_closed = False
        if self.phase in _WITH_PERSON:
            self._change(EpisodePhase.RUNNING, None)

    def stop(self, by: str) -> None:
        """Note that the episode is being stopped."""
        if self.phase is not EpisodePhase.STOPPING:
            self._change(EpisodePhase.STOPPING, by)

    def end(self) -> None:
        """Note that no stage runs any more."""
        if self.phase is not EpisodePhase.ENDED:
            self._change(EpisodePhase.ENDED, None)

    def close_gate(self) -> None:
        """Drop the actions that a pause holds back, because the stages stop. A takeover opens the gate again."""
        self._is_gate_closed = True
        self._signal_change()

    async def pass_gate(self) -> None:
        """Return once the agent may send its next action, or is the one who asks.

        Raises CancelledError once a person takes the episode over, or it ends in a pause: the action is dropped.
        """
        while self.phase is not EpisodePhase.RUNNING:
            if self.phase is not EpisodePhase.PAUSED or self._is_gate_closed:
                raise asyncio.CancelledError
            if self.question is not None:
                return
            await self._changed.wait()

    async def sleep(self, seconds: float) -> None:
        """Wait as an action of the agent. Raises CancelledError once a person takes the episode over."""
        waiting = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            while not waiting.done():
                if self.phase in _WITH_PERSON:
                    raise asyncio.CancelledError
                changed = asyncio.ensure_future(self._changed.wait())
                try:
                    await asyncio.wait({waiting, changed}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    changed.cancel()
        finally:
            waiting.cancel()

    async def next_change(self) -> None:
        """Return at the next change of ``phase``."""
        await self._changed.wait()

    async def next_release(self) -> None:
        """Return once the person has the episode no more, also if somebody takes it over again at once."""
        await self._released.wait()

    def _check(self, *allowed: EpisodePhase, doing: str) -> None:
        if self.phase not in allowed:
            who = f" by {self.by}" if self.by else ""
            raise InterventionRefused(f"the episode cannot {doing}: it is {self.phase.replace('_', ' ')}{who}")

    def _change(self, phase: EpisodePhase, by: str | None, at: float | None = None) -> None:
        now = self._clock.now()
        self.phase, self.by = phase, by
        self.begun_at = None if phase is EpisodePhase.RUNNING else now if at is None else at
        if phase is EpisodePhase.RUNNING and self._held_since is not None:
            self._held = (*self._held, (self._held_since, now))
            self._held_since = None
            self._signal_end()
        elif phase is not EpisodePhase.RUNNING and self._held_since is None:
            self._held_since = now
        self._signal_change()
        if phase not in _WITH_PERSON:
            released, self._released = self._released, asyncio.Event()
            released.set()

    def _signal_change(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


_WITH_PERSON = frozenset({EpisodePhase.TAKING_OVER, EpisodePhase.TAKEN_OVER})
