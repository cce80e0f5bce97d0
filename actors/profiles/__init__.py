"""Hold the loops of the papers, a package for each, and find a loop by its name.

``protocol.profiles`` lists the profiles. A loop is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from manyhands.actors.episode.profile import Profile
from manyhands.actors.roles import Judge, StepRole
from manyhands.protocol.base import Reply
from manyhands.protocol.profiles import ProfileUnusable, import_object, registered_profiles
from manyhands.protocol.runs.episode_settings import EpisodeSettings


class RegisteredProfiles(Mapping[str, Profile]):
    """Import the loop of a registered profile by its name. Raises ProfileUnusable if that fails."""

    def __getitem__(self, name: str) -> Profile:
        declaration = registered_profiles().declarations[name]
        profile = import_object(declaration.loop, Profile)
        if profile.declaration != declaration:
            raise ProfileUnusable(f"{declaration.loop!r} is not the loop of {name!r}: it has another declaration")
        return profile

    def __iter__(self) -> Iterator[str]:
        return iter(registered_profiles().declarations)

    def __len__(self) -> int:
        return len(registered_profiles().declarations)


PROFILES: Mapping[str, Profile] = RegisteredProfiles()


def agent_that_reads(reply: type[Reply]) -> type[StepRole[Any, Any, Any]] | None:
    """Return the class that reads replies of this type, or of a type it is based on; None for replies with
    captions, which no agent reads.
    """
    agents = {
        reply: agent
        for profile in PROFILES.values()
        for exact in (False, True)
        for agent in profile.agents(EpisodeSettings(profile=profile.name, paper_exact=exact))
        for reply in (agent.writes, *agent.also_writes)
    }
    agents[Judge.writes] = Judge  # it belongs to no profile
    return next((agents[kind] for kind in reply.__mro__ if kind in agents), None)


def unused(settings: EpisodeSettings) -> tuple[str, ...]:
    """Return the given settings that this loop ignores although other loops use them, in the order of their fields."""
    registry = registered_profiles()
    followed = frozenset[str]().union(*(one.uses for one in registry.declarations.values()))
    foreign = (followed - registry.find(settings.profile).uses) & settings.model_fields_set
    return tuple(name for name in EpisodeSettings.model_fields if name in foreign)


def profile_of(name: str, profiles: Mapping[str, Profile] = PROFILES) -> Profile:
    """Return the profile with this name. Raises ProfileUnusable, a ValueError that lists the known names."""
    if name not in profiles:
        registered_profiles().find(name)
    return profiles[name]
