"""A bare model: goal, screenshot and its own history, one call a step, and no agent around it."""

from manyhands.actors.profiles.bare.profile import PROFILE

__all__ = ["PROFILE"]
