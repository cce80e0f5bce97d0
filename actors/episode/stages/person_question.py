"""Ask a person what the agent wants to know, and wait for the answer."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.journals.records import EpisodePaused, EpisodeUnpaused
from manyhands.protocol.runs.interventions import AGENT
from manyhands.protocol.screens.actions import AskPerson

NOBODY_CAME = "no person came to answer; do what is possible without one, or end the task as a failure"
DECLINED = "a person has declined to answer; do what is possible without that"


async def ask_person(context: StageContext, action: AskPerson) -> str | None:
    """Hold the episode until a person has answered. Return why there is no answer; None if there is one.

    A takeover counts as an answer. The question is on disk before an answer counts, and the answer before the agent
    goes on. So an episode that is interrupted meanwhile waits on, and one that has its answer does not ask again. Once
    nobody came, later questions wait for nobody: each wait keeps the phone.
    """
    runtime = context.runtime
    clock, control, journal = runtime.clock, runtime.control, runtime.journal
    at = journal.state.step(context.step)
    if at.question is None and journal.state.nobody_came:
        return NOBODY_CAME
    if at.answer is None:
        if at.question is None:
            await control.pass_gate()
            asked = EpisodePaused(at=clock.now(), by=AGENT, reason=action.text, step=context.step)
            control.ask(asked)
            await journal.write(asked)
            await journal.flush()
        answer = await control.wait_for_answer()
        if answer is not None:
            await journal.write(EpisodeUnpaused(at=clock.now(), by=answer.by, answer=answer.text))
            await journal.flush()
        control.end_question()
        runtime.pictures.captured.pop(context.step + 1, None)  # a screen from before the answer
        at = journal.state.step(context.step)
    if not isinstance(at.answer, EpisodeUnpaused) or at.answer.answer is not None:
        return None
    return DECLINED if at.answer.by else NOBODY_CAME
