"""Ask a person, and wait for the answer: what the agent wants to know, or whether an action may be sent."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.journals.records import EpisodePaused, EpisodeUnpaused
from manyhands.protocol.policy import ConsentQuestion
from manyhands.protocol.runs.interventions import AGENT

NOBODY_CAME = "no person came to answer; do what is possible without one, or end the task as a failure"
DECLINED = "a person has declined to answer; do what is possible without that"


async def ask_person(context: StageContext, text: str) -> str | None:
    """Hold the episode until a person has answered. Return why there is no answer; None if there is one.

    A takeover counts as an answer.
    """
    answer = await put_question(context, text)
    if answer is None or answer.answer is not None:
        return None
    return DECLINED if answer.by else NOBODY_CAME


async def put_question(
    context: StageContext, text: str, consent: ConsentQuestion | None = None
) -> EpisodeUnpaused | None:
    """Hold the episode until a person has answered. Return the answer; None if a person took the phone over instead.

    The question is on disk before an answer counts, and the answer before the agent goes on. So an episode that is
    interrupted meanwhile waits on, and one that has its answer does not ask again. A stage before the action is done
    again after an interruption, and so is its question. Once nobody came, later questions wait for nobody: each wait
    keeps the phone.
    """
    runtime, step = context.runtime, context.step
    clock, control, journal = runtime.clock, runtime.control, runtime.journal
    record = EpisodePaused(at=clock.now(), by=AGENT, reason=text, step=step, stage=context.stage, consent=consent)
    at = journal.state.step(step)
    is_repeated = at.question is not None and record.asks_same(at.question)
    if is_repeated and at.answer is not None and not at.sent:
        return at.answer if isinstance(at.answer, EpisodeUnpaused) else None
    if control.question is not None and not is_repeated:  # what it was about has changed in an interruption
        await journal.write(EpisodeUnpaused(at=clock.now(), by=AGENT))
        control.end_question()
    if control.question is None:
        if journal.state.nobody_came:
            return EpisodeUnpaused(at=clock.now(), by="")
        await control.pass_gate()
        control.ask(record)
        await journal.write(record)
        await journal.flush()
    answer = await control.wait_for_answer()
    ended: EpisodeUnpaused | None = None
    if answer is not None:
        allows = None if consent is None else answer.allows is not None
        ended = EpisodeUnpaused(at=clock.now(), by=answer.by, answer=answer.text, allows=allows)
        await journal.write(ended)
        await journal.flush()
    control.end_question()
    runtime.pictures.captured.pop(step + 1, None)  # a screen from before the answer
    return ended
