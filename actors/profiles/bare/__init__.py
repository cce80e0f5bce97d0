"""Run a bare model without an agent: one call for each step, with the goal, a screenshot and the model's history."""

from manyhands.actors.profiles.bare.profile import PROFILE

__all__ = ["PROFILE"]
