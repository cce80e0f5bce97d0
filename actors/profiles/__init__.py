"""The loops of papers: a package each, and this table."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from manyhands.actors.episode.profile import Profile
from manyhands.actors.profiles import bare, e, e_evo, v1, v2
from manyhands.actors.roles import StepRole
from manyhands.protocol.base import Reply
from manyhands.protocol.runs import EpisodeSettings
from manyhands.protocol.written import nearest

PROFILES: Mapping[str, Profile] = {
    profile.name: profile for profile in (bare.PROFILE, e_evo.PROFILE, e.PROFILE, v1.PROFILE, v2.PROFILE)
}


def agent_that_reads(reply: type[Reply]) -> type[StepRole[Any, Any, Any]] | None:
    """Return the class that reads replies of this type, or of one on which it is based; None for captions."""
    agents = {
        written: agent
        for profile in PROFILES.values()
        for exact in (False, True)
        for agent in profile.agents(EpisodeSettings(profile=profile.name, paper_exact=exact))
        for written in (agent.writes, *agent.also_writes)
    }
    return next((agents[kind] for kind in reply.__mro__ if kind in agents), None)


def unused(settings: EpisodeSettings) -> tuple[str, ...]:
    """Return the settings that were given and that other loops follow, but not this one, in their order."""
    followed = frozenset[str]().union(*(profile.uses for profile in PROFILES.values()))
    foreign = (followed - profile_of(settings.profile).uses) & settings.model_fields_set
    return tuple(name for name in EpisodeSettings.model_fields if name in foreign)


def profile_of(name: str, profiles: Mapping[str, Profile] = PROFILES) -> Profile:
    """Return the profile with this name. Raises ValueError that lists the known ones."""
    if name not in profiles:
        known = ", ".join(f"{profile.name} ({profile.paper})" for profile in profiles.values())
        near = nearest(difflib.get_close_matches(name, profiles, n=1))
        raise ValueError(f"{name!r} is not a profile; profiles are {known}{near}")
    return profiles[name]
