"""Choose the inputs of the roles by the settings: the paper's equations, and parts that are left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.profiles.declaration import AS_PAPERS_CAPTION
from manyhands.protocol.roles.requests import ALL_TOLD, Brief, Told
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.screen import Screen

PARTS: Mapping[str, str] = {
    "planner": "no plan and no subgoals; the operator's Stop ends an episode",
    "reflector": "actions are not judged, and there is no progress",
    "notetaker": "nothing is noted",
    "escalation": "the planner is not shown failures in a row",
    "tips": "no role is told tips",
    "shortcuts": "no role is told shortcuts, and none can be called",
    "elements": "what perception found is not listed, and cannot be tapped by number",
    "captions": "icons are not captioned",
    "history": "the operator is not shown past actions",
}
"""The parts that the setting ``without`` may leave out."""

_EXACTLY: Mapping[Role, tuple[Told, ...]] = {
    Role.PLAN: ("shortcuts",),
    Role.DECIDE: ("tips", "shortcuts"),
    Role.REFLECT: (),
    Role.NOTE: (),
}
"""The parts of long-term memory that the equations (1, 2, 4, 6, 7) give each role. The paper gives no role
any hints."""


def fixes(settings: EpisodeSettings) -> Mapping[str, Any]:
    """Return settings that follow from other settings. The paper captions every icon before a role sees it."""
    if not settings.has("captions"):
        return {"captions": False}
    return AS_PAPERS_CAPTION if settings.paper_exact else {}


def not_offered(settings: EpisodeSettings) -> frozenset[str]:
    """Return the actions that the operator may not choose."""
    names = set()
    if not settings.has("shortcuts"):
        names.add("Shortcut")
    if not settings.has("elements"):
        names.add("Tap_Element")
    if settings.paper_exact and settings.has("planner"):
        names.add("Stop")
    return frozenset(names)


def brief(context: StageContext, role: Role) -> Brief:
    """Return what a role is told of its task and of earlier tasks."""
    settings, whole = context.runtime.settings, context.brief
    lists = _exactly(role, settings) if settings.paper_exact else ALL_TOLD
    return whole.model_copy(
        update={
            "told": tuple(name for name in lists if settings.has(name)),
            "shortcuts": whole.shortcuts if settings.has("shortcuts") else (),
        }
    )


def _exactly(role: Role, settings: EpisodeSettings) -> tuple[Told, ...]:
    """Return what the paper tells a role. For the planner, the paper's text and its equation differ."""
    if role is Role.PLAN and settings.planner_tips:
        return _EXACTLY[Role.DECIDE]
    return _EXACTLY.get(role, ())


def listed(context: StageContext, screen: Screen | None) -> Screen | None:
    """Return the screen whose elements a role is shown. Return None if elements are left out."""
    return screen if context.runtime.settings.has("elements") else None


def sees_elements_after(settings: EpisodeSettings) -> bool:
    """Return whether the reflector is shown P(t+1), as in the paper (equation 6)."""
    return settings.has("elements") and (settings.paper_exact or settings.reflector_sees_elements == "after")


def notes_lag(settings: EpisodeSettings) -> int:
    """Return by how many steps the notes are older that plan(t) and decide(t) read: 2, or 1 as in the paper.

    This lag is the same in every schedule. note(t-1) is made from s(t), which plan(t) and decide(t) see themselves.
    """
    return 1 if settings.paper_exact else 2


def notes_for(context: StageContext) -> str | None:
    """Return the notes that plan(t) and decide(t) read. Return None if there is no notetaker."""
    settings = context.runtime.settings
    return context.state.notes(context.step - notes_lag(settings)) if settings.has("notetaker") else None


def progress_at(context: StageContext, step: int) -> str | None:
    """Return the progress after ``step``. Return None if there is no reflector, which would report it."""
    return context.state.progress(step) if context.runtime.settings.has("reflector") else None
