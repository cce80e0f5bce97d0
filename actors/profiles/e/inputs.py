"""Which inputs the stages read, where settings decide that."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.runs import EpisodeSettings


def sees_elements_after(settings: EpisodeSettings) -> bool:
    """Return whether the reflector is shown P(t+1), as the paper does (equation 6)."""
    return settings.paper_exact or settings.reflector_sees_elements == "after"


def notes_lag(settings: EpisodeSettings) -> int:
    """Return how many steps before their own plan(t) and decide(t) read the notes of: 2, or 1 as the paper does.

    This holds in every schedule: note(t-1) is made from s(t), which plan(t) and decide(t) see themselves.
    """
    return 1 if settings.paper_exact else 2


def notes_for(context: StageContext) -> str:
    """Return the notes that plan(t) and decide(t) read."""
    return context.state.notes(context.step - notes_lag(context.episode.settings))
