"""Get the answer to a task that asks for information. No episode of such a task finishes without it, in any profile.

The papers' loops have no such call. So with ``paper_exact`` no model is asked for it, and the agent's own text is
judged.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from pydantic import JsonValue

from manyhands.actors.episode.endings import End, Failures, defect, end_of_failure, end_of_lost_store
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import ANSWER
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ErrorWithCalls, ManyhandsError, ReplyUnusable, StoreError
from manyhands.protocol.journals.records import Record, StageFailed
from manyhands.protocol.roles.requests import AnswerRequest
from manyhands.protocol.tasks.answers import AnswerSpec, AnswerUnfit, GivenAnswer

logger = logging.getLogger(__name__)

ANSWERING_S = 180.0
"""How long the model may take to answer, in seconds."""
PAST_ACTIONS = 20
"""How many past actions the model is shown."""
_FAILURES: Failures = ((ReplyUnusable, Ending.ANSWER_INVALID), (CallError, Ending.MODEL_FAILED))


@dataclass(frozen=True, slots=True)
class EpisodeAnswer:
    """Hold the answer at an episode's end."""

    end: End
    """The end of the episode. It differs from the given end if the answer is missing or does not fit."""
    text: str | None
    data: JsonValue = None
    answered: bool = True
    """Whether the answer fits what the task asks for."""


async def answer_at_end(runtime: EpisodeRuntime, end: End) -> EpisodeAnswer:
    """Return the agent's answer. If the agent finished without an answer that fits, ask the model for one."""
    spec = runtime.task.answer
    if spec is None:
        return EpisodeAnswer(end, runtime.journal.state.answer)
    answer, problem = _read(spec, runtime.journal.state.answer)
    if answer is None and end.ending is Ending.FINISHED:
        if runtime.settings.paper_exact:
            end = End(Ending.ANSWER_INVALID, f"{end.reason}; {problem}", end.afresh)
        else:
            end = await _ask(runtime, end, spec, problem)
            answer, _ = _read(spec, runtime.journal.state.answer)
    if answer is None:
        return EpisodeAnswer(end, runtime.journal.state.answer, answered=False)
    return EpisodeAnswer(end, answer.text, answer.data)


def _read(spec: AnswerSpec, text: str | None) -> tuple[GivenAnswer | None, str]:
    """Return the answer that a text gives. If the text gives none, return None and what is wrong with the text."""
    if text is None:
        return None, "the task asks for an answer, and the agent gave none"
    try:
        return spec.read(text), ""
    except AnswerUnfit as error:
        return None, str(error)


async def _ask(runtime: EpisodeRuntime, end: End, spec: AnswerSpec, problem: str) -> End:
    """Ask for the answer. Journal the answer, or why there is none. Return the episode's end after that."""
    numbers = [number for number, at in runtime.journal.state.steps.items() if at.screenshot is not None]
    context = StageContext(runtime, ANSWER, max(numbers, default=0))
    start = runtime.clock.now()
    record: Record
    try:
        pictures = (runtime.image(context.step),) if runtime.settings.shows_pictures else ()
        timed = await context.ask(_request(context, spec, problem), *pictures)
        record = context.result(timed.value.value, timed.span(timed.value.queue_ms), timed.value.calls)
    except StoreError as error:
        return end_of_lost_store(error)
    except ManyhandsError as error:
        calls = error.calls if isinstance(error, ErrorWithCalls) else ()
        span = context.span(start)
        record = StageFailed(step=context.step, span=span, stage=ANSWER, code=error.code, error=str(error), calls=calls)
        failed = end_of_failure(ANSWER, error, _FAILURES)
        assert failed is not None
        end = End(failed.ending, f"{end.reason}; {failed.reason}", end.afresh)
    except Exception as error:
        logger.exception("%s: asking for the answer failed by a defect", runtime.order.episode)
        return defect("the answer", error)
    store_error = await runtime.journal.try_to_write(record)
    return end if store_error is None else end_of_lost_store(store_error)


def _request(context: StageContext, spec: AnswerSpec, problem: str) -> AnswerRequest:
    """Return the question: which form the answer must have, and all that the episode knows. Raises PictureLost."""
    state, step, settings = context.state, context.step, context.runtime.settings
    at = state.step(step)
    context.runtime.picture(step)
    assert at.screenshot is not None
    return AnswerRequest(
        brief=context.brief,
        screenshot=at.screenshot,
        screen=at.screen if settings.has("elements") else None,
        progress=state.progress(step),
        notes=state.notes(step),
        history=state.history(step + 1, PAST_ACTIONS, judged=False),
        wanted=spec,
        given=state.answer or "",
        problem=problem,
        pictures=settings.shows_pictures,
    )
