"""Ask a model about the statements in a task's check, when the episode has ended.

The model's word never takes the place of the phone's: a statement is asked about only if the phone's part of the check
leaves the result open. A judge that does not answer decides nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Literal

from manyhands.actors.episode.checks.evidence import EvidenceReader
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.frames import ModelImage
from manyhands.actors.interfaces import Ref
from manyhands.protocol.base import VerifiedBy
from manyhands.protocol.errors import CallError, ModelError, StateUnavailable
from manyhands.protocol.journals.records import StatementJudged
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.requests import Brief, JudgeRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.tasks.predicates import (
    Evidence,
    JudgedStatement,
    NotNeeded,
    Predicate,
    Unanswered,
    evaluate,
    statements,
)
from manyhands.protocol.tasks.value_tests import cut

JUDGE = Role.JUDGE.value
"""The stage that asks the judge. It belongs to no paper's loop."""
JUDGING_S = 180.0
"""How long the model may take to judge a statement, in seconds."""
PAST_ACTIONS = 40
"""How many past actions the judge is shown."""
NO_JUDGE = "no model is there to judge it: name its server by --mllm-url or models.judge.url"
LONGEST_REASON = 800
_NOT_NEEDED = NotNeeded("the rest of the check decides the result")


def decided_by(holds: Predicate, evidence: Evidence) -> VerifiedBy | None:
    """Return whose word decides a check: the phone's if that suffices, else the judge's; None if it is undecided."""
    if evaluate(holds, replace(evidence, statements={})) is not None:
        return "phone"
    return None if evaluate(holds, evidence) is None else "judge"


@dataclass(slots=True)
class StatementJudge:
    """Ask about the statements of one check, each at most once."""

    runtime: EpisodeRuntime
    _said: dict[str, JudgedStatement | Unanswered] = field(default_factory=dict)

    async def judge(self, holds: Predicate, evidence: Evidence, reader: EvidenceReader) -> Evidence:
        """Return the evidence with the judge's word on the statements, as far as the check's result needs it.

        Raises PhoneLost, LeaseLost, StoreError, CallError, as the reader does; never an error of the model.
        """
        for statement in statements(holds):
            if await asyncio.to_thread(evaluate, holds, self._with_words(holds, evidence)) is not None:
                break
            if statement not in self._said:
                self._said[statement] = await self._ask(statement, reader)
        return self._with_words(holds, evidence)

    def _with_words(self, holds: Predicate, evidence: Evidence) -> Evidence:
        """Return the evidence with the judge's words so far."""
        return replace(evidence, statements={one: self._said.get(one, _NOT_NEEDED) for one in statements(holds)})

    async def _ask(self, statement: str, reader: EvidenceReader) -> JudgedStatement | Unanswered:
        """Ask about one statement. Journal what was said, or why nothing was."""
        runtime, context = self.runtime, StageContext(self.runtime, JUDGE, reader.step)
        began = runtime.clock.now()
        outcome = await self._consult(context, statement, reader)
        record = StatementJudged(
            at=runtime.clock.now(),
            span=context.span(began),
            statement=statement,
            verdict=outcome.verdict,
            reason=cut(" ".join(outcome.reason.split()), LONGEST_REASON),
            screens=outcome.screens,
            calls=outcome.calls,
        )
        await runtime.journal.write(record)
        if record.verdict is None:
            return Unanswered(record.reason)
        if record.verdict == "cannot tell":
            return Unanswered(f"the judge cannot tell: {record.reason}")
        return JudgedStatement(record.verdict == "yes", record.reason)

    async def _consult(self, context: StageContext, statement: str, reader: EvidenceReader) -> _Consultation:
        if Role.JUDGE not in self.runtime.collaborators.agents:
            return _Consultation(NO_JUDGE)
        try:
            newest = await reader.capture_screen()
        except StateUnavailable as error:
            return _Consultation(str(error))
        pairs = [*self._earlier_screen(newest.screenshot), (newest.screenshot, newest.picture.image)]
        screens = tuple(shot for shot, _ in pairs)
        state = self.runtime.journal.state
        shortcuts = () if state.started is None else state.started.memory.shortcuts
        request = JudgeRequest(
            brief=Brief(goal=self.runtime.task.goal, shortcuts=shortcuts, told=()),
            statement=statement,
            shown=screens,
            screen=await _read(reader),
            history=state.history(state.last_step + 1, PAST_ACTIONS, judged=False),
        )
        try:
            timed = await context.ask(request, *(image for _, image in pairs))
        except (ModelError, CallError) as error:
            return _Consultation(f"the judge did not answer: {error}", screens=screens, calls=error.calls)
        answer, calls = timed.value.value, timed.value.calls
        return _Consultation(answer.reason or "it gave no reason", answer.verdict, screens, calls)

    def _earlier_screen(self, newest: Screenshot) -> list[tuple[Screenshot, Ref[ModelImage]]]:
        """Return the last screen of a step that differs from the newest; empty if its picture is not kept any more."""
        steps = self.runtime.journal.state.steps
        for number in sorted(steps, reverse=True):
            shot = steps[number].screenshot
            if shot is not None and not newest.shows_as(shot):
                image = None if steps[number].unseen else self.runtime.pictures.kept_image(number)
                return [] if image is None else [(shot, image)]
        return []


@dataclass(frozen=True, slots=True)
class _Consultation:
    """Hold what came of asking the judge: its verdict and reason, or why there is no verdict."""

    reason: str
    verdict: Literal["yes", "no", "cannot tell"] | None = None
    screens: tuple[Screenshot, ...] = ()
    calls: tuple[ModelCall, ...] = ()


async def _read(reader: EvidenceReader) -> Screen | None:
    """Return the screen as perception reads it; None if it cannot, because the picture suffices."""
    try:
        return await reader.perceive_screen()
    except (StateUnavailable, CallError):
        return None
