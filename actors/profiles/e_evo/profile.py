"""Mobile-Agent-E + Evo: graph and prompts of ``e``; what a shortcut that was learned may do is asked and watched.

What is recalled before a task and learned after it is no stage of a step: whoever hands out tasks sees to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from manyhands.actors.episode.profile import Stage
from manyhands.actors.episode.stages.watching import watched
from manyhands.actors.profiles.e import PROFILE as E
from manyhands.actors.profiles.e.stages.permitting import asks_permit
from manyhands.actors.roles import Retriever, ShortcutsLearner, StepRole, TipsLearner, Verifier
from manyhands.protocol.runs import EpisodeSettings

PARTS: Mapping[str, str] = {
    **E.parts,
    "learn-tips": "no tips are learned",
    "learn-shortcuts": "no shortcuts are learned",
    "recall": "nobody chooses from what is known: all of it is shown",
    "preconditions": "shortcuts are used where the operator says so",
    "checks": "shortcuts are carried out blind",
    "future-tasks": "learners are not told what is still to come",
}


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agents of ``e``, the verifier where preconditions are checked, and those that are asked around tasks.

    The paper's retrievers are for an example alone (section 5.4): with ``paper_exact`` all that is known is shown.
    """
    tips, shortcuts, exact = settings.has("tips"), settings.has("shortcuts"), settings.paper_exact
    others: Mapping[type[StepRole[Any, Any, Any]], bool] = {
        Verifier: shortcuts and settings.has("preconditions") and not exact,
        Retriever: (tips or shortcuts) and settings.has("recall") and not exact,
        ShortcutsLearner: shortcuts and settings.has("learn-shortcuts"),
        TipsLearner: tips and settings.has("learn-tips"),
    }
    return (*E.agents(settings), *(kind for kind, asked in others.items() if asked))


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of ``e``, with those around the use of a shortcut."""
    return watched(E.stages(settings), settings, asks_permit)


PROFILE = replace(E, name="e+evo", agents=agents, stages=stages, parts=PARTS, learns=True)
