"""The loops of papers: a package each, and this table."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.actors.episode.profile import Profile
from manyhands.actors.profiles import e

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (e.PROFILE,)}


def profile_of(name: str, profiles: Mapping[str, Profile] = PROFILES) -> Profile:
    """Return the profile with this name. Raises ValueError that lists the known ones."""
    if name not in profiles:
        known = ", ".join(f"{profile.name} ({profile.paper})" for profile in profiles.values())
        raise ValueError(f"{name!r} is not a profile; profiles are {known}")
    return profiles[name]
