"""Run one agent in one chat that learns: the loop and prompts of ``native``, and stages for learned shortcuts."""

from manyhands.actors.profiles.native_evo.profile import PROFILE

__all__ = ["PROFILE"]
