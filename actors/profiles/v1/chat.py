"""The chat of an episode as of a step: a pure function of what the journal holds."""

from __future__ import annotations

from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.v1.requests import ChatStep, first_shown
from manyhands.protocol.actions import Stop
from manyhands.protocol.runs import EpisodeSettings
from manyhands.protocol.sections import harmless, one_line

OTHERWISE = "Choose another operation, or the same with other parameters."


def most_pictures(settings: EpisodeSettings) -> int | None:
    """Return how many screenshots the chat shows; None for all."""
    return None if settings.paper_exact else settings.chat_pictures


def chat_of(state: EpisodeState, step: int, settings: EpisodeSettings) -> tuple[ChatStep, ...]:
    """Return the chat up to the screen of ``step``, whose answer may be there already.

    A picture that an interruption has lost is left out as those that are too old are.
    """
    first = first_shown(step, most_pictures(settings))
    shown = (number >= first and not state.step(number).unseen for number in range(step + 1))
    return tuple(_step(state, number, one) for number, one in enumerate(shown))


def _step(state: EpisodeState, number: int, shown: bool) -> ChatStep:
    at = state.step(number)
    assert at.screenshot is not None
    return ChatStep(
        screenshot=at.screenshot,
        shown=shown,
        told=_told(state, number) if number else "",
        answer=at.replies.get("decide", ""),
        completion=at.replies.get("confirm"),
    )


def _told(state: EpisodeState, step: int) -> str:
    """Return what came of the operation before the screen of ``step``."""
    before = state.step(step - 1)
    decided = before.decision
    if decided is not None and isinstance(decided.action, Stop):
        if "confirm" in before.failures:
            return "Your answer could not be read. If all is done, choose Stop again."
        return "You are not done yet: go on with what is missing."
    problem = before.acted.problem if before.acted is not None else None
    if problem is not None:
        return f"Your last operation was not carried out: {harmless(one_line(problem)).rstrip('.')}. {OTHERWISE}"
    if state.unchanged(step):
        return f"The screen has not changed since your last operation. {OTHERWISE}"
    chosen = before.results.get("locate", {}).get("choice")
    return f"The place with the number {chosen} was tapped." if chosen else ""
